"""The ordered hold-back buffer: entries are decided in any order and leave in the order of the text."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from operator import attrgetter

from vista_stream.claims import Verdict
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import SessionStateError
from vista_stream.policy import Action, Severity, release


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a segment, and which verdict says so (None: an unresolved claim, or nothing)."""

    action: Action = field(default_factory=release)
    verdict: Verdict | None = None

    @property
    def severity(self) -> Severity:
        """Of the action."""
        return self.action.severity

    @property
    def text(self) -> str:
        """The action's mark, replacement or closing text."""
        return self.action.text(self.verdict)


def strongest(decisions: list[Decision]) -> Decision:
    """The decision that holds for a segment: the most severe, among equals the first claim's."""
    return max(decisions, key=attrgetter("severity"), default=Decision())


@dataclass(slots=True)
class Entry:
    """A segment in the gate."""

    segment: Segment
    arrived: float
    """When the segment's last character was received, in seconds of the caller's clock."""
    decision: Decision | None = None
    """None while the segment is held back."""


class ReleaseGate:
    """Holds segments back until they, and all before them, are decided."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._by_index: dict[int, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, segment: Segment, *, arrived: float) -> Entry:
        """Hold a segment back; segments come in the order of the text."""
        entry = Entry(segment, arrived)
        self._entries.append(entry)
        self._by_index[segment.index] = entry
        return entry

    def entry(self, index: int) -> Entry:
        """A segment's entry; raises SessionStateError where it has left or never came."""
        try:
            return self._by_index[index]
        except KeyError:
            raise SessionStateError(f"segment {index} is not in the gate") from None

    def decide(self, index: int, decision: Decision) -> Entry:
        """Say what becomes of a segment; each segment is decided once."""
        entry = self.entry(index)
        if entry.decision is not None:
            raise SessionStateError(f"segment {index} is decided already")
        entry.decision = decision
        return entry

    def pop(self) -> Entry | None:
        """The next entry in the order of the text that is decided, or None while it is held back."""
        if not self._entries or self._entries[0].decision is None:
            return None
        entry = self._entries.popleft()
        del self._by_index[entry.segment.index]
        return entry

    def clear(self) -> list[Entry]:
        """Take out everything, decided or not, in the order of the text."""
        entries = list(self._entries)
        self._entries.clear()
        self._by_index.clear()
        return entries
