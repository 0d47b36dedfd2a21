"""What a written talk gives a verifier to learn from: sentences read with what was said before them, the way
a guard reads them (`core/talk.py`)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from vista_stream.core.importance import content_words
from vista_stream.core.talk import Line, latest, lines_of_turn, transcript
from vista_stream.training.documents import LICENCE
from vista_stream.training.rows import Row
from vista_stream.training.talks import LABELS, Place, Said, Talk
from vista_stream.training.units import Unit

SOURCE: Final = "written_talk"
_WORDS: Final = 80
"""Words of the reference in a premise at most: of a longer one the sentences nearest to the claim."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+")
_HELD_BACK: Final = 0.6
"""Share of false sentences that the guard held back, so that what follows is read without them."""
_OPEN: Final = 0.8
"""Share of places of which an open sentence is read, where there is one."""
_TALK: Final = 0.3
"""Share of places of which one that states nothing is read."""


def talk_units(talk: Talk, chance: random.Random) -> list[Unit]:
    """Rows of a talk for one epoch, each place once: a supported and a false sentence as twins, open ones
    and talk alone."""
    found: list[Unit] = []
    lines: list[Line] = []
    for turn, exchange in enumerate(talk.exchanges):
        lines += lines_of_turn(exchange.message, (), turn=turn)
        for place in exchange.places:
            found += _at(place, talk.reference, lines, chance)
            if place.said.letter != "C" or chance.random() >= _HELD_BACK:
                lines += lines_of_turn("", [place.said.text], turn=turn)
    return found


def _at(place: Place, reference: str, lines: Sequence[Line], chance: random.Random) -> Iterator[Unit]:
    by_letter: dict[str, list[Said]] = {}
    for said in (place.said, *place.instead):
        by_letter.setdefault(said.letter, []).append(said)
    decided = [chance.choice(by_letter[letter]) for letter in "SC" if letter in by_letter]
    if decided:
        yield _rows(decided, reference, lines)
    for letter, share in (("N", _OPEN), ("T", _TALK)):
        if letter in by_letter and chance.random() < share:
            yield _rows([chance.choice(by_letter[letter])], reference, lines)


def _rows(said: Sequence[Said], reference: str, lines: Sequence[Line]) -> Unit:
    """The sentences on one premise: what they are about in the reference, and what was said."""
    about = _nearest(reference, " ".join(each.text for each in said), lines)
    premise = "\n".join(filter(None, (about, transcript(latest(lines)))))
    return tuple(Row(premise, each.text, LABELS[each.letter], SOURCE, LICENCE) for each in said)


def _nearest(reference: str, claim: str, lines: Sequence[Line]) -> str:
    """The reference, or of a longer one the sentences that share most words with the claim, and with the
    message and what was said since."""
    if len(reference.split()) <= _WORDS:
        return reference
    sentences = _SENTENCE_END.split(reference)
    wanted = content_words(claim)
    asked = content_words(" ".join(line.text for line in lines if line.turn == lines[-1].turn))

    def nearness(place: int) -> float:
        words = content_words(sentences[place])
        return (len(words & wanted) + len(words & asked) / 2) / (1 + len(words) ** 0.5)

    kept, left = set[int](), _WORDS
    for place in sorted(range(len(sentences)), key=nearness, reverse=True):
        words = len(sentences[place].split())
        if not kept or words <= left:
            kept.add(place)
            left -= words
    return " ".join(sentences[place] for place in sorted(kept))
