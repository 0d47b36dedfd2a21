"""The state of one demo scene: what the model has written, what the user sees, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vista_stream.claims import Category, Span, Verdict
from vista_stream.cli.material import Scene
from vista_stream.cli.summary import category_name
from vista_stream.events import ClaimSettled, ClaimUnresolved, Event, TextReleased, TextReplaced, TurnEnded
from vista_stream.report import TurnReport

UNRESOLVED = "unresolved"
NO_CLAIM = "no claim"
_WORST_FIRST = (
    category_name(Category.CONTRADICTED),
    UNRESOLVED,
    category_name(Category.LACKING_EVIDENCE),
    category_name(Category.ABSTENTION),
    category_name(Category.OUT_OF_SCOPE),
    category_name(Category.VERIFIED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text that the guard has decided about."""

    written: str
    """What the model wrote."""
    shown: str
    """What the user sees."""
    span: Span
    mark: str
    """The worst category of its claims, in words, or UNRESOLVED; NO_CLAIM if it makes none."""
    contradictions: Sequence[Verdict] = ()
    """Its contradicted claims, in the order of the text."""

    @property
    def blocked(self) -> bool:
        """Whether the user sees something other than what the model wrote."""
        return self.written != self.shown


@dataclass(slots=True)
class Play:
    """The state of a scene; `type` adds what the model writes, `take` what the guard reports."""

    scene: Scene
    written: str = ""
    """What the model has written so far."""
    pieces: list[Piece] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    report: TurnReport | None = None
    """The turn's report; None until the turn has ended."""
    _unresolved: list[Span] = field(default_factory=list)

    def type(self, token: str) -> None:
        """Add a token that the model wrote."""
        self.written += token

    def take(self, event: Event) -> None:
        """Add an event of the guard."""
        match event:
            case ClaimSettled(verdict=verdict):
                self.verdicts.append(verdict)
            case ClaimUnresolved(claim=claim):
                self._unresolved.append(claim.span)
            case TextReleased(text=text, span=span):
                self._add(text, text, span)
            case TextReplaced(text=text, replacement=shown, span=span):
                self._add(text, shown, span)
            case TurnEnded(report=report):
                self.report = report
            case _:
                pass

    def _add(self, written: str, shown: str, span: Span) -> None:
        verdicts = [verdict for verdict in self.verdicts if _within(verdict.claim.span, span)]
        marks = [category_name(verdict.category) for verdict in verdicts]
        marks += [UNRESOLVED for claim in self._unresolved if _within(claim, span)]
        contradicted = [verdict for verdict in verdicts if verdict.category is Category.CONTRADICTED]
        self.pieces.append(
            Piece(
                written=written,
                shown=shown,
                span=span,
                mark=min(marks, key=_WORST_FIRST.index, default=NO_CLAIM),
                contradictions=sorted(contradicted, key=lambda verdict: verdict.claim.id),
            )
        )

    @property
    def shown(self) -> str:
        """What the user has seen so far."""
        return "".join(piece.shown for piece in self.pieces)

    @property
    def alteration_blocked(self) -> bool:
        """Whether the user was not shown the altered fact; False for a scene without one."""
        alteration = self.scene.alteration
        return alteration is not None and alteration.now not in self.shown


def _within(claim: Span, span: Span) -> bool:
    return span.start <= claim.start < span.end
