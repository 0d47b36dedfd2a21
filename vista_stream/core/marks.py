"""Where the mark of an annotating policy goes."""

from __future__ import annotations

from vista_stream.claims import Span
from vista_stream.events import TextReleased


def marked(text: str, span: Span, mark: str) -> list[TextReleased]:
    """The release of a text with a mark after it.

    What stands behind a table row's last pipe is not shown: there the mark goes into the last cell, between
    two releases.
    """
    row = text.rstrip()
    if not text.lstrip().startswith("|") or not row.endswith("|") or row.endswith("\\|"):
        return [TextReleased(text=text, span=span, mark=mark)]
    cut = len(row[:-1].rstrip())
    middle = span.start + cut
    return [
        TextReleased(text=text[:cut], span=Span(span.start, middle), mark=mark),
        TextReleased(text=text[cut:], span=Span(middle, span.end)),
    ]
