"""What one document gives a verifier that reads pairs whole to learn from in an epoch: rows alone, and twins.

Twins are a true and a false or open claim worded almost alike, on one premise, and in one batch: the loss
then sees what the difference in wording does. For some entailed claims without a written twin one is made by
another value, in the claim alone or in claim and premise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from typing import Final, TypeAlias

from vista_stream.training.documents import Document, WrittenClaim
from vista_stream.training.made.dress import chatty, mistyped, worn
from vista_stream.training.made.edits import occurrences, substitute
from vista_stream.training.made.edits_values import HEDGES, Change, changes
from vista_stream.training.made.lexicon import DIGIT_WORDS
from vista_stream.training.premises import cut_row, joined, part
from vista_stream.training.rows import Row

Unit: TypeAlias = tuple[Row, ...]
"""A row, or two twins of which the first is entailed."""

_ALIKE: Final = 0.6
"""Share of their words, by difflib, from which two claims are twins."""
_TWINS_APART: Final = 0.25
"""Share of twins that are read as two rows on premises of their own."""
_ONLY_DECIDING: Final = 0.3
"""Share of twins whose premise is the deciding lines alone, and of claims near to their text that are read
with these as well."""
_EXCHANGED: Final = 0.55
"""Share of entailed claims whose value is exchanged where that can be done."""
_IN_BOTH: Final = 0.6
"""Share of exchanged values that are exchanged in the premise too."""
_VALUES: Final = ("number", "date", "unit")
_NEAR: Final = ("near_", "contrast", "restated", "plain_", "service_", "turns_")
"""Parts of the names of folders whose claims are near to one line of their text."""
_SMALL_NUMBER: Final = re.compile(r"(?<![\d.,:/$€£%-])\b(\d{1,2})\b(?![\d.,:/%°-])")
_WORD: Final = re.compile(r"\w+")


def units(document: Document, others: Sequence[Document], chance: random.Random) -> list[Unit]:
    """The document's claims as units, with other parts of it as premises each time."""
    found: list[Unit] = []
    paired: set[int] = set()
    for true, other in twins(document):
        if chance.random() >= _TWINS_APART:
            found.append(on_one_premise(document, document.claims[true], document.claims[other], chance))
            paired |= {true, other}
    near = any(name in document.source for name in _NEAR)
    for number, claim in enumerate(document.claims):
        if number in paired:
            continue
        row = cut_row(document, claim, others=others, chance=chance)
        exchanged = _exchanged(row, chance) if chance.random() < _EXCHANGED else None
        if exchanged is not None:
            found.append(exchanged)
            continue
        found.append((row,))
        if near and chance.random() < _ONLY_DECIDING:
            premise = _lines(document, claim.deciding)
            found.append((Row(premise, claim.text, claim.label, document.source),))
    return found


@cache  # every epoch asks again, and the texts are held anyway
def twins(document: Document) -> list[tuple[int, int]]:
    """Indices of claims that are twins, each an entailed one and another; the most alike first, each once."""
    words = [_WORD.findall(claim.text.lower()) for claim in document.claims]
    found: list[tuple[float, int, int]] = []
    for true, claim in enumerate(document.claims):
        if claim.label != "entailment":
            continue
        for other, rival in enumerate(document.claims):
            if rival.label != "entailment":
                alike = SequenceMatcher(None, words[true], words[other], autojunk=False)
                if alike.real_quick_ratio() >= _ALIKE and alike.quick_ratio() >= _ALIKE:
                    found.append((alike.ratio(), true, other))
    taken: set[int] = set()
    chosen: list[tuple[int, int]] = []
    for ratio, true, other in sorted(found, reverse=True):
        if ratio >= _ALIKE and not {true, other} & taken:
            taken |= {true, other}
            chosen.append((true, other))
    return chosen


def on_one_premise(
    document: Document, true: WrittenClaim, other: WrittenClaim, chance: random.Random
) -> Unit:
    """Two claims as twins: with a part of the document in which the lines are that decide either."""
    both = true.deciding | other.deciding
    if chance.random() < _ONLY_DECIDING:
        premise = _lines(document, both)
    else:
        premise = joined(document, part(document, replace(true, deciding=both), needed=both, chance=chance))
    return tuple(Row(premise, claim.text, claim.label, document.source) for claim in (true, other))


def _lines(document: Document, rows: Iterable[int]) -> str:
    return "\n".join(document.lines[row] for row in sorted(rows))


def _exchanged(row: Row, chance: random.Random) -> Unit | None:
    """An entailed row and its twin with another value; None where no value can be exchanged surely."""
    if row.label != "entailment" or HEDGES.search(row.hypothesis):
        return None
    found = [each for each in changes(row.hypothesis, chance) if each.kind.split("_")[0] in _VALUES]
    chance.shuffle(found)
    for each in found:
        if not occurrences(row.hypothesis, each.new) and occurrences(row.premise, each.old) == 1:
            return _twin(row, each, chance)
    return None


def _twin(row: Row, change: Change, chance: random.Random) -> Unit:
    false = substitute(row.hypothesis, change.old, change.new)
    if occurrences(row.premise, change.new) or chance.random() >= _IN_BOTH:
        return (row, replace(row, hypothesis=false, label="contradiction"))
    premise = substitute(row.premise, change.old, change.new)
    return (
        replace(row, premise=premise, hypothesis=false),
        replace(row, premise=premise, label="contradiction"),
    )


def dressed(unit: Unit, chance: random.Random) -> Unit:
    """The unit as careless people write, now and then: with typing errors, in capitals, in a chat's words.

    Twins are dressed alike.
    """
    seed = chance.random()
    return tuple(_dressed(row, random.Random(seed)) for row in unit)


def _dressed(row: Row, chance: random.Random) -> Row:
    drawn, said = chance.random(), row.hypothesis
    if drawn < 0.87:
        return row
    if drawn < 0.90:
        return replace(row, hypothesis=_mistyped(said, chance))
    if drawn < 0.92:
        return replace(row, hypothesis=_SMALL_NUMBER.sub(_in_words, said))
    if drawn < 0.935:
        return replace(row, hypothesis=said.upper())
    if drawn < 0.955:
        return replace(row, hypothesis=chatty(said, chance))
    if drawn < 0.993:
        premise = worn(row.premise, chance) if drawn >= 0.985 else row.premise
        return replace(row, premise=premise, hypothesis=worn(said, chance))
    return replace(row, hypothesis=said.rstrip(".") + chance.choice((" 🎉", " ✅", " 👍", "!", "!!")))


def _mistyped(text: str, chance: random.Random) -> str:
    """One to three long words with typing errors."""
    words = text.split(" ")
    long = [row for row, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    for row in chance.sample(long, min(len(long), chance.choice((1, 1, 2, 3)))):
        words[row] = mistyped(words[row], chance)
    return " ".join(words)


def _in_words(match: re.Match[str]) -> str:
    return DIGIT_WORDS.get(match[1], match[0])
