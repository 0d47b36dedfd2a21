"""Finds the strings, numbers and booleans of a JSON document that arrives in deltas. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from vista_stream_adapters.rewrite.json_values import LONGEST, ValuePath

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*|-")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
"""The last three are no JSON, but many writers and parsers take them."""
_CLOSES = {"{": "}", "[": "]"}
_PLAIN = re.compile(r'[^"\\]+')
_SPACE = " \t\r\n\ufeff"
"""White space, and the byte order mark with which some files begin."""
_ENDS_WORD = frozenset(_SPACE + '{[]},:"')
_FENCES = "`~"
_UNFENCED = re.compile(r"[^`~]*")
_LABEL = re.compile(r"(?:json[a-z0-9]?)?", re.IGNORECASE)
"""What stands behind the fence of a document."""
_LONGEST_LABEL = 5

BETWEEN_FIELDS = "\n\n"
"""Text that a guard reads between two fields: a paragraph break, so that no sentence spans both."""


@dataclass(slots=True)
class Structure:
    """What no guard reads: braces, keys, quotes, `null`, fences around a document."""

    raw: str


@dataclass(slots=True)
class FieldText:
    """Content of a string value, unescaped."""

    text: str
    escape: str = ""
    """How the document writes the text, where it is one escaped character; else empty: as it is."""


@dataclass(slots=True)
class Value:
    """A number or boolean; a FieldEnd comes next."""

    text: str
    """The sentence about it that a guard reads."""
    raw: str
    """How the document writes it."""


@dataclass(slots=True)
class FieldEnd:
    """The end of a string value, whose closing quote comes next, or of a number or boolean."""

    text: str = BETWEEN_FIELDS
    """The text that a guard reads here."""


@dataclass(slots=True)
class Prose:
    """Text that is not JSON, from where the model stopped writing JSON."""

    text: str


Piece: TypeAlias = Structure | FieldText | Value | FieldEnd | Prose


class JsonFields:
    """Splits a document, which may be cut anywhere, into pieces in order.

    It is lenient and checks only what a guard needs: outside of strings only punctuation, numbers and
    literals are JSON. From the first other character on, everything is Prose, up to a fence: behind it a new
    document may begin. With `values=False` numbers and booleans are Structure. A number of more than LONGEST
    characters is Structure as well.
    """

    def __init__(self, *, values: bool = True) -> None:
        self._values = values
        self._path = ValuePath()
        self._stack: list[str] = []
        self._in = "structure"
        self._wants_key = False
        self._begun = False
        self._word = ""
        self._waiting = ""
        """A number, a literal, a fence or its label that has not ended."""
        self._passes = not values
        """Whether the rest of a number or literal is Structure, because nobody reads it."""
        self._string = ""
        """The beginning of the key or string that is read."""
        self._escape = ""
        self._high = ("", "")
        """A high surrogate that waits for the low one, and how the document writes it."""
        self._fence = ""
        """The fence that is open."""
        self._told = False
        """Whether there was prose since the last fence."""
        self._pieces: list[Piece] = []
        self._raw: list[str] = []

    def feed(self, delta: str) -> list[Piece]:
        """The pieces of the next part of the document."""
        at = 0
        while at < len(delta):
            at += getattr(self, f"_read_{self._in}")(delta, at)
        return self._drain()

    def end(self) -> list[Piece]:
        """The pieces that waited for more of the document, which has none."""
        if self._in == "label":
            self._end_label()
        if self._in in ("prose", "fence"):
            self._read_prose("", 0)
        elif self._in == "value":
            self._end_escape()
        else:
            self._end_word()
        return self._drain()

    @property
    def waits(self) -> bool:
        """Whether the last part ended in a number, a literal, a fence or an escape that may go on."""
        return bool(self._waiting or self._escape or self._high[0])

    def _drain(self) -> list[Piece]:
        self._end_structure()
        pieces, self._pieces = self._pieces, []
        return pieces

    def closing(self) -> str:
        """What would close the document here, in a string value or between values: quote, brackets, fence."""
        if self._in not in ("structure", "value"):
            return ""
        quote = '"' if self._in == "value" else ""
        fence = f"\n{self._fence}" if self._fence else ""
        return quote + "".join(_CLOSES[opened] for opened in reversed(self._stack)) + fence

    # -- one reader for each state; it returns how many characters it consumed, or 0 where the state changed

    def _read_structure(self, delta: str, at: int) -> int:
        character = delta[at]
        if not self._is_structure(character):
            self._in = "prose"
            return self._read_prose(delta, at)
        if character not in _ENDS_WORD:
            self._wait(character)
            return 1
        self._end_word()
        if character == '"':
            self._begun = True
            self._in = "key" if self._wants_key else "value"
            self._string = ""
        elif character in "{[":
            self._stack.append(character)
            self._path.enter(character)
        elif character in "}]":
            self._stack.pop()
            self._path.leave()
        if character in "{[]},:":
            self._wants_key = character in "{," and self._stack[-1] == "{"
            self._begun = True
        self._add_structure(character)
        return 1

    def _wait(self, character: str) -> None:
        """Keep a character of a number or literal, unless that is too long to be read."""
        self._waiting += character
        if self._passes or len(self._waiting) > LONGEST:
            self._passes = True
            self._add_structure(self._waiting)
            self._waiting = ""

    def _end_word(self) -> None:
        word, self._waiting, self._passes = self._waiting, "", not self._values
        if word in ("true", "false") or _NUMBER.fullmatch(word):
            self._end_structure()
            self._pieces += [Value(self._path.sentence(word), word), FieldEnd()]
        elif word:
            self._add_structure(word)

    def _is_structure(self, character: str) -> bool:
        if character in _SPACE:
            self._word = ""
            return True
        if self._begun and not self._stack:
            return False
        if character in '{[]},:"':
            self._word = ""
            return self._fits(character)
        numeric = self._word[:2].removeprefix("-").isdecimal()
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
            self._remember(plain[0])
            return len(plain[0])
        if self._escape:
            self._escape = ""
        elif character == "\\":
            self._escape = character
        elif character == '"':
            self._in = "structure"
            self._path.meet_key(self._string)
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
        self._add_text("")
        self._path.meet_string(self._string)
        self._in = "structure"
        self._end_structure()
        self._pieces.append(FieldEnd())
        self._add_structure('"')
        return 1

    def _read_escape(self, character: str) -> None:
        self._escape += character
        if self._escape[1] == "u":
            if len(self._escape) == 6:
                self._add_text(_unicode(self._escape[2:]), self._escape)
                self._escape = ""
            return
        self._add_text(_ESCAPES.get(character, character), self._escape)
        self._escape = ""

    def _end_escape(self) -> None:
        """The document broke off in an escape, which nobody can read, or behind half of a surrogate pair."""
        self._add_text("")
        if self._escape:
            self._add_structure(self._escape)
            self._escape = ""

    def _read_prose(self, delta: str, at: int) -> int:
        self._end_structure()
        end = at + len(_UNFENCED.match(delta, at)[0])  # type: ignore[index]  # it matches nothing as well
        if text := self._waiting + delta[at:end]:
            self._pieces.append(Prose(text))
            self._waiting, self._told = "", True
        if end < len(delta):
            self._in = "fence"
        return end - at

    def _read_fence(self, delta: str, at: int) -> int:
        character = delta[at]
        if character not in _FENCES or character != (self._waiting or character)[0]:
            self._in = "prose"
            return 0
        self._waiting += character
        if len(self._waiting) == 3:
            if self._told:
                self._pieces.append(FieldEnd())
                self._told = False
            self._add_structure(self._waiting)
            self._fence = "" if self._fence else self._waiting
            self._waiting, self._in = "", "label"
        return 1

    def _read_label(self, delta: str, at: int) -> int:
        character = delta[at]
        if not self._waiting and character in _FENCES:
            self._add_structure(character)
        elif character.isalnum() and len(self._waiting) < _LONGEST_LABEL:
            self._waiting += character
        else:
            self._end_label()
            return 0
        return 1

    def _end_label(self) -> None:
        """Behind the fence of a document or of nothing a document may begin; all else stays prose."""
        if not _LABEL.fullmatch(self._waiting):
            self._in = "prose"
            return
        self._add_structure(self._waiting)
        self._in, self._waiting, self._word = "structure", "", ""
        self._stack, self._path = [], ValuePath()
        self._begun = self._wants_key = False

    # -- output; adjacent pieces of one type are joined

    def _add_structure(self, raw: str) -> None:
        self._raw.append(raw)

    def _end_structure(self) -> None:
        if self._raw:
            self._pieces.append(Structure("".join(self._raw)))
            self._raw.clear()

    def _add_text(self, text: str, escape: str = "") -> None:
        """Add text to the field; a high surrogate waits for the low one, since spans count code points."""
        (high, high_escape), self._high = self._high, ("", "")
        if high and "\udc00" <= text[:1] <= "\udfff":
            text, escape = high + text, high_escape + escape if high_escape and escape else ""
        elif high:
            self._put(FieldText("\ufffd", high_escape))
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._high = text[:-1], (text[-1], escape)
        self._put(FieldText(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), escape))

    def _put(self, field: FieldText) -> None:
        if not field.text:
            return
        self._end_structure()
        self._remember(field.text)
        last = self._pieces[-1] if self._pieces else None
        if isinstance(last, FieldText) and not last.escape and not field.escape:
            last.text += field.text
        else:
            self._pieces.append(field)

    def _remember(self, text: str) -> None:
        if len(self._string) < LONGEST:
            self._string += text[:LONGEST]


def _unicode(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except ValueError:
        return "\ufffd"
