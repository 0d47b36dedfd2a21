"""The heading, list introduction or table header that a passage is read with."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from vista_stream.claims import Span

_ITEM = re.compile(r"\s*(?:[-*+•‣◦✔✘✅❌]\s|\d{1,3}[.)]\s|\(\w{1,2}\)\s)")
_HEADING = re.compile(r"\s*(?P<level>#{1,6})\s|\s*\*\*[^*\n]+\*\*:?\s*$")
_INTRODUCES = 12
"""Most words of a line without a full stop that may introduce the list after it."""


class _Line(NamedTuple):
    start: int
    """Its first code point in the text."""
    over: tuple[str, ...]
    """The lines it belongs under: its section's heading, its list's introduction, its table's header row."""


class Outline:
    """The headings, list introductions and table header rows of a text, and which lines belong under them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = tuple(_outlined(text))
        self._starts = [line.start for line in self._lines]

    def reading(self, span: Span, *, after: str = "") -> str:
        """The text at `span` as a model should read it, with the lines that it belongs under.

        "Rental cars" in a list under "The following are not covered:" comes with that line, unless it was
        read before, in `after`. A heading or introduction at the end of the passage is removed, because it
        belongs to what follows.
        """
        passage = self._text[span.start : span.end]
        over = [line for line in self.over(span) if line not in passage and line not in after]
        return "\n".join([*over, _without_openings(passage)])

    def over(self, span: Span) -> tuple[str, ...]:
        """The lines that the text at `span` belongs under, outermost first."""
        row = bisect_right(self._starts, span.start) - 1
        return self._lines[row].over if row >= 0 else ()


def opens(line: str) -> bool:
    """Whether a line is a heading, or introduces what follows it."""
    return line.rstrip().endswith(":") or _HEADING.match(line) is not None


def _outlined(text: str) -> list[_Line]:
    lines: list[_Line] = []
    heading, above, introduction = "", "", ""
    listed = tabled = False
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        headed, item, row = _HEADING.match(line), bool(_ITEM.match(line)), bare.startswith("|")
        if bare:
            if (item and not listed) or (row and not tabled):
                introduction = above if item and _introduces(above) else ""
            elif not (item or row):
                introduction = ""
            lines.append(_Line(at, tuple(filter(None, ("" if headed else heading, introduction)))))
            if row and not tabled:
                introduction = bare
            listed, tabled = item, row
            above = bare if not (item or row) else above
        if headed:
            # A title of the whole document says nothing about one part of it.
            heading = "" if headed["level"] == "#" and len(lines) < 2 else bare.lstrip("#").strip(" *")
            introduction, above = "", bare
        at += len(line)
    return lines


def _introduces(line: str) -> bool:
    return line.endswith((":", "**")) or (0 < len(line.split()) <= _INTRODUCES and not line.endswith("."))


def _without_openings(passage: str) -> str:
    """The passage without headings and introductions at its end, which belong to what follows."""
    lines = passage.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or opens(lines[-1])):
        lines.pop()
    return "\n".join(lines)
