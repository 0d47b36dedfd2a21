"""Maps positions in a guarded text to positions in what was sent, for citations. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from vista_stream_adapters.rewrite.lane_log import Payload, Sent


class Placement:
    """Where each part of one text is in what was sent of it; positions are code points.

    `add` everything that was sent, in order.
    """

    def __init__(self) -> None:
        self._pieces: list[tuple[Sent, int]] = []
        self._length = 0
        self.intact = True
        """Whether everything sent so far is unchanged text."""

    def add(self, sent: Sent) -> None:
        """Take in what was sent next."""
        self._pieces.append((sent, self._length))
        self._length += len(sent.text)
        self.intact = self.intact and not sent.changed

    def find(self, start: int, end: int) -> tuple[int, int] | None:
        """Start and end, in what was sent, of a stretch of the text; None unless all of it was sent as is."""
        begin: int | None = None
        for sent, at in self._pieces:
            if not sent.exact or sent.span[1] <= start:
                continue
            if sent.span[0] > start:
                return None
            begin = at + start - sent.span[0] if begin is None else begin
            start = min(sent.span[1], end)
            if start == end:
                return begin, at + end - sent.span[0]
        return None

    def between(self, start: int, end: int) -> str:
        """What was sent for a stretch of the text; a replacement counts where the replaced text begins."""
        return "".join(_within(sent, start, end) for sent, _ in self._pieces)


def _within(sent: Sent, start: int, end: int) -> str:
    first, last = sent.span
    if not sent.exact:
        return sent.text if start <= first < end else ""
    # The policy's mark follows the text and belongs to its last character.
    upto = len(sent.text) if start < last <= end else max(0, end - first)
    return sent.text[max(0, start - first) : upto] if last > start else ""


def placed(annotations: Iterable[Payload], placement: Placement) -> list[Payload]:
    """Annotations with positions in what was sent.

    Those of text that was withheld are dropped, since their titles would reveal it.
    """
    if placement.intact:
        return list(annotations)
    moved = (_moved(annotation, placement) for annotation in annotations)
    return [annotation for annotation in moved if annotation is not None]


def _moved(annotation: Payload, placement: Placement) -> Payload | None:
    kind = annotation.get("type")
    if isinstance(inner := annotation.get(str(kind)), dict):  # chat completions nest it under its type
        moved = _moved(inner, placement)
        return None if moved is None else {**annotation, str(kind): moved}
    start, end = annotation.get("start_index"), annotation.get("end_index")
    if isinstance(start, int) and isinstance(end, int):
        found = placement.find(start, end)
        return None if found is None else {**annotation, "start_index": found[0], "end_index": found[1]}
    # Without a position it cites a file, or all of the text, a part of which was withheld.
    return None if "cited_text" in annotation else annotation
