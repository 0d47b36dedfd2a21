"""Clauses as pieces of the parsed sentence, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.text.stems import word_set

NOUN_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS"))
PROPER_TAGS = frozenset(("NNP", "NNPS"))
PLURAL_TAGS = frozenset(("NNS", "NNPS"))
FINITE_TAGS = frozenset(("VBD", "VBZ", "VBP", "MD"))
VERB_TAGS = frozenset(("VB", "VBD", "VBZ", "VBP", "VBN", "VBG", "MD"))
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
AUXILIARIES = word_set(
    """is are was were 's ’s do does did has have had can ca could will wo would may might must need should
    shall"""
)
RELATIVE_PRONOUNS = word_set("which who whom whose")
DASHES = frozenset((",", "—", "–", "--", "-", ";", ":"))

_TIGHT_BEFORE = frozenset((",", ".", ";", ":", "!", "?", ")", "]", "%", "'", "’", "”", "…", "'s", "’s"))
_TIGHT_AFTER = frozenset(("(", "[", "“", "‘", "$", "£", "€", "#"))
_JOINTS = frozenset(("and", "but", "or"))
_QUOTES = frozenset(('"', "“", "”", "``", "''"))
_CLITICS = frozenset(
    ("n't", "n’t", "'s", "’s", "'re", "’re", "'ve", "’ve", "'ll", "’ll", "'m", "’m", "'d", "’d")
)
_BARE_CLITICS = frozenset(("m", "re", "ve"))
_TOKENISED = _CLITICS | {",", ".", "!", "?", ";"}
"""What stands apart only in a text that was cut into tokens ("did n't , "); claims have no such space."""
_EDGE = " ,;:.!—–-…"


class Piece(NamedTuple):
    """A piece of text, and the word of the sentence that it comes from, if any."""

    text: str
    word: Word | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement made from a sentence."""

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, words: Iterable[Word]) -> Clause:
        """A clause of these words, unchanged."""
        return cls(pieces_of(words))

    @property
    def words(self) -> list[Word]:
        """The words of the sentence that the clause is made of."""
        return [piece.word for piece in self.pieces if piece.word is not None]

    @property
    def begs(self) -> bool:
        """Whether it is a command: "Please always wait two hours", the "bring cash" of "…, so bring cash"."""
        words = [word for word in self.words if word.tag not in ("CC", "RB", ",")]
        led = any(word.lower == "so" for word in self.words[:2])
        if words and words[0].tag == "VB" and (led or words[0].dep == "conj"):
            return True
        opened = len(words) > 1 and words[0].lower == "please"
        return opened and words[1].tag in ("VB", "VBP") and words[1].dep not in SUBJECTS

    def write(self, renames: Mapping[int, str] | None = None) -> str:
        """The wording, capitalised, with one full stop; `renames` maps a word's index to its new text."""
        renames = renames or {}
        written = ""
        before: Piece | None = None
        for piece in _trimmed(self.pieces):
            text = _cased(piece, renames, first=before is None)
            if not text:
                continue
            written += (" " if before is not None and _spaced(before, piece, text) else "") + text
            before = piece
        written = written.strip(_EDGE)
        return written[:1].upper() + written[1:] + _closing(written) if written else ""


def pieces_of(words: Iterable[Word]) -> tuple[Piece, ...]:
    """Each word as a piece, unchanged."""
    return tuple(Piece(word.text, word) for word in words)


def stripped(words: list[Word]) -> list[Word]:
    """The words without punctuation at either end."""
    while words and words[-1].text in DASHES:
        words = words[:-1]
    while words and words[0].text in DASHES:
        words = words[1:]
    return words


def quoted_again(clause: Clause, tree: Tree) -> Clause:
    """The clause with quotation marks around a quotation that it has in full, and none elsewhere."""
    marks = [w for w in tree.words if w.text in _QUOTES]
    present = {w.index for w in clause.words}
    opens, closes = dict[int, Word](), dict[int, Word]()
    for left, right in zip(marks[::2], marks[1::2], strict=False):
        if left.index + 1 in present and right.index - 1 in present and left.index + 1 < right.index:
            opens[left.index + 1], closes[right.index - 1] = left, right
    pieces: list[Piece] = []
    for piece in clause.pieces:
        at = piece.word.index if piece.word is not None else -1
        if piece.text in _QUOTES:
            continue
        pieces += [Piece(opens[at].text, opens[at])] if at in opens else []
        pieces.append(piece)
        pieces += [Piece(closes[at].text, closes[at])] if at in closes else []
    return Clause(tuple(pieces))


def _trimmed(pieces: tuple[Piece, ...]) -> list[Piece]:
    """The pieces without commas and conjunctions that what was cut off left at an end, or doubled."""
    kept: list[Piece] = []
    doubled = False
    for piece in pieces:
        if piece.text in DASHES and (doubled or not kept):
            continue
        doubled = piece.text in DASHES and kept[-1].text in DASHES
        if doubled:
            kept.pop()
            continue
        while kept and piece.text in (".", ")", "!") and (kept[-1].text in DASHES or _conjunction(kept[-1])):
            kept.pop()
        kept.append(piece)
    while kept and _left_over(kept):
        kept.pop()
    return kept


def _left_over(kept: Sequence[Piece]) -> bool:
    """Whether the last piece only led to what was cut off: "It is full, [so]"."""
    last = kept[-1]
    so = last.text == "so" and len(kept) > 1 and kept[-2].text == ","
    return so or last.text in DASHES or last.text in _JOINTS or _conjunction(last)


def _conjunction(piece: Piece) -> bool:
    return piece.word is not None and piece.word.tag == "CC"


def _cased(piece: Piece, renames: Mapping[int, str], *, first: bool) -> str:
    """The piece's text, without the capital that it has only as the first word of the sentence."""
    word = piece.word
    if word is None:
        return piece.text
    if word.index in renames:
        return renames[word.index]
    lowered = piece.text[:1].lower() + piece.text[1:]
    short = piece.text.isupper() and word.tag != "DT"  # "NATO", but not "A"
    return lowered if not first and capital_of_sentence(word) and not short else piece.text


def capital_of_sentence(word: Word) -> bool:
    """Whether the word has its capital, if it has one, only because it opens the sentence."""
    return word.index == 0 and word.tag not in PROPER_TAGS and not (word.entity and word.tag != "DT")


def _spaced(before: Piece, piece: Piece, text: str) -> bool:
    left, right = before.word, piece.word
    if left is not None and right is not None and right.index == left.index + 1:
        clitic = right.text[:1] in "'’" or (text != right.text and right.lower in _BARE_CLITICS)
        clitic_spelt_out = clitic and text[:1].isalpha()
        return clitic_spelt_out or (
            right.start > left.end and (text not in _TOKENISED or left.text in _CLITICS)
        )
    return text not in _TIGHT_BEFORE and before.text not in _TIGHT_AFTER


def _closing(written: str) -> str:
    """A full stop where the wording does not end with a closing mark, else empty."""
    unquoted = written.rstrip("\"”'’)")
    closed = unquoted != written and unquoted.endswith((".", "?", "!"))
    return "" if closed or written.endswith("?") else "."
