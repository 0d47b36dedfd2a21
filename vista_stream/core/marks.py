"""Where the mark of an annotating policy goes."""

from __future__ import annotations

import re

from vista_stream.claims import Span
from vista_stream.events import TextReleased

_LAST_CELL_END = re.compile(r"\s*(?<!\\)\|\s*\Z")


def marked(text: str, span: Span, mark: str) -> list[TextReleased]:
    """The release of a text with a mark after it.

    What stands behind a table row's last pipe is not shown: there the mark goes into the last cell, between
    two releases.
    """
    closing = _LAST_CELL_END.search(text) if text.lstrip().startswith("|") else None
    if closing is None:
        return [TextReleased(text=text, span=span, mark=mark)]
    cut = closing.start()
    middle = span.start + cut
    return [
        TextReleased(text=text[:cut], span=Span(span.start, middle), mark=mark),
        TextReleased(text=text[cut:], span=Span(middle, span.end)),
    ]
