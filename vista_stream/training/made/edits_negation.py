"""Inserts negation and exchanges quantifiers, with premises changed in the same way."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Made
from vista_stream.training.made.lexicon import word_set
from vista_stream.training.rows import Label

if TYPE_CHECKING:
    from spacy.tokens import Span

_CARRIERS: Final = word_set("is are was were has had have can could will would does did")
_SHORT: Final = {"can": "can't", "will": "won't"}
_NEGATIVE: Final = re.compile(
    r"\b(?:not|never|no|none|nor|neither|only|few|hardly|without)\b|n't", re.IGNORECASE
)


def negated(sentence: Span, rng: random.Random) -> str | None:
    """Return the sentence with its main verb negated, or None where that is not safe."""
    root = sentence.root
    if _NEGATIVE.search(sentence.text) or any(
        token.dep_ in {"conj", "advcl", "ccomp"} for token in root.children
    ):
        return None
    carrier = next((token for token in root.lefts if token.dep_ in {"aux", "auxpass"}), root)
    short = rng.random() < 0.35
    start = carrier.idx - sentence.start_char
    before, after = sentence.text[:start], sentence.text[start + len(carrier) :]
    if carrier.lower_ in _CARRIERS and (carrier is not root or root.lemma_ == "be"):
        verb = _SHORT.get(carrier.lower_, f"{carrier.text}n't") if short else f"{carrier.text} not"
        return before + verb + after
    support = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(root.tag_)
    if carrier is not root or support is None or not root.lemma_.islower():
        return None
    return before + (f"{support}n't" if short else f"{support} not") + f" {root.lemma_}" + after


def negation_twins(passage: str, sentence: Span, claim: str, rng: random.Random) -> Iterator[Made]:
    """Yield pairs of a passage and its sentence, plain and negated; `claim` means what the sentence means."""
    turned = negated(sentence, rng)
    if turned is None or passage.count(sentence.text) != 1:
        return
    other = passage.replace(sentence.text, turned)
    yield Made(passage, claim, "entailment", "negation_twin")
    yield Made(passage, turned, "contradiction", "negation")
    yield Made(other, turned, "entailment", "negation_twin")
    yield Made(other, claim, "contradiction", "negation")


_QUANTIFIED: Final = re.compile(r"^(All|Some|Most|Many|No|Several|Few) (?!other|more|longer|such)(?=[a-z]+ )")
_FOLLOWS: Final[dict[tuple[str, str], Label]] = {
    ("All", "Some"): "entailment",
    ("All", "Most"): "entailment",
    ("Most", "Some"): "entailment",
    ("Many", "Some"): "entailment",
    ("Several", "Some"): "entailment",
    ("Some", "All"): "neutral",
    ("Most", "All"): "neutral",
    ("Many", "All"): "neutral",
    ("Some", "Most"): "neutral",
    ("All", "No"): "contradiction",
    ("Some", "No"): "contradiction",
    ("Most", "No"): "contradiction",
    ("No", "Some"): "contradiction",
    ("No", "All"): "contradiction",
    ("No", "Many"): "contradiction",
    ("Few", "Most"): "contradiction",
    ("Most", "Few"): "contradiction",
    ("All", "Few"): "contradiction",
}


def quantifier_pairs(passage: str, span: Span, rng: random.Random) -> Iterator[Made]:
    """Yield pairs whose premise and claim differ in the quantifier that opens the sentence."""
    sentence, match = span.text, _QUANTIFIED.match(span.text)
    if span[0].head.tag_ != "NNS" or span[0].dep_ not in {"det", "amod"}:
        return
    if match is None or _NEGATIVE.search(sentence[match.end() :]) or passage.count(sentence) != 1:
        return
    rest = sentence[match.end() :]
    for (given, asked), label in rng.sample(sorted(_FOLLOWS.items()), 10):
        premise = passage.replace(sentence, f"{given} {rest}")
        yield Made(premise, f"{asked} {rest}", label, "quantifier")
