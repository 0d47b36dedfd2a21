"""Recognises what a line begins with in Markdown: fence, heading, table row, rule or list marker."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from vista_stream.core.text.lookahead import View

_BORDER = re.compile(r"[-*_=|:+~─━═│ \t\r]*")
_BULLETS = frozenset("-*+•‣◦▪●·–—>")
_JOINERS = frozenset("\ufe0f\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""What makes one emoji of several characters."""
_TICKS = frozenset("✅✔☑⚠⭐➡")
_DENIALS = frozenset("🚫👎👍🔞")
"""Emoji that say something about what follows; so do ❌ and its like, which are no list markers either."""
_LONGEST_PICTURE = 8
_BLANKS = 16
"""Most white space that is read past after a number, to see whether it is a sentence."""
_BORDER_STARTS = frozenset("-*_=|:+~─━═│")


class BlockKind(Enum):
    """What stands at the start of a line."""

    PLAIN = auto()
    """Prose."""
    WHOLE = auto()
    """A heading or a table row: one segment up to the end of the line."""
    MARKER = auto()
    """A list marker or quote mark; the rest of the line follows it."""
    BORDER = auto()
    """A horizontal rule, a heading's underline or a table's separator row: the whole line."""
    FENCE = auto()
    """The opening line of a code fence."""


class Block(NamedTuple):
    """What `recognise` found, and the index of its end (for PLAIN and WHOLE, of its start)."""

    kind: BlockKind
    end: int


def recognise(view: View, start: int, *, limit: int) -> Block:
    """What the line begins with; `start` is its first character that is not white space.

    Reads no further than `limit`; raises Starved where more text is needed.
    """
    first = view.at(start)
    if first in "`~":
        end = _fence_end(view, start, limit)
        if end is not None:
            return Block(BlockKind.FENCE, end)
    if first in _BORDER_STARTS:
        end = _border_end(view, start, limit)
        if end is not None:
            return Block(BlockKind.BORDER, end)
    if first == "|" or (first == "#" and _is_heading(view, start)):
        return Block(BlockKind.WHOLE, start)
    end = _marker_end(view, start)
    return Block(BlockKind.PLAIN, start) if end is None else Block(BlockKind.MARKER, end)


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence, and the list item or block quote that it is in and ends with."""

    run: str
    """The backticks or tildes."""
    quoted: bool
    """Whether the fence is in a block quote."""
    column: int
    """Code points before the fence on its line, if the line has a list or quote marker; else 0."""

    @classmethod
    def opened(cls, line: str, *, markers: str, column: int) -> Fence:
        """The fence that `line` opens, after these list and quote markers and `column` code points."""
        run = line[: len(line) - len(line.lstrip(line[0]))]
        return cls(run=run, quoted=">" in markers, column=column if markers else 0)

    def closed_by(self, line: str) -> bool:
        """Whether a line closes the fence."""
        bare = (line.lstrip("> \t") if self.quoted else line).strip()
        return bare.startswith(self.run) and not bare.strip(self.run[0])

    def left_at(self, view: View, start: int, *, limit: int) -> bool:
        """Whether the line that begins at `start` is outside the block quote or list item of the fence.

        Only a next item is outside a list item, because models often write an item's code without its
        indent. Raises Starved where more text is needed.
        """
        if not (self.quoted or self.column):
            return False
        at = start
        while at < limit and view.at(at) in (" ", "\t"):
            at += 1
        if self.quoted:
            return view.at(at) != ">"
        return (
            at - start < self.column and view.at(at) not in ("", "\n") and _marker_end(view, at) is not None
        )


def line_end(view: View, start: int, limit: int) -> int | None:
    """Index past the next newline; None if there is none before `limit`; raises Starved as View.at does."""
    newline = view.text.find("\n", start, limit)
    if newline >= 0:
        return newline + 1
    if len(view.text) >= limit:
        return None
    view.at(len(view.text))
    return len(view.text)


def _fence_end(view: View, start: int, limit: int) -> int | None:
    mark = view.at(start)
    if view.at(start + 1) != mark or view.at(start + 2) != mark:
        return None
    end = line_end(view, start, limit)
    # Backticks after the opening run make it inline code, not a fence.
    inline = end is not None and mark == "`" and "`" in view.text[start:end].lstrip("`")
    return None if inline else end


def _border_end(view: View, start: int, limit: int) -> int | None:
    match = _BORDER.match(view.text, start, limit)
    end = start if match is None else match.end()
    if end == limit or view.at(end) not in ("\n", ""):
        return None
    return start + len(view.text[start:end].rstrip())


def _is_heading(view: View, start: int) -> bool:
    end = start
    while end - start < 7 and view.at(end) == "#":
        end += 1
    return end - start < 7 and view.at(end) in (" ", "\t", "\n", "")


def _marker_end(view: View, start: int) -> int | None:
    end = start + 1 if view.at(start) in _BULLETS else _number_end(view, start)
    if end is None and is_picture(view.at(start)):
        end = start + 1
        while end - start < _LONGEST_PICTURE and (is_picture(view.at(end)) or view.at(end) in _JOINERS):
            end += 1
    if end is None or (view.text[end - 1] == "." and _stands_alone(view, end)):
        return None
    # A quote mark needs no space after it.
    return end if view.at(start) == ">" or view.at(end).isspace() or not view.at(end) else None


def _stands_alone(view: View, end: int) -> bool:
    """Whether nothing follows a number and its stop, "35.", on their line or indented on the next one."""
    at = _past_blanks(view, end)
    if view.at(at) not in ("\n", ""):
        return False
    return not view.at(at) or _past_blanks(view, at + 1) == at + 1


def _past_blanks(view: View, start: int) -> int:
    end = start
    while end - start < _BLANKS and view.at(end) in (" ", "\t", "\r"):
        end += 1
    return end


def is_picture(character: str) -> bool:
    """Whether it is an arrow, a tick or an emoji that may stand for a list marker: "✅ Safe", "→ Ask"."""
    if character in _TICKS or "\u2190" <= character <= "\u21ff":
        return True
    return "\U0001f300" <= character <= "\U0001faff" and character not in _DENIALS


def _number_end(view: View, start: int) -> int | None:
    first = start + (view.at(start) == "(")
    end = first
    while end - first < 3 and view.at(end).isdecimal():
        end += 1
    if end > first:
        return end + 1 if view.at(end) in (".", ")") else None
    letter = view.at(first).isascii() and view.at(first).isalpha()
    return first + 2 if letter and view.at(first + 1) == ")" else None
