"""vista_stream: this project, with one session for each stream, and defaults for all but the policy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from driver import Blocked, Notice, Run, StubFailed

from vista_stream import Category, Claim, Importance, Policy, Session, TextReleased, TextReplaced, TurnEnded
from vista_stream import replace as replaced
from vista_stream import stop as stopped
from vista_stream.claims import Finding, Scores
from vista_stream.errors import InferenceError
from vista_stream.stages import Stages
from vista_stream.stages.defaults import default_stages
from vista_stream.stages.protocols import Grounds

NAME = "vista-stream"
PACKAGES = ["vista-stream[cpu,parse]"]
SETTINGS = {
    "documented": "README: Session and its default policy; the stub stands in the Verify stage",
    "best": "the same, and unresolved claims of any importance are replaced, too",
    "stop": "as best, but the first such claim ends the stream",
}
OWN_VERIFIER = "the embedded three-way verifier and its rules, shipped in the package; runs offline"

_TRUE = Scores(0.98, 0.01, 0.01)
_FALSE = Scores(0.01, 0.01, 0.98)


def _policy(setting: str) -> Policy:
    if setting == "documented":
        return Policy()
    action = stopped() if setting == "stop" else replaced()
    return Policy(
        rules={(Category.CONTRADICTED, importance): action for importance in Importance},
        unresolved={importance: action for importance in Importance},
    )


class StubVerify:
    """A Verify stage that asks the benchmark's stub about a claim, which it knows by the claim's sentence."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def prepare(self, grounds: Grounds) -> None:
        """Nothing is indexed."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """Contradicted if the claim's sentence is false, else verified."""
        try:
            false = await self._run.stub.check(claim.text, within=claim.sentence_text)
        except StubFailed as error:
            raise InferenceError(str(error)) from error
        return Finding(scores=_FALSE if false else _TRUE, tier="model")


class Guard:
    """One session for each stream."""

    def __init__(self, stages: Stages, *, policy: Policy, own: bool) -> None:
        self._stages = stages
        self._policy = policy
        self._own = own

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Released text, and replacements as notices."""
        stages = self._stages if self._own else replace(self._stages, verify=StubVerify(run))
        session = Session(policy=self._policy, stages=stages)
        for reference in run.references:
            session.add_reference(reference)
        async with session.turn(source, query=run.query) as turn:
            async for event in turn:
                match event:
                    case TextReleased(text=text):
                        yield text
                    case TextReplaced(replacement=replacement):
                        yield Notice(replacement)
                    case TurnEnded(report=report) if report.stopped:
                        raise Blocked("the policy ended the stream")


async def open_guard(setting: str, verifier: str) -> Guard:
    """Load the stages once for all streams, as a service does."""
    return Guard(default_stages(), policy=_policy(setting), own=verifier == "own")
