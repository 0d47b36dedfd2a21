"""Pairs of a written document's claims and parts of the document, for a verifier that reads pairs whole.

In a session a verifier sees the lines that are most about a claim, seldom a whole text. So a part holds the
lines that decide the claim among other lines of the document, few or many, and sometimes lines of another
document. Where a deciding line is left out, the label becomes neutral.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from vista_stream.training.documents import Document, WrittenClaim
from vista_stream.training.rows import Row

_BUDGETS: Final = (12, 20, 30, 45, 60, 80, 110)
"""Words of a part; the lines that decide are in it however long they are, and alone in the smallest parts."""
_LONGEST: Final = 260
"""Words of a document that is read whole."""
_WITHOUT, _WHOLE, _STRANGE = 0.06, 0.06, 0.10
"""Shares of claims without a line that decides, of the others with the whole document, and of parts with a
stranger's lines."""
_WORD = re.compile(r"\w+")


def cut_rows(documents: Sequence[Document], chance: random.Random) -> list[Row]:
    """A row for each claim of the documents, with another part of its document each time."""
    return [
        cut_row(document, claim, others=documents, chance=chance)
        for document in documents
        for claim in document.claims
    ]


def cut_row(
    document: Document,
    claim: WrittenClaim,
    *,
    others: Sequence[Document],
    chance: random.Random,
    open_share: float = _WITHOUT,
) -> Row:
    """The claim with another part of its document, or of another document besides, each time.

    `open_share` is the share of claims that lose a line that decides, and become neutral; a document of one
    line keeps it.
    """
    without = len(document.lines) > 1 and chance.random() < open_share
    words = sum(len(line.split()) for line in document.lines)
    if not without and words <= _LONGEST and chance.random() < _WHOLE:
        return Row(document.text, claim.text, claim.label, document.source)
    left_out = chance.choice(sorted(claim.deciding)) if without else -1
    needed = claim.deciding - {left_out}
    rows = part(document, claim, needed=needed, chance=chance, left_out=left_out)
    premise = joined(document, rows)
    if chance.random() < _STRANGE and len(others) > 1:
        stranger = chance.choice(others)
        start = chance.randrange(len(stranger.lines))
        parts = [premise, joined(stranger, range(start, min(start + 3, len(stranger.lines))))]
        premise = "\n".join(parts if chance.random() < 0.5 else parts[::-1])
    return Row(premise, claim.text, "neutral" if without else claim.label, document.source)


def part(
    document: Document,
    claim: WrittenClaim,
    *,
    needed: frozenset[int],
    chance: random.Random,
    left_out: int = -1,
) -> list[int]:
    """The lines of a part, in order: the needed ones, then those likely to be retrieved with them."""
    budget = chance.choice(_BUDGETS)
    chosen = set(needed)
    if document.between == "\n" and left_out != 0 and chance.random() < 0.9:
        chosen.add(0)  # what the rows of a table and the items of a list are read under
    said = set(_WORD.findall(claim.text.lower()))
    likely = {
        row: _shared(said, line) + 2 * _beside(row, claim.deciding) + chance.uniform(0, 4)
        for row, line in enumerate(document.lines)
        if row not in chosen and row != left_out
    }
    held = sum(len(document.lines[row].split()) for row in chosen)
    for row in sorted(likely, key=lambda row: -likely[row]):
        held += len(document.lines[row].split())
        if held > budget and chosen:
            break
        chosen.add(row)
    return sorted(chosen)


def _shared(said: set[str], line: str) -> int:
    return len(said & set(_WORD.findall(line.lower())))


def _beside(row: int, deciding: frozenset[int]) -> bool:
    return row - 1 in deciding or row + 1 in deciding


def joined(document: Document, rows: Sequence[int]) -> str:
    """Lines as the document has them, one under the other where something between them is left out."""
    text = document.lines[rows[0]]
    for before, row in pairwise(rows):
        text += (document.between if row == before + 1 else "\n") + document.lines[row]
    return text
