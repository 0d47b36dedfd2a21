"""A turn that is left before its end: what its reader had got counts, and nothing else."""

import itertools

import anyio
import pytest

from scripted_turns import Source, all_decided
from vista_stream.claims import Category, Importance
from vista_stream.errors import StoreError, UpstreamError
from vista_stream.events import TextReleased, TextReplaced, TextRetracted
from vista_stream.policy import Policy, stop
from vista_stream.session import Session
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


async def test_a_turn_of_which_nothing_was_read_leaves_nothing():
    session = scripted()
    async with session.turn([TEXT]) as turn:
        await all_decided(turn)
    assert session.common_ground == ()
    assert session.report.turns == ()
    assert (turn.report.left, turn.report.verdicts, turn.report.released) == (True, (), 0)
    assert turn.report.received == len(TEXT)


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
    assert "a turn that was left is not in the store of conversations" in caplog.text


def test_a_sync_turn_that_is_left_counts_too():
    session = scripted()
    for piece in session.turn_sync(itertools.cycle([TEXT])):
        if "Three" in piece:
            break
    assert texts(session.common_ground) == ["One is true.", "Three is true."]
