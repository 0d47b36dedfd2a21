"""The deterministic tier: rules that decide a claim from its grounds, with evidence, before any model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Lock

from vista_stream.claims import Finding, Scores
from vista_stream.core.common_ground import Statement, cite, only_consistency
from vista_stream.core.disagreement import Told, disagreement
from vista_stream.core.rules.compare import Prepared, prepare
from vista_stream.core.rules.index import RuleIndex
from vista_stream.core.text.stems import stems_in
from vista_stream.policy import OnDisagreement
from vista_stream.retrieval.reference import Reference
from vista_stream.verifiers.lru import Lru

_SCORES = {"verified": Scores(1.0, 0.0, 0.0), "contradicted": Scores(0.0, 0.0, 1.0)}
_PRONOUN = re.compile(
    r"\b(?:it|its|itself|he|him|his|himself|she|hers?|herself|they|them|theirs?|themselves|this|these|those|one|ones"
    r"|such|former|latter)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_SPEAKERS = {"user", "assistant", "itself", "themselv"}
"""Stems of the words that a claim has for "I" and "you"."""
_STATEMENTS = 4096
_CONVERSATIONS = 64
"""Conversations whose statements stay indexed."""


class RuleTier:
    """Runs `core.rules` on a claim's grounds and keeps the indexes of statements; sessions may share one.

    A reference keeps its own index.
    """

    def __init__(self) -> None:
        self._statements: Lru[str, Prepared] = Lru(_STATEMENTS)
        self._grounds: list[tuple[tuple[Statement, ...], RuleIndex]] = []
        """Indexed statements, those that were used last at the end."""
        self._indexing = Lock()

    def by_references(
        self, claim: Prepared, references: Iterable[Reference], *, on_disagreement: OnDisagreement = "later"
    ) -> Finding | None:
        """The ruling of the references on a claim, as a finding; None where the rules cannot decide.

        Each reference must be indexed (`Reference.index_rules`). Where one verifies the claim and another
        contradicts it, `on_disagreement` says which counts, and the finding has the other as `opposing`.
        """
        told = _told(claim, references)
        split = disagreement(told, on_disagreement)
        if split is not None:
            return replace(_finding(split.counting), opposing=split.opposing.evidence)
        return _finding(told[0]) if told else None

    def by_whole_sentence(self, claim: str, sentence: str, references: Iterable[Reference]) -> Finding | None:
        """A verified finding where a reference states the claim's whole sentence; else None.

        The claims of such a sentence are verified too, however they were worded. A sentence with a pronoun
        does not count: "It costs $20" may be about something else in the reference. Nor does one that the
        claim completes from a question or an introduction: "Online or by phone." may answer another one.
        """
        if not sentence or _PRONOUN.search(sentence) or not _words(claim) <= _words(sentence) | _SPEAKERS:
            return None
        told = _told(prepare(sentence), references)
        return next((_finding(each) for each in told if each.scores == _SCORES["verified"]), None)

    def prepare_statements(self, statements: Sequence[Statement], count: int) -> None:
        """Index the first `count` statements of the common ground, some 0.3 ms each that is new. Blocking."""
        with self._indexing:
            self._indexed(statements, count)

    def by_statements(self, claim: Prepared, statements: Sequence[Statement]) -> Finding | None:
        """As `by_references`, for the common ground.

        A statement about what the assistant did cannot contradict a claim about what it did at another time.
        A statement that was out of scope cannot verify a claim.
        """
        if not statements:
            return None
        with self._indexing:
            ruled = self._indexed(statements, len(statements)).rule(claim)
        if ruled is None:
            return None
        position, ruling = ruled
        statement = statements[position]
        if ruling.category == "contradicted" and statement.origin == "claim" and _of_assistant(statement):
            return None
        if ruling.category == "verified" and only_consistency(statement):
            return None
        return _finding(Told(0, cite(statement), _SCORES[ruling.category]))

    def _indexed(self, statements: Sequence[Statement], count: int) -> RuleIndex:
        """The index of `count` or more of a conversation's statements; a kept index gets only what is new."""
        latest_first = range(len(self._grounds) - 1, -1, -1)
        place = next((k for k in latest_first if _begins(statements, self._grounds[k][0])), None)
        known, index = ((), RuleIndex()) if place is None else self._grounds.pop(place)
        for statement in statements[len(known) : count]:
            index.add(self._prepared(statement.text))
        self._grounds.append((tuple(statements[: max(len(known), count)]), index))
        del self._grounds[:-_CONVERSATIONS]
        return index

    def _prepared(self, text: str) -> Prepared:
        prepared = self._statements.get(text)
        if prepared is None:
            prepared = prepare(text)
            self._statements.put(text, prepared)
        return prepared


def _begins(statements: Sequence[Statement], known: tuple[Statement, ...]) -> bool:
    """Whether statements begin with those that are known; a last one that differs tells it at once."""
    count = len(known)
    return count <= len(statements) and statements[count - 1] == known[-1] and (*statements[:count],) == known


def _words(text: str) -> set[str]:
    return stems_in(text, _WORD)


def _of_assistant(statement: Statement) -> bool:
    return statement.text.casefold().startswith("the assistant")


def _told(claim: Prepared, references: Iterable[Reference]) -> list[Told]:
    """The rulings of the references that have one on the claim, in their order."""
    told = []
    for place, reference in enumerate(references):
        assert reference.rules is not None
        ruled = reference.rules.rule(claim)
        if ruled is not None:
            position, ruling = ruled
            passage = reference.passage(position, position + 1)
            told.append(Told(place, passage, _SCORES[ruling.category], reference.context(passage)))
    return told


def _finding(told: Told) -> Finding:
    return Finding(scores=told.scores, evidence=told.evidence, tier="deterministic")
