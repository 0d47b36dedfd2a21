import logging
import re

import pytest

from vista_stream import Category, Policy, Session, UpstreamError, stop
from vista_stream.claims import Importance
from vista_stream.errors import LanguageUnsupported
from vista_stream.testing import ScriptedStages

pytestmark = pytest.mark.anyio
TEXT = "The mill is red. The moon is odd. Cela est tout. It stands in Kew."
STOPPING = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop("No.")})


class Judging(ScriptedStages):
    async def verify(self, claim, grounds):
        if "Cela" in claim.text:
            raise LanguageUnsupported(f"not English: {claim.text}")
        return await super().verify(claim, grounds)


async def story(caplog, deltas=(TEXT,), **settings):
    session = Session(stages=Judging({"moon": Category.CONTRADICTED}).stages(), **settings)
    session.add_reference("The mill is green.")
    with caplog.at_level(logging.DEBUG, logger="vista_stream"):
        async with session.turn(deltas, query="What is odd?") as turn:
            await turn.drain()
    return [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]


def shape(line):
    """A line without the turn's number, and without times."""
    return re.sub(r"after \d+ ms", "after N ms", re.sub(r"^turn \d+ ", "", line))


async def test_the_story_of_a_turn_is_told_without_a_word_of_it(caplog):
    lines = list(map(shape, await story(caplog)))
    assert lines[0] == "begins: verify_first, deadline 5 s, a query of 12 characters"
    assert lines[-1] == "ends: 3 verdicts, 1 unresolved; of 66 characters 30 withheld"
    assert "claim 0: vital fact in sentence 0, wording of 16 characters" in lines
    assert "claim 2000: contradicted after N ms" in lines
    assert "claim 4000: unresolved, language" in lines
    assert "released 0-16, text of 16 characters" in lines
    assert "replaced 17-33 because of claim 2000, text of 16 characters" in lines
    assert not re.search(r"mill|moon|Kew|Cela|odd", " ".join(lines))


async def test_the_words_are_told_where_the_session_says_so(caplog):
    told = " ".join(await story(caplog, log_text=True))
    for words in (
        "a query 'What is odd?'",
        "text 'The moon is odd.'",
        "language: not English: Cela est tout.",
    ):
        assert words in told


async def test_turns_have_numbers_of_their_own(caplog):
    await story(caplog)
    numbers = {line.split(" ")[1] for line in await story(caplog)}
    assert len(numbers) == 2


async def test_a_stop_is_told(caplog):
    assert (await story(caplog, policy=STOPPING))[-1].endswith("characters 49 withheld, stopped")


async def test_an_error_is_told_by_its_class(caplog):
    async def broken():
        yield "The mill is red. "
        raise OSError("the moon fell")

    with pytest.raises(UpstreamError):
        await story(caplog, deltas=broken())
    assert caplog.records[-1].getMessage().endswith("fails: UpstreamError")


async def test_nothing_is_told_above_debug(caplog):
    with caplog.at_level(logging.INFO, logger="vista_stream"):
        async with Session(stages=Judging().stages()).turn(["The mill is red."]) as turn:
            await turn.drain()
    assert not caplog.records
