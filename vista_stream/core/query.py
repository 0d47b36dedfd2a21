"""What a user's query asks for: the question in it, the sort of answer, the kind of query."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

Asked: TypeAlias = Literal["who", "when", "where", "number", "polar", "definition", "other"]
QueryKind: TypeAlias = Literal["precise", "polar", "which", "explain", "about", "none"]
"""precise: who, when, where, how many. polar: answered by yes or no. explain: why, how, lists, comparisons,
whose answers have several vital claims. about: a whole subject. which: the others. none: no query."""
QUERY_KINDS: Final[tuple[QueryKind, ...]] = get_args(QueryKind)

_INSTRUCTION = re.compile(r"^[^:?]{0,60}:\s+(?=\S+\s+\S+\s+\S)")
_ASKED: tuple[tuple[re.Pattern[str], Asked], ...] = (
    (re.compile(r"\bhow (?:many|much|old|long|tall|far|big|high|large|often)\b"), "number"),
    (re.compile(r"\b(?:when|(?:what|which) (?:year|date|day|month|century))\b"), "when"),
    (re.compile(r"\b(?:where|(?:what|which) (?:city|country|state|place|town|county|continent))\b"), "where"),
    (re.compile(r"\b(?:who|whom|whose)\b"), "who"),
    (
        re.compile(r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|am)\b"),
        "polar",
    ),
    (re.compile(r"^(?:what|define|meaning)\b"), "definition"),
)
_EXPLAIN = re.compile(
    r"\b(?:why|cause[sd]?|reasons?|how (?:do|to|can|could|does|did|should|come|is|are|was)|what happens|list|"
    r"name all|symptoms|signs|steps|stages|differ\w*|compare|vs|versus|recommend|advice|tips|ways)\b"
)
_ABOUT = re.compile(r"\b(?:tell me|explain|describe|bio|biography|history of|overview|summar[iy]\w*|about)\b")


def question_of(query: str) -> str:
    """The query without an instruction before it, such as "In a paragraph, answer: "."""
    return _INSTRUCTION.sub("", query)


def answer_type(query: str) -> Asked:
    """What sort of thing a query asks for, by the first pattern of `_ASKED` that it matches."""
    lower = query.lower().strip()
    return next((asked for sign, asked in _ASKED if sign.search(lower)), "other")


def query_kind(query: str | None) -> QueryKind:
    """The kind of a query; `none` where it is None or blank."""
    if not query or not query.strip():
        return "none"
    lower = question_of(query).lower()
    if _EXPLAIN.search(lower):
        return "explain"
    if _ABOUT.search(lower):
        return "about"
    asked = answer_type(lower)
    if asked in ("definition", "other"):
        return "which"
    return "polar" if asked == "polar" else "precise"
