"""Claims that are not sentences: list items under their introduction, keys with values, table rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vista_stream.core.text.stems import stem, word_set

_FOLLOWING = re.compile(r"\bthe following(?: \w+){0,3}$|\bthese(?: \w+){1,2}$", re.IGNORECASE)
_STATE = (
    r"(?:(?:not|also|always|never|strictly) )*"
    r"(?:\w+ed|free|forbidden|compulsory|mandatory|optional|available|exempt)\b"
)
_SAID_OF_ITEMS = re.compile(
    rf"(?:the following|these)(?: [\w-]+){{0,2}}? (?P<verb>are|were|is|was) (?P<what>{_STATE}.*)",
    re.IGNORECASE,
)
"""'The following are not covered', which is said of each item."""
_SAID_BEFORE = re.compile(rf"(?P<what>{_STATE}.*) (?P<verb>are|were|is|was)", re.IGNORECASE)
"""The same in inverted order: 'Not included in the price are'."""
_LINKING = re.compile(
    r"(?P<subject>.+?) (?P<verb>are|were|is|was|includes?|included)(?: (?:the following|"
    r"as follows|listed below|these))?$",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_COUNTED = re.compile(rf"\b{_NUMBER}(?: [\w-]+){{1,4}}$", re.IGNORECASE)
"""The end of a line that tells how many items follow it."""
_SOME_OF = re.compile(
    rf"\b(?:one|{_NUMBER}|any|all|some|each|either|both|none|most|several) of $", re.IGNORECASE
)
"""What stands before "the following" where it is about the items together: "one of the following"."""
_JOINED = re.compile(r"[,;] (?:and|or)$")
"""What joins an item to the next one."""
_OPEN_ENDED = re.compile(r".+ (?:such as|including|like|in|at|by|for|with|of|from|to|as)$", re.IGNORECASE)
_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d\d")
_VERSION = re.compile(r"v?\d{1,2}(?:\.\d{1,2}){1,2}", re.IGNORECASE)
_DAYS = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"(?:nov|dec)(?:ember)?"
)
_PERIOD = re.compile(rf"{_DAYS}|{_MONTHS}|(?:19|20)\d\d|Q[1-4]", re.IGNORECASE)
"""A header of one of several columns that are alike: a day, a month, a quarter or a year."""
_NAMING = frozenset(
    map(
        stem,
        word_set(
            """item name plan product service option feature type kind sort category city country town place
            location region zone area day date year month week time period season quarter model version size
            room ticket group age level grade tier package class step number no. # rank id property aspect
            attribute parameter field key setting metric measure criterion criteria topic question task thing
            activity event route line stop station file command code language team company brand course
            subject dish drink species animal planet element part component method tool format material"""
        ),
    )
)
"""Words of a first header that only tell what the rows are; what such a cell names is no statement."""
_FEWEST = 4
"""Words that make a cell a statement."""
_FORMULA = re.compile(r"\s*(?:\$\$[^$]+\$\$|\\\[[^\[\]]+\\\])[\s.,;]*")
_WORDED = re.compile(
    r"\\(?:text|math|emph|mbox|underline)|(?<![\\A-Za-z])[A-Za-z]{2,}(?:\\?\s|~)+[A-Za-z]{2,}"
)
_NO_KEYS = frozenset(("", "value", "values", "detail", "details", "information", "description"))
"""Headers of a second column that say nothing about its values."""
_BETWEEN = re.compile(r"\s\|(?=\s)")
_HEADS = re.compile(r"[^\W\d][^\d|]{0,20} +\| +[^\W\d][^\d|]{0,20}")
"""A line that may be a header of two cells: "Item | Price"."""
_DETERMINERS = ("A ", "An ", "The ", "All ", "Any ", "Your ", "One ", "Two ", "Three ")
_VERBS = {"are": "include", "were": "included"}


@dataclass(frozen=True, slots=True)
class Introduction:
    """A line that ends in a colon and introduces list items, with its references resolved."""

    text: str
    """The line without the colon."""
    verbless: bool = False
    """Whether it only names what the items are: "Ingredients:"."""
    unfinished: bool = False
    """Whether the items end its sentence: "The dough contains:"."""

    def item(self, phrase: str, *, said: bool = False) -> str:
        """The claim of an item: the line and the phrase as one sentence, else joined by a colon.

        A phrase is `said` of the line where it begins with its verb, in lower case: "Can be sanded" is not.
        """
        phrase = _JOINED.sub("", phrase).strip(" .;,")
        completed = self._completed(phrase, said=said and phrase[:1].islower())
        return completed or f"{self.text}: {_lowered(phrase)}."

    def named(self, key: str) -> list[str]:
        """The claim that a key is one of the items; none beside its value where the line says no such thing.

        "The members are:" and "It has three parts:" do, "It depends on the machine:" does not.
        """
        told = self._completed(key, said=False) or _COUNTED.search(self.text)
        return [self.item(key)] if told else []

    def _completed(self, phrase: str, *, said: bool) -> str:
        """The line and the phrase as one sentence; empty where the line is one without it."""
        of_items = _SAID_OF_ITEMS.fullmatch(self.text) or _SAID_BEFORE.fullmatch(self.text)
        if of_items is not None:
            what = of_items["what"][:1].lower() + of_items["what"][1:]
            return f"{phrase[:1].upper()}{phrase[1:]} {_agreeing(of_items['verb'].lower(), phrase)} {what}."
        phrase = _lowered(phrase)
        linking = _LINKING.fullmatch(self.text)
        if linking is not None:
            verb = linking["verb"].lower()
            return f"{linking['subject']} {_VERBS.get(verb, verb)} {phrase}."
        following = _FOLLOWING.search(self.text)
        lead = self.text[: following.start()] if following else ""
        if lead and not _SOME_OF.search(lead):
            return f"{lead}{phrase}."
        return f"{self.text} {phrase}." if said or self.unfinished or _OPEN_ENDED.fullmatch(self.text) else ""


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:] if phrase.startswith(_DETERMINERS) else phrase


def _agreeing(verb: str, phrase: str) -> str:
    """The verb in the item's number, by its last letter: 'water damage is', 'pets are'."""
    plural = phrase.endswith("s") and not phrase.endswith("ss")
    if verb in ("are", "is"):
        return "are" if plural else "is"
    return "were" if plural else "was"


def _tells(cell: str) -> bool:
    """Whether a cell is long enough for a statement, or has a number."""
    return any(map(str.isdigit, cell)) or len(cell.split()) >= _FEWEST


def is_formula(text: str) -> bool:
    """Whether a line is a display formula, "$$E = mc^2$$", that has no words in it."""
    return bool(_FORMULA.fullmatch(text)) and not _WORDED.search(text)


def _only(sort: re.Pattern[str], cells: Sequence[str]) -> bool:
    return len(cells) > 1 and all(sort.fullmatch(cell) for cell in cells)


def is_row(text: str) -> bool:
    """Whether a line is a row of a pipe table."""
    line = text.strip()
    if line.startswith("|") and line.endswith("|"):
        return True
    framed = line.startswith("|") or line.endswith("|") or len(_BETWEEN.findall(line)) >= 2
    framed = framed or _HEADS.fullmatch(line) is not None
    return framed and not line.endswith((".", "!", "?"))  # "|x| is large." is a sentence


def is_barred(text: str) -> bool:
    """Whether a line has a bar between words, as a row of a table without bars at its ends has."""
    return bool(_BETWEEN.search(text.strip()))


def is_ruler(text: str) -> bool:
    """Whether a line is the separator below a table's header row: |---|:-:|."""
    return "|" in text and "-" in text and not text.strip(" \t\r\n|:-")


def cells(row: str) -> list[str]:
    """The row's cells, also empty ones, without the white space around them."""
    line = row.strip()
    return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _says(cell: str) -> bool:
    """Whether a cell is more than a dash; a tick may be all it says."""
    return cell.strip(" -–—.") != ""


def row_claims(header: Sequence[str] | None, row: list[str]) -> list[str]:
    """The claims of a table row: 'Year: 1990' for two cells, 'Paris, population: 2 million' under a header.

    The first cell is a claim too where its header tells more than what the rows are: 'Founder: Bob Jones'.
    Beside 'Tue: closed' it is 'Mon: open'. More than two cells without a header of the same length are joined
    by commas. Empty for a header row: a first row without a digit or without a first cell, or with only years
    or only versions after it.
    """
    heads = not any(map(str.isdigit, "".join(row))) or not row[0]
    if header is None and (heads or _only(_YEAR, row) or _only(_YEAR, row[1:]) or _only(_VERSION, row[1:])):
        return []
    if len(row) == 2 and all(row) and (not header or len(header) != 2 or header[1].casefold() in _NO_KEYS):
        return [f"{row[0]}: {row[1]}"]
    if not header or len(header) != len(row):
        return [", ".join(cell for cell in row if cell)] if len(row) != 2 or _tells(row[0]) else []
    told = [f"{key}: {value}" for key, value in zip(header[1:], row[1:], strict=True) if _says(value)]
    own = [f"{header[0]}: {row[0]}" if header[0] else row[0]] if _says(row[0]) else []
    if _only(_PERIOD, header):
        return [*own, *told]
    if not told:
        return own if len(row) == 1 or _tells(row[0]) else []
    about = f"{row[0]}, " if row[0] else ""
    own = own if _NAMING.isdisjoint(map(stem, header[0].casefold().split())) else []
    return [*(own if header[0] else []), *(f"{about}{each}" for each in told)]
