"""Strips Markdown from a text and keeps the original offset of each remaining character."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vista_stream.claims import Span

_MARKER = re.compile(r"\A\s*(?:>\s*)*(?:[-*+•‣◦]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+)?")
_QUOTE = re.compile(r"(?<=\n)[ \t]*(?:>[ \t]*)+")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
_CITATION = re.compile(
    r"\s?\[(?:\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*|\^[\w-]{1,20}|citation needed)\]|\s?【[^】\n]{1,30}】"
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)|(?<=\S)(\*{1,3}|_{1,3}|~~)(?![\w*])")
_STARS = re.compile(r"(?<!\d)\*\*+|\*\*+(?!\d)|__+|`+")
_CODE = re.compile(r"(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_TAG = re.compile(r"</?(?:b|i|em|strong|u|sup|sub|p|span|code)\s*/?>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_POWER = re.compile(r"(?<=\d)<sup>(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text without markup, and for each of its characters the offset in the text with markup."""

    text: str
    offsets: tuple[int, ...]

    def origin(self, start: int, end: int) -> Span:
        """The span in the text with markup of the non-empty range [start, end) of this text."""
        return Span(self.offsets[start], self.offsets[end - 1] + 1)

    def with_one(self, pattern: re.Pattern[str], character: str) -> PlainText:
        """This text with each match of the pattern replaced by one character."""
        text, holes = list(self.text), list[tuple[int, int]]()
        for found in pattern.finditer(self.text):
            text[found.start()] = character
            holes.append((found.start() + 1, found.end()))
        return PlainText("".join(text), self.offsets).without(holes)

    def without(self, holes: list[tuple[int, int]]) -> PlainText:
        """This text without the half-open ranges in `holes`."""
        gone = {position for start, end in holes for position in range(start, end)}
        kept = [position for position in range(len(self.text)) if position not in gone]
        return PlainText("".join(self.text[p] for p in kept), tuple(self.offsets[p] for p in kept))


def is_item(text: str) -> bool:
    """Whether the text begins with a list marker or block quote mark, and not with a heading mark."""
    marker = _marker(text)
    return bool(marker.strip()) and "#" not in marker


def is_heading(text: str) -> bool:
    """Whether the text begins with a Markdown heading mark."""
    return "#" in _marker(text)


def strip_markup(marked: str) -> PlainText:
    """Remove list, heading, quote and citation marks, emphasis, link targets and simple HTML tags.

    White space is folded to single spaces. Text in backticks keeps its marks, without the backticks.
    10<sup>6</sup> becomes 10^6.
    """
    plain = PlainText(marked, tuple(range(len(marked))))
    plain = plain.without([(0, len(_marker(marked)))])
    plain = plain.without([hole for m in _LINK.finditer(plain.text) for hole in _around_label(m)])
    plain = plain.with_one(_BREAK, " ").with_one(_POWER, "^")
    code = {plain.offsets[at] for m in _CODE.finditer(plain.text) for at in range(*m.span(2))}
    for pattern in (_QUOTE, _CITATION, _TAG, _STARS, _EMPHASIS):
        found = (m.span() for m in pattern.finditer(plain.text))
        plain = plain.without([hole for hole in found if plain.offsets[hole[0]] not in code])
    return _folded(plain)


def _marker(text: str) -> str:
    found = _MARKER.match(text)
    return found.group() if found else ""


def _around_label(link: re.Match[str]) -> list[tuple[int, int]]:
    return [(link.start(), link.start(1)), (link.end(1), link.end())]


def _folded(plain: PlainText) -> PlainText:
    kept: list[tuple[str, int]] = []
    for character, offset in zip(plain.text, plain.offsets, strict=True):
        if not character.isspace():
            kept.append((character, offset))
        elif kept and kept[-1][0] != " ":
            kept.append((" ", offset))
    if kept and kept[-1][0] == " ":
        kept.pop()
    return PlainText("".join(c for c, _ in kept), tuple(o for _, o in kept))
