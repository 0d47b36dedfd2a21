"""Makes neutral pairs: evidence about the same subject that does not decide the claim."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Made, substitute
from vista_stream.training.made.edits_negation import negated
from vista_stream.training.made.edits_parts import claims
from vista_stream.training.made.edits_values import changes
from vista_stream.training.made.passages import Parsed

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_CONTENT: Final = frozenset({"NOUN", "PROPN", "VERB", "NUM", "ADJ"})


class Subjects:
    """Passages of a corpus by the names in them, to find others about the same subject."""

    def __init__(self, corpus: Sequence[Parsed]) -> None:
        self._about: dict[str, list[Parsed]] = defaultdict(list)
        for parsed in corpus:
            for name in dict.fromkeys(name.text for name in parsed.doc.ents if _naming(name)):
                self._about[name].append(parsed)

    def other(self, parsed: Parsed, sentence: Span, rng: random.Random) -> Parsed | None:
        """Return another passage that shares a name with the sentence and does not decide it."""
        for name in sentence.ents:
            candidates = self._about.get(name.text, []) if _naming(name) else []
            if 1 < len(candidates) < 60:
                other = rng.choice(candidates)
                if other is not parsed and undecided(other.doc, sentence, least=0.45):
                    return other
        return None


def undecided(premise: Doc | Span, claim: Span, *, least: float = 0.34, words: int = 2) -> bool:
    """Whether the premise lacks at least `words` of the claim's content words, and the share `least`."""
    known = {token.lemma_.lower() for token in premise} | {token.lower_ for token in premise}
    content = [token for token in claim if token.pos_ in _CONTENT and not token.is_stop]
    new = [token for token in content if token.lemma_.lower() not in known and token.lower_ not in known]
    return len(new) >= words and len(new) >= least * len(content)


def without_sentence(parsed: Parsed, rng: random.Random) -> Iterator[Made]:
    """Yield a passage without one sentence, with that sentence as the claim, sometimes changed.

    This way changed and negated claims also occur as neutral ones, not only as contradicted or entailed ones.
    """
    for sentence in parsed.sentences:
        others = [other for other in parsed.doc.sents if other.start != sentence.start]
        if sentence[0].pos_ == "PRON" or not others:
            continue
        if all(undecided(other, sentence) for other in others):
            rest = " ".join(other.text.strip() for other in others)
            yield Made(rest, _turned(sentence, rng), "neutral", "without_sentence")


def _turned(sentence: Span, rng: random.Random) -> str:
    """Return the sentence, sometimes with a value changed, sometimes negated."""
    draw = rng.random()
    if draw < 0.15:
        return negated(sentence, rng) or sentence.text
    found = changes(sentence.text, rng) if draw < 0.5 else []
    for change in found[:1]:
        return substitute(sentence.text, change.old, change.new)
    return sentence.text


def same_subject(parsed: Parsed, subjects: Subjects, rng: random.Random) -> Iterator[Made]:
    """Yield a sentence as the claim and, as the premise, another passage that shares a name with it."""
    for sentence in parsed.sentences:
        other = subjects.other(parsed, sentence, rng)
        if other is not None and sentence[0].pos_ != "PRON":
            yield Made(other.doc.text, sentence.text, "neutral", "same_subject")


def part_for_whole(parsed: Parsed) -> Iterator[Made]:
    """Yield a claim taken out of a sentence as the premise, and the whole sentence as the claim."""
    for sentence in parsed.sentences:
        for edit, claim in claims(sentence):
            if len(claim.split()) <= 0.7 * len(sentence.text.split()):
                yield Made(claim, sentence.text, "neutral", f"part_{edit}")


def extra_detail(parsed: Parsed, details: Sequence[str], rng: random.Random) -> Iterator[Made]:
    """Yield claims with a detail that the premise lacks, and the same claims with premises that have it."""
    text = parsed.doc.text
    for sentence in parsed.sentences:
        if text.count(sentence.text) != 1 or not details or len(sentence) > 30:
            continue
        more = f"{sentence.text.rstrip('.')} {rng.choice(details)}."
        if not any(name.label_ == "DATE" for name in sentence.ents):
            yield Made(text, more, "neutral", "extra_detail")
            yield Made(text.replace(sentence.text, more), more, "entailment", "extra_detail_twin")


def details(corpus: Sequence[Parsed]) -> list[str]:
    """Return short phrases of time and place of a corpus that can stand at the end of a sentence."""
    found: dict[str, None] = {}
    for parsed in corpus:
        for sentence in parsed.sentences:
            for token in sentence:
                phrase = sentence.doc[token.i : token.right_edge.i + 1]
                timed = any(c.dep_ == "pobj" and c.ent_type_ == "DATE" for c in token.children)
                ends = phrase.end == sentence.end - 1
                if (
                    token.dep_ == "prep"
                    and token.lower_ in {"in", "on", "since"}
                    and timed
                    and ends
                    and len(phrase) <= 4
                ):
                    found[phrase.text] = None
    return list(found)


def _naming(name: Span) -> bool:
    return (
        name.label_ in {"PERSON", "ORG", "GPE", "WORK_OF_ART", "FAC", "EVENT", "LOC"} and len(name.text) > 4
    )
