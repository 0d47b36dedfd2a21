"""What must hold of every turn, whatever fails: each check names the promise that it holds the turn to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fault_parts import Injected
from fault_turns import LIMIT, ConsumerError, Conversation, Told
from vista_stream.claims import Span
from vista_stream.errors import (
    BadDelta,
    StageError,
    StoreError,
    TurnWithheld,
    UpstreamError,
    VerifierError,
    VistaError,
)
from vista_stream.events import (
    ClaimFound,
    ClaimSettled,
    ClaimUnresolved,
    TextReleased,
    TextReplaced,
    TextRetracted,
    TextWithheld,
    TurnEnded,
)

_OPTIMISTIC = ("optimistic", "retract")


def check(seen: Conversation) -> None:
    """Raise AssertionError for the first promise that was not kept."""
    for told in seen.turns:
        optimistic = seen.plan.policy in _OPTIMISTIC
        text_is_the_sources(told, optimistic=optimistic)
        nothing_false_is_shown(told, optimistic=optimistic)
        claims_have_one_outcome(told)
        reader_and_callbacks_agree(told)
        report_agrees_with_events(told, optimistic=optimistic)
        errors_are_the_documented_ones(told, seen)
        turn_ends(told)
        # Where something may hang, the deadline is so short that a slow machine may miss it by itself.
        in_time = seen.plan.jump is None and not seen.plan.hangs
        if not seen.plan.admitted and in_time and not _failed(seen.spent):
            every_claim_has_a_verdict(told)
    nothing_is_left(seen)
    last_turn_is_undisturbed(seen)
    common_ground_is_what_was_shown(seen)


def _cut_off(text: str) -> tuple[str, str]:
    """A text, and the same where its source broke between the two halves of its last character."""
    half = text[-1:].encode("utf-16-le", "surrogatepass")[:2].decode("utf-16-le", "surrogatepass")
    return text, text[:-1] + half


def text_is_the_sources(told: Told, *, optimistic: bool) -> None:
    """Text leaves in order, without a gap, byte for byte, whether sent on, replaced or withheld."""
    kinds = TextReleased if optimistic else TextReleased | TextReplaced | TextWithheld
    position = 0
    for event in told.emitted:
        if isinstance(event, TextReleased | TextReplaced | TextWithheld | TextRetracted):
            assert event.text in _cut_off(told.text[slice(*event.span)])
        if isinstance(event, kinds):
            assert event.span.start == position
            position = event.span.end
    if (ended := _ended(told)) is None:
        return
    assert position == ended.report.received
    if told.ended and told.plan.source_fault == "none":
        assert ended.report.stopped or position == len(told.text)


def nothing_false_is_shown(told: Told, *, optimistic: bool) -> None:
    """In verify_first no character of a false sentence is released; in optimistic it is retracted.

    White space does not count: where the source breaks off after "Zed ", the sentence is "Zed".
    """
    released = [
        event.span for event in told.emitted if isinstance(event, TextReleased) and event.text.strip()
    ]
    retracted = [event.span for event in told.emitted if isinstance(event, TextRetracted)]
    for false in told.false:
        if not optimistic:
            assert not any(_overlap(span, false) for span in released)
        elif _ended(told) is not None and any(_overlap(span, false) for span in released):
            assert any(_overlap(span, false) for span in retracted)


def claims_have_one_outcome(told: Told) -> None:
    """A claim is found once, then has one outcome; a turn that ended unstopped leaves none open."""
    found = Counter(event.claim.id for event in told.emitted if isinstance(event, ClaimFound))
    outcomes: Counter[int] = Counter()
    for event in told.emitted:
        if isinstance(event, ClaimSettled):
            outcomes[event.verdict.claim.id] += 1
        elif isinstance(event, ClaimUnresolved):
            outcomes[event.claim.id] += 1
    assert set(found.values()) <= {1}
    assert set(outcomes.values()) <= {1}
    assert set(outcomes) <= set(found)
    if (ended := _ended(told)) is not None and not ended.report.stopped:
        assert set(outcomes) == set(found)


def every_claim_has_a_verdict(told: Told) -> None:
    """Where no stage failed, no claim is unresolved, whatever source, store, callbacks and reader do."""
    assert not any(isinstance(event, ClaimUnresolved) for event in told.emitted)


def reader_and_callbacks_agree(told: Told) -> None:
    """The reader gets what the callbacks got, in the same order; TurnEnded comes last and once."""
    if told.read and isinstance(told.read[0], str):
        shown = ""
        for event in told.emitted:
            if isinstance(event, TextReleased):
                shown += event.text + event.mark
            elif isinstance(event, TextReplaced):
                shown += event.replacement
        read = "".join(told.read)
        assert shown.startswith(read)
        assert not told.ended or shown == read
    else:
        assert told.emitted[: len(told.read)] == told.read
        if told.ended and told.read:
            assert told.read == told.emitted
    ends = [event for event in told.emitted if isinstance(event, TurnEnded)]
    assert len(ends) <= 1
    assert not ends or told.emitted[-1] is ends[0]
    assert not told.ended or ends, "the turn ended in silence"


def report_agrees_with_events(told: Told, *, optimistic: bool) -> None:
    """The report's verdicts and lengths are those of the events."""
    if (ended := _ended(told)) is None:
        return
    report = ended.report
    assert told.report == report
    assert report.received == report.released + report.withheld
    assert report.received <= len(told.text)
    settled = {e.verdict.claim.id: e.verdict for e in told.emitted if isinstance(e, ClaimSettled)}
    unresolved = {e.claim.id: e.reason for e in told.emitted if isinstance(e, ClaimUnresolved)}
    assert all(settled[verdict.claim.id] == verdict for verdict in report.verdicts)
    assert all(unresolved[each.claim.id] is each.reason for each in report.unresolved)
    if not report.stopped:
        assert len(report.verdicts) == len(settled)
        assert len(report.unresolved) == len(unresolved)
    if not optimistic:
        assert report.released == sum(len(e.text) for e in told.emitted if isinstance(e, TextReleased))


def errors_are_the_documented_ones(told: Told, seen: Conversation) -> None:
    """An error has the type that is documented for what failed, and cancellation is not swallowed."""
    assert told.cancelled is not False, "a cancellation was swallowed"
    error = told.error
    if error is None:
        if told.source.raised and told.ended and (ended := _ended(told)) is not None:
            assert ended.report.stopped, "the source's error is lost"
        return
    for each in _members(error):
        assert isinstance(each, tuple(_possible(told, seen))), repr(each)
    if isinstance(error, UpstreamError):
        assert isinstance(error.__cause__, Injected)


def _members(error: BaseException) -> list[BaseException]:
    """The errors of a group; errors of several kinds that come at once are in one group."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [each for member in error.exceptions for each in _members(member)]


def _possible(told: Told, seen: Conversation) -> list[type[BaseException]]:
    plan, spent = seen.plan, seen.spent
    possible: list[type[BaseException]] = []
    if told.source.raised or told.plan.closing == "raises":
        possible.append(UpstreamError)
    if told.plan.source_fault in ("none delta", "bytes delta"):
        possible.append(BadDelta)
    if told.plan.consumer == "raises":
        possible.append(ConsumerError)
    if plan.policy == "raise":
        possible.append(TurnWithheld)
    if plan.on_store_error == "raise" and (spent["storing"] or "hangs" in plan.storing):
        possible.append(StoreError)
    sheds = plan.admitted or plan.hangs or plan.jump is not None  # what would come too late for its deadline
    if plan.on_verifier_error == "raise" and (sheds or _failed(spent)):
        possible += [VerifierError, StageError]
    possible += [Injected] * bool({"raises", "no memory"} & (spent["callbacks"] | spent["wording"]))
    possible += [RuntimeError] * ("stop iteration" in spent["callbacks"])
    possible += [SystemExit] * ("exits" in spent["callbacks"])
    possible += [ValueError] * ("no text" in spent["wording"])
    if "cancelled" in {told.plan.source_fault, *(fault for faults in spent.values() for fault in faults)}:
        possible.append(VistaError)
    return possible


def _failed(spent: dict[str, set[str]]) -> bool:
    """Whether a stage or the verifier was given a fault so far."""
    return any(spent[name] for name in ("verifier", "prepare", "hear", "decompose", "foresee", "rank"))


def turn_ends(told: Told) -> None:
    """The turn ends, also where its source or a stage never does."""
    assert told.seconds < LIMIT
    assert not isinstance(told.error, TimeoutError)


def nothing_is_left(seen: Conversation) -> None:
    """No task, no call in a thread, no open source and no file is left."""
    assert seen.tasks_left == 0
    assert seen.threads_left == 0
    assert seen.sources_open == 0
    assert seen.files_left <= 0


def last_turn_is_undisturbed(seen: Conversation) -> None:
    """After all failures, the session checks an answer as if none had been."""
    last = seen.turns[-1]
    settled = [event.verdict for event in last.emitted if isinstance(event, ClaimSettled)]
    settled.sort(key=lambda each: each.claim.span)  # a claim may be settled before an earlier one
    assert [each.category.value for each in settled] == ["verified", "contradicted"]
    assert isinstance(last.error, TurnWithheld) if seen.plan.policy == "raise" else last.error is None
    first = [event.text for event in last.emitted if isinstance(event, TextReleased)]
    assert "".join(first).startswith(last.text.partition("Z")[0])


def common_ground_is_what_was_shown(seen: Conversation) -> None:
    """The common ground has no false claim, no claim twice, none that no reader got, and is what a shared
    store keeps."""
    assert seen.session is not None
    ground = [statement.text for statement in seen.session.common_ground]
    assert not any("Z" in text for text in ground)
    shown = [text for told in seen.turns for text in _shown(told)]
    if seen.plan.policy not in _OPTIMISTIC:
        assert all(any(text.strip() in each for each in shown) for text in ground)
    if seen.kept is not None and not seen.session.report.turns[-1].store_error:
        assert seen.kept == ground
    assert len(set(ground)) == len(ground)


def _shown(told: Told) -> Iterator[str]:
    """What the reader got; of a reader that drains, which keeps nothing, what the callbacks got."""
    for each in told.emitted if told.plan.consumer == "drain" else told.read:
        if isinstance(each, TextReleased):
            yield each.text
        elif isinstance(each, str):
            yield each


def _ended(told: Told) -> TurnEnded | None:
    return next((event for event in told.emitted if isinstance(event, TurnEnded)), None)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
