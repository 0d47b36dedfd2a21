"""Quotes, brackets and inline code that are open: a stop within them ends no sentence."""

from __future__ import annotations

REACH = 240
"""Code points after which an opening mark that was never closed no longer holds sentences together."""

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
"""Every character that opens or closes one, inline code apart."""
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
        """Whether something that is still believed in is open at `position`."""
        return bool(self._open) and position - self._open[-1][1] < REACH

    def is_code(self, position: int) -> bool:
        """Whether `position` lies in inline code."""
        return self.is_open(position) and self._open[-1][0].startswith("`")

    def meet(self, mark: str, position: int, *, before: str) -> None:
        """Take in one of MARKS; `before` is the character that it follows, "" at the start."""
        if self.is_code(position) or self.close(mark):
            return
        # A straight quote opens after a space or an opening mark only: an inch mark follows a digit.
        straight_inside = mark == '"' and not (before.isspace() or before in _BEFORE_QUOTE)
        smiley = mark == "(" and before in (":", ";")
        if mark in _CLOSERS and not straight_inside and not smiley:
            self._push(_CLOSERS[mark], position)

    def meet_code(self, ticks: str, position: int) -> None:
        """Take in a run of backticks: it opens inline code, or closes what the same run opened."""
        if self.is_code(position):
            if self._open[-1][0] == ticks:
                self._open.pop()
        else:
            self._push(ticks, position)

    def close(self, mark: str) -> bool:
        """Close the innermost enclosure that `mark` ends, with all inside it; False where there is none."""
        for depth in range(len(self._open) - 1, -1, -1):
            if mark in self._open[depth][0]:
                del self._open[depth:]
                return True
        return False

    def open_after(self, run: str, position: int) -> bool:
        """Whether something stays open at `position` once the closing marks in `run` are met."""
        if not self.is_open(position):
            return False
        rest = Enclosures(list(self._open))
        for mark in run:
            rest.close(mark)
        return rest.is_open(position)

    def _push(self, closers: str, position: int) -> None:
        # Eight deep is beyond any prose; the oldest gives way, so that memory is bounded.
        if len(self._open) == 8:
            del self._open[0]
        self._open.append((closers, position))
