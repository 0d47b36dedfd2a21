"""An index of a text's sentences: it finds those with a claim's words and combines their rulings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.core.rules.compare import Prepared, Ruling, compare
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import numbers_of

_LABELLED = re.compile(r":(?!\d)")
"""The colon of a "key: value", not that of a time of day."""
_STOPPED = re.compile(r"[.!?…][\"'”’)\]*_]*$")
_COPULAS = frozenset({"is", "are", "was", "were", "be"})


class RuleIndex:
    """The prepared sentences of one text, found by the words that they share with a claim."""

    def __init__(self, sentences: Sequence[Prepared] = ()) -> None:
        self._sentences: list[Prepared] = []
        self._holders: dict[str, set[int]] = {}
        self._valued: dict[tuple[str, float], set[int]] = {}
        self._numbers: set[float] = set()
        for sentence in sentences:
            self.add(sentence)

    def __len__(self) -> int:
        return len(self._sentences)

    def add(self, sentence: Prepared) -> int:
        """Add a sentence; return its position."""
        position = len(self._sentences)
        self._sentences.append(sentence)
        for root in sentence.stems.union(*(other.stems for other in sentence.implied)):
            self._holders.setdefault(root, set()).add(position)
        for key in _value_keys(sentence):
            self._valued.setdefault(key, set()).add(position)
        for atom in sentence.atoms:
            self._numbers |= numbers_of(atom)
        return position

    def candidates(self, claim: Prepared) -> list[int]:
        """Positions of the sentences that hold every word of the claim, except the name in its `holder`."""
        found = self._holding(claim.stems)
        if claim.holder:
            found |= self._holding(claim.holder.stems)
        return sorted(found)

    def rule(self, claim: Prepared) -> tuple[int, Ruling] | None:
        """The ruling on a claim, and the position of the sentence that it is based on.

        A sentence that verifies outranks one that contradicts. One that contradicts counts only if every
        other sentence with the claim's words has a ruling too, and no table row has them. Nor may another
        sentence mention the claim's value, or the name in which the claim differs.
        """
        contradicted: tuple[int, Ruling] | None = None
        silent = False
        for position in self.candidates(claim):
            evidence = self._sentences[position]
            ruling = compare(claim, evidence)
            if ruling and ruling.category == "verified":
                return position, ruling
            if ruling:
                contradicted = contradicted or (position, ruling)
            else:
                silent = silent or claim.stems <= evidence.stems
        if contradicted is None or silent or self._listed(claim):
            return None
        position, _ = contradicted
        return None if self._told(claim, position) or self._named(claim, position) else contradicted

    def _listed(self, claim: Prepared) -> bool:
        """Whether a table row or a line such as "Support: included" has the claim's words."""
        content = claim.stems - _COPULAS
        return any(_fragment(self._sentences[k].text) for k in self._holding(content))

    def known_numbers(self, claim: Prepared) -> frozenset[float]:
        """The claim's numbers and years that some sentence has, as written or in its base unit."""
        return frozenset().union(*map(numbers_of, claim.atoms)) & self._numbers

    def _holding(self, stems: frozenset[str]) -> set[int]:
        holders = sorted((self._holders.get(root, set()) for root in stems), key=len)
        return set.intersection(*holders) if holders else set()

    def _told(self, claim: Prepared, position: int) -> bool:
        """Whether another sentence has a value of the claim that this one lacks, in similar words.

        A table row or a line such as "Express: 1 day" needs no similar words: its subject is in a line above.
        """
        strange = _value_keys(claim) - _value_keys(self._sentences[position])
        others = [self._sentences[k] for key in strange for k in self._valued.get(key, ())]
        return any(
            _fragment(other.text) or 2 * len(claim.stems & other.stems) >= len(claim.stems)
            for other in others
        )

    def _named(self, claim: Prepared, position: int) -> bool:
        """Whether the claim has another name than this sentence, and another sentence has its last part.

        The text may say elsewhere that both names mean one person, or that the other took part too.
        """
        if claim.holder is None or claim.stems <= self._sentences[position].stems:
            return False
        return bool(self._holders.get(claim.holder.name[-1], set()) - {position})


def _fragment(text: str) -> bool:
    """Whether the text is a table row, a "key: value" or a line that does not end like a sentence."""
    return "|" in text or _LABELLED.search(text) is not None or not _STOPPED.search(text)


def _value_keys(sentence: Prepared) -> set[tuple[str, float]]:
    """The keys of a sentence's numbers and dates in the index: (dimension or "date", lowest value)."""
    keys: set[tuple[str, float]] = set()
    for atom in sentence.atoms:
        match atom.value:
            case Date(years=(first, _)):
                keys.add(("date", first))
            case Quantity(dimension=dimension, low=low):
                keys.add((dimension, low))
    return keys
