"""A turn that is left before its end: what its reader had got counts, and nothing else."""

import itertools
import logging

import anyio
import pytest

from scripted_turns import Source, all_decided
from vista_stream.claims import Category, Claim, ClaimKind, Importance, Span, UnresolvedReason, Verdict
from vista_stream.errors import SessionStateError, StoreError, UpstreamError
from vista_stream.events import (
    ClaimSettled,
    TextReleased,
    TextReplaced,
    TextRetracted,
    TextWithheld,
    TurnEnded,
)
from vista_stream.policy import Policy, stop
from vista_stream.report import TurnReport, Unresolved
from vista_stream.session import Session
from vista_stream.shown import Seen
from vista_stream.stores import MemoryStore
from vista_stream.testing import ScriptedStages

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]

TEXT = "One is true. Two is FALSE. Three is true. Four is true. "


def scripted(**kwargs) -> Session:
    return Session(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages(), **kwargs)


def texts(statements) -> list[str]:
    return [statement.text for statement in statements]


async def read_until(turn, word: str) -> str:
    """Read a turn's text up to the piece that holds a word."""
    read = ""
    async for piece in turn.text():
        read += piece
        if word in piece:
            return read
    raise AssertionError(f"the turn never said {word!r}: {read!r}")


async def test_what_was_read_joins_the_common_ground_and_the_report():
    session = scripted()
    async with session.turn(Source([TEXT], endless=True)) as turn:
        await read_until(turn, "Three")
    assert texts(session.common_ground) == ["One is true.", "Three is true."]
    report = turn.report
    assert session.report.turns == (report,)
    assert report.left
    assert not report.stopped
    assert [verdict.claim.text for verdict in report.verdicts] == texts_of("One", "Two", "Three")
    assert (report.released, report.withheld) == (len("One is true.  Three is true."), len("Two is FALSE."))
    assert report.received >= len(TEXT)


def texts_of(*subjects: str) -> list[str]:
    return [f"{subject} is {'FALSE' if subject == 'Two' else 'true'}." for subject in subjects]


@pytest.mark.parametrize("text", [TEXT, ""])
async def test_a_turn_of_which_nothing_was_read_leaves_nothing(text):
    session = scripted()
    async with session.turn([text]) as turn:
        await all_decided(turn)
    assert session.common_ground == ()
    assert session.report.turns == ()
    assert (turn.report.left, turn.report.verdicts, turn.report.released) == (True, (), 0)
    assert turn.report.received == len(text)


async def test_a_reader_that_never_asks_for_the_end_has_left():
    async def deltas():
        yield "One is true.\n"
        await settled.wait()

    settled = anyio.Event()
    async with scripted(policy=Policy(mode="optimistic")).turn(deltas()) as turn:
        with anyio.fail_after(5):
            async for event in turn:
                if isinstance(event, ClaimSettled):
                    break
        settled.set()
        await all_decided(turn)
    assert turn.report.left


async def test_a_slow_reader_has_seen_what_it_read_though_all_was_decided():
    session = scripted()
    async with session.turn([TEXT]) as turn:
        await read_until(turn, "One")
        await all_decided(turn)
    assert texts(session.common_ground) == ["One is true."]
    assert turn.report.left


async def test_what_was_read_and_never_shown_is_discarded():
    session = scripted()
    async with session.turn([TEXT]) as turn:
        await read_until(turn, "Three")
        turn.discard()
    assert session.common_ground == ()
    assert turn.report.verdicts == ()


async def test_what_was_discarded_does_not_count_though_more_was_read():
    session = scripted()
    async with session.turn([TEXT]) as turn:
        await read_until(turn, "One")
        turn.discard()
        await read_until(turn, "Three")
    assert texts(session.common_ground) == ["Three is true."]
    assert [verdict.claim.text for verdict in turn.report.verdicts] == texts_of("Two", "Three")
    assert turn.report.released + turn.report.withheld == len(" Two is FALSE. Three is true.")


async def test_a_turn_that_is_left_twice_frees_its_session_once():
    session = scripted()
    async with session.turn([TEXT]) as first:
        await first.drain()
    async with session.turn([TEXT]) as turn:
        await first.__aexit__(None, None, None)
        with pytest.raises(SessionStateError, match="a turn of this session is running"):
            session.turn([TEXT])
        await turn.drain()


async def test_a_turn_that_cannot_begin_leaves_its_session_free(caplog):
    def fails(record):
        raise KeyError("mine")

    session, logger = scripted(), logging.getLogger("vista_stream")
    caplog.set_level(logging.DEBUG, logger.name)
    logger.addFilter(fails)
    try:
        with pytest.raises(KeyError, match="mine"):
            await session.turn([TEXT]).__aenter__()
    finally:
        logger.removeFilter(fails)
    async with session.turn([TEXT]) as turn:
        await turn.drain()


async def test_a_turn_that_the_policy_stopped_says_so_when_it_is_left():
    session = scripted(policy=Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop()}))
    async with session.turn([TEXT]) as turn:
        async for event in turn:
            if isinstance(event, TextReplaced):
                break
        await all_decided(turn)
    assert (turn.report.left, turn.report.stopped) == (True, True)


async def test_a_turn_that_is_read_to_its_end_was_not_left():
    session = scripted()
    async with session.turn([TEXT]) as turn:
        await turn.drain()
    assert not turn.report.left
    assert turn.report.received == turn.report.released + turn.report.withheld


async def test_the_next_turn_is_judged_by_what_was_read_of_the_one_before():
    store = MemoryStore()
    session = scripted(store=store, conversation="a")
    async with session.turn(Source([TEXT], endless=True)) as turn:
        await read_until(turn, "One")
    assert [(s.text, s.turn) for s in await store.load("a")] == [("One is true.", 0)]
    async with session.turn(["Five is true."]) as turn:
        await turn.drain()
    assert [(s.text, s.turn) for s in session.common_ground] == [("One is true.", 0), ("Five is true.", 1)]


async def test_a_cancelled_reader_has_got_what_it_read():
    session = scripted()

    async def read():
        async with session.turn(Source([TEXT], endless=True)) as turn:
            await read_until(turn, "Three")
            reached.set()
            await anyio.sleep_forever()

    reached = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await reached.wait()
        tasks.cancel_scope.cancel()
    assert texts(session.common_ground) == ["One is true.", "Three is true."]


async def test_a_reader_that_raises_keeps_its_error_and_what_it_read():
    session = scripted()
    with pytest.raises(KeyError, match="mine"):
        async with session.turn(Source([TEXT], endless=True)) as turn:
            await read_until(turn, "One")
            raise KeyError("mine")
    assert texts(session.common_ground) == ["One is true."]


async def test_a_callback_that_raises_leaves_what_was_read_before():
    session = scripted()

    def refuse(event):
        if "Three" in event.text:
            raise KeyError("mine")

    session.on(TextReleased, refuse)
    with pytest.raises(KeyError, match="mine"):
        async with session.turn([TEXT]) as turn:
            await read_until(turn, "Four")
    assert texts(session.common_ground) == ["One is true."]
    assert turn.report.left


async def test_a_source_that_breaks_ends_the_turn_and_does_not_leave_it():
    session = scripted()
    with pytest.raises(UpstreamError):
        async with session.turn(Source([TEXT], error=OSError("gone"))) as turn:
            await read_until(turn, "nothing")
    assert not turn.report.left
    assert texts(session.common_ground) == ["One is true.", "Three is true.", "Four is true."]


async def test_text_that_was_retracted_before_the_reader_left_was_not_shown():
    session = scripted(policy=Policy(mode="optimistic"))
    async with session.turn(Source([TEXT], endless=True)) as turn:
        async for event in turn:
            if isinstance(event, TextRetracted):
                break
    assert len("One is true. ") <= turn.report.released <= turn.report.received - turn.report.withheld
    assert turn.report.withheld == len("Two is FALSE.")


class Broken(MemoryStore):
    async def append(self, conversation, statements):
        raise OSError("the disk is full")


async def test_a_store_that_fails_when_a_turn_is_left_is_an_error():
    session = scripted(store=Broken(), policy=Policy(on_store_error="raise"))
    with pytest.raises(StoreError, match="the disk is full"):
        async with session.turn(Source([TEXT], endless=True)) as turn:
            await read_until(turn, "One")
    assert turn.report.left


async def test_a_store_that_fails_does_not_hide_the_reader_s_own_error(caplog):
    session = scripted(store=Broken(), policy=Policy(on_store_error="raise"))
    with pytest.raises(KeyError, match="mine"):
        async with session.turn(Source([TEXT], endless=True)) as turn:
            await read_until(turn, "One")
            raise KeyError("mine")
    (message,) = [each for each in caplog.messages if each.startswith("a turn that was left")]
    assert message.startswith("a turn that was left is not in the store of conversations: ")
    assert message.endswith("the disk is full")


def test_a_sync_turn_that_is_left_counts_too():
    session = scripted()
    for piece in session.turn_sync(itertools.cycle([TEXT])):
        if "Three" in piece:
            break
    assert texts(session.common_ground) == ["One is true.", "Three is true."]


def taken(*events) -> Seen:
    seen = Seen()
    for event in events:
        seen.take(event)
    return seen


def counts(seen: Seen) -> tuple[int, int]:
    report = seen.cut(TurnReport())
    return report.released, report.withheld


def released(start: int, end: int) -> TextReleased:
    return TextReleased(text="x" * (end - start), span=Span(start, end))


def replaced(start: int, end: int) -> TextReplaced:
    return TextReplaced(text="x" * (end - start), replacement="No.", span=Span(start, end), verdict=None)


def withheld(start: int, end: int) -> TextWithheld:
    return TextWithheld(text="x" * (end - start), span=Span(start, end), verdict=None)


def retracted(start: int, end: int) -> TextRetracted:
    return TextRetracted(text="x" * (end - start), replacement="", span=Span(start, end), verdict=None)


def test_who_took_nothing_has_seen_nothing():
    assert Seen().cut(TurnReport()) == TurnReport(left=True)


def test_only_text_has_a_length():
    seen = taken(TurnEnded(report=TurnReport()), released(0, 5))
    assert counts(seen) == (5, 0)


@pytest.mark.parametrize("kept_back", [replaced, withheld])
def test_what_was_shown_and_what_was_kept_back_add_up(kept_back):
    seen = taken(released(0, 5), kept_back(5, 12), released(12, 15), kept_back(15, 17))
    assert counts(seen) == (8, 9)


@pytest.mark.parametrize("start", [5, 10])
def test_what_is_taken_back_with_all_that_follows_is_counted_once(start):
    seen = taken(released(0, 40), retracted(10, 20))
    assert counts(seen) == (30, 10)
    seen.take(retracted(start, 40))
    assert counts(seen) == (start, 40 - start)


def test_an_earlier_sentence_that_is_taken_back_later_is_counted_too():
    seen = taken(released(0, 40), retracted(20, 30), retracted(0, 40), released(40, 44))
    assert counts(seen) == (4, 40)
    assert counts(taken(released(0, 40), retracted(5, 10), retracted(20, 40))) == (15, 25)
    assert counts(taken(released(0, 40), retracted(20, 40), retracted(10, 20), retracted(0, 10))) == (0, 40)


def test_what_was_discarded_does_not_count():
    seen = taken(released(0, 40), replaced(40, 50), retracted(10, 20))
    seen.discard()
    assert counts(seen) == (0, 0)
    seen.take(released(50, 55))
    seen.take(retracted(0, 20))  # it was discarded before
    assert counts(seen) == (5, 0)
    seen.take(retracted(0, 55))
    assert counts(seen) == (0, 5)


def test_the_report_keeps_the_claims_whose_text_was_taken():
    claims = [
        Claim(
            id=end,
            sentence=0,
            sentence_text="x",
            text="x",
            span=Span(0, end),
            kind=ClaimKind.FACT,
            importance=Importance.VITAL,
        )
        for end in (11, 12, 13)
    ]
    whole = TurnReport(
        verdicts=[Verdict(claim=claim, category=Category.VERIFIED) for claim in claims],
        unresolved=[Unresolved(claim=claim, reason=UnresolvedReason.DEADLINE) for claim in claims],
        received=99,
    )
    report = taken(released(0, 12)).cut(whole)
    assert [each.claim for each in report.verdicts] == claims[:2]
    assert [each.claim for each in report.unresolved] == claims[:2]
    assert (report.received, report.left) == (99, True)
