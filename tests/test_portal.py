"""The event loop that turns without one share, with real servers, forks and ends of processes."""

import asyncio
import subprocess
import sys
import textwrap

import openai
import pytest

from scripted_server import ScriptedServer
from vista_stream.events import TextReleased
from vista_stream.portal import blocking_portal
from vista_stream.session import Session
from vista_stream.stages.llm.client import LlmClient, Style
from vista_stream.stages.llm.rank import LlmRank
from vista_stream.stages.stages import Stages
from vista_stream.testing import ScriptedStages, WholeSentences


def said(session: Session, text: str = "It is true.") -> str:
    return "".join(session.turn_sync([text]))


class Noting(ScriptedStages):
    """Notes the event loop of each claim."""

    def __init__(self):
        super().__init__()
        self.loops = []

    async def verify(self, claim, grounds):
        self.loops.append(asyncio.get_running_loop())
        return await super().verify(claim, grounds)


def test_all_turns_share_one_loop():
    stages = Noting()
    for _ in range(2):
        said(Session(stages=stages.stages()))
    first, second = stages.loops
    assert first is second


@pytest.fixture
def server():
    running = ScriptedServer()
    yield running
    running.close()


def test_an_llm_s_connection_serves_the_next_turn_too(server):
    server.script = lambda request: "1. 1: vital"
    sender = openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)
    client = LlmClient("scripted", client=sender, style=Style(structured=False))
    scripted = ScriptedStages()
    rank = LlmRank(client)
    stages = Stages(decompose=WholeSentences(), rank=rank, verify=scripted, categorise=scripted)
    session = Session(stages=stages)
    for number in range(3):
        text = f"Number {number} is true."
        assert "".join(session.turn_sync([text], query="Is it?")) == text
    assert not [claim for turn in session.report.turns for claim in turn.unresolved]
    assert len(server.requests) == 3
    with blocking_portal() as portal:
        portal.call(client.aclose)


def test_a_callback_may_begin_another_turn():
    session = Session(stages=ScriptedStages().stages())
    heard = []
    session.on(TextReleased, lambda event: heard.append(said(Session(stages=ScriptedStages().stages()))))
    assert said(session, "Two are true.") == "Two are true."
    assert heard == ["It is true."]


def test_what_is_no_exception_ends_its_turn_and_not_the_loop_of_others():
    def fail(event):
        pytest.fail("mine")

    failing, other = (Session(stages=ScriptedStages().stages()) for _ in range(2))
    failing.on(TextReleased, fail)
    under_way = other.turn_sync(["One is true.", " Two is true."])
    read = next(under_way)
    with pytest.raises(pytest.fail.Exception, match="mine"):
        said(failing)
    assert read + "".join(under_way) == "One is true. Two is true."


class Leaving:
    """A store that ends the process, as one whose configuration is wrong may."""

    async def load(self, conversation):
        raise SystemExit(3)

    async def append(self, conversation, statements):
        pass


def test_a_retraction_that_ends_the_process_does_not_end_the_loop_of_others():
    under_way = Session(stages=ScriptedStages().stages()).turn_sync(["One is true.", " Two is true."])
    read = next(under_way)
    with pytest.raises(SystemExit, match="3"):
        Session(stages=ScriptedStages().stages(), store=Leaving()).retract_sync("It is true.")
    assert read + "".join(under_way) == "One is true. Two is true."


SCRIPT = """
    import os, time
    from vista_stream import Session
    from vista_stream.testing import ScriptedStages

    def turn(source):
        return Session(stages=ScriptedStages().stages()).turn_sync(source)

    def endless():
        while True:
            yield "It is true. "
            time.sleep(0.01)
"""


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT) + textwrap.dedent(script)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("source", ["endless()", "['It is true. ', 'It is old.']"])
def test_a_process_ends_silently_though_a_turn_was_never_closed(source):
    assert run(f"left = turn({source}); print(next(left))").strip() == "It is true."


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
def test_a_forked_process_has_a_loop_of_its_own():
    printed = run(
        """
        list(turn(["It is true."]))
        child = os.fork()
        os.write(1, ("".join(turn(["It is true."])) + "\\n").encode())  # in one piece: both write at once
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert printed == "It is true.\n" * 2
