"""Replaces names in a claim by others of the same type."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Made, occurrences, substitute
from vista_stream.training.made.edits_values import Change
from vista_stream.training.made.lexicon import word_set
from vista_stream.training.made.passages import Parsed
from vista_stream.training.rows import Label

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

TYPES: Final = ("PERSON", "GPE", "ORG", "NORP", "LOC", "LANGUAGE")
_FUNCTIONAL: Final = word_set(
    "directed written founded created published composed produced located based headquartered designed "
    "capital born died developed starring released distributed buried situated raised hosted"
)
"""Words beside which a changed name makes the sentence false, not only unsupported."""


class Names:
    """Names of a corpus by type, from which replacements are drawn."""

    def __init__(self, corpus: Iterable[Parsed]) -> None:
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for parsed in corpus:
            for name in parsed.doc.ents:
                if name.label_ in TYPES and _plain(name):
                    found[f"{name.label_} {len(name)}"][name.text] = None
        self._names = {key: list(names) for key, names in found.items()}

    def other(self, name: Span, rng: random.Random) -> str | None:
        """Return another name with the type and length of `name`, and no word in common with it."""
        candidates = self._names.get(f"{name.label_} {len(name)}", [])
        own = {token.lower_ for token in name}
        for _ in range(8):
            drawn = rng.choice(candidates) if candidates else ""
            if drawn and own.isdisjoint(drawn.lower().split()):
                return drawn
        return None


def changes(doc: Doc, names: Names, rng: random.Random) -> Iterator[tuple[Change, Label]]:
    """Yield changes of a name in `doc`, each with the changed claim's label beside the unchanged premise."""
    for name in doc.ents:
        if name.label_ not in TYPES or not _plain(name) or not _alone(name, doc.text):
            continue
        other = names.other(name, rng)
        if other is not None:
            yield Change("name", name.text, other), _label(name)


def twins(premise: str, hypothesis: str, change: Change, label: Label) -> Iterator[Made]:
    """Yield the four pairs made from an entailed pair in which the name occurs once in each text."""
    words = change.old.split()
    if occurrences(premise, change.old) != 1 or occurrences(hypothesis, change.old) != 1:
        return
    if any(occurrences(premise, word) > 1 for word in words) or change.new in premise:
        return
    other_premise = substitute(premise, change.old, change.new)
    other = substitute(hypothesis, change.old, change.new)
    yield Made(premise, hypothesis, "entailment", "name_twin")
    yield Made(premise, other, label, "name")
    yield Made(other_premise, other, "entailment", "name_twin")
    yield Made(other_premise, hypothesis, label, "name")


def _plain(name: Span) -> bool:
    return (
        len(name) <= 4
        and all(token.text[:1].isupper() and token.text.isalpha() for token in name)
        and name[0].lower_ not in {"the", "a", "an", "he", "she", "it", "his", "her", "in", "at"}
        and name[-1].pos_ in {"PROPN", "ADJ"}
    )


def _alone(name: Span, text: str) -> bool:
    """Whether no word of the name, and no word derived from one, occurs elsewhere in the text."""
    return all(text.count(token.text[: max(4, len(token.text) - 2)]) == 1 for token in name if len(token) > 2)


def _label(name: Span) -> Label:
    head, before = name.root.head, {token.lower_ for token in name.doc[max(0, name.start - 4) : name.start]}
    if name.root.dep_ == "pobj" and (head.head.lower_ in _FUNCTIONAL or not _FUNCTIONAL.isdisjoint(before)):
        return "contradiction"
    if name.label_ == "NORP" and name.root.dep_ == "amod" and head.dep_ == "attr":
        return "contradiction"
    return "not_entailment"
