"""The pair generator: makes labelled pairs by rule from texts whose licence allows shipping weights.

Each edit that makes a claim false has a twin: a pair with the same change in the premise. Both wordings of
the claim then occur once entailed and once not, so that the claim does not reveal the label.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vista_stream.core.text.typography import plain
from vista_stream.training.made import edits_names, edits_values
from vista_stream.training.made.dress import dressed, treebank
from vista_stream.training.made.edits import Made, apply
from vista_stream.training.made.edits_cells import reckoned
from vista_stream.training.made.edits_names import Names
from vista_stream.training.made.edits_negation import negation_twins, quantifier_pairs
from vista_stream.training.made.edits_neutral import (
    Subjects,
    details,
    extra_detail,
    part_for_whole,
    same_subject,
    without_sentence,
)
from vista_stream.training.made.edits_paraphrase import paraphrase, reworded
from vista_stream.training.made.edits_parts import claims, resolved, shortened
from vista_stream.training.made.edits_swaps import swaps
from vista_stream.training.made.edits_tables import cell_pairs, rewritten, table
from vista_stream.training.made.edits_talk import talk
from vista_stream.training.made.lexicon import word_set
from vista_stream.training.made.passages import ENCYCLOPEDIC, Parsed, Passage, gather, parse
from vista_stream.training.made.terms import terms
from vista_stream.training.rows import NOT_STATED, Label, Row

if TYPE_CHECKING:
    from spacy.tokens import Span

_SENTENCES: Final = 26_000
"""How many sentences are parsed at most."""
_SHARE: Final = 0.08
"""The largest share of the pairs that one edit may have."""
_LABELS: Final[dict[Label, float]] = {
    "entailment": 0.45,
    "contradiction": 0.265,
    "neutral": 0.22,
    "not_entailment": 0.13,
}
"""The largest share of the pairs that one label may have."""
_TALK: Final = 6_000
_TERMS: Final = 9_000
_OWN: Final = "Apache-2.0"
"""Licence of pairs that are made from this project's own word lists alone."""


def generate(rows: Sequence[Row], *, seed: int, limit: int, cache: Path | None = None) -> Iterator[Row]:
    """Yield at most `limit` pairs made from the texts of `rows`, with `source="generated:<edit>"`.

    Each pair keeps the licence of its text. The same rows, seed and limit give the same pairs. `cache` is a
    folder that keeps parses. Raises ValueError for a limit below 1, or rows whose licence is not stated.
    """
    if limit < 1:
        raise ValueError(f"limit must be 1 or more, not {limit}")
    if any(row.licence == NOT_STATED for row in rows):
        raise ValueError("rows must have a licence that allows shipping weights: see rows.load")
    rng = random.Random(seed)
    corpus = list(parse(_drawn(gather(rows), rng), cache=cache))
    made = [*_from_texts(corpus, rng), *_from_people(rows, rng)]
    made += [(pair, _OWN) for pair in (*talk(rng, count=_TALK), *terms(rng, count=_TERMS))]
    rng.shuffle(made)
    yield from _spread(made, limit)


def _drawn(passages: list[Passage], rng: random.Random) -> list[Passage]:
    """Draw passages up to about the number of sentences that can be parsed, encyclopedic ones first."""
    rng.shuffle(passages)
    passages.sort(key=lambda passage: passage.source not in ENCYCLOPEDIC)
    drawn, sentences = [], 0
    for passage in passages:
        sentences += passage.text.count(". ") + 1
        if sentences > _SENTENCES:
            break
        drawn.append(passage)
    return drawn


def _spread(made: Iterable[tuple[Made, str]], limit: int) -> Iterator[Row]:
    """Yield at most `limit` different pairs, in order; an edit or a label has at most its share of them."""
    seen: set[tuple[str, str]] = set()
    edits, labels = Counter[str](), Counter[str]()
    for (premise, hypothesis, label, edit), licence in made:
        if len(seen) == limit:
            return
        full = edits[edit] >= max(20, _SHARE * limit) or labels[label] >= max(20, _LABELS[label] * limit)
        if not full and premise and hypothesis and (premise, hypothesis) not in seen:
            seen.add((premise, hypothesis))
            edits[edit] += 1
            labels[label] += 1
            yield Row(premise, hypothesis, label, f"generated:{edit}", licence)


def _from_texts(corpus: Sequence[Parsed], rng: random.Random) -> Iterator[tuple[Made, str]]:
    """Yield pairs made from parsed passages, some of them in another form (`dress`)."""
    others = _by_source(corpus)
    corpora = _Corpora(Names(corpus), Subjects(corpus), details(corpus))
    for parsed in corpus:
        for made in _undressed(parsed, corpora, rng):
            yield dressed(made, others[parsed.passage.source], rng), parsed.passage.licence
        for made in _word_order(parsed, rng):
            yield made, parsed.passage.licence


class _Corpora(NamedTuple):
    names: Names
    subjects: Subjects
    details: list[str]


def _by_source(corpus: Sequence[Parsed]) -> dict[str, list[str]]:
    others: dict[str, list[str]] = {}
    for parsed in corpus:
        others.setdefault(parsed.passage.source, []).append(parsed.passage.text)
    return others


def _undressed(parsed: Parsed, corpora: _Corpora, rng: random.Random) -> Iterator[Made]:
    yield from _entailed(parsed, rng)
    yield from _values(parsed, rng)
    yield from _changed_names(parsed, corpora.names, rng)
    yield from without_sentence(parsed, rng)
    yield from same_subject(parsed, corpora.subjects, rng)
    yield from part_for_whole(parsed)
    yield from extra_detail(parsed, corpora.details, rng)
    for sentence in parsed.sentences:
        yield from negation_twins(parsed.doc.text, sentence, reworded(sentence, rng), rng)
        yield from quantifier_pairs(parsed.doc.text, sentence, rng)
        yield from _undecided(parsed, sentence)


def _entailed(parsed: Parsed, rng: random.Random) -> Iterator[Made]:
    text = parsed.doc.text
    for sentence in parsed.sentences:
        if len(parsed.sentences) > 1 and sentence[0].pos_ not in {"PRON", "CCONJ", "SCONJ"}:
            yield Made(text, sentence.text, "entailment", "sentence")
        move = paraphrase(sentence, rng)
        if move is not None:
            yield Made(text, apply(sentence.text, move.edits), "entailment", f"paraphrase_{move.name}")
        for edit, claim in claims(sentence):
            yield Made(text, claim, "entailment", f"claim_{edit}")
    for premise, claim in resolved(parsed):
        yield Made(premise, claim, "entailment", "resolved")


def _bases(parsed: Parsed, rng: random.Random) -> Iterator[str]:
    """Yield claims that the passage entails: sentences, paraphrases, parts."""
    for sentence in parsed.sentences:
        parts = [claim for _, claim in claims(sentence)]
        yield rng.choice(parts) if parts and rng.random() < 0.5 else reworded(sentence, rng)
    for _, claim in resolved(parsed):
        yield claim


def _values(parsed: Parsed, rng: random.Random) -> Iterator[Made]:
    for base in _bases(parsed, rng):
        found = edits_values.changes(base, rng)
        for change in rng.sample(found, min(2, len(found))):
            yield from edits_values.twins(parsed.doc.text, base, change)


def _changed_names(parsed: Parsed, names: Names, rng: random.Random) -> Iterator[Made]:
    found = list(edits_names.changes(parsed.doc, names, rng))
    bases = list(_bases(parsed, rng))
    for change, label in rng.sample(found, min(2, len(found))):
        for base in bases:
            yield from edits_names.twins(parsed.doc.text, base, change, label)


def _undecided(parsed: Parsed, sentence: Span) -> Iterator[Made]:
    """Yield a premise that says less than the claim, and a twin in which the claim says less."""
    text = parsed.doc.text
    for _, shorter in list(shortened(sentence))[:2]:
        less = text.replace(sentence.text, shorter)
        if text.count(sentence.text) == 1:
            yield Made(less, sentence.text, "neutral", "says_less")
            yield Made(text, shorter, "entailment", "says_less_twin")


def _word_order(parsed: Parsed, rng: random.Random) -> Iterator[Made]:
    """Yield pairs of a sentence with its paraphrase, and with itself after two phrases were exchanged."""
    for sentence in parsed.sentences:
        if not 8 <= len(sentence) <= 40:
            continue
        dress: Callable[[str], str] = treebank if rng.random() < 0.35 else str
        same = list(_same(sentence, rng))
        for premise, hypothesis, label, edit in [*same, *_exchanged(sentence, rng, most=3 if same else 1)]:
            yield Made(dress(premise), dress(hypothesis), label, edit)


def _same(sentence: Span, rng: random.Random) -> Iterator[Made]:
    for most in (1, 4):
        move = paraphrase(sentence, rng, most=most)
        if move is not None:
            said = apply(sentence.text, move.edits)
            yield Made(sentence.text, said, "entailment", f"order_{move.name}")
            yield Made(said, sentence.text, "entailment", f"order_{move.name}")


def _exchanged(sentence: Span, rng: random.Random, *, most: int) -> Iterator[Made]:
    """Yield the sentence with its exchanged form, and that form with its own paraphrase."""
    found = list(swaps(sentence))
    for move, label in rng.sample(found, min(most, len(found))):
        swapped = apply(sentence.text, move.edits)
        kept = paraphrase(sentence, rng, keep=move.edits)
        both = apply(sentence.text, kept.edits) if kept else swapped
        yield Made(sentence.text, rng.choice((swapped, both)), label, move.name)
        yield Made(both, sentence.text, label, move.name)
        if kept:
            yield Made(swapped, both, "entailment", f"{move.name}_twin")
            yield Made(both, swapped, "entailment", f"{move.name}_twin")


_REDRESSED: Final = word_set(
    "fever_rte_dev fever_swap fm2_dev factcheck_gpt_stance begin_v1_test halueval_qa scifact_rte "
    "wikisplit_pairs wice_dev"
)
"""Sources whose pairs are used a second time in another form (`dress`)."""


def _from_people(rows: Sequence[Row], rng: random.Random) -> Iterator[tuple[Made, str]]:
    """Yield twins of entailed pairs that people wrote, and people's pairs in other forms."""
    yield from rewritten(rows, rng)
    tables = {row.premise: row.licence for row in rows if row.source == "infotabs"}
    read = [table(premise, licence) for premise, licence in tables.items()]
    given = [read_table for read_table in read if read_table is not None]
    yield from cell_pairs(given, rng)
    yield from reckoned(given, rng)
    others: dict[str, list[str]] = {}
    for row in rows:
        if row.source in _REDRESSED and len(row.premise.split()) < 90:
            others.setdefault(row.source, []).append(plain(row.premise))
    for row in rows:
        yield from ((made, row.licence) for made in _from_pair(row, others, rng))


def _from_pair(row: Row, others: dict[str, list[str]], rng: random.Random) -> Iterator[Made]:
    premise, hypothesis = plain(row.premise), plain(row.hypothesis)
    question = hypothesis.rfind("?")
    if row.label == "entailment" and not edits_values.HEDGES.search(hypothesis):
        found = edits_values.changes(hypothesis, rng)
        for change in [change for change in found if hypothesis.find(change.old) > question][:1]:
            yield from edits_values.twins(premise, hypothesis, change)
    if row.source in _REDRESSED and (question < 0 or row.source != "halueval_qa"):
        made = Made(premise, hypothesis, row.label, "redressed")
        worn = dressed(made, others.get(row.source, []), rng)
        if worn != made:
            yield worn
