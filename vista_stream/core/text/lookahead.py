"""Reads ahead in a text that is still arriving, so that no decision depends on how the text was cut."""

from __future__ import annotations

from dataclasses import dataclass


class Starved(Exception):
    """The decision needs text that has not arrived yet."""


@dataclass(slots=True)
class View:
    """The text so far. Reading past its end raises Starved, so no decision depends on where a delta ends."""

    text: str
    final: bool = False
    """No more text will come."""

    def at(self, index: int) -> str:
        """The character at `index`, or "" past a final text's end; raises Starved if it may still come."""
        if index < len(self.text):
            return self.text[index]
        if self.final:
            return ""
        raise Starved

    def find(self, wanted: str, start: int, limit: int) -> int:
        """Index of the first character of `wanted` from `start` to before `limit`, or -1.

        Raises Starved where the text up to `limit` has not arrived and may still come.
        """
        found = [index for mark in wanted if (index := self.text.find(mark, start, limit)) >= 0]
        if not found and len(self.text) < limit:
            self.at(len(self.text))
        return min(found, default=-1)
