"""Reading ahead in a text that is still arriving, without ever depending on how it was cut."""

from __future__ import annotations

from dataclasses import dataclass


class Starved(Exception):
    """The answer lies in text that has not arrived; it will be the same however that text is cut."""


@dataclass(slots=True)
class View:
    """The text so far; who reads past its end must wait, so that no decision rests on where a delta ends."""

    text: str
    final: bool = False
    """No more text will come."""

    def at(self, index: int) -> str:
        """The character at `index`, or "" past a final text's end; raises Starved where it is to come."""
        if index < len(self.text):
            return self.text[index]
        if self.final:
            return ""
        raise Starved

    def find(self, wanted: str, start: int, limit: int) -> int:
        """Index of the first of the characters `wanted` in start..limit, or -1; raises Starved like `at`."""
        found = [index for mark in wanted if (index := self.text.find(mark, start, limit)) >= 0]
        if not found and len(self.text) < limit:
            self.at(len(self.text))
        return min(found, default=-1)
