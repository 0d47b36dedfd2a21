"""One assistant turn as a protocol without I/O: text and verdicts in, work and events out."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Importance, Span, UnresolvedReason, Verdict
from vista_stream.core.gate import Decision, Entry, ReleaseGate, strongest
from vista_stream.core.held import HeldSentence, claim_of
from vista_stream.core.marks import marked
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.text.surrogates import SurrogateJoiner
from vista_stream.errors import SessionStateError
from vista_stream.events import (
    ClaimFound,
    ClaimSettled,
    ClaimUnresolved,
    Event,
    TextReleased,
    TextReplaced,
    TextRetracted,
    TextWithheld,
    TurnEnded,
    VitalContradiction,
)
from vista_stream.policy import Policy, Severity
from vista_stream.report import TurnReport, Unresolved


class TurnState(Enum):
    """The state of a turn."""

    RECEIVING = auto()
    """The source may give more text."""
    DRAINING = auto()
    """The source has ended; claims are not decided yet."""
    ENDED = auto()
    """Everything is decided, and TurnEnded is among the events."""


_MAY: dict[str, frozenset[TurnState]] = {
    "receive_text": frozenset({TurnState.RECEIVING}),
    "receive_end": frozenset({TurnState.RECEIVING}),
    "receive_claims": frozenset({TurnState.RECEIVING, TurnState.DRAINING}),
    "receive_verdict": frozenset({TurnState.RECEIVING, TurnState.DRAINING}),
    "receive_unresolved": frozenset({TurnState.RECEIVING, TurnState.DRAINING}),
}

DECOMPOSED = (SegmentKind.SENTENCE, SegmentKind.MARKUP)
"""Markup states no claims, but a list marker tells the decomposer how to read the sentence after it."""


class TurnProtocol:
    """Tracks a turn's text and claims. How a text is cut into deltas changes nothing but the times.

    Feed it with the `receive_…` methods. After each, drain `sentences_to_decompose()`,
    `claims_to_verify()` and `events()`. Times (`at`) are seconds of the caller's clock; they set `elapsed`,
    `hold_backs` and `certain()`, and decide nothing. A call that the state does not allow raises
    SessionStateError and changes nothing.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.state = TurnState.RECEIVING
        self.raises: Decision | None = None
        """The decision whose action was raise, once it has ended the turn; else None."""
        self._segmenter = Segmenter()
        self._joiner = SurrogateJoiner()
        self._gate = ReleaseGate()
        self._sentences: dict[int, HeldSentence] = {}
        self._arrivals: deque[tuple[int, float]] = deque()
        self._received = 0
        self._lost = 0
        self._stopped = False
        self._last_sentence: int | None = None
        self._outcomes: dict[int, Verdict | Unresolved] = {}
        self._hold_backs: list[float] = []
        self._to_decompose: list[Segment] = []
        self._to_verify: list[Claim] = []
        self._events: list[Event] = []

    @property
    def foreseeable(self) -> tuple[Segment | None, Segment | None]:
        """The next sentence, if the pending text probably is one, and its first clauses, if they are over."""
        return (self._segmenter.probable, self._segmenter.clauses) if self.wants_text else (None, None)

    # -- what comes in

    def receive_text(self, delta: str, *, at: float = 0.0) -> None:
        """Receive the next delta of the source, cut anywhere."""
        self._check("receive_text")
        self._take(self._joiner.feed(delta), at)

    def receive_end(self, *, at: float = 0.0) -> None:
        """The source has ended: the pending text becomes its last segments."""
        self._check("receive_end")
        self._take(self._joiner.finish(), at)
        self.state = TurnState.DRAINING
        self._admit(self._segmenter.finish(), at)
        self._advance()

    def receive_claims(self, sentence: Segment, drafts: Sequence[Draft], *, at: float = 0.0) -> None:
        """Receive the claims of a sentence from `sentences_to_decompose()`; without claims it is released."""
        self._check("receive_claims")
        held = self._awaiting(sentence)
        for position, draft in enumerate(drafts):
            claim = claim_of(sentence, position, draft)
            held.open[claim.id] = claim
            self._to_verify.append(claim)
            self._events.append(ClaimFound(claim=claim))
        self._settle(sentence.index, at)

    def receive_undecomposed(
        self,
        sentence: Segment,
        reason: UnresolvedReason,
        *,
        error: Exception | None = None,
        at: float = 0.0,
    ) -> None:
        """A sentence could not be decomposed: the whole sentence becomes one unresolved VITAL claim.

        Markup states nothing and is released.
        """
        if sentence.kind is SegmentKind.MARKUP:
            self.receive_claims(sentence, (), at=at)
            return
        self._check("receive_claims")
        held = self._awaiting(sentence)
        text = sentence.text.strip()
        draft = Draft(text=text, span=sentence.span, kind=ClaimKind.FACT, importance=Importance.VITAL)
        claim = claim_of(sentence, 0, draft)
        held.open[claim.id] = claim
        self._events.append(ClaimFound(claim=claim))
        self.receive_unresolved(claim, reason, error=error, at=at)

    def receive_verdict(self, verdict: Verdict, *, at: float = 0.0) -> None:
        """A claim is settled; the verdict's `elapsed` is computed from `at` and the sentence's arrival."""
        self._check("receive_verdict")
        held = self._holding(verdict.claim)
        verdict = replace(verdict, elapsed=max(0.0, at - held.entry.arrived))
        claim = verdict.claim
        self._outcomes[claim.id] = verdict
        self._events.append(ClaimSettled(verdict=verdict))
        if verdict.category is Category.CONTRADICTED and claim.importance is Importance.VITAL:
            self._events.append(VitalContradiction(verdict=verdict))
        self._close(held, claim, Decision(self.policy.action_for(verdict), verdict), at)

    def receive_unresolved(
        self,
        claim: Claim,
        reason: UnresolvedReason,
        *,
        error: Exception | None = None,
        at: float = 0.0,
    ) -> None:
        """A claim will get no verdict."""
        self._check("receive_unresolved")
        held = self._holding(claim)
        self._outcomes[claim.id] = Unresolved(
            claim=claim, reason=reason, error="" if error is None else str(error)
        )
        self._events.append(ClaimUnresolved(claim=claim, reason=reason, error=error))
        self._close(held, claim, Decision(self.policy.action_unresolved(claim.importance, reason)), at)

    def receive_timeout(self, claim: Claim, *, at: float = 0.0) -> None:
        """The policy's deadline for a claim has passed."""
        self.receive_unresolved(claim, UnresolvedReason.DEADLINE, at=at)

    def receive_expiry(self, sentence: Segment, *, at: float = 0.0) -> None:
        """The policy's deadline has passed for a sentence that still waits for its claims or for verdicts."""
        self._check("receive_unresolved")
        if sentence.index not in self._sentences:
            raise SessionStateError(f"sentence {sentence.index} waits for nothing")
        if claims := list(self._sentences[sentence.index].open.values()):
            for claim in claims:
                self.receive_timeout(claim, at=at)
        else:
            self.receive_undecomposed(sentence, UnresolvedReason.DEADLINE, at=at)

    # -- what goes out

    def sentences_to_decompose(self) -> list[Segment]:
        """Sentences that must be decomposed, in order; each is returned once."""
        sentences, self._to_decompose = self._to_decompose, []
        return sentences

    def claims_to_verify(self) -> list[Claim]:
        """Claims that must be verified; each is returned once."""
        claims, self._to_verify = self._to_verify, []
        return claims

    def events(self) -> list[Event]:
        """What happened since the last call, in order; TurnEnded is the last of a turn."""
        events, self._events = self._events, []
        return events

    @property
    def ended(self) -> bool:
        """Whether the turn has ended; then nothing more may be received."""
        return self.state is TurnState.ENDED

    @property
    def wants_text(self) -> bool:
        """False as soon as no further text of the source can be released."""
        return self.state is TurnState.RECEIVING and self._last_sentence is None

    @property
    def backlog(self) -> int:
        """Number of segments held back; the shell's measure for backpressure."""
        return len(self._gate)

    def awaits(self, claim: Claim) -> bool:
        """Whether a verdict for the claim can still be received."""
        held = self._sentences.get(claim.sentence)
        return not self.ended and held is not None and claim.id in held.open

    def awaits_claims(self, sentence: Segment) -> bool:
        """Whether the claims of a sentence, or verdicts on them, can still be received."""
        return not self.ended and sentence.index in self._sentences

    def certain(self, index: int) -> float | None:
        """When a segment could be judged first, in seconds of the caller's clock.

        A source may pause behind a stop, which ends a sentence only if what follows allows it. None for a
        segment that is not held back.
        """
        return self._gate.entry(index).certain if index in self._gate else None

    def report(self) -> TurnReport:
        """The report of what has an outcome so far; `events` brings that of a turn that has ended."""
        outcomes = [outcome for _, outcome in sorted(self._outcomes.items())]
        if self._last_sentence is not None:
            outcomes = [o for o in outcomes if o.claim.sentence <= self._last_sentence]
        return TurnReport(
            verdicts=tuple(o for o in outcomes if isinstance(o, Verdict)),
            unresolved=tuple(o for o in outcomes if isinstance(o, Unresolved)),
            received=self._received,
            released=self._received - self._lost,
            withheld=self._lost,
            stopped=self._stopped,
            hold_backs=tuple(self._hold_backs),
        )

    # -- inside

    def _check(self, verb: str) -> None:
        if self.state not in _MAY[verb]:
            raise SessionStateError(f"{verb} is not allowed: the turn is {self.state.name.lower()}")

    def _take(self, text: str, at: float) -> None:
        if not text:
            return
        start, self._received = self._received, self._received + len(text)
        self._arrivals.append((self._received, at))
        if self.policy.mode == "optimistic":
            self._events.append(TextReleased(text=text, span=Span(start, self._received)))
        if segments := self._segmenter.feed(text):
            self._admit(segments, at)
            self._advance()

    def _admit(self, segments: Sequence[Segment], at: float) -> None:
        for segment in segments:
            self._gate.push(segment, arrived=self._arrival(segment.span.end), certain=at)
            if segment.kind not in DECOMPOSED or self._last_sentence is not None:
                self._gate.decide(segment.index, Decision())
                continue
            self._sentences[segment.index] = HeldSentence(self._gate.entry(segment.index))
            self._to_decompose.append(segment)

    def _arrival(self, end: int) -> float:
        while self._arrivals[0][0] < end:
            self._arrivals.popleft()
        return self._arrivals[0][1]

    def _awaiting(self, sentence: Segment) -> HeldSentence:
        held = self._sentences.get(sentence.index)
        if held is None or held.open or held.decisions:
            raise SessionStateError(f"the claims of segment {sentence.index} are not awaited")
        return held

    def _holding(self, claim: Claim) -> HeldSentence:
        held = self._sentences.get(claim.sentence)
        if held is None or held.open.get(claim.id) != claim:
            raise SessionStateError(f"no verdict is awaited for claim {claim.id}")
        return held

    def _close(self, held: HeldSentence, claim: Claim, decision: Decision, at: float) -> None:
        del held.open[claim.id]
        held.decisions[claim.id] = decision
        self._settle(claim.sentence, at)

    def _settle(self, index: int, at: float) -> None:
        """Decide a sentence once all its claims have an outcome."""
        held = self._sentences[index]
        if held.open:
            return
        del self._sentences[index]
        decision = strongest([held.decisions[key] for key in sorted(held.decisions)])
        self._gate.decide(index, decision)
        self._hold_backs.append(max(0.0, at - held.entry.arrived))
        if decision.severity >= Severity.STOP:
            self._cut(index)
        if self.policy.mode == "optimistic" and _retracts(decision):
            self._retract(held.entry, decision)
        self._advance()

    def _cut(self, index: int) -> None:
        """Nothing after this sentence will be released: drop the sentences and claims that follow it."""
        if self._last_sentence is not None and self._last_sentence <= index:
            return
        self._last_sentence = index
        for later in [key for key in self._sentences if key > index]:
            del self._sentences[later]
            self._gate.decide(later, Decision())
        self._to_decompose = [s for s in self._to_decompose if s.index < index]
        self._to_verify = [c for c in self._to_verify if c.sentence < index]

    def _advance(self) -> None:
        """Emit the segments that may leave the gate; end the turn where it is over."""
        while entry := self._gate.pop():
            decision = entry.decision or Decision()
            if self.policy.mode == "verify_first":
                self._emit(entry.segment, decision)
            if decision.severity >= Severity.STOP:
                self._end_early(entry, decision)
                return
        if self.state is TurnState.DRAINING and not self._gate:
            self._end()

    def _emit(self, segment: Segment, decision: Decision) -> None:
        text, span, verdict = segment.text, segment.span, decision.verdict
        match decision.severity:
            case Severity.RELEASE:
                self._events.append(TextReleased(text=text, span=span))
            case Severity.ANNOTATE:
                self._events += marked(text, span, decision.text)
            case Severity.REPLACE | Severity.STOP:
                self._lost += len(text)
                self._events.append(
                    TextReplaced(
                        text=text,
                        replacement=decision.text,
                        span=span,
                        verdict=verdict,
                        stops=decision.severity is Severity.STOP,
                    )
                )
            case Severity.WITHHOLD | Severity.RAISE:
                self._lost += len(text)
                self._events.append(TextWithheld(text=text, span=span, verdict=verdict))

    def _retract(self, entry: Entry, decision: Decision) -> None:
        """Retract a sentence that was released before (optimistic mode)."""
        text, span = entry.segment.text, entry.segment.span
        self._lost += len(text)
        self._events.append(
            TextRetracted(text=text, replacement=decision.text, span=span, verdict=decision.verdict)
        )

    def _end_early(self, entry: Entry, decision: Decision) -> None:
        """The next segment in the order of the text is decided as stop or raise: nothing after it is sent."""
        after = self._gate.clear()
        rest = "".join(later.segment.text for later in after) + self._segmenter.pending
        start = entry.segment.span.end
        self._lost += len(rest)
        if self.policy.mode == "optimistic":
            gone = sum(len(later.segment.text) for later in after if _retracts(later.decision))
            self._lost += len(entry.segment.text) - gone  # retracted segments were counted in _retract
            self._events.append(
                TextRetracted(
                    text=entry.segment.text + rest,
                    replacement=decision.text,
                    span=Span(entry.segment.span.start, start + len(rest)),
                    verdict=decision.verdict,
                )
            )
        elif rest:
            self._events.append(TextWithheld(text=rest, span=Span(start, start + len(rest)), verdict=None))
        if decision.severity is Severity.RAISE:
            self.raises = decision
        self._end(stopped=True)

    def _end(self, *, stopped: bool = False) -> None:
        self.state = TurnState.ENDED
        self._stopped = stopped
        self._sentences.clear()
        self._events.append(TurnEnded(report=self.report()))


def _retracts(decision: Decision | None) -> bool:
    """Whether the decision, in optimistic mode, retracts its own sentence and does not end the turn."""
    return decision is not None and decision.severity in (Severity.REPLACE, Severity.WITHHOLD)
