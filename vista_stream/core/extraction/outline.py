"""Keeps where a sentence stands: in which list, under which introductions, in which table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vista_stream.core.extraction.lists import Introduction, cells, is_barred, is_row, is_ruler, row_claims
from vista_stream.core.text.blocks import is_picture
from vista_stream.core.text.plaintext import is_item, strip_markup
from vista_stream.core.text.segmenter import Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The place of the last sentence; each method returns the place of the next one."""

    item: bool = False
    """Whether the sentence is in a list item or block quote, be it the first there or a later one."""
    begins: bool = False
    """Whether it begins one."""
    left: bool = False
    """Whether a list ended before it."""
    line: int = 0
    """Where its line begins."""
    sort: str = ""
    """What marks the items of the list that it is in: "list", "quote" or "picture"; empty outside."""
    introductions: tuple[tuple[int, Introduction], ...] = ()
    """The introductions above it, the outermost first, each with the column of its own list marker, or -1."""
    column: int = -1
    """Of its list marker; -1 outside lists."""
    header: tuple[str, ...] | None = None
    """The header row of its table; empty for a table without one, None outside a table."""
    above: tuple[str, ...] = ()
    """The row directly above, or the cells of a line that a ruler would make one."""
    _marker: str = ""
    """The first marks read since the last sentence that are no white space, or the last white space."""
    _marker_line: int = -1
    """Where their line begins."""

    @property
    def introduction(self) -> Introduction | None:
        """The introduction that the sentence stands under."""
        return self.introductions[-1][1] if self.introductions else None

    @property
    def beginning(self) -> Introduction | None:
        """The introduction that begins the sentences which the items end: "The members are:"."""
        introduction = self.introduction
        return introduction if introduction and not introduction.verbless else None

    @property
    def quoted(self) -> bool:
        """Whether the sentence is in a block quote."""
        return self.sort == "quote"

    def past(self, markup: Segment) -> Outline:
        """Past a list marker, which belongs to the sentence on its line, or a table's ruler."""
        if is_ruler(markup.text) and (self.header is not None or len(cells(markup.text)) == len(self.above)):
            return replace(self, header=self.above)
        again = markup.line == self._marker_line
        return replace(
            self,
            _marker=self._marker if again and not self._marker.isspace() else markup.text,
            _marker_line=markup.line,
            column=self.column if again else markup.span.start - markup.line,
        )

    def at(self, sentence: Segment) -> Outline:
        """At the next sentence."""
        marked = self._marker if sentence.line == self._marker_line else ""
        begins = is_item(sentence.text) or bool(marked)
        goes_on = self.item and not begins and sentence.line == self.line
        sort = _sort(marked or sentence.text) if begins else self.sort if goes_on else ""
        left = bool(self.sort) and sort != self.sort
        column = self.column if marked else 0 if begins else self.column if goes_on else -1
        kept = () if left or not (begins or goes_on) else self.introductions
        if begins:
            kept = tuple(each for each in kept if each[0] < column)
        return replace(
            self,
            item=begins or goes_on,
            begins=begins,
            left=left,
            line=sentence.line,
            sort=sort,
            introductions=kept,
            column=column,
            _marker="",
            _marker_line=-1,
        )

    def introducing(self, text: str, *, verbless: bool = False, unfinished: bool = False) -> Outline:
        """With the sentence as an introduction of what follows it, as `Introduction` says."""
        introduction = Introduction(text.rstrip(" .:"), verbless=verbless, unfinished=unfinished)
        return replace(self, introductions=(*self.introductions, (self.column, introduction)))

    def is_row(self, text: str) -> bool:
        """Whether a line is a row of a table; below a header with two cells one bar is enough."""
        below = self.header is not None and len(self.header) == 2
        return is_row(text) or (below and len(cells(text)) == 2 and is_barred(text))

    def row(self, text: str) -> tuple[list[str], Outline]:
        """The claims of a row of a table, and the place with it."""
        row = _texts(text)
        if not row[0] and self.header and self.above != self.header:
            row[0] = self.above[0]  # a cell over several rows
        claims = row_claims(self.header, row)
        header = self.header if self.header is not None else () if claims else tuple(row)
        return claims, replace(self, header=header, above=tuple(row))

    def outside_tables(self, text: str) -> Outline:
        """The same, with the sentence, of this text, in no table as yet."""
        return replace(self, header=None, above=tuple(_texts(text)) if is_barred(text) else ())


def _texts(row: str) -> list[str]:
    return [strip_markup(cell).text for cell in cells(row)]


def _sort(marked: str) -> str:
    first = marked.lstrip()[:1]
    return "quote" if first == ">" else "picture" if is_picture(first) else "list"
