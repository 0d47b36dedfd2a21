"""Joins UTF-16 surrogate pairs that were split between deltas."""

from __future__ import annotations

import re

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class SurrogateJoiner:
    """Returns the text of the deltas with every surrogate pair as one code point.

    A surrogate without its partner is passed through unchanged, so that no text is lost.
    """

    def __init__(self) -> None:
        self._high = ""

    def feed(self, delta: str) -> str:
        """The text that is complete; a high surrogate at the end waits for the next delta."""
        if delta.isascii() and not self._high:
            return delta
        text = self._high + delta
        self._high = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        return _PAIR.sub(_join, text[: len(text) - len(self._high)])

    def finish(self) -> str:
        """The high surrogate that still waited, or ""."""
        high, self._high = self._high, ""
        return high


def encodable(text: str) -> str:
    """The text with "?" for each single surrogate, which libraries refuse; the length stays the same."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _join(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
