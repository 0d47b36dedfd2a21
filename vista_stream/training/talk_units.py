"""What a written talk gives a verifier to learn from: sentences read with what was said before them, the way
a guard reads them (`stages/embedded/heard.py`)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from vista_stream.core.talk import Line, lines_of_turn
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.heard import read_with
from vista_stream.training.documents import LICENCE
from vista_stream.training.rows import Row
from vista_stream.training.talks import LABELS, Place, Said, Talk
from vista_stream.training.units import Unit

SOURCE: Final = "written_talk"
_HELD_BACK: Final = 0.6
"""Share of false sentences that the guard held back, so that what follows is read without them."""
_OPEN: Final = 0.8
"""Share of places of which an open sentence is read, where there is one."""
_TALK: Final = 0.3
"""Share of places of which one that states nothing is read."""


def talk_units(talk: Talk, chance: random.Random) -> list[Unit]:
    """Rows of a talk for one epoch, each place once: a supported and a false sentence as twins, open ones
    and talk alone. Sentences of one turn do not hear each other: a guard cannot know yet which are shown."""
    references = [Reference(talk.reference, name="reference")] if talk.reference else []
    found: list[Unit] = []
    lines: list[Line] = []
    for turn, exchange in enumerate(talk.exchanges):
        lines += lines_of_turn(exchange.message, (), turn=turn)
        shown = list[str]()
        for place in exchange.places:
            found += _at(place, references, lines, chance)
            if place.said.letter != "C" or chance.random() >= _HELD_BACK:
                shown.append(place.said.text)
        lines += lines_of_turn("", shown, turn=turn)
    return found


def _at(
    place: Place, references: Sequence[Reference], lines: Sequence[Line], chance: random.Random
) -> Iterator[Unit]:
    by_letter: dict[str, list[Said]] = {}
    for said in (place.said, *place.instead):
        by_letter.setdefault(said.letter, []).append(said)
    decided = [chance.choice(by_letter[letter]) for letter in "SC" if letter in by_letter]
    if decided:
        yield _rows(decided, references, lines)
    for letter, share in (("N", _OPEN), ("T", _TALK)):
        if letter in by_letter and chance.random() < share:
            yield _rows([chance.choice(by_letter[letter])], references, lines)


def _rows(said: Sequence[Said], references: Sequence[Reference], lines: Sequence[Line]) -> Unit:
    """The sentences on one premise."""
    premise = read_with(" ".join(each.text for each in said), lines, references, None)
    return tuple(Row(premise, each.text, LABELS[each.letter], SOURCE, LICENCE) for each in said)
