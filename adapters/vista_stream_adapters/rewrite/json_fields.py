"""Finds the string values of a JSON document that arrives in deltas. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*|-")
_LITERALS = ("true", "false", "null")
_CLOSES = {"{": "}", "[": "]"}
_PLAIN = re.compile(r'[^"\\]+')

BETWEEN_FIELDS = "\n\n"
"""Text that a guard reads between two fields: a paragraph break, so that no sentence spans both."""


@dataclass(slots=True)
class Structure:
    """Everything except the content of string values: braces, keys, numbers, quotes."""

    raw: str


@dataclass(slots=True)
class FieldText:
    """Content of a string value, unescaped."""

    text: str


@dataclass(slots=True)
class FieldEnd:
    """The end of a string value; its closing quote comes next."""

    text: str = BETWEEN_FIELDS
    """The text that a guard reads here."""


@dataclass(slots=True)
class Prose:
    """Text that is not JSON, from where the model stopped writing JSON."""

    text: str


Piece: TypeAlias = Structure | FieldText | FieldEnd | Prose


class JsonFields:
    """Splits a document, which may be cut anywhere, into pieces in order.

    It is lenient and checks only what a guard needs: outside of strings only punctuation, numbers and
    literals are structure. From the first other character on, everything is Prose.
    """

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._in = "structure"
        self._wants_key = False
        self._begun = False
        self._word = ""
        self._escape = ""
        self._high = ""
        self._pieces: list[Piece] = []
        self._raw: list[str] = []

    def feed(self, delta: str) -> list[Piece]:
        """The pieces of the next part of the document."""
        at = 0
        while at < len(delta):
            at += getattr(self, f"_read_{self._in}")(delta, at)
        self._end_structure()
        pieces, self._pieces = self._pieces, []
        return pieces

    def closing(self) -> str:
        """The quote and brackets that would close the document here, in a string value or between values."""
        if self._in == "prose":
            return ""
        quote = '"' if self._in == "value" else ""
        return quote + "".join(_CLOSES[opened] for opened in reversed(self._stack))

    # -- one reader for each state; it consumes at least one character and returns how many

    def _read_structure(self, delta: str, at: int) -> int:
        character = delta[at]
        if not self._is_structure(character):
            self._in = "prose"
            return self._read_prose(delta, at)
        if character == '"':
            self._begun = True
            self._in = "key" if self._wants_key else "value"
        elif character in "{[":
            self._stack.append(character)
        elif character in "}]":
            self._stack.pop()
        if character in "{[]},:":
            self._wants_key = character in "{," and self._stack[-1] == "{"
            self._begun = True
        self._add_structure(character)
        return 1

    def _is_structure(self, character: str) -> bool:
        if character in " \t\r\n":
            self._word = ""
            return True
        if self._begun and not self._stack:
            return False
        if character in '{[]},:"':
            self._word = ""
            return self._fits(character)
        numeric = self._word[:1].isdecimal() or self._word[:1] == "-"
        # For a number, the first characters and the last one show whether it still is one: bounded memory.
        self._word = self._word[:2] + character if numeric else self._word + character
        self._begun = True
        return bool(self._stack) and (
            any(literal.startswith(self._word) for literal in _LITERALS)
            or _NUMBER.fullmatch(self._word) is not None
        )

    def _fits(self, character: str) -> bool:
        if character in "}]":
            return bool(self._stack) and _CLOSES[self._stack[-1]] == character
        return bool(self._stack) or character in '{["'

    def _read_key(self, delta: str, at: int) -> int:
        character = delta[at]
        if not self._escape and (plain := _PLAIN.match(delta, at)):
            self._add_structure(plain[0])
            return len(plain[0])
        if self._escape:
            self._escape = ""
        elif character == "\\":
            self._escape = character
        elif character == '"':
            self._in = "structure"
        self._add_structure(character)
        return 1

    def _read_value(self, delta: str, at: int) -> int:
        if self._escape:
            self._read_escape(delta[at])
            return 1
        if plain := _PLAIN.match(delta, at):
            self._add_text(plain[0])
            return len(plain[0])
        if delta[at] == "\\":
            self._escape = "\\"
            return 1
        if self._high:
            self._add_text("")
        self._in = "structure"
        self._end_structure()
        self._pieces.append(FieldEnd())
        self._add_structure('"')
        return 1

    def _read_escape(self, character: str) -> None:
        self._escape += character
        if self._escape[1] == "u":
            if len(self._escape) == 6:
                self._add_text(_unicode(self._escape[2:]))
                self._escape = ""
            return
        self._add_text(_ESCAPES.get(character, character))
        self._escape = ""

    def _read_prose(self, delta: str, at: int) -> int:
        self._end_structure()
        self._pieces.append(Prose(delta[at:]))
        return len(delta) - at

    # -- output; adjacent pieces of one type are joined

    def _add_structure(self, raw: str) -> None:
        self._raw.append(raw)

    def _end_structure(self) -> None:
        if self._raw:
            self._pieces.append(Structure("".join(self._raw)))
            self._raw.clear()

    def _add_text(self, text: str) -> None:
        """Add text to the field; a high surrogate waits for the low one, since spans count code points."""
        text, high = self._high + text, text[-1:]
        self._high = high if "\ud800" <= high <= "\udbff" else ""
        text = text.removesuffix(self._high) if self._high else text
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._end_structure()
        if self._pieces and isinstance(self._pieces[-1], FieldText):
            self._pieces[-1].text += text
        elif text:
            self._pieces.append(FieldText(text))


def _unicode(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except ValueError:
        return "\ufffd"
