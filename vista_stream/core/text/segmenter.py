"""Cuts the deltas of a turn into segments: sentences, and the text between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from vista_stream.claims import Span
from vista_stream.core.text.blocks import Block, BlockKind, Fence, line_end, recognise
from vista_stream.core.text.boundaries import CLOSING, STOPS, Rules, Ruling
from vista_stream.core.text.clauses import finished_clauses
from vista_stream.core.text.enclosures import MARKS, Enclosures
from vista_stream.core.text.graphemes import best_cut, clause_cut, divides_cluster
from vista_stream.core.text.lookahead import Starved, View
from vista_stream.errors import SessionStateError

BOUND = 800
"""Code points after which text without a sentence end is cut. Less than twice as many are held back."""
RUN_ON = 320
"""Code points after which text without a sentence end is cut between two clauses, where there are any."""


class SegmentKind(StrEnum):
    """What a segment of the turn's text is."""

    SENTENCE = "sentence"
    """Text with words, which may hold claims."""
    SPACE = "space"
    """White space between sentences; it holds no claim."""
    CODE = "code"
    """A line of a code fence; it holds no claim."""
    MARKUP = "markup"
    """Horizontal rules, table borders, bare list markers, and what follows in a link's address that was
    cut at BOUND; they hold no claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of the turn's text; the turn's segments, joined, are its text."""

    index: int
    """Position among the turn's segments, from 0."""
    text: str
    span: Span
    """Where in the turn's text."""
    kind: SegmentKind
    line: int = 0
    """Where in the turn's text its line begins; of a sentence over several lines, the first of them."""


class _Line(Enum):
    FRESH = auto()
    """The line so far is white space."""
    MARKED = auto()
    """The line so far is list or quote markers."""
    PROSE = auto()
    ITEM = auto()
    """The line has a list marker: the sentence ends with the line, unless it breaks off there."""
    WHOLE = auto()
    """A heading or a table row."""


_SPACES = re.compile("[\\s\ufeff]*")
"""White space, and the byte order mark with which a file may begin."""
_CLOSERS = "".join(CLOSING)
_STOP = re.escape("".join(sorted(STOPS)))
_STOPPED = re.compile(rf"[{_STOP}][{_STOP}{re.escape(_CLOSERS)}]*(?=\s|\Z)")
_MARK = re.compile("[\n`" + re.escape("".join(sorted(STOPS | MARKS))) + "]")
_IN_ADDRESS = re.compile(r"(?:https?://|\bdata:[a-z]|\]\()[!-~]*\Z")
"""The end of a text that is cut within an address: signed ones, and images in base64, are that long."""
_ADDRESS = re.compile(r"[^\s\"<>|)\x7f-\U0010ffff]*")


class Segmenter:
    """Cuts a turn's text into segments while it streams; any chunking of a text gives the same segments.

    A sentence ends at a stop, at a blank line, and at a newline unless the next line continues it. Headings
    and table rows end with their line; so do list items and block quotes, unless they break off there. Prose
    of RUN_ON code points without an end is cut between two clauses. Text of BOUND code points is cut after
    its last clause mark, else at its last white space, else between two grapheme clusters. Each delta takes
    amortised constant time. `language` is the ISO 639 code of the language whose abbreviations are used.
    """

    def __init__(self, *, language: str = "en") -> None:
        self._language = language
        self._held = ""
        self._offset = 0
        self._count = 0
        self._scanned = 0
        self._enclosures = Enclosures()
        self._line = _Line.FRESH
        self._line_start = 0
        """Code point of the turn's text at which the line began."""
        self._markers: list[str] = []
        """The line's list and quote markers."""
        self._fence: Fence | None = None
        self._in_address = False
        """Whether the last segment was cut within a link's address."""
        self._calm = False
        """Whether the pending text is a sentence or row that only a mark can end."""
        self._finished = False

    @property
    def pending(self) -> str:
        """The text that was fed and is in no segment yet."""
        return self._held

    @property
    def probable(self) -> Segment | None:
        """The next segment, if the pending text may be a sentence that ends at its last stop; else None.

        More words may follow the stop where they do not tell yet whether the sentence goes on: of
        "It fell in 226 B.C. The" the sentence before "The" stays the probable one.
        """
        undecided = _STOPPED.match(self._held, self._scanned)
        text = self._held[: undecided.end()] if undecided else self._held.rstrip()
        stopped = text.rstrip(_CLOSERS)[-1:] in STOPS and any(map(str.isalpha, text))
        return self._foreseen(text) if stopped and not self._fence and not self._in_address else None

    @property
    def clauses(self) -> Segment | None:
        """The pending text's first clauses as a sentence, if another one has just begun; else None."""
        text = finished_clauses(self._held) if self._calm else ""
        return self._foreseen(f"{text}.") if text else None

    def _foreseen(self, text: str) -> Segment:
        span = Span(self._offset, self._offset + len(text))
        kind, line = SegmentKind.SENTENCE, self._line_start
        return Segment(index=self._count, text=text, span=span, kind=kind, line=line)

    def feed(self, delta: str) -> list[Segment]:
        """Read the next delta of the turn's text; return the segments that it completes."""
        if self._finished:
            raise SessionStateError("feed() after finish(): a Segmenter cuts one turn")
        length = len(self._held) + len(delta)
        quiet = length < RUN_ON or RUN_ON <= self._scanned <= length <= BOUND
        if self._calm and quiet and not _MARK.search(delta):
            self._held += delta
            self._scanned += len(delta)
            return []
        return self._drain(View(self._held + delta))

    def finish(self) -> list[Segment]:
        """End the turn's text; return the segments that are left."""
        self._finished = True
        return self._drain(View(self._held, final=True))

    def _drain(self, view: View) -> list[Segment]:
        segments: list[Segment] = []
        start = 0
        self._calm = False
        try:
            while start < len(view.text):
                line = self._line_start
                end, kind = self._next(view, start)
                segments.append(self._segment(view.text[start:end], kind, line))
                start = end
        except Starved:
            pass
        self._held = view.text[start:]
        return segments

    def _segment(self, text: str, kind: SegmentKind, line: int) -> Segment:
        span = Span(self._offset, self._offset + len(text))
        segment = Segment(index=self._count, text=text, span=span, kind=kind, line=line)
        self._offset, self._count, self._scanned = span.end, self._count + 1, 0
        self._enclosures.clear()
        return segment

    def _next(self, view: View, start: int) -> tuple[int, SegmentKind]:
        """The end and kind of the segment at `start`; raises Starved where more text is needed."""
        if self._in_address and (end := self._address(view, start)) > start:
            return end, SegmentKind.MARKUP
        if (
            self._fence
            and self._line is _Line.FRESH
            and self._fence.left_at(view, start, limit=start + BOUND)
        ):
            self._fence = None
        if self._fence:
            return self._code(view, start, self._fence), SegmentKind.CODE
        if view.text[start].isspace() or view.text[start] == "\ufeff":
            return self._space(view, start), SegmentKind.SPACE
        if self._line in (_Line.FRESH, _Line.MARKED):
            block = recognise(view, start, limit=start + BOUND)
            if block.end > start:
                return self._enter(view, start, block)
            whole = block.kind is BlockKind.WHOLE
            self._line = _Line.WHOLE if whole else _Line.ITEM if self._line is _Line.MARKED else _Line.PROSE
        end = self._whole(view, start) if self._line is _Line.WHOLE else self._sentence(view, start)
        return end, _kind(view.text, start, end)

    def _address(self, view: View, start: int) -> int:
        """The end of what goes on at `start` of an address that was cut; a closing bracket belongs to it."""
        limit = start + BOUND
        match = _ADDRESS.match(view.text, start + self._scanned, limit)
        assert match is not None  # it may be empty
        end = match.end()
        self._scanned = end - start
        if end == limit:
            return end
        closed = view.at(end) == ")"
        self._in_address = False
        return end + closed

    def _enter(self, view: View, start: int, block: Block) -> tuple[int, SegmentKind]:
        if block.kind is BlockKind.FENCE:
            line, column = view.text[start : block.end], self._offset - self._line_start
            self._fence = Fence.opened(line, markers="".join(self._markers), column=column)
            self._begin_line(self._offset + len(line))
            return block.end, SegmentKind.CODE
        self._line = _Line.MARKED
        self._markers.append(view.text[start : block.end])
        return block.end, SegmentKind.MARKUP

    def _begin_line(self, at: int) -> None:
        self._line, self._line_start, self._markers = _Line.FRESH, at, []

    def _code(self, view: View, start: int, fence: Fence) -> int:
        limit = start + BOUND
        end = line_end(view, start, limit)
        if end is None:
            self._line = _Line.PROSE
            return self._safe(view, start, limit)
        if self._line is _Line.FRESH and fence.closed_by(view.text[start:end]):
            self._fence = None
        self._begin_line(self._offset + end - start)
        return end

    def _space(self, view: View, start: int) -> int:
        limit = start + BOUND
        match = _SPACES.match(view.text, start + self._scanned, limit)
        end = match.end() if match else start
        self._scanned = end - start
        if end == len(view.text) and end < limit:
            view.at(end)
        end = self._safe(view, start, end) if end == limit else end
        newline = view.text.rfind("\n", start, end)
        if newline >= 0:
            self._begin_line(self._offset + newline + 1 - start)
        return end

    def _safe(self, view: View, start: int, end: int) -> int:
        return end - 1 if view.at(end) and divides_cluster(view.text, end, start=start) else end

    def _whole(self, view: View, start: int) -> int:
        limit = start + BOUND
        newline = view.text.find("\n", start + self._scanned, limit)
        if newline >= 0:
            return _kept(view.text, start, newline)
        return self._unended(view, start)

    def _sentence(self, view: View, start: int) -> int:
        rules = Rules(view, start, self._enclosures, self._language)
        while True:
            early = self._scanned < RUN_ON
            mark = _MARK.search(view.text, start + self._scanned, start + (RUN_ON if early else BOUND))
            if mark is None and early and len(view.text) >= start + RUN_ON:
                if (end := clause_cut(view.text, start, start + RUN_ON)) is not None:
                    return _kept(view.text, start, end)
                self._scanned = RUN_ON
                continue
            if mark is None:
                return self._unended(view, start)
            self._scanned = mark.start() - start
            ruling = self._rule(rules, mark.start())
            if ruling.cut:
                return ruling.at
            self._scanned = ruling.at - start

    def _unended(self, view: View, start: int) -> int:
        """Where to end a segment in which no end was found: near BOUND, or with a final text."""
        limit = start + BOUND
        if len(view.text) > limit:
            end = best_cut(view.text, start, limit)
            self._in_address = _IN_ADDRESS.search(view.text, start, end) is not None
            return _kept(view.text, start, end)
        self._scanned = max(self._scanned, len(view.text) - start)
        self._calm = True
        view.at(len(view.text))
        return _kept(view.text, start, len(view.text))

    def _rule(self, rules: Rules, position: int) -> Ruling:
        """Rule on the mark at `position`: a stop, a newline, or a mark that opens or closes an enclosure."""
        view, start = rules.view, rules.start
        mark, depth = view.text[position], position - start
        if mark == "\n":
            item = self._line is _Line.ITEM
            return rules.on_item_newline(position) if item else rules.on_newline(position)
        if mark == "`":
            end = position + 1
            while end - position < 8 and view.at(end) == "`":
                end += 1
            self._enclosures.meet_code(view.text[position:end], depth)
            return Ruling(False, end)
        if mark in STOPS:
            in_code = self._enclosures.is_code(depth)
            return Ruling(False, position + 1) if in_code else rules.on_stop(position)
        self._enclosures.meet(mark, depth, before=view.text[position - 1] if depth else "")
        return Ruling(False, position + 1)


def _kept(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _kind(text: str, start: int, end: int) -> SegmentKind:
    wordless = not any(character.isalnum() for character in text[start:end])
    return SegmentKind.MARKUP if wordless else SegmentKind.SENTENCE
