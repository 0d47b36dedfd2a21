"""What is done about a claim's numbers before and after a verifier scores it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from vista_stream.claims import Pair, Scores
from vista_stream.core.rules.compare import Prepared, prepare
from vista_stream.core.rules.near_copy import differs_in_copy
from vista_stream.core.rules.other_values import differs_in_value, lacks_value, turns_limit
from vista_stream.core.rules.restated import restated, told_measures
from vista_stream.core.text.plaintext import strip_markup
from vista_stream.retrieval.reference import sentence_spans
from vista_stream.verifiers.offload import offload_brief

_SURE = 0.95
"""Contradiction at least, by a passage of which the claim is a near copy with another value."""
_ABOUT_IT = 0.1
"""Neutral at most, by a passage that is about what the claim is about, though it says another thing."""
_CONVINCED = 0.8
"""Entailment by some passage from which on a copy that is only turned is left open: the sentence may be built
otherwise, as "to open it, turn it left" for "turn it left to open it"."""


async def in_evidence_words(claim: Prepared, pairs: Sequence[Pair]) -> Sequence[Pair]:
    """A claim's pairs, with its measures as each premise writes them (`restated`); in a thread."""
    own = told_measures(claim.text, claim.atoms)
    if not own:
        return pairs

    def restate() -> list[Pair]:
        return [replace(pair, hypothesis=restated(pair.hypothesis, own, pair.premise)) for pair in pairs]

    return await offload_brief(restate)


async def held_to_values(
    claim: Prepared,
    pairs: Sequence[Pair],
    scores: Sequence[Scores],
    *,
    elsewhere: Collection[float] = (),
) -> Sequence[Scores]:
    """The scores of a claim's pairs, corrected where the passages do not say what the claim says.

    A passage contradicts a claim that copies a sentence of it and differs in a value, a bound or a negation
    (`differs_in_copy`), or does not entail it where it may yet be true: where the claim leaves out an
    exception, or where the verifier is convinced of a claim that is only turned. It also contradicts one that
    has as the least what the passage has as the most (`turns_limit`), if both are about the same thing.

    Otherwise only entailments change, and only where some passage has another value (`differs_in_value`,
    `lacks_value`): a passage's entailment moves to contradiction if that passage has the other value and
    only one of the two values can hold. Otherwise it moves to neutral. Numbers of the claim that the
    references have anywhere are `elsewhere`, and count as found.

    A claim that was restated is held to its new words, in which its values can be read. The check runs in a
    thread, and only where a pair is rated entailed or contradicted.
    """
    if all(triple.neutral == max(triple) for triple in scores):
        return scores
    premises = [pair.premise for pair in pairs]
    told = next((pair.hypothesis for pair in pairs if pair.hypothesis != claim.text), None)
    return await offload_brief(corrected, prepare(told) if told else claim, premises, scores, elsewhere)


def _entails(scores: Scores) -> bool:
    return scores.entailment == max(scores)


def corrected(
    claim: Prepared, premises: Sequence[str], scores: Sequence[Scores], elsewhere: Collection[float]
) -> Sequence[Scores]:
    """As `held_to_values`, in the calling thread."""
    passages = [_sentences(premise) for premise in premises]
    everything = [sentence for passage in passages for sentence in passage]
    copied = differs_in_copy(claim, everything) is not None
    differs = differs_in_value(claim, everything) is not None
    lacks = lacks_value(claim, everything, elsewhere=elsewhere)
    turned = turns_limit(claim, everything)
    if not (copied or differs or lacks or turned):
        return scores
    convinced = any(triple.entailment >= _CONVINCED for triple in scores)
    return [
        _weighed(
            claim,
            passage,
            triple,
            copied=copied,
            convinced=convinced,
            other_limit=turned and turns_limit(claim, passage),
        )
        for passage, triple in zip(passages, scores, strict=True)
    ]


def _sentences(premise: str) -> list[Prepared]:
    return [prepare(strip_markup(premise[start:end]).text) for start, end in sentence_spans(premise)]


def _weighed(
    claim: Prepared,
    passage: Sequence[Prepared],
    scores: Scores,
    *,
    copied: bool,
    convinced: bool,
    other_limit: bool,
) -> Scores:
    entailment, neutral, contradiction = scores
    how = differs_in_copy(claim, passage) if copied else None
    about_it = neutral <= _ABOUT_IT
    if how == "contradicted" or (how == "turned" and not convinced) or (other_limit and about_it):
        sure = max(contradiction, _SURE)
        return Scores(0.0, 1 - sure, sure)
    if not _entails(scores):
        return scores
    if differs_in_value(claim, passage) == "contradicted":
        return Scores(0.0, neutral, entailment + contradiction)
    return Scores(neutral, entailment, contradiction)
