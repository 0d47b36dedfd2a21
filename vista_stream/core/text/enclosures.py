"""Tracks open quotes, brackets and inline code; a stop inside them does not end a sentence."""

from __future__ import annotations

REACH = 240
"""Code points after which an opening mark that was not closed is ignored."""

_CLOSERS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "（": "）",
    "【": "】",
    "「": "」",
    "『": "』",
    "《": "》",
    "“": "”",
    "„": "“”",
    "«": "»",
    '"': '"',
}
MARKS = frozenset(_CLOSERS) | frozenset("".join(_CLOSERS.values()))
"""Every character that opens or closes an enclosure, except the backtick."""
_BEFORE_QUOTE = frozenset(["", *"([{<*_'‘“—–-/=:"])


class Enclosures:
    """The open marks of one sentence; positions are counted from its start."""

    __slots__ = ("_open",)

    def __init__(self, opened: list[tuple[str, int]] | None = None) -> None:
        self._open = opened if opened is not None else []

    def clear(self) -> None:
        """Forget every open mark: a new sentence begins."""
        self._open.clear()

    def is_open(self, position: int) -> bool:
        """Whether an enclosure that was opened less than REACH before is open at `position`."""
        return bool(self._open) and position - self._open[-1][1] < REACH

    def is_code(self, position: int) -> bool:
        """Whether `position` lies in inline code."""
        return self.is_open(position) and self._open[-1][0].startswith("`")

    def meet(self, mark: str, position: int, *, before: str) -> None:
        """Read one of MARKS at `position`; `before` is the character before it, "" at the start."""
        if self.is_code(position) or self.close(mark):
            return
        # A straight quote opens only after a space or an opening mark; after a digit it is an inch mark.
        straight_inside = mark == '"' and not (before.isspace() or before in _BEFORE_QUOTE)
        smiley = mark == "(" and before in (":", ";")
        if mark in _CLOSERS and not straight_inside and not smiley:
            self._push(_CLOSERS[mark], position)

    def meet_code(self, ticks: str, position: int) -> None:
        """Read a run of backticks: it opens inline code, or closes code that a run of this length opened."""
        if self.is_code(position):
            if self._open[-1][0] == ticks:
                self._open.pop()
        else:
            self._push(ticks, position)

    def close(self, mark: str) -> bool:
        """Close the innermost enclosure that `mark` ends, and all inside it; return whether there was one."""
        for depth in range(len(self._open) - 1, -1, -1):
            if mark in self._open[depth][0]:
                del self._open[depth:]
                return True
        return False

    def open_after(self, run: str, position: int) -> bool:
        """Whether an enclosure is still open at `position` after the closing marks in `run`."""
        if not self.is_open(position):
            return False
        rest = Enclosures(list(self._open))
        for mark in run:
            rest.close(mark)
        return rest.is_open(position)

    def _push(self, closers: str, position: int) -> None:
        # Prose nests less than eight deep. Dropping the oldest keeps memory bounded.
        if len(self._open) == 8:
            del self._open[0]
        self._open.append((closers, position))
