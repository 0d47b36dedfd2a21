"""Decides whether a sentence ends at a stop or at a newline; more text never changes a decision.

Each decision (a `Ruling`) reads a bounded amount of text past the stop: closing marks, white space, at most
one word. It is made at the first character that settles it: a capital, digit or quote after the space, or the
newline. Only after a possible abbreviation or initial does it wait for the next word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from vista_stream.core.text import abbreviations
from vista_stream.core.text.blocks import BlockKind, recognise
from vista_stream.core.text.enclosures import Enclosures
from vista_stream.core.text.lookahead import View
from vista_stream.core.text.stems import word_set
from vista_stream.core.text.units import UNITS

STOPS = frozenset(".!?…‼‽⁇⁈⁉؟۔։।॥။።") | frozenset("。｡！？．")
"""Characters that may end a sentence."""

_WIDE = frozenset("。｡！？।॥")
"""Stops that end a sentence also without a space after them."""
_AT_ONCE = frozenset("。｡")
CLOSING = frozenset("\"'”’»›)]}*_~`）】」』》〉")
_OPENING = frozenset("\"'“‘„«‹([{*_~`（【「『《¿¡")
_JOINING = frozenset(",;:)]}%、，；：") | STOPS
"""Characters that no sentence begins with."""
_PLAIN_ENDS = frozenset([".", "?", "!", "?!", "!?", "??", "!!", "!!!", "???"])
"""Stops that end a sentence in a text without capitals. After other marks, such as a quote or "...", the
sentence may go on ("he said")."""
_DASHES = frozenset("-–—")
_ELLIPSES = frozenset(["..", "...", "....", "…"])
_LONGEST_ELLIPSIS = 4
"""Most dots that end a sentence; more of them lead to the next column: "Soup ....... €7"."""
_LINKING = word_set(
    """
    a about after an and are as at because before between by during for from her his if in into is its my near
    of on or our since than that the their to under until was were whether which whose with your
    """
)
"""English words that hardly ever end a sentence."""
_ATTACHED = frozenset(["So", "Sk", "Mn", "Mc", "Me", "Cf", "No"])
"""Unicode categories of characters that belong to the stop before them: emoji, footnotes, direction marks."""

_RUN = 32
_SPACES = 16
_WORD = 24
_CITATION = 40
_LINK = 200
_LINE = 80
_LONGEST_KEY = 40
"""Most code points of a key: "pets allowed" of "pets allowed: no"."""
_KEY = re.compile(rf"[^\W\d_](?:[\w /()'’-]{{0,{_LONGEST_KEY - 2}}}[\w)])?:(?:\s+|$)")
_SHORT = 40
"""Most code points of a line "key: value" that hardly was wrapped: prose is wrapped at more."""
_FEW = 4
"""Most words of its value."""
_SEPARATOR = re.compile(r"[|\t]|;(?=\S)|(?<=[^\W\d]),(?=\w)|(?<=\d),(?=[^\W\d])")
"""Between the fields of a row. In prose a space follows a semicolon and a comma, except in a number."""
_QUOTES = 8
"""Most ">" marks (nested block quotes) that are skipped at a line's start when a line may continue there."""


class Ruling(NamedTuple):
    """Whether the sentence ends. `at` is the index past its end, or where to look for the next mark."""

    cut: bool
    at: int


class _Run(NamedTuple):
    end: int
    """Index past the stops, closing marks and citations."""
    marks: str
    """The stops and closing marks, without a citation after them."""
    wide: bool
    """Whether one of the stops needs no space after it."""


@dataclass(slots=True)
class Rules:
    """Makes the rulings for one sentence, which starts at `start` in the view."""

    view: View
    start: int
    enclosures: Enclosures
    language: str

    def on_stop(self, position: int) -> Ruling:
        """Rule on the stop at `position`; raises Starved where more text is needed."""
        text = self.view.text
        if text[position] in _AT_ONCE and not self._may_close(position):
            return Ruling(True, position + 1)
        run = self._run(position)
        later = Ruling(False, self._past_stops(position))
        after = self.view.at(run.end)
        if not after:
            return Ruling(True, run.end)
        inside = self.enclosures.open_after(run.marks, run.end - self.start)
        if not after.isspace():
            return Ruling(True, run.end) if run.wide and not inside else later
        following = self._past_spaces(run.end)
        if self.view.at(following) in ("\n", ""):
            cut = not self.view.at(following) or not self._needs_more(run, position)
        else:
            dots = run.marks in _ELLIPSES and self._breaks_off(position)
            dots = dots or (len(run.marks) > _LONGEST_ELLIPSIS and not run.marks.strip("."))
            cut = not inside and not dots and (run.wide or self._begins(position, run, following))
        return Ruling(True, run.end) if cut else later

    def on_newline(self, position: int) -> Ruling:
        """Rule on the newline at `position` after words without a stop; raises Starved as `on_stop` does."""
        kept = self.start + len(self.view.text[self.start : position].rstrip())
        following = self._past_spaces(position + 1)
        first = self.view.at(following)
        if first.islower():
            soft = self.view.at(following + 1) != ")" and not self._is_record(kept, following)
        else:
            # A colon there is the alignment mark of a table's separator row.
            soft = first != ":" and first in _JOINING
            begun = first.isalnum() or first in _OPENING
            soft = soft or (begun and (self._hangs(kept) or self._breaks_off(kept)))
        if soft:
            return Ruling(False, position + 1)
        return Ruling(True, kept)

    def on_item_newline(self, position: int) -> Ruling:
        """Rule on the newline at `position` in a list item or block quote, which usually ends with its line.

        It does not end where the line breaks off and the next line, past quote marks, is prose.
        """
        kept = self.start + len(self.view.text[self.start : position].rstrip())
        if not self._breaks_off(kept):
            return Ruling(True, kept)
        following = self._past_spaces(position + 1)
        for _ in range(_QUOTES):
            if self.view.at(following) != ">":
                break
            following = self._past_spaces(following + 1)
        first = self.view.at(following)
        if first.isalnum() or first in _OPENING:
            block = recognise(self.view, following, limit=following + _LINE)
            if block.kind is BlockKind.PLAIN and block.end == following:
                return Ruling(False, position + 1)
        return Ruling(True, kept)

    def _is_record(self, end: int, following: int) -> bool:
        """Whether the line before `end` is a record, which a line in lower case does not go on with.

        It is one where it is short and of the form "key: value", or where it and the next line have the form
        "key: value", or the same separator between their fields.
        """
        line = self.view.text[max(self.start, self.view.text.rfind("\n", self.start, end) + 1) : end]
        if self._breaks_off(end):
            return False
        if key := _KEY.match(line):
            value = line[key.end() :]
            return (len(line) <= _SHORT and 0 < len(value.split()) <= _FEW) or self._is_keyed(following)
        separators = {found[0].strip() or "\t" for found in _SEPARATOR.finditer(line)}
        if not separators:
            return False
        after = self._rest_of_line(following, _LINE)
        return any((found[0].strip() or "\t") in separators for found in _SEPARATOR.finditer(after))

    def _is_keyed(self, start: int) -> bool:
        """Whether the line at `start` begins with a key and its colon."""
        end = self.view.find(":\n", start, start + _LONGEST_KEY + 1)
        if end < 0 or self.view.text[end] == "\n":
            return False
        space = self.view.at(end + 1)
        return _KEY.fullmatch(self.view.text[start : end + 1] + (space or "\n")) is not None

    def _rest_of_line(self, start: int, most: int) -> str:
        """The line from `start` on, or at most so many code points of it."""
        end = self.view.find("\n", start, start + most)
        return self.view.text[start : end if end >= 0 else start + most]

    def _may_close(self, position: int) -> bool:
        opened = self.enclosures.is_open(position - self.start)
        return opened or any(mark in self.view.text[self.start : position] for mark in "*_")

    def _past_stops(self, position: int) -> int:
        end = position + 1
        while end - position < _RUN and end < len(self.view.text) and self.view.text[end] in STOPS:
            end += 1
        return end

    def _run(self, position: int) -> _Run:
        end, wide = position, False
        while end - position < _RUN and _closes(self.view.at(end)):
            wide = wide or self.view.text[end] in _WIDE
            end += 1
        marks = self.view.text[position:end]
        return _Run(self._past_citations(end), marks, wide)

    def _past_citations(self, end: int) -> int:
        for _ in range(3):
            if self.view.at(end) not in ("[", "【"):
                break
            closing = self.view.find("]】\n", end, end + _CITATION)
            if closing < 0 or self.view.text[closing] == "\n":
                break
            end = closing + 1
            if self.view.at(end) == "(":
                closing = self.view.find(")\n ", end, end + _LINK)
                end = closing + 1 if closing >= 0 and self.view.text[closing] == ")" else end
        return end

    def _past_spaces(self, start: int) -> int:
        end = start
        while end - start < _SPACES and self.view.at(end) != "\n" and self.view.at(end).isspace():
            end += 1
        return end

    def _begins(self, position: int, run: _Run, following: int) -> bool:
        """Whether a sentence begins at `following`, past the white space after the stop."""
        first = self.view.at(following)
        if first in _JOINING:
            return False
        if first in _DASHES:
            if "." in self._token(position):  # "8:30 a.m. – Staff arrive", "44 B.C. – Caesar dies"
                return False
            beyond = self.view.at(self._past_spaces(following + 1))
            return not beyond.islower() and self._ends(position, run, following)
        if first.islower():
            # "iPhone" opens a sentence, "is" does not, unless the writer uses no capitals.
            opens = self._uncapitalised(position, run) or not self._word(following).islower()
            return opens and self._ends(position, run, following)
        return self._ends(position, run, following)

    def _uncapitalised(self, position: int, run: _Run) -> bool:
        """Whether the sentence has no capital at all and ends in a plain stop."""
        return run.marks in _PLAIN_ENDS and self.view.text[self.start : position].islower()

    def _needs_more(self, run: _Run, position: int) -> bool:
        return self._single_dot(run) and abbreviations.needs_more(self._token(position))

    def _hangs(self, end: int) -> bool:
        """Whether the text before `end` ends with a title or another abbreviation that needs a next word."""
        return self.view.text[end - 1] == "." and abbreviations.needs_more(self._token(end - 1))

    def _breaks_off(self, end: int) -> bool:
        """Whether the text before `end` ends with a comma or linking word, as where a line was wrapped."""
        if self.view.text[end - 1 : end] == ",":
            return True
        return self.language.startswith("en") and self._token(end).lower() in _LINKING

    def _ends(self, position: int, run: _Run, following: int) -> bool:
        """Whether the stop ends a sentence, not just an abbreviation, an initial or an inline list marker."""
        token = self._token(position)
        if run.marks.startswith("!"):
            # Some names end with the mark: "Yahoo!".
            name = token.isalpha() and not self._library_ends(f"{token}!", "The")
            return not name
        if not self._single_dot(run) or not token:
            return True
        if abbreviations.needs_more(token) or self._is_item_number(position, token):
            return False
        first = self.view.at(following)
        if first.isupper() and abbreviations.names_one(self._token(position - len(token) - 1), token):
            return True
        if first.isupper() and (closes := self._measured(position, token, following)) is not None:
            return closes
        if first and abbreviations.limits(token) and unicodedata.category(first) == "Sc":  # "max. €30"
            return False
        if first.isdecimal():
            return abbreviations.ends_before_number(token, first, language=self.language)
        return self._ends_before_word(token, following)

    def _measured(self, position: int, token: str, following: int) -> bool | None:
        """Whether a capital after "3 g.", "20 °C." or "6 p.m." begins a sentence; None where none stands.

        A time zone or a day after it belongs to the same sentence.
        """
        number = self.view.text[self.start : position - len(token)].rstrip()[-1:]
        if number == "°":  # "20 °C. A bottle …"
            return True
        if not (number.isdecimal() or number in ("%", "½")):
            return None
        if token in UNITS or token.casefold() in ("p.a", "a.m", "p.m"):
            return not abbreviations.goes_on_after_time(self._word(following))
        return None

    def _ends_before_word(self, token: str, following: int) -> bool:
        # "5. Mai": sentencex knows the months of many languages, so a short number waits for the next word.
        short_number = token.isdecimal() and len(token) <= 2
        if not short_number:
            if abbreviations.is_plain(token) or self._library_ends(f"{token}.", "X"):
                return True
            if self.view.at(following) in ("(", "["):
                return False
        start = following
        while start - following < 3 and self.view.at(start) in _OPENING:
            start += 1
        word = self._word(start)
        return not word or self._library_ends(f"{token}.", word)

    def _library_ends(self, token: str, following: str) -> bool:
        return abbreviations.library_ends(token, following, language=self.language)

    def _single_dot(self, run: _Run) -> bool:
        return run.marks[0] == "." and not any(mark in STOPS for mark in run.marks[1:])

    def _is_item_number(self, position: int, token: str) -> bool:
        """Whether "1." is a list marker inside a line: at the sentence's start or after ":" or ";"."""
        if not (token.isdecimal() and len(token) <= 2):
            return False
        before = self.view.text[self.start : position - len(token)].rstrip()[-1:]
        return before in ("", ":", ";")

    def _token(self, position: int) -> str:
        """The word before the stop at `position`, without opening marks; "" if none or too long."""
        reach = self.view.text[max(self.start, position - abbreviations.TOKEN_REACH) : position]
        pieces = reach.rsplit(None, 1)
        if not pieces or reach[-1:].isspace():
            return ""
        token = pieces[-1]
        if len(token) == abbreviations.TOKEN_REACH:
            return ""
        while token and not token[0].isalnum():
            token = token[1:]
        return token

    def _word(self, start: int) -> str:
        end = start
        while end - start < _WORD and (self.view.at(end).isalnum() or self.view.at(end) in ("'", "’", "-")):
            end += 1
        return self.view.text[start:end]


def _closes(character: str) -> bool:
    if character in STOPS or character in CLOSING:
        return True
    if not character or character.isascii():
        return False
    return unicodedata.category(character) in _ATTACHED
