"""The common ground of a conversation: background knowledge and settled claims."""

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
    """VERIFIED or OUT_OF_SCOPE: the claim's category when it was added."""

    @property
    def id(self) -> str:
        """Name under which evidence cites it."""
        return "background" if self.origin == "background" else f"turn {self.turn + 1}"


class CommonGround:
    """Statements in the order in which they were added; two of the same wording count as one."""

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._by_wording: dict[str, Statement] = {}
        for statement in statements:
            self.add(statement)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._by_wording.values())

    def __len__(self) -> int:
        return len(self._by_wording)

    def add(self, statement: Statement) -> bool:
        """Add a statement; return whether the common ground changed.

        A statement of the same wording is replaced only if it was OUT_OF_SCOPE and the new one is VERIFIED.
        """
        key = _wording(statement.text)
        known = self._by_wording.get(key)
        verified_now = known and only_consistency(known) and not only_consistency(statement)
        if not key or (known and not verified_now):
            return False
        self._by_wording[key] = statement
        return True

    def add_verdicts(self, verdicts: Iterable[Verdict], *, turn: int) -> list[Statement]:
        """Add the VERIFIED and OUT_OF_SCOPE claims of a turn (VISTA, step 4); return those that were new.

        OUT_OF_SCOPE claims may contradict later claims and never verify one. A claim whose highest score is
        contradiction is left out, even where that score is below the threshold: a later turn may correct it
        and must not be checked against it.
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
"""The words and signed numbers of a wording: "C++" differs from "C#", and -5 from 5. Other punctuation is
ignored."""


def _wording(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_MEANT.findall(folded))


def only_consistency(statement: Statement) -> bool:
    """Whether a statement may only contradict later claims and never verify one, as it is OUT_OF_SCOPE."""
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
