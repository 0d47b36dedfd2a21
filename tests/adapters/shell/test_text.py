"""What a guarded text that is left, or fails, leaves behind."""

import anyio
import pytest

from vista_stream import Category, Importance, Policy, UpstreamError, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog
from vista_stream_adapters.shell.text import guard_text

pytestmark = pytest.mark.anyio

ASKED = [{"role": "user", "content": "When?"}]
STOPS = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop()})


def guard(**settings) -> Guard:
    return Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages(), **settings)


async def endless():
    yield "One is true. Two is true. Three"
    await anyio.sleep_forever()


async def nothing(event) -> None:
    pass


async def left(guarding: Guard, take) -> None:
    """Guard a text that never ends, and leave it."""
    with anyio.move_on_after(0.2):
        await guard_text(endless(), take, guard=guarding, messages=ASKED, conversation="c")


async def test_a_streamed_text_that_is_left_is_settled_with_what_was_taken():
    outcomes = []
    guarding = guard(on_outcome=outcomes.append)
    await left(guarding, nothing)
    kept = [statement.text for statement in await guarding.common_ground("c")]
    assert kept == ["One is true.", "Two is true."]
    (outcome,) = outcomes
    assert outcome.report.left
    assert outcome.report.released >= len("One is true. Two is true.")


async def test_of_a_text_that_was_only_gathered_nothing_was_shown():
    outcomes = []
    guarding = guard(on_outcome=outcomes.append)
    await left(guarding, LaneLog(Lane(track=0, part="text"), show_withheld=False))
    assert not await guarding.common_ground("c")
    assert [outcome.report.released for outcome in outcomes] == [0]


async def test_an_outcome_that_cannot_be_taken_does_not_hide_why_the_text_was_left(caplog):
    def refuse(outcome):
        raise KeyError("mine")

    guarding = guard(on_outcome=refuse)
    await left(guarding, nothing)
    assert "on_outcome raised for a text that was left or failed" in caplog.text
    with pytest.raises(KeyError, match="mine"):
        await guard_text(["One is true."], nothing, guard=guarding, messages=ASKED)


async def test_a_text_that_fails_tells_nothing_of_how_long_texts_are():
    def broken():
        yield "One is true. "
        raise OSError("gone")

    guarding = guard(policy=STOPS)
    with pytest.raises(UpstreamError):
        await guard_text(broken(), nothing, guard=guarding, messages=ASKED)
    stopped = await guard_text(["Two is FALSE. And so on."], nothing, guard=guarding, messages=ASKED)
    assert stopped.report.stopped
    assert stopped.tokens_saved is None
