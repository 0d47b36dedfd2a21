"""The deterministic tier over a claim's grounds: rulings with their evidence, before any model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from vista_stream.claims import Evidence, Finding, Scores, Span
from vista_stream.core.common_ground import Statement
from vista_stream.core.rules import Prepared, RuleIndex, Ruling, prepare
from vista_stream.retrieval.reference import Reference
from vista_stream.verifiers.lru import Lru

_SCORES = {"verified": Scores(1.0, 0.0, 0.0), "contradicted": Scores(0.0, 0.0, 1.0)}
_STATEMENTS = 4096


class RuleTier:
    """Holds what `core.rules` needs of each reference and statement; may be shared by sessions."""

    def __init__(self) -> None:
        self._references: WeakKeyDictionary[Reference, RuleIndex] = WeakKeyDictionary()
        self._statements: Lru[str, Prepared] = Lru(_STATEMENTS)

    def knows(self, reference: Reference) -> bool:
        """Whether a reference's sentences are ready for comparison."""
        return reference in self._references

    def learn(self, reference: Reference) -> None:
        """Make a reference's sentences ready, about 0.1 ms each; may run in a thread."""
        sentences = (reference.text[start:end] for start, end in reference.sentences)
        self._references[reference] = RuleIndex([prepare(sentence) for sentence in sentences])

    def by_references(self, claim: Prepared, references: Iterable[Reference]) -> Finding | None:
        """The ruling of known references on a claim; None where the rules do not reach.

        One document that verifies outranks others that contradict, as one sentence of it does.
        """
        rulings = []
        for reference in references:
            ruled = self._references[reference].rule(claim)
            if ruled is not None:
                position, ruling = ruled
                rulings.append((ruling, reference.passage(position, position + 1)))
        return _strongest(rulings)

    def by_whole_sentence(self, sentence: str, references: Iterable[Reference]) -> Finding | None:
        """Verified where a known reference says the claim's whole sentence; None where none does.

        What the sentence claims is then verified too, however its claims were worded.
        """
        found = self.by_references(prepare(sentence), references) if sentence else None
        return found if found is not None and found.scores == _SCORES["verified"] else None

    def by_statements(self, claim: Prepared, statements: Sequence[Statement]) -> Finding | None:
        """The same for the common ground.

        What the assistant said that it did is no ground to contradict what it did another time.
        """
        ruled = RuleIndex([self._prepared(statement.text) for statement in statements]).rule(claim)
        if ruled is None:
            return None
        position, ruling = ruled
        statement = statements[position]
        if ruling.category == "contradicted" and statement.origin == "claim" and _of_assistant(statement):
            return None
        return _strongest([(ruling, cite(statement))])

    def _prepared(self, text: str) -> Prepared:
        prepared = self._statements.get(text)
        if prepared is None:
            prepared = prepare(text)
            self._statements.put(text, prepared)
        return prepared


def _of_assistant(statement: Statement) -> bool:
    return statement.text.casefold().startswith("the assistant")


def cite(statement: Statement) -> Evidence:
    """A statement of the common ground as evidence."""
    return Evidence(
        text=statement.text,
        document=statement.id,
        span=Span(0, len(statement.text)),
        sentence=0,
        origin="common_ground",
    )


def _strongest(rulings: Sequence[tuple[Ruling, Evidence]]) -> Finding | None:
    ranked = sorted(rulings, key=lambda ruled: ruled[0].category != "verified")
    if not ranked:
        return None
    ruling, evidence = ranked[0]
    return Finding(scores=_SCORES[ruling.category], evidence=evidence, tier="deterministic")
