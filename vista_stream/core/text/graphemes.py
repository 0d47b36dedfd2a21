"""Where a text without a stop may be cut, and where a cut would divide a grapheme cluster."""

from __future__ import annotations

import re
import unicodedata

_CLAUSE_END = re.compile(r"[,;:)—–](?=\s)|[，、；：]")
_CLAUSE = r"""(?:
    (?:it|he|she|they|we|you|I|there)\s
    | (?:the|an?|his|her|its|their|our|my|your|this|that|these|those|some|many|most|all|[A-Z]\w*)
      \s+(?:\w+\s+){0,4}
      (?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|did|does|do|\w+ed)\b
)"""
"""The beginning of an English clause with a subject of its own."""
_NEXT_CLAUSE = re.compile(
    rf"""
    \n | ;(?=\s) | [，；]
    | ,(?=\s+(?:it|he|she|they|we|you|I|there)\s)
    | (?:,|(?<=\w)(?=\s))(?=\s+(?:and|but|so|yet|or)\s+{_CLAUSE})
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s+")
_CLUSTER_REACH = 64
_JOINER = "\u200d"


def clause_cut(text: str, start: int, limit: int) -> int | None:
    """Where the last clause in the second half of text[start:limit] begins; None where no place shows that.

    That is after a newline or a semicolon, and before a conjunction or after a comma if a subject follows.
    text[limit - 1] must exist.
    """
    middle = start + (limit - start) // 2
    found = [match.end() for match in _NEXT_CLAUSE.finditer(text, middle, limit - 1)]
    return next((i for i in reversed(found) if not divides_cluster(text, i, start=start)), None)


def best_cut(text: str, start: int, limit: int) -> int:
    """The index at which to cut text[start:limit], which holds no sentence end; text[limit] must exist.

    After the last clause mark of its second half, else before the last white space there, else at the last
    place that divides no grapheme cluster.
    """
    middle = start + (limit - start) // 2
    clauses = [match.end() for match in _CLAUSE_END.finditer(text, middle, limit)]
    spaces = [match.start() for match in _SPACE.finditer(text, middle, limit)]
    for index in (*reversed(clauses), *reversed(spaces)):
        if not divides_cluster(text, index, start=start):
            return index
    lowest = max(middle, limit - _CLUSTER_REACH)
    whole = (index for index in range(limit, lowest, -1) if not divides_cluster(text, index, start=start))
    return next(whole, limit)


def divides_cluster(text: str, index: int, *, start: int) -> bool:
    """Whether a cut before text[index] divides a grapheme cluster, or a CR from its LF.

    Looks back no further than `start`, which must be below `index` and divide no cluster itself.
    """
    before, after = text[index - 1], text[index]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    extends = unicodedata.category(after) in ("Mn", "Mc", "Me") or after == _JOINER
    extends = extends or "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f"
    # U+200D joins emoji, a virama (class 9) joins consonants, jamo build syllables.
    joined = before == _JOINER or unicodedata.combining(before) == 9
    joined = joined or (_is_jamo(before) and _is_jamo(after))
    halves = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return extends or joined or halves or _divides_flag(text, index, start)


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff"


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _divides_flag(text: str, index: int, start: int) -> bool:
    if not _is_regional(text[index]):
        return False
    first = index
    while first > start and _is_regional(text[first - 1]):
        first -= 1
    return (index - first) % 2 == 1
