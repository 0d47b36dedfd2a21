"""Tells clauses that cannot stand alone, such as "Looked for." and "Comes from a"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.extraction.parsing import Word
from vista_stream.core.extraction.phrases import (
    AUXILIARIES,
    FINITE_TAGS,
    NOUN_TAGS,
    RELATIVE_PRONOUNS,
    Clause,
    Piece,
)
from vista_stream.core.text.stems import word_set

_NOMINAL = (*NOUN_TAGS, "PRP", "DT", "CD", "EX", "WP", "WDT", "VBG", "FW", "JJ", "PRP$", "TO")
"""Tags that the first word of a subject may have."""
_COPULAS = frozenset(("is", "are", "was", "were"))
"""What `clauses` puts in where a clause has no finite verb of its own."""
_UNENDING = frozenset(("PRP$", "WDT", "TO", "MD"))
_JOINING = frozenset(("and", "but", "or", "because", "than"))
_AFTER_AUXILIARY = word_set("not n't n’t too either also as well though so")
"""Words behind an auxiliary that do not tell what it stands for: "but dinner isn't", "and Eva does too"."""
_INVERTING = frozenset(("so", "neither", "nor"))
_POINTING = RELATIVE_PRONOUNS | {"whichever", "whoever", "whomever"}
_FILLERS = frozenset(("you know", "you see", "i know", "i mean", "i think", "i guess", "i swear", "i say"))
"""Clauses put into another one, which state nothing by themselves."""
_OF_EXISTENCE = word_set(
    """be is are was were 's ’s has have had may might must can could will would shall should exist exists
    existed remain remains remained live lives lived come comes came seem seems seemed appear appears appeared
    lie lies lay stand stands stood follow follows followed"""
)
"""Verbs and auxiliaries that "there" may be the subject of."""


def all_sound(clauses: Sequence[Clause]) -> bool:
    """Whether each clause of a sentence can stand alone, as far as its form shows; a lone one always can."""
    # The first one's verb stands for what was said before: "I do, and I like it".
    if len(clauses) < 2:
        return True
    return all(map(_sound, clauses)) and not any(map(_elliptic, clauses[1:])) and not _commands_twice(clauses)


def _commands_twice(clauses: Sequence[Clause]) -> bool:
    """Whether one command is joined to another: of "Rinse it and leave it" each half lacks the other."""
    verbs = [next((w for w in clause.words if w.tag == "VB"), None) for clause in clauses]
    first = clauses[0].words[0] if clauses[0].words else None
    return (
        first is not None
        and first is verbs[0]
        and any(
            verb is not None and verb.dep == "conj" and clause.words[0] is verb
            for clause, verb in zip(clauses[1:], verbs[1:], strict=True)
        )
    )


def _sound(clause: Clause) -> bool:
    pieces = [piece for piece in clause.pieces if any(map(str.isalnum, piece.text))]
    first, last = (pieces[0].word, pieces[-1].word) if pieces else (None, None)
    if last is not None and (last.tag in _UNENDING or (last.tag != "CC" and last.lower in _JOINING)):
        return False  # a conjunction tagged as one is not written at the end
    if _twice_joined(clause) or " ".join(piece.text.lower() for piece in pieces) in _FILLERS:
        return False
    if clause.begs:
        return True
    begins = first is not None and first.index == 0  # as its sentence does: "Try the museum"
    if not begins and _points_back(pieces):
        return False
    opened = 1 if first is not None and first.dep == "advcl" else 0  # "Seen from here, it is blue"
    verb = next((n for n, piece in enumerate(pieces) if n >= opened and _stating(piece)), None)
    if verb is None:
        return begins and first is not None and first.tag == "VB"
    opening = [piece.word for piece in pieces[:verb] if piece.word is not None]
    if any(word.tag == "EX" for word in opening) and pieces[verb].text.lower() not in _OF_EXISTENCE:
        return False  # "There looked for"
    if _disagrees(opening, pieces[verb].word):
        return False
    return begins or any(word.tag in _NOMINAL for word in opening)


def _points_back(pieces: Sequence[Piece]) -> bool:
    """Whether it begins as a part of a larger clause: 'which is made by Samsung', 'with whom she worked'."""
    governed = bool(pieces) and pieces[0].word is not None and pieces[0].word.tag == "IN"
    return any(piece.text.lower() in _POINTING for piece in pieces[: 2 if governed else 1])


def _elliptic(clause: Clause) -> bool:
    """Whether the verb stands for one of another clause: 'the strap is not', 'so was her brother'."""
    texts = [piece.text.lower() for piece in clause.pieces if any(map(str.isalnum, piece.text))]
    verb = next((n for n, text in enumerate(texts) if text in AUXILIARIES), None)
    if verb is None:
        return False
    inverted = verb > 0 and texts[verb - 1] in _INVERTING
    return inverted or _AFTER_AUXILIARY.issuperset(texts[verb + 1 :])


def _twice_joined(clause: Clause) -> bool:
    """Whether a part is missing between two conjunctions: 'was written and, and was shown'."""
    texts = [piece.text.lower() for piece in clause.pieces if piece.text != ","]
    return any({one, two} <= {"and", "or"} for one, two in pairwise(texts))


def _disagrees(opening: Sequence[Word], verb: Word | None) -> bool:
    """Whether the subject is a plural and the verb a singular: the parser took a noun for a verb."""
    subject = next((word for word in opening if word.dep in ("nsubj", "nsubjpass")), None)
    if subject is None or verb is None or subject.head != verb.index:
        return False
    return subject.tag == "NNS" and not subject.entity and verb.tag == "VBZ"


def _stating(piece: Piece) -> bool:
    """Whether it is a verb that can state something: finite, put in, or a participle read as the past."""
    if piece.word is None:
        return piece.text in _COPULAS
    told = piece.word.tag in FINITE_TAGS or piece.word.tag == "VBN"
    return told or (piece.word.tag == "VBG" and piece.text != piece.word.text)
