"""Spells a text as its reader sees it: invisible characters gone, look-alikes as the letters they look like.

A verifier and a parser read code points, a person reads shapes: "three" with Cyrillic letters, with a
zero-width space or in full-width letters is "three" all the same. Only the checks read this spelling. What is
released to the user stays as it came, and each character keeps the offset at which it stood.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

_DROPPED = re.compile(
    "[\u034f\u115f\u1160\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u0334-\u0338\u20dd-\u20e4]"
)
"""Characters that are not seen, beside the categories Cf and Cc, and marks that strike out or enclose."""
_COMPATIBLE = ("<font>", "<wide>", "<narrow>", "<compat>", "<square>", "<circle>", "<sub>")
"""Kinds of characters that are another way to write ASCII; superscripts (m²) and fractions are not."""
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))

_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u0261\u0585"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u04ae"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxijshdqwlgoABEKMHOPCTYXIJSYABEZHIKMNOPTYX",
)
"""Cyrillic, Armenian and Greek letters that look like a Latin one, from the Unicode list of confusables."""
_GREEK = str.maketrans("\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7", "aikvopux")
"""Small Greek letters that also stand for themselves in Latin words: TNFα."""
_LATIN = re.compile(r"[A-Za-z]")
_SMALL_LATIN = re.compile(r"[a-z].*[a-z]")
_WORD = re.compile(r"[^\W_]+")
_FIGURE = re.compile(r"\d[\dOo\u041e\u043e\u039f\u03bf\u0417\u0437]*\d|\bl(?=\d{3}\b)")
_FIGURES = str.maketrans("Oo\u041e\u043e\u039f\u03bf\u0417\u0437l", "000000331")

_BROKEN = re.compile(r"\b(?P<before>\w{1,40})(?P<mark>[-\u2010\u00ad])(?P<end>[ \t]*\r?\n[ \t>]*)(?=[a-z])")
"""A word that is hyphenated at the end of a line."""
_COMPOUND = re.compile(
    r"\d+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|half|well|self|non)",
    re.IGNORECASE,
)
"""First words of compounds that keep their hyphen: "three-year"."""
_BROKEN_NUMBER = re.compile(r"(?<=\d,)[ \t]*\r?\n[ \t>]*(?=\d{3}\b)|(?<=\d:)[ \t]*\r?\n[ \t>]*(?=\d\d\b)")
_OVERRIDDEN = re.compile("\u202e([^\u202a-\u202e\n]*)")
"""Text that is shown from right to left, whatever its letters."""
_ODD = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]|-[ \t]*\r?\n|\d[,:][ \t]*\r?\n|\d[Oo]+\d|\bl\d{3}\b")
"""What is spelt otherwise in a text of ASCII alone."""


class _Spellings(dict[int, str]):
    """The spelling of each code point by itself, found when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = spelling = _spelling(chr(code))
        return spelling


def _spelling(character: str) -> str:
    category = unicodedata.category(character)
    invisible = category == "Cf" or (category == "Cc" and not character.isspace())
    if invisible or _DROPPED.match(character):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    return _SMALL_CAPITALS.get(character) or _compatible(character)


def _compatible(character: str) -> str:
    """The ASCII that a character is another way to write, else the character."""
    kind = unicodedata.decomposition(character).partition(" ")[0]
    folded = unicodedata.normalize("NFKC", character)
    if kind not in _COMPATIBLE or not folded.isascii():
        return character
    listed = kind == "<circle>" and folded.isdigit()  # ① is the mark of a list item
    return folded if kind == "<wide>" or (folded.isalnum() and not listed) else character


_SPELLINGS = _Spellings()


def legible(text: str) -> tuple[str, Sequence[int]]:
    """The text as it is seen, and for each of its characters the offset in `text`.

    Offsets may repeat ("Ⅲ" is seen as "III"), and fall where text is written from right to left by an
    override. Nothing is changed that a reader would see as something else.
    """
    if text.isascii() and not _ODD.search(text):
        return text, range(len(text))
    gone = {at for start, end in _breaks(text) for at in range(start, end)}
    spelt = [(part, at) for at in _in_sight(text) if at not in gone for part in _SPELLINGS[ord(text[at])]]
    seen = _WORD.sub(_folded, "".join(part for part, _ in spelt))
    return _FIGURE.sub(lambda found: found[0].translate(_FIGURES), seen), [at for _, at in spelt]


def legible_text(text: str) -> str:
    """The text as it is seen."""
    return legible(text)[0]


def _breaks(text: str) -> Iterator[tuple[int, int]]:
    """What a line's end adds inside a word or a number."""
    for found in _BROKEN.finditer(text):
        kept = found["mark"] != "\u00ad" and _COMPOUND.fullmatch(found["before"])
        yield found.start("end" if kept else "mark"), found.end()
    for found in _BROKEN_NUMBER.finditer(text):
        yield found.span()


def _in_sight(text: str) -> Sequence[int]:
    """The offsets of the text in the order in which they are read."""
    order = list(range(len(text)))
    for found in _OVERRIDDEN.finditer(text):
        start, end = found.span(1)
        order[start:end] = reversed(order[start:end])
    return order


def _folded(word: re.Match[str]) -> str:
    """A word that has Latin letters too with its look-alikes as Latin letters."""
    if word[0].isascii() or not _LATIN.search(word[0]):
        return word[0]
    folded = word[0].translate(_LOOK_ALIKES)
    return folded.translate(_GREEK) if _SMALL_LATIN.search(folded) else folded
