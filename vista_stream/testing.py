"""For tests: an assertion about answers, and doubles for the models.

`assert_supported` tests what a prompt or a model answers. The doubles test code that uses vista_stream. They
replace the models only: the segmenter, the protocol and the gate are the real ones.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import anyio
import anyio.lowlevel

from vista_stream.checking import CHECK_DEADLINE, ReferenceText, check
from vista_stream.claims import Category, Claim, Draft, Finding, Importance, Pair, Scores, Utterance, Verdict
from vista_stream.cli.summary import category_name, source_of
from vista_stream.core.text.segmenter import Segment
from vista_stream.policy import Policy, release
from vista_stream.portal import blocking_portal, call_through
from vista_stream.report import TurnReport
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages

ENTAILED = Scores(0.98, 0.01, 0.01)
NEUTRAL = Scores(0.01, 0.98, 0.01)
CONTRADICTED = Scores(0.01, 0.01, 0.98)

_PASSES = (Category.VERIFIED, Category.OUT_OF_SCOPE, Category.ABSTENTION)


def assert_supported(
    answer: str,
    references: ReferenceText | Iterable[ReferenceText],
    *,
    query: str | None = None,
    policy: Policy | None = None,
    allow: Collection[Category] = (),
    stages: Stages | None = None,
) -> TurnReport:
    """Raise AssertionError unless the references support an answer; else return the report on it.

    The message lists the claims that are contradicted, lack evidence or could not be judged, with their
    sentences and evidence. Opinions, statements about the speakers, "I don't know" and an answer without
    claims pass. It blocks; in a running event loop use `assert_supported_async`.

    Args:
        answer: a finished answer.
        references: one text or several, as `vista_stream.check` takes them.
        query: what was asked.
        policy: its thresholds, deadline and on_disagreement count, not its actions: all of the answer is
            judged. None is 60 seconds a claim.
        allow: categories that pass besides: with Category.LACKING_EVIDENCE only contradictions fail.
        stages: replaces whole stages.

    Raises ValueError, naming the argument, for what one cannot be, and what `vista_stream.check` raises.
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    with blocking_portal() as portal:
        report = call_through(portal, _judged, answer, references, query, policy, stages)
    _assert_passes(report, allow)
    return report


async def assert_supported_async(
    answer: str,
    references: ReferenceText | Iterable[ReferenceText],
    *,
    query: str | None = None,
    policy: Policy | None = None,
    allow: Collection[Category] = (),
    stages: Stages | None = None,
) -> TurnReport:
    """The same as `assert_supported`, for async tests. (Under its name a forgotten await would pass.)"""
    __tracebackhide__ = True
    report = await _judged(answer, references, query, policy, stages)
    _assert_passes(report, allow)
    return report


async def _judged(
    answer: str,
    references: ReferenceText | Iterable[ReferenceText],
    query: str | None,
    policy: Policy | None,
    stages: Stages | None,
) -> TurnReport:
    policy = replace(
        policy or Policy(deadline=CHECK_DEADLINE),
        rules={(category, importance): release() for category in Category for importance in Importance},
        unresolved={importance: release() for importance in Importance},
        other_language=release(),
    )
    return await check(answer, references=references, query=query, policy=policy, stages=stages)


def _assert_passes(report: TurnReport, allow: Collection[Category]) -> None:
    __tracebackhide__ = True
    if isinstance(allow, str) or not all(isinstance(each, Category) for each in allow):
        raise ValueError(f"allow must be a collection of Category, not {allow!r}")
    failing = [each for each in report.verdicts if each.category not in (*_PASSES, *allow)]
    lines = [line for verdict in failing for line in _failing_lines(verdict)]
    for each in report.unresolved:
        lines += [f"  not judged ({each.reason.value}): {each.claim.text}", *_within(each.claim)]
    if lines:
        count = len(failing) + len(report.unresolved)
        total = len(report.verdicts) + len(report.unresolved)
        raise AssertionError("\n".join([f"{count} of {total} claims are not supported:", *lines]))


def _failing_lines(verdict: Verdict) -> Iterator[str]:
    yield f"  {category_name(verdict.category)} ({verdict.claim.importance.value}): {verdict.claim.text}"
    yield from _within(verdict.claim)
    if verdict.evidence is None:
        yield "    evidence: none"
        return
    # Where nothing decided, the quoted passage is only the nearest one.
    word = "evidence" if verdict.category is Category.CONTRADICTED else "nearest"
    yield f"    {word}: {source_of(verdict.evidence)}: {' '.join(verdict.evidence.text.split())}"


def _within(claim: Claim) -> Iterator[str]:
    sentence = " ".join(claim.sentence_text.split())
    if sentence and sentence != claim.text:
        yield f"    in the sentence: {sentence}"


class ScriptedVerifier:
    """A verifier that looks its scores up: the first key that occurs in the hypothesis decides.

    Args:
        script: scores by a substring of the hypothesis.
        default: scores where no key occurs.
        delay: seconds each call takes.
    """

    def __init__(
        self, script: Mapping[str, Scores] | None = None, *, default: Scores = ENTAILED, delay: float = 0.0
    ) -> None:
        self._script = dict(script or {})
        self._default = default
        self._delay = delay
        self.calls: list[Sequence[Pair]] = []
        """The pairs of each call, in order."""

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """The scripted scores of each pair."""
        self.calls.append(tuple(pairs))
        await anyio.sleep(self._delay)
        return [self._lookup(pair.hypothesis) for pair in pairs]

    def _lookup(self, text: str) -> Scores:
        return next((scores for key, scores in self._script.items() if key in text), self._default)


class WholeSentences:
    """A Decompose stage that makes each sentence one claim, word for word."""

    def begin(self) -> WholeSentences:
        """The stage itself: it remembers nothing, so all conversations can share it."""
        return self

    async def hear(self, utterance: Utterance) -> None:
        """Nothing is remembered."""

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The sentence as its one claim."""
        return [Draft(text=sentence.text, span=sentence.span)]


class ScriptedStages:
    """Rank, Verify and Categorise stages that decide by the claim's text.

    Args:
        script: category by a substring of the claim's text; the first key that occurs decides.
        default: category where no key occurs.
        importance: returns the importance of a claim's text.
        delay: returns the seconds that verifying a claim's text takes.
    """

    def __init__(
        self,
        script: Mapping[str, Category] | None = None,
        *,
        default: Category = Category.VERIFIED,
        importance: Callable[[str], Importance] = lambda text: Importance.VITAL,
        delay: Callable[[str], float] = lambda text: 0.0,
    ) -> None:
        self._script = dict(script or {})
        self._default = default
        self._importance = importance
        self._delay = delay
        self.verified: list[str] = []
        """The text of each claim that was verified, in order."""

    def stages(self) -> Stages:
        """All stages, with each sentence as one claim."""
        return Stages(decompose=WholeSentences(), rank=self, verify=self, categorise=self)

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """The scripted importance of each draft."""
        return [self._importance(draft.text) for draft in drafts]

    async def prepare(self, grounds: Grounds) -> None:
        """Nothing is indexed."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """An empty finding, after the scripted delay."""
        self.verified.append(claim.text)
        await anyio.sleep(self._delay(claim.text))
        return Finding()

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The scripted category of the claim."""
        found = (category for key, category in self._script.items() if key in claim.text)
        return next(found, self._default)


async def replay(text: str, *, size: int = 1, interval: float = 0.0) -> AsyncIterator[str]:
    """Yield a text in deltas of `size` code points, `interval` seconds apart."""
    if size < 1:
        raise ValueError(f"size must be 1 or more, not {size}")
    for start in range(0, len(text), size):
        await anyio.sleep(interval)
        yield text[start : start + size]
