"""The buffer of segments held back: they are decided in any order and leave in the order of the text."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from vista_stream.claims import Category, Verdict
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import SessionStateError
from vista_stream.policy import Action, Severity, release


@dataclass(frozen=True, slots=True)
class Decision:
    """The action for a segment, and the verdict that it follows from.

    The verdict is None for an unresolved claim and for a segment without claims.
    """

    action: Action = field(default_factory=release)
    verdict: Verdict | None = None

    @property
    def severity(self) -> Severity:
        """The action's severity."""
        return self.action.severity

    @property
    def text(self) -> str:
        """The action's mark, replacement or closing text."""
        return self.action.text(self.verdict)


def strongest(decisions: list[Decision]) -> Decision:
    """The decision for a segment: the most severe of its claims' decisions.

    Among equals a contradiction comes first, then any other verdict, then an unresolved claim; and of those
    the first in the text.
    """
    return max(decisions, key=lambda each: (each.severity, _told(each.verdict)), default=Decision())


def _told(verdict: Verdict | None) -> int:
    """How much a verdict tells the reader; its claim's notice is the one that is shown."""
    return 0 if verdict is None else 1 + (verdict.category is Category.CONTRADICTED)


@dataclass(slots=True)
class Entry:
    """A segment in the gate."""

    segment: Segment
    arrived: float
    """When the segment's last character was received, in seconds of the caller's clock."""
    certain: float
    """When it was certain that the segment ends there: often only with the next text."""
    decision: Decision | None = None
    """None while the segment is held back."""


class ReleaseGate:
    """Holds each segment back until it and all segments before it are decided."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._by_index: dict[int, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, index: int) -> bool:
        return index in self._by_index

    def push(self, segment: Segment, *, arrived: float, certain: float) -> Entry:
        """Hold a segment back; segments come in the order of the text."""
        entry = Entry(segment, arrived, certain)
        self._entries.append(entry)
        self._by_index[segment.index] = entry
        return entry

    def entry(self, index: int) -> Entry:
        """A segment's entry; raises SessionStateError where the segment is not in the gate."""
        try:
            return self._by_index[index]
        except KeyError:
            raise SessionStateError(f"segment {index} is not in the gate") from None

    def decide(self, index: int, decision: Decision) -> Entry:
        """Set a segment's decision; raises SessionStateError where it has one already."""
        entry = self.entry(index)
        if entry.decision is not None:
            raise SessionStateError(f"segment {index} is decided already")
        entry.decision = decision
        return entry

    def pop(self) -> Entry | None:
        """Remove and return the first entry in the order of the text; None while it is not decided."""
        if not self._entries or self._entries[0].decision is None:
            return None
        entry = self._entries.popleft()
        del self._by_index[entry.segment.index]
        return entry

    def clear(self) -> list[Entry]:
        """Remove and return all entries, decided or not, in the order of the text."""
        entries = list(self._entries)
        self._entries.clear()
        self._by_index.clear()
        return entries
