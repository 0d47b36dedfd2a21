"""The stages of one turn: what the turn gets from its session, and stage calls that are timed and checked."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from anyio.abc import TaskGroup

from vista_stream.ahead import Ahead
from vista_stream.claims import Category, Claim, Draft, Evidence, Finding, Span, Verdict
from vista_stream.core.change import (
    Said,
    affirmed,
    as_lasting,
    grants,
    may_replace,
    nearest,
    replaces,
    tells_a_deed,
)
from vista_stream.core.common_ground import Statement, only_consistency
from vista_stream.core.talk import lines_of_turn
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import LanguageUnsupported, Overload, StageError, StoreError, VerifierError
from vista_stream.policy import Policy
from vista_stream.report import TurnReport
from vista_stream.stages.checked import decomposed, judged, ranked
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.protocols import Discourse, Foreseeing, Grounds
from vista_stream.stages.stages import Stages

logger = logging.getLogger("vista_stream")

_MOST_REPLACED = 8
"""Statements that one claim may supersede. Each costs another verification against those that are left."""

SO_FAR = 8
"""Sentences before a claim's own, in its turn, that tell the language and lie behind what it leaves open."""
_ASKED = 2_000
"""Characters at the end of a query that are the question; what stands before them may be documents."""

Callback: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""Takes one event. It is awaited before the reader gets the event; an exception cancels the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """What a turn gets from its session."""

    policy: Policy
    stages: Stages
    discourse: Discourse
    grounds: Callable[[], Grounds]
    callbacks: Sequence[tuple[type, Callback]]
    """The session's own list: what is registered later counts from the next event on."""
    log_text: bool
    """Whether log lines at DEBUG quote the text of users, answers and references."""
    prepare: Callable[[str | None], Awaitable[None]]
    """Called with the query before the first claim is extracted; the source is already being read then."""
    number: Callable[[], int]
    """The turn's number in its conversation, from 0."""
    on_end: Callable[[TurnReport, Sequence[str]], Awaitable[TurnReport]]
    """Called with the report and the sentences that were shown."""
    on_enter: Callable[[], None]
    """Called before the turn starts anything; raises SessionStateError where another turn runs."""
    on_leave: Callable[[], None]
    """Called when the turn's block is left, also by an exception."""

    async def call_back(self, event: object) -> None:
        """Call the callbacks for an event, one after the other, and raise what they raise."""
        for kind, callback in tuple(self.callbacks):
            if isinstance(event, kind):
                outcome = callback(event)
                if inspect.isawaitable(outcome):
                    await outcome


class TurnStages:
    """Calls the stages for a turn, one sentence or claim at a time, and records the time of each call.

    What a stage returns is checked before it decides anything; StageError says what is wrong with it.
    """

    def __init__(self, parts: TurnParts, *, query: str | None) -> None:
        self._parts = parts
        self._query = query
        self._ledger = Ledger()
        self._ranked = 0
        self._sentences: dict[int, Segment] = {}
        self.foresees = isinstance(parts.discourse, Foreseeing)
        """Whether `look_ahead` does anything."""
        self._ahead = Ahead(parts.stages, parts.discourse, query=query)
        self._expected = -1
        """Index of the last sentence that ended."""
        self._read_up_to: int | None = None
        """Index of the last sentence that was decomposed, -1 before the first; None until all is prepared."""

    async def prepare(self) -> None:
        """Do what the session needs before the first sentence is decomposed."""
        with self._ledger.stage("prepare"):
            await self._parts.prepare(self._query)
        self._read_up_to = -1

    def look_ahead(self, probable: Segment | None, clauses: Segment | None, tasks: TaskGroup) -> None:
        """Work ahead, in tasks of the group, for what `TurnProtocol.foreseeable` gives."""
        if probable != self._ahead.sentence:
            self._ahead.settle(None)
        ready = self._read_up_to == self._expected
        for sentence, whole in ((probable, True), (clauses, False)):
            if ready and sentence is not None and not self._ahead.knows(sentence):
                grounds = self._grounds(sentence.index)
                self._ahead.begin(sentence, tasks, position=self._ranked, grounds=grounds, whole=whole)

    def expect(self, sentence: Segment) -> None:
        """A sentence has ended for certain: `drafts` will be asked for it, after those before it."""
        self._expected = sentence.index
        self._ahead.settle(sentence)

    async def drafts(self, sentence: Segment) -> Sequence[Draft]:
        """The claims of a sentence with their importance."""
        try:
            return await self._drafts(sentence)
        finally:
            self._read_up_to = sentence.index

    async def _drafts(self, sentence: Segment) -> Sequence[Draft]:
        if any(map(str.isalpha, sentence.text)):  # not a list's marker
            self._sentences[sentence.index] = sentence
        with self._ledger.stage("decompose"):
            drafts = await decomposed(self._parts.discourse, sentence)
        if not drafts:
            return drafts
        with self._ledger.stage("rank"):
            ranks = await ranked(self._parts.stages.rank, drafts, self._query, position=self._ranked)
        self._ranked += 1
        return [replace(draft, importance=rank) for draft, rank in zip(drafts, ranks, strict=True)]

    async def verdict(self, claim: Claim) -> Verdict:
        """Verify a claim against the turn's grounds, without the statements that it corrects or changes."""
        grounds = self._grounds(claim.sentence)
        verdict = await self._against(claim, grounds)
        said = Said(
            sentence=claim.sentence_text, before=self._before(claim.sentence), query=_asked(self._query)
        )
        if verdict.category is Category.ABSTENTION or not (may_replace(said) or self._may_tell(verdict)):
            return verdict
        return await self._set_right(verdict, grounds, said)

    def _may_tell(self, verdict: Verdict) -> bool:
        """Whether a model may find that a claim corrects or changes what it contradicts."""
        earlier = verdict.evidence is not None and verdict.evidence.origin != "reference"
        contradicted = earlier and verdict.category is Category.CONTRADICTED
        return contradicted and self._parts.stages.signs is not None

    async def _set_right(self, verdict: Verdict, grounds: Grounds, said: Said) -> Verdict:
        """The verdict on a claim that may correct or change earlier ones.

        It supersedes those that are most about what it is about, and is not held against the others.
        What references or background knowledge contradict stays CONTRADICTED and supersedes nothing.
        """
        claim = verdict.claim
        verdict = await self._beside_lines(verdict, grounds, said)
        opposed = await self._replaced(claim, grounds, said)
        texts = {each.text for each in opposed}
        near = nearest(claim.text, [each.text for each in opposed])
        replaced = tuple(each for each in opposed if each.text in near)
        left = [
            each for each in grounds.common_ground if each.origin == "background" or each.text not in texts
        ]
        grounds = replace(grounds, common_ground=left, talk=() if replaced else grounds.talk)
        if replaced:
            verdict = await self._against(claim, grounds)
        if (plain := affirmed(claim.text)) != claim.text:
            found = await self._against(replace(claim, text=plain), grounds)
            found = await self._beside_lines(found, grounds, said)
            if found.category is Category.CONTRADICTED:
                verdict = replace(found, claim=claim)
        if verdict.category is Category.CONTRADICTED:
            return verdict
        granted = verdict.category is Category.LACKING_EVIDENCE and grants(claim.text, said)
        category = Category.OUT_OF_SCOPE if granted and tells_a_deed(claim.text) else verdict.category
        return replace(verdict, category=category, supersedes=replaced, granted=granted)

    async def _replaced(self, claim: Claim, grounds: Grounds, said: Said) -> tuple[Evidence, ...]:
        """The statements of earlier turns that a claim contradicts and replaces.

        Each of its wordings is tried: what the whole claim contradicts would block it.
        """
        wordings = [replace(claim, text=text) for text in _wordings(claim.text)]
        earlier = [each for each in grounds.common_ground if each.origin == "claim"]
        replaced: list[Evidence] = []
        while wordings and earlier and len(replaced) < _MOST_REPLACED:
            found = await self._against(wordings[0], Grounds(common_ground=earlier, before=grounds.before))
            old = found.evidence if found.category is Category.CONTRADICTED else None
            stated = next((each for each in earlier if old and each.text == old.text), None)
            if old is None or stated is None or not await self._replaces(claim, stated, said):
                wordings = wordings[1:]
                continue
            replaced.append(old)
            earlier.remove(stated)
        return tuple(replaced)

    async def _beside_lines(self, verdict: Verdict, grounds: Grounds, said: Said) -> Verdict:
        """The verdict, or that without what was said where the claim corrects or changes what the assistant
        had said in the line that contradicts it."""
        if verdict.evidence is None or verdict.evidence.origin != "talk":
            return verdict
        lines = (each for each in grounds.talk if each.role == "assistant")
        line = next((each for each in lines if each.text == verdict.evidence.text), None)
        if line is None:
            return verdict
        old = Statement(text=line.text, origin="claim", turn=line.turn, category=Category.OUT_OF_SCOPE)
        if not await self._replaces(verdict.claim, old, said):
            return verdict
        return await self._against(verdict.claim, replace(grounds, talk=()))

    async def _replaces(self, claim: Claim, old: Statement, said: Said) -> bool:
        """Whether a claim replaces the statement that it contradicts; a model tells where words do not."""
        signs = self._parts.stages.signs
        verified = not only_consistency(old)
        certain = replaces(claim.text, old.text, said, verified=verified)
        if certain or signs is None:
            return certain
        told = [text for text in (said.sentence, said.before, old.text) if text]
        with self._ledger.stage("signs"):
            found = await signs.signs(told, said.asked)
        return replaces(claim.text, old.text, replace(said, signs=found), verified=verified)

    def _before(self, index: int) -> str:
        """The sentence before one; empty for the first."""
        return next(self._backwards(index), "")

    def _grounds(self, index: int) -> Grounds:
        """What the claims of a sentence are compared with.

        The turn's own sentences are no talk: whether they are shown is not known for all of them yet.
        """
        grounds, before = self._parts.grounds(), [*islice(self._backwards(index), SO_FAR)]
        asked = lines_of_turn(_asked(self._query), (), turn=self._parts.number())
        return replace(grounds, before=told_before(before, self._query), talk=(*grounds.talk, *asked))

    def _backwards(self, index: int) -> Iterator[str]:
        """The sentences before one, the last first: a long turn must not be read through for each claim."""
        return (said.text for each, said in reversed(self._sentences.items()) if each < index)

    async def _against(self, claim: Claim, grounds: Grounds) -> Verdict:
        finding = self._found(claim, grounds)
        return await judged(claim, finding, self._parts.stages.categorise, self._ledger)

    async def _found(self, claim: Claim, grounds: Grounds) -> Finding:
        finding = await self._ahead.finding(claim, grounds)
        return await self._parts.stages.verify.verify(claim, grounds) if finding is None else finding

    def excused(self, error: Exception) -> Exception:
        """Log and return the error where the policy leaves its claims unresolved; else raise it.

        An error that is neither StageError nor VerifierError is raised as VerifierError.
        """
        if self._parts.policy.on_verifier_error == "raise":
            if isinstance(error, StageError | VerifierError):
                raise error
            raise VerifierError(f"a stage raised {type(error).__name__}: {error}") from error
        if not isinstance(error, LanguageUnsupported | Overload):
            logger.error("a claim stays unresolved: %s", type(error).__name__, exc_info=error)
        return error

    def entered_in(self, report: TurnReport) -> TurnReport:
        """The report with the stage times, the prompt versions and what was verified ahead."""
        return replace(self._ledger.entered_in(report), ahead=self._ahead.told)

    async def ended(self, report: TurnReport, *, shown: Callable[[Span], bool]) -> TurnReport:
        """Let the session take in a turn that has ended; `shown` tells whether the reader has got a span."""
        said = [each.text for each in self._sentences.values() if shown(each.span)]
        return await self._parts.on_end(report, said)

    async def remembered(
        self, report: TurnReport, *, shown: Callable[[Span], bool], failing: bool
    ) -> TurnReport:
        """Keep what the reader saw of a turn that was left, if anything; where the turn is `failing` already,
        StoreError is logged."""
        if not (report.released or report.withheld):
            return report
        try:
            return await self.ended(report, shown=shown)
        except StoreError as error:
            if not failing:
                raise
            logger.warning("a turn that was left is not in the store of conversations: %s", error)
            return report


def told_before(backwards: Sequence[str], query: str | None) -> tuple[str, ...]:
    """`Grounds.before` of a claim, by the sentences before its own, the last first; no empty texts."""
    return tuple(filter(None, (" ".join(reversed(backwards)), _asked(query))))


def _asked(query: str | None) -> str:
    return (query or "")[-_ASKED:]


def _wordings(claim: str) -> Iterable[str]:
    """A claim without "now" and what it takes back, without the latter alone, and whole; each once."""
    return dict.fromkeys((as_lasting(claim), affirmed(claim), claim))
