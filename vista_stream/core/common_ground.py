"""The common ground of a conversation: background knowledge and settled claims."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vista_stream.claims import Category, Evidence, Span, Verdict
from vista_stream.core.change import as_lasting


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One entry of the common ground."""

    text: str
    origin: Literal["background", "claim", "retraction"]
    """A retraction says that the text holds no longer: stores keep it, and it is no ground itself."""
    turn: int
    """The turn that added it, from 0; -1 for background knowledge; of a retraction the latest one then."""
    category: Category = Category.VERIFIED
    """The claim's category when added: VERIFIED, OUT_OF_SCOPE, or LACKING_EVIDENCE where the claim supersedes
    another or grants what the user asked for."""
    supersedes: tuple[str, ...] = ()
    """Texts of the earlier statements that it replaces."""

    @property
    def id(self) -> str:
        """Name under which evidence cites it."""
        return "background" if self.origin == "background" else f"turn {self.turn + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """What became of a statement that holds no longer."""

    old: Statement
    new: Statement | None
    """What took its place; None where it was retracted."""
    turn: int
    """The turn of the newer statement, from 0; of a retraction the latest one then, -1 before the first."""

    @property
    def reason(self) -> Literal["superseded", "retracted"]:
        """Why it holds no longer."""
        return "retracted" if self.new is None else "superseded"


class CommonGround:
    """Statements that hold, in the order in which they were added; two of the same wording count as one.

    A statement says itself what it supersedes or retracts, so the same statements in the same order give the
    same common ground wherever they were kept.
    """

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._by_wording: dict[str, Statement] = {}
        self._superseded: list[Superseded] = []
        for statement in statements:
            self.add(statement)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._by_wording.values())

    def __len__(self) -> int:
        return len(self._by_wording)

    @property
    def superseded(self) -> Sequence[Superseded]:
        """What holds no longer, in the order it was taken out."""
        return tuple(self._superseded)

    def get(self, text: str) -> Statement | None:
        """The statement of this wording; None where there is none that holds."""
        return self._by_wording.get(_wording(text))

    def add(self, statement: Statement) -> bool:
        """Add a statement and take out what it supersedes or retracts; return whether that changed anything.

        A statement of the same wording is replaced only if it was not VERIFIED and the new one is.
        """
        if statement.origin == "retraction":
            return self._take_out(statement.text, None, statement.turn)
        taken = [self._take_out(text, statement, statement.turn) for text in statement.supersedes]
        key = _wording(statement.text)
        known = self._by_wording.get(key)
        verified_now = known and only_consistency(known) and not only_consistency(statement)
        if not key or (known and not verified_now):
            return any(taken)
        self._by_wording[key] = statement
        return True

    def _take_out(self, text: str, new: Statement | None, turn: int) -> bool:
        if new is not None and _wording(new.text) == _wording(text):
            return False
        old = self._by_wording.pop(_wording(text), None)
        if old is None:
            return False
        self._superseded.append(Superseded(old=old, new=new, turn=turn))
        return True

    def add_verdicts(self, verdicts: Iterable[Verdict], *, turn: int) -> list[Statement]:
        """Add the VERIFIED and OUT_OF_SCOPE claims of a turn (VISTA, step 4); return those that were new.

        OUT_OF_SCOPE claims may contradict later claims and never verify one. So may a claim that is
        LACKING_EVIDENCE and supersedes another or grants what the user asked for. A claim that supersedes is
        added without its "now". Of those that supersede nothing, two sorts are left out. One is a claim whose
        highest score is contradiction, even where that score is below the threshold: a later turn may correct
        it and must not be checked against it. The other is a claim that is not standalone: "For 30 days."
        would verify an answer on another thing.
        """
        statements = [
            Statement(
                text=as_lasting(v.claim.text) if v.supersedes or v.granted else v.claim.text,
                origin="claim",
                turn=turn,
                category=v.category,
                supersedes=tuple(evidence.text for evidence in v.supersedes),
            )
            for v in verdicts
            if _joins(v) and (v.supersedes or (not _doubted(v) and _stands_alone(v.claim.text)))
        ]
        return [statement for statement in statements if self.add(statement)]


# The patterns of questions are imported with the first claim: they take a fifth of `import vista_stream`.
def _stands_alone(claim: str) -> bool:
    from vista_stream.core.standalone import is_standalone

    return is_standalone(claim)


def _joins(verdict: Verdict) -> bool:
    if verdict.category is Category.LACKING_EVIDENCE:
        return bool(verdict.supersedes) or verdict.granted
    return verdict.category in (Category.VERIFIED, Category.OUT_OF_SCOPE)


def _doubted(verdict: Verdict) -> bool:
    return verdict.scores is not None and verdict.scores.contradiction == max(verdict.scores)


_MEANT = re.compile(r"(?:(?<!\w)[-−+](?=[$€£¥]?\d))?[$€£¥]?[^\W_]+(?:[.,:/]\d+|\^[-−+]?\d+)*[+#%°]*|[^\w\s]")
"""The words, signed numbers and marks of a wording: "C++" differs from "C#", and -5 from 5."""
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+")
_SYMBOLS = ("Sm", "Sc", "So")


def _wording(text: str) -> str:
    """What two texts have in common that say the same: "<" differs from ">", and "5 €" from "5 $".

    Punctuation is ignored.
    """
    folded = unicodedata.normalize("NFKC", _RAISED.sub(r"^\g<0>", text)).casefold()
    return " ".join(mark for mark in _MEANT.findall(folded) if _means(mark))


def _means(mark: str) -> bool:
    return len(mark) > 1 or mark.isalnum() or unicodedata.category(mark) in _SYMBOLS


def only_consistency(statement: Statement) -> bool:
    """Whether a statement may only contradict later claims and never verify one: nothing has verified it."""
    return statement.category is not Category.VERIFIED


def cite(statement: Statement) -> Evidence:
    """A statement of the common ground as evidence."""
    return Evidence(
        text=statement.text,
        document=statement.id,
        span=Span(0, len(statement.text)),
        sentence=0,
        origin="common_ground",
    )
