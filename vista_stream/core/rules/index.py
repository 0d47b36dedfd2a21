"""An index of a text's prepared sentences: finds those with a claim's words, and combines their rulings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.core.rules.compare import Prepared, Ruling, compare
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import numbers_of

_STOPPED = re.compile(r"[.!?…][\"'”’)\]*_]*$")
_COPULAS = frozenset({"is", "are", "was", "were", "be"})


class RuleIndex:
    """The sentences of one reference, found by the words that a claim must share with them."""

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
        """Positions of the sentences that hold every word of the claim, but for a name in its one place."""
        found = self._holding(claim.stems)
        if claim.holder:
            found |= self._holding(claim.holder.stems)
        return sorted(found)

    def rule(self, claim: Prepared) -> tuple[int, Ruling] | None:
        """The ruling on a claim and the position of the sentence it rests on.

        A sentence that verifies outranks one that contradicts. One that contradicts counts only where
        no other sentence with the claim's words is left undecided, and none tells of the claim's value or
        of the name that it has in another's place.
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
        """Whether a row or a line without a verb has the claim's words: "Support: included"."""
        content = claim.stems - _COPULAS
        return any(_fragment(self._sentences[k].text) for k in self._holding(content))

    def known_numbers(self, claim: Prepared) -> frozenset[float]:
        """Those of the claim's numbers and years that a sentence has, as written or in its base unit."""
        return frozenset().union(*map(numbers_of, claim.atoms)) & self._numbers

    def _holding(self, stems: frozenset[str]) -> set[int]:
        holders = sorted((self._holders.get(root, set()) for root in stems), key=len)
        return set.intersection(*holders) if holders else set()

    def _told(self, claim: Prepared, position: int) -> bool:
        """Whether another sentence speaks of a value of the claim that this one does not, in like words.

        A row of a table or a line such as "Express: 1 day" needs none: it speaks of what stands above it.
        """
        strange = _value_keys(claim) - _value_keys(self._sentences[position])
        others = [self._sentences[k] for key in strange for k in self._valued.get(key, ())]
        return any(
            _fragment(other.text) or 2 * len(claim.stems & other.stems) >= len(claim.stems)
            for other in others
        )

    def _named(self, claim: Prepared, position: int) -> bool:
        """Whether the claim has another name than this sentence, and some other sentence has its last part.

        The text may tell elsewhere that two names are one's, or that another took part.
        """
        if claim.holder is None or claim.stems <= self._sentences[position].stems:
            return False
        return bool(self._holders.get(claim.holder.name[-1], set()) - {position})


def _fragment(text: str) -> bool:
    """Whether it is a row, a "key: value" or a line that does not end as a sentence does."""
    return "|" in text or ":" in text or not _STOPPED.search(text)


def _value_keys(sentence: Prepared) -> set[tuple[str, float]]:
    """What to look up a sentence's numbers and dates by."""
    keys: set[tuple[str, float]] = set()
    for atom in sentence.atoms:
        match atom.value:
            case Date(years=(first, _)):
                keys.add(("date", first))
            case Quantity(dimension=dimension, low=low):
                keys.add((dimension, low))
    return keys
