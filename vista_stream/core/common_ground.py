"""The living list of what holds in a conversation: background knowledge and settled claims."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from vista_stream.claims import Category, Evidence, Span, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One entry of the common ground."""

    text: str
    origin: Literal["background", "claim"]
    turn: int
    """The turn that added it, from 0; -1 for background knowledge."""
    category: Category = Category.VERIFIED
    """VERIFIED or OUT_OF_SCOPE: what the claim was when it was added."""

    @property
    def id(self) -> str:
        """Name under which evidence cites it."""
        return "background" if self.origin == "background" else f"turn {self.turn + 1}"


class CommonGround:
    """Statements in the order they were added, each wording once."""

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._by_wording: dict[str, Statement] = {}
        for statement in statements:
            self.add(statement)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._by_wording.values())

    def __len__(self) -> int:
        return len(self._by_wording)

    def add(self, statement: Statement) -> bool:
        """Append a statement; False where the same wording is there already, and no better founded now."""
        key = _wording(statement.text)
        known = self._by_wording.get(key)
        verified_now = known and only_consistency(known) and not only_consistency(statement)
        if not key or (known and not verified_now):
            return False
        self._by_wording[key] = statement
        return True

    def add_verdicts(self, verdicts: Iterable[Verdict], *, turn: int) -> list[Statement]:
        """Append the VERIFIED and OUT_OF_SCOPE claims of a turn (VISTA, step 4); return the new ones.

        The latter serve consistency alone. What was out of scope and is verified now counts as verified.
        Not one that the grounds rather contradict, though not surely enough to block it: the next turn
        may set it right, and must not be held to it.
        """
        kept = (Category.VERIFIED, Category.OUT_OF_SCOPE)
        statements = [
            Statement(text=v.claim.text, origin="claim", turn=turn, category=v.category)
            for v in verdicts
            if v.category in kept and not _doubted(v)
        ]
        return [statement for statement in statements if self.add(statement)]


def _doubted(verdict: Verdict) -> bool:
    return verdict.scores is not None and verdict.scores.contradiction == max(verdict.scores)


_MEANT = re.compile(r"(?:(?<!\w)[-−+](?=[$€£¥]?\d))?[$€£¥]?[^\W_]+(?:[.,:/]\d+)*[+#%°]*")
"""Words, and numbers with their signs: "C++" is not "C#", nor -5 5. Other marks make no difference."""


def _wording(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_MEANT.findall(folded))


def only_consistency(statement: Statement) -> bool:
    """Whether a statement may contradict later claims and never verify one: nothing has verified it."""
    return statement.category is Category.OUT_OF_SCOPE


def cite(statement: Statement) -> Evidence:
    """A statement of the common ground as evidence."""
    return Evidence(
        text=statement.text,
        document=statement.id,
        span=Span(0, len(statement.text)),
        sentence=0,
        origin="common_ground",
    )
