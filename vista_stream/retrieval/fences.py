"""Tells which lines of a text are code: those in fences, unless prose stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from vista_stream.core.text.blocks import BlockKind, Fence, recognise
from vista_stream.core.text.lookahead import View
from vista_stream.core.text.segmenter import Segment, SegmentKind

_MARKDOWN = frozenset({"markdown", "md"})
_OPEN = frozenset({"", "text", "txt", "plain", "plaintext"})
"""Labels of blocks that may hold code or prose."""
_NEARLY_WHOLE = 0.9
"""Share of a text from which an unlabelled block is the text, and its fence is around the document."""
_WRAPPED = 4
"""Words without other signs that make a line one of a wrapped paragraph."""


def code_lines(text: str, segments: Sequence[Segment]) -> frozenset[int]:
    """Where in the text, cut into `segments`, the lines of code blocks begin, fences included.

    Of a block of prose only the fences count. A fence that is open at the text's end counts for nothing: it
    may close a block that the text's start was cut from, and then prose follows it.
    """
    blocks = list(_blocks(text, segments))
    if blocks and blocks[-1].lines[-1] is segments[-1] and not blocks[-1].closed:
        blocks.pop()
    kept = (
        block.lines if _holds_code(block.lines, len(text)) else (block.lines[0], block.lines[-1])
        for block in blocks
    )
    return frozenset(line.line for lines in kept for line in lines)


class _Fenced(NamedTuple):
    lines: Sequence[Segment]
    """Its lines, fences included."""
    closed: bool
    """Whether the last line closes the fence."""


def _blocks(text: str, segments: Sequence[Segment]) -> Iterator[_Fenced]:
    for code, run in groupby(segments, key=lambda segment: segment.kind is SegmentKind.CODE):
        lines = iter(run if code else ())
        # Two blocks may follow each other without a line between them.
        for first in lines:
            fence = Fence.opened(first.text, markers=text[first.line : first.span.start], column=0)
            block, closed = [first], False
            while not closed and (line := next(lines, None)):
                block.append(line)
                closed = line.span.start == line.line and fence.closed_by(line.text)
            yield _Fenced(block, closed)


def _holds_code(block: Sequence[Segment], length: int) -> bool:
    """Whether a closed block of a text of `length` code points holds code, not prose."""
    label = "".join(block[0].text.lower().lstrip("`~").split()[:1])
    if label in _MARKDOWN:
        return False
    if label not in _OPEN:
        return True
    nearly_whole = block[-1].span.end - block[0].span.start >= _NEARLY_WHOLE * length
    return not (nearly_whole or _reads_as_prose([line.text for line in block[1:-1]]))


def _reads_as_prose(lines: Sequence[str]) -> bool:
    """Whether there is a sentence, and most lines are prose, list items or table rows.

    Headings count for neither: a comment may look like one.
    """
    prose, others, stated = 0, 0, False
    for line in lines:
        bare = line.lstrip("> \t").rstrip()
        kind, start = recognise(View(bare, final=True), 0, limit=len(bare)) if bare else (BlockKind.BORDER, 0)
        if kind in (BlockKind.BORDER, BlockKind.FENCE) or bare.startswith("#"):
            continue
        words = bare[start:].split() if kind is BlockKind.MARKER else bare.split()
        sentence = _is_sentence(words)
        stated |= sentence
        listed = sentence or kind is not BlockKind.PLAIN or _is_wrapped(words)
        prose, others = prose + listed, others + (not listed)
    return stated and prose > others


def _is_sentence(words: Sequence[str]) -> bool:
    """Whether words begin and end as a sentence or an introduction: "Not covered:"."""
    if len(words) < 2:
        return False
    first, last = words[0].lstrip("*_"), words[-1].rstrip("*_")
    return first[:1].isalnum() and not first[0].islower() and last[:1].isalnum() and last[-1] in ".:!?"


def _is_wrapped(words: Sequence[str]) -> bool:
    return sum(word.strip(".,;:").isalpha() for word in words) >= _WRAPPED
