"""Verification on this machine: rules first, then retrieval and a verifier of pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, replace
from typing import Generic, Literal, Self, TypeAlias, TypeVar, get_args

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from vista_stream.amounts import check_count
from vista_stream.claims import Category, Claim, ClaimKind, Finding, Foresight, Pair, Scores
from vista_stream.core.disagreement import Told, disagreement
from vista_stream.core.extraction.resolution import as_told, in_context
from vista_stream.core.judge import Thresholds, category_of, checked_thresholds, decide
from vista_stream.core.rules.compare import Prepared, prepare
from vista_stream.core.talk import Line, latest
from vista_stream.core.text.language import is_english
from vista_stream.core.text.legible import legible_text
from vista_stream.errors import LanguageUnsupported
from vista_stream.retrieval.combine import Scored, combine
from vista_stream.retrieval.reading import nearest_sentences, read_together
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Candidate, ClaimVector
from vista_stream.retrieval.search import DEFAULT_K, Found, Rounds, bst, in_step, linear, preselect, settling
from vista_stream.stages.embedded.heard import listen, weighed
from vista_stream.stages.embedded.remembered import comparable, is_verified, nearest_statements, recall
from vista_stream.stages.embedded.rule_tier import RuleTier
from vista_stream.stages.embedded.value_check import held_to_values, in_evidence_words
from vista_stream.stages.progress import report_indexed
from vista_stream.stages.protocols import Grounds
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.offload import offload_brief, offload_long
from vista_stream.verifiers.protocol import (
    Embedder,
    Verifier,
    inference,
    pooling_of,
    reader_of,
    thresholds_of,
)

Strategy: TypeAlias = Literal["auto", "together", "preselect", "bst", "linear"]
T = TypeVar("T")

_MANY = 200
"""With more sentences than this, a search of all of them may take milliseconds and runs in a thread."""
_AT_ONCE = 64
"""Most statements embedded in one call."""
_AHEAD_TOKENS = 3_000
"""Tokens of the references that are read before the first claim: some tenths of a second of work, and within
the readings that are kept."""
_FORESIGHT: ContextVar[Foresight | None] = ContextVar("vista_stream.foresight", default=None)
"""Set while a claim is verified ahead of time."""
_LINES = 4
"""Most lines of what was said among which the one is found that contradicts a claim."""
_KEPT = 256
"""Pairs whose scores are kept, since what was asked ahead of time is asked again."""


class EmbeddedVerify:
    """Implements the Verify stage with a verifier of pairs; one object may be shared by all sessions.

    If the deterministic tier rules on the claim from the references, that is the finding. Otherwise the
    verifier scores the claim against two kinds of premises: passages that the strategy selects, and the
    statements of the common ground most relevant to the claim. All pairs of one search round go to the
    verifier in one call. `value_check` corrects the scores by the claim's numbers and dates, and
    `judge.decide` chooses between the findings of references and common ground. From the second turn on, a
    verifier that has learnt it also reads the claim with what was said before (`Pooling.with_talk`).

    Where one reference verifies the claim and another contradicts it (`core.disagreement`), the one that
    `Grounds.on_disagreement` names is the finding's evidence, the other its `opposing`. Only rulings and
    scores that the claim needs anyway are compared: no pair is scored to look for a disagreement.

    Args:
        verifier: scores the pairs; each is asked once while its scores are kept, the last 256.
        embedder: ranks passages by meaning as well as by shared words; None ranks by words only.
        strategy: "preselect" scores the `k` windows most relevant to the claim, and the sentence of them
            that is nearest to it; with a verifier that brings a pooling, the nearest window is read with the
            nearest sentences of the same text, instead of other windows of it. "bst" descends SCALE's
            search tree of each reference, from parts that the model reads whole; "linear" scores each
            sentence. "auto" is "preselect" at every length because of its cost: at most `k` + 1 pairs a
            claim, where that of the others grows with the document (`python -m benchmarks.retrieval`
            compares them). With a verifier that reads windows once, "auto" is
            `retrieval.reading.read_together`.
        k: windows of the references that "preselect" scores at most.
        thresholds: choose between references and common ground, and between references that disagree; None
            takes the verifier's own.
        rules: whether the deterministic tier and `value_check` are used; False gives the verifier's scores
            of the claim as it is, unchanged.

    Raises ValueError, which names the argument, for a strategy, a k or thresholds that cannot be.
    """

    def __init__(
        self,
        verifier: Verifier,
        *,
        embedder: Embedder | None = None,
        strategy: Strategy = "auto",
        k: int = DEFAULT_K,
        thresholds: Thresholds | None = None,
        rules: bool = True,
    ) -> None:
        if strategy not in get_args(Strategy):
            raise ValueError(f"strategy must be one of {get_args(Strategy)}, not {strategy!r}")
        check_count("k", k, of="windows", least=1)
        self._verifier = verifier if isinstance(verifier, CachedVerifier) else CachedVerifier(verifier, _KEPT)
        self._reader = reader_of(verifier)
        self._pooling = pooling_of(verifier)
        self._embedder = embedder
        self._strategy = strategy
        self._k = k
        own = thresholds_of(verifier) if thresholds is None else thresholds
        self._thresholds = checked_thresholds(own)
        self._ruled_first = rules
        self._rules = RuleTier()

    @property
    def thresholds(self) -> Thresholds:
        """What the stage decides by; `escalated` judges a second opinion by them."""
        return self._thresholds

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage, verifier and all, at other thresholds; those that are not named stay."""
        moved = copy(self)
        moved._thresholds = replace(self._thresholds, **thresholds)
        return moved

    async def prepare(self, grounds: Grounds) -> None:
        """Index new references and statements in threads; `verify` does what was not prepared.

        Raises InferenceError where the embedder or the verifier fails.
        """
        await self._index(grounds.references)
        if self._reader is not None:
            with inference("verifier"):
                await self._reader.read(_first_units(grounds.references))
        for start in range(0, len(grounds.common_ground), _AT_ONCE):
            statements = grounds.common_ground[start : start + _AT_ONCE]
            await offload_long(self._rules.prepare_statements, grounds.common_ground, start + len(statements))
            if self._embedder is not None:
                with inference("embedder"):
                    # The embedder caches the vectors, so a claim need not wait for a thousand at once.
                    await offload_long(self._embedder.embed, [each.text for each in statements])

    async def _index(self, references: Sequence[Reference]) -> None:
        new = [each for each in references if each.rules is None or self._to_embed(each)]
        total = sum(len(each.windows) for each in new)
        for reference in new:
            while reference.rules is None:
                self._report(new, total)
                await offload_long(reference.index_more_rules)
            while self._to_embed(reference):
                self._report(new, total)
                with inference("embedder"):
                    await offload_long(reference.index_more, self._embedder)
        if new:
            report_indexed(total, total)

    def _to_embed(self, reference: Reference) -> bool:
        return self._embedder is not None and reference.embeddings(self._embedder) is None

    def _report(self, new: Sequence[Reference], total: int) -> None:
        embedder = self._embedder
        report_indexed(0 if embedder is None else sum(each.indexed(embedder) for each in new), total)

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """The deciding scores and evidence; an empty finding for a refusal, or without any grounds.

        Raises LanguageUnsupported for a claim that is not English. A VerifierError of the verifier or the
        embedder is raised unchanged; any other exception of theirs, and invalid scores, give InferenceError.
        """
        talk = self._talk(grounds)
        if claim.kind is ClaimKind.REFUSAL or not (grounds.references or grounds.common_ground or talk):
            return Finding()
        claim = replace(claim, sentence_text=legible_text(claim.sentence_text))
        if not is_english(claim.text, claim.sentence_text, *grounds.before):
            raise LanguageUnsupported(f"the claim is not in English: {claim.text!r}")
        await self._index(grounds.references)
        prepared = prepare(claim.text)
        grounds = replace(grounds, common_ground=comparable(claim.text, grounds.common_ground))
        references, remembered = grounds.references, None
        size = sum(len(each.sentences) for each in references)
        if self._ruled_first:
            ruled = await _aside(size, self._ruled, claim, prepared, grounds)
            if ruled is not None:
                return ruled
            ground = grounds.common_ground
            remembered = await _aside(len(ground), self._rules.by_statements, prepared, ground)
        asked = in_context(claim.text, grounds.before)
        vector, statements = await self._select(asked, grounds, skip_statements=remembered is not None)
        searches = self._searches(claim.text, references, vector)
        recalling = recall(claim.text, statements, grounds.common_ground, self._pooling)
        rounds = in_step([*searches, recalling, listen(claim.text, talk, references, vector)])
        waiting = await _aside(size, _next_round, rounds, None)
        elsewhere = await _aside(size, _known_numbers, prepared, references)
        while not isinstance(waiting, _Over):
            pairs = await in_evidence_words(prepared, waiting) if self._ruled_first else waiting
            scores: Sequence[Scores] = await self._score(pairs, claim)
            if self._ruled_first:
                scores = await held_to_values(prepared, pairs, scores, elsewhere=elsewhere)
            waiting = _next_round(rounds, scores)
        *found, recalled, heard = waiting.found
        reference = self._disputed(found, grounds) or _finding(_deciding(found))
        by_ground = remembered or _finding(recalled)
        verified = is_verified(by_ground, grounds.common_ground)
        finding = decide(reference, by_ground, self._thresholds, verified=verified)
        return await self._with_talk(finding, heard, claim, talk)

    def _talk(self, grounds: Grounds) -> Sequence[Line]:
        """What was said that a claim is read with; empty in the first turn, and where the verifier has not
        learnt it."""
        if self._pooling is None or not self._pooling.hears:
            return ()
        return grounds.talk if len({line.turn for line in grounds.talk}) > 1 else ()

    async def _with_talk(
        self, finding: Finding, heard: Scores | None, claim: Claim, talk: Sequence[Line]
    ) -> Finding:
        """The finding with what was said taken into account; its evidence is the line that now decides."""
        told = weighed(finding, heard, self._pooling)
        levels = self._thresholds
        if told.scores is None or category_of(told.scores, levels) is not Category.CONTRADICTED:
            return told
        if finding.scores and finding.scores.contradiction == max(finding.scores):
            return told
        lines = latest(talk)[-_LINES:]
        alone = await self._score([Pair(line.text, claim.text) for line in lines], claim)
        deciding = max(range(len(lines)), key=lambda row: alone[row].contradiction)
        return replace(told, evidence=lines[deciding].cited())

    async def verify_ahead(self, claim: Claim, grounds: Grounds, foresight: Foresight) -> Finding:
        """As `verify`, for a claim that may not come: its pairs say so until `foresight` is certain."""
        token = _FORESIGHT.set(foresight)
        try:
            return await self.verify(claim, grounds)
        finally:
            _FORESIGHT.reset(token)

    def _disputed(self, found: Sequence[Found | None], grounds: Grounds) -> Finding | None:
        """The finding where the searches found two references that disagree; else None."""
        told = _told(found, grounds.references)
        split = disagreement(told, grounds.on_disagreement, thresholds=self._thresholds)
        if split is None:
            return None
        counting, opposing = split
        return Finding(
            scores=counting.scores, evidence=counting.evidence, tier="model", opposing=opposing.evidence
        )

    def _ruled(self, claim: Claim, prepared: Prepared, grounds: Grounds) -> Finding | None:
        """The rules' finding on the claim, on its whole sentence, or on its wording with "you".

        References may address their reader as "you" too.
        """
        references, which = grounds.references, grounds.on_disagreement
        ruled = self._rules.by_references(prepared, references, on_disagreement=which)
        ruled = ruled or self._rules.by_whole_sentence(claim.text, claim.sentence_text, references)
        told = "" if ruled else as_told(claim.text, claim.sentence_text)
        if not told:
            return ruled
        return self._rules.by_references(prepare(told), references, on_disagreement=which)

    async def _select(
        self, claim: str, grounds: Grounds, *, skip_statements: bool
    ) -> tuple[ClaimVector | None, list[Candidate]]:
        """The claim's embedding, and the statements to compare it with."""
        statements = () if skip_statements else grounds.common_ground
        texts = [statement.text for statement in statements]
        vectors = vector = None
        if self._embedder is not None and (grounds.references or texts):
            with inference("embedder"):
                vectors = await offload_brief(self._embedder.embed, [claim, *texts])
            vector = ClaimVector(vectors[0], self._embedder)
        return vector, nearest_statements(claim, statements, vectors)

    def _searches(
        self, claim: str, references: Sequence[Reference], vector: ClaimVector | None
    ) -> list[Rounds[Found | None]]:
        if not references:
            return []
        if self._strategy == "bst":
            return [bst(reference, claim, by=settling) for reference in references]
        if self._strategy == "linear":
            return [linear(reference, claim, by=settling) for reference in references]
        if self._strategy == "together" or (self._strategy == "auto" and self._reader is not None):
            choose = None if self._reader else nearest_sentences
            return [read_together(references, claim, vector=vector, choose=choose)]
        return [preselect(references, claim, k=self._k, vector=vector, pooling=self._pooling)]

    async def _score(self, pairs: Sequence[Pair], claim: Claim) -> list[Scores]:
        await checkpoint_if_cancelled()  # a cancelled call has a deadline that is over, and is not late
        due, foresight = anyio.current_effective_deadline(), _FORESIGHT.get()
        asked = [
            replace(pair, importance=claim.importance, deadline=due, foresight=foresight) for pair in pairs
        ]
        with inference("verifier"):
            return await self._verifier.score(asked)


@dataclass(frozen=True, slots=True)
class _Over(Generic[T]):
    """The end of a search, with what it found; returned in place of its next round of pairs."""

    found: T


def _next_round(rounds: Rounds[T], scores: Sequence[Scores] | None) -> list[Pair] | _Over[T]:
    try:
        return rounds.send(scores)  # type: ignore[arg-type]  # None starts a generator
    except StopIteration as end:
        return _Over(end.value)


def _first_units(references: Sequence[Reference]) -> list[str]:
    """The windows to read ahead, in the form in which claims use them; at most `_AHEAD_TOKENS` tokens."""
    windows: list[str] = []
    tokens = 0
    for reference in references:
        for unit, cost in zip(reference.units, reference.unit_tokens, strict=True):
            tokens += cost
            if tokens > _AHEAD_TOKENS:
                return windows
            windows.append(reference.reading(unit))
    return windows


def _known_numbers(claim: Prepared, references: Sequence[Reference]) -> Collection[float]:
    rules = [reference.rules for reference in references if reference.rules]
    return frozenset[float]().union(*(index.known_numbers(claim) for index in rules))


async def _aside(sentences: int, look: Callable[..., T], *args: object) -> T:
    """Call `look(*args)`, in a thread where it looks through more than `_MANY` sentences."""
    return await offload_brief(look, *args) if sentences > _MANY else look(*args)


def _deciding(found: Iterable[Found | None]) -> Found | None:
    """The deciding one of the references' findings; all count as equally relevant."""
    passages = {each.evidence: each for each in found if each is not None}
    decisive = combine([Scored(each.evidence, 1.0, each.scores) for each in passages.values()])
    return passages[decisive.evidence] if decisive else None


def _told(found: Iterable[Found | None], references: Sequence[Reference]) -> Iterator[Told]:
    """What the references' passages say; a search that tells nothing itself searched one reference."""
    for place, each in enumerate(found):
        if each is not None and each.told:
            yield from each.told
        elif each is not None:
            yield Told(place, each.evidence, each.scores, references[place].context(each.evidence))


def _finding(found: Found | None) -> Finding:
    if found is None:
        return Finding()
    return Finding(scores=found.scores, evidence=found.evidence, tier="model")
