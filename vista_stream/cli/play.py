"""One scene as it goes on: what the model writes, what the user sees, and why they differ."""

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
    """A stretch of text whose fate is decided."""

    written: str
    """What the model wrote."""
    shown: str
    """What the user sees."""
    span: Span
    mark: str
    """The worst that was found of its claims, in words; NO_CLAIM where it makes none."""
    contradictions: Sequence[Verdict] = ()
    """Its contradicted claims, in the order of the text."""

    @property
    def blocked(self) -> bool:
        """Whether the user sees something else than was written."""
        return self.written != self.shown


@dataclass(slots=True)
class Play:
    """The state of a scene; `type` and `take` move it on."""

    scene: Scene
    written: str = ""
    """What the model has written so far."""
    pieces: list[Piece] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    report: TurnReport | None = None
    """Once the turn has ended."""
    _unresolved: list[Span] = field(default_factory=list)

    def type(self, token: str) -> None:
        """The model writes on."""
        self.written += token

    def take(self, event: Event) -> None:
        """The guard reports."""
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
        """Whether the sentence with the altered fact was kept from the user."""
        alteration = self.scene.alteration
        return alteration is not None and alteration.now not in self.shown


def _within(claim: Span, span: Span) -> bool:
    return span.start <= claim.start < span.end
