"""The headings, list introductions or table header that a passage is read with."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Set as AbstractSet
from itertools import accumulate, takewhile
from typing import NamedTuple

from vista_stream.claims import Span

_ITEM = re.compile(r"\A\s*(?:[-*+•‣◦✔✘✅❌]\s|\d{1,3}[.)]\s|\(\w{1,2}\)\s)\s*")
_HEADING = re.compile(r"\s*(?P<level>#{1,6})\s|\s*\*\*[^*\n]+\*\*:?\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|--+)\s*")
_BORDER = re.compile(r"[-*_=~\s]{2,}")
_RULER = re.compile(r"\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?")
"""The row of dashes between a table's header row and its other rows; it has a "|"."""
_BOLD_LEVEL = 7
_INTRODUCES = 12
"""Most words of a line without a full stop that may introduce the list after it."""
_PATH = 120
"""Most code points of a heading together with those it stands under, unless it is longer by itself."""
_NESTED = 3
"""Most items over an item of a nested list that it is read with, the innermost ones."""
_OTHER_NEWLINE = re.compile(r"\r(?!\n)|[\x0b\x85\u2028\u2029]")


class Scope(NamedTuple):
    """The lines that a line belongs under, outermost first."""

    headings: tuple[str, ...] = ()
    """Of its section and of those around it, without a title of the whole text."""
    lists: tuple[str, ...] = ()
    """The introduction of its list and the items around it, or its table's header row."""

    def holds(self, other: Scope) -> bool:
        """Whether a line under `other` may follow one under this scope in the same part of a text."""
        mine, others = self.headings + self.lists, other.headings + other.lists
        return others[: len(mine)] == mine


class _Line(NamedTuple):
    start: int
    """Its first code point in the text."""
    scope: Scope
    opens: bool
    """Whether it is a heading or a table's header row."""
    code: bool
    """Whether it is a line of code, which introduces nothing."""
    titled: bool
    """Whether it is in a list right below the title of the whole text."""


class Outline:
    """The headings, list introductions and table header rows of a text, and which lines belong under them.

    `code` is where in the text its lines of code begin.
    """

    def __init__(self, text: str, *, code: AbstractSet[int] = frozenset()) -> None:
        self._text = text
        self._lines = tuple(_outlined(with_newlines(text), code))
        self._starts = [line.start for line in self._lines]

    def reading(self, *spans: Span) -> str:
        """The text at `spans` as a model should read it, with the lines that it belongs under.

        "Rental cars" in a list under "The following are not covered:" comes with that line, unless the span
        before is under it too. A heading or introduction at the end of a passage is removed where it belongs
        to what follows in the text.
        """
        read: list[str] = []
        before, last = Scope(), ""
        for span in spans:
            passage = self._text[span.start : span.end]
            plain = " ".join(passage.split())
            over = _added(self.scope(span.start), before)
            read += [line for line in over if line not in plain and not last.endswith(line)]
            read.append(self._without_openings(span))
            before, last = self.scope(span.end - 1), plain
        return "\n".join(read)

    def over(self, span: Span) -> tuple[str, ...]:
        """The lines that the text at `span` belongs under, outermost first; all its headings are one line."""
        scope = self.scope(span.start)
        return (*_path(scope.headings), *scope.lists)

    def introduced(self, span: Span) -> tuple[str, ...]:
        """The lines that the text at `span` belongs under, each heading without a colon at its end.

        The title of the whole text is among them where a list is right below it ("Common myths").
        """
        row = self._row(span.start)
        titled = row > 0 and self._lines[row].titled
        title = self._text[self._starts[0] : self._starts[1]] if titled else ""
        scope = self.scope(span.start)
        headings = filter(None, (title.strip().lstrip("#"), *scope.headings))
        return (*(heading.strip(" *").rstrip(":") for heading in headings), *scope.lists)

    def scope(self, at: int) -> Scope:
        """What the line with the code point `at` belongs under."""
        row = self._row(at)
        return self._lines[row].scope if row >= 0 else Scope()

    def opens(self, span: Span) -> bool:
        """Whether the sentence at `span` is a heading or header row, or introduces what follows it."""
        row = self._row(span.start)
        if row >= 0 and (self._lines[row].opens or self._lines[row].code):
            return self._lines[row].opens
        return opens(self._text[span.start : span.end])

    def _without_openings(self, span: Span) -> str:
        """The text at `span` without the headings and introductions at its end of what follows it."""
        end, row = span.end, self._row(span.end - 1)
        while row > 0 and self._lines[row].start > span.start and self._leads_on(row, end):
            end, row = self._lines[row].start, row - 1
        return self._text[span.start : end].rstrip()

    def _leads_on(self, row: int, end: int) -> bool:
        """Whether a line, which is read up to `end`, introduces what follows it in the text."""
        line, after = self._lines[row], self._lines[row + 1 : row + 2]
        read = self._text[line.start : end]
        if line.code or not after or not opens(read):
            return False
        under = after[0].scope
        return read.rstrip().endswith(":") or (under != line.scope and line.scope.holds(under))

    def _row(self, at: int) -> int:
        """The line with the code point `at`, or the last one before it; -1 where there is none."""
        return bisect_right(self._starts, at) - 1


def with_newlines(text: str) -> str:
    """The text with each other character that ends a line as a newline; offsets stay the same."""
    return _OTHER_NEWLINE.sub("\n", text)


def opens(line: str) -> bool:
    """Whether a line is a heading, or introduces what follows it."""
    return line.rstrip().endswith(":") or _HEADING.match(line) is not None


def _outlined(text: str, code: AbstractSet[int]) -> list[_Line]:
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    below = [*lines[1:], ""]
    levels = [
        0 if at in code else _level(*each)
        for at, *each in zip(starts, ["", *lines], lines, below, strict=False)
    ]
    outliner = _Outliner(titled=levels.count(1) == 1)
    for at, line, after, level in zip(starts, lines, below, levels, strict=True):
        if not line.strip():
            outliner.pass_blank()
        elif at in code:
            outliner.take_code(line, at)
        else:
            outliner.take(line, at, level=level, ruled="|" in after and bool(_RULER.fullmatch(after)))
    return outliner.lines


def _level(above: str, line: str, below: str) -> int:
    """The level of a heading, from 1; 0 for any other line."""
    if heading := _HEADING.match(line):
        return len(heading["level"] or "") or _BOLD_LEVEL
    bare = line.strip()
    if not bare or above.strip() or not _UNDERLINE.fullmatch(below):
        return 0
    if _ITEM.match(line) or _BORDER.fullmatch(bare) or "|" in bare or not _introduces(bare):
        return 0
    return 1 if "=" in below else 2


class _Outliner:
    """Reads a text line by line, and keeps what the next line belongs under."""

    def __init__(self, *, titled: bool) -> None:
        self.lines: list[_Line] = []
        self._titled = titled
        """Whether one heading is above all others, which may then be the text's title."""
        self._levels: list[int] = []
        """The levels of the headings over the next line, outermost first."""
        self._headings: tuple[str, ...] = ()
        self._above = ""
        """The last line that is no item and no row."""
        self._introduction = ""
        """Of the list, or the header row of the table."""
        self._items: list[tuple[int, str]] = []
        """The column and the text of the last item, after those of the items around it."""
        self._listed = self._tabled = False
        """Whether the last line is in a list, or in a table."""
        self._below_title = False
        """Whether that list is right below the title."""
        self._piped = False
        """Whether it is in a table whose rows need not begin with "|"."""
        self._directly = False
        """Whether no blank line is between the last line and the next one."""

    def pass_blank(self) -> None:
        """Read past a blank line."""
        self._directly = self._piped = False

    def take_code(self, line: str, at: int) -> None:
        """Read a line of code that is not blank; its block is in a list where the first line is."""
        inside = bool(self.lines) and self.lines[-1].code
        if not inside and not self._goes_on(line):
            self._leave()
        self._add(at, code=True)
        self.pass_blank()

    def take(self, line: str, at: int, *, level: int, ruled: bool) -> None:
        """Read a line that is not blank; `ruled` where a row of dashes is below it."""
        bare = line.strip()
        self._piped = "|" in bare and (self._piped or ruled)
        if level:
            self._take_heading(bare, at, level)
        elif _BORDER.fullmatch(bare):
            self._leave()
        elif self._piped or bare.startswith("|"):
            self._take_row(bare, at, ruled)
        elif _ITEM.match(line):
            self._take_item(line, at)
        elif self._goes_on(line):
            self._go_on(bare, at)
        else:
            wrapped = self._directly and self._above and bare[0].islower()
            above = f"{self._above} {bare}" if wrapped else bare
            self._leave()
            self._add(at)
            self._above = above
        self._directly = True

    def _take_heading(self, bare: str, at: int, level: int) -> None:
        self._leave()
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._headings = self._headings[: len(self._levels)]
        self._add(at, opens=True)
        # A title of the whole document says nothing about one part of it.
        if not (self._titled and level == 1 and len(self.lines) == 1):
            self._levels.append(level)
            self._headings += (bare.lstrip("#").strip(" *").replace("**", ""),)

    def _take_row(self, bare: str, at: int, ruled: bool) -> None:
        if not self._tabled:
            self._leave()
        self._add(at, opens=ruled)
        if not self._tabled:
            self._introduction, self._tabled = bare, True

    def _take_item(self, line: str, at: int) -> None:
        if not self._listed:
            introduction = self._above if _introduces(self._above) else ""
            self._leave()
            self._introduction, self._listed = introduction, True
            self._below_title = not self._headings and bool(self.lines) and self.lines[-1].opens
        column = _column(line)
        while self._items and self._items[-1][0] > column - 2:
            self._items.pop()
        self._add(at)
        self._items.append((column, _ITEM.sub("", line, count=1).strip()))

    def _goes_on(self, line: str) -> bool:
        """Whether a line without a marker belongs to the last item."""
        if not self._listed:
            return False
        return _column(line) > self._items[-1][0] or (self._directly and line.lstrip()[0].islower())

    def _go_on(self, bare: str, at: int) -> None:
        column, text = self._items.pop()
        self._add(at)
        self._items.append((column, f"{text} {bare}" if self._directly else bare))

    def _leave(self) -> None:
        """Leave the list or table."""
        self._above = self._introduction = ""
        self._items = []
        self._listed = self._tabled = self._below_title = False

    def _add(self, at: int, *, opens: bool = False, code: bool = False) -> None:
        items = [text for _, text in self._items if _introduces(text)][-_NESTED:]
        lists = tuple(filter(None, (self._introduction, *items)))
        self.lines.append(_Line(at, Scope(self._headings, lists), opens, code, self._below_title))


def _column(line: str) -> int:
    spaced = line.expandtabs(4)
    return len(spaced) - len(spaced.lstrip())


def _introduces(line: str) -> bool:
    return line.endswith((":", "**")) or (0 < len(line.split()) <= _INTRODUCES and not line.endswith("."))


def _path(headings: tuple[str, ...]) -> tuple[str, ...]:
    """The headings as one line, or none; without the outermost ones where it gets too long."""
    path = headings[-1:]
    for heading in reversed(headings[:-1]):
        joined = f"{heading.rstrip(':')}, {path[0]}"
        if len(joined) > _PATH:
            break
        path = (joined,)
    return path


def _added(scope: Scope, before: Scope) -> tuple[str, ...]:
    """The lines to read between a passage under `before` and one under `scope`."""
    over = (*_path(scope.headings), *scope.lists)
    if scope.headings != before.headings:
        return over
    pairs = zip(scope.lists, before.lists, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if shared == len(scope.lists) < len(before.lists):
        return over[-1:]
    return scope.lists[shared:]
