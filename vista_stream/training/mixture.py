"""Which rows a verifier is fitted on: every source up to a cap, long premises rarely."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vista_stream.training.rows import NOT_STATED, Row, clean

CAPS: Mapping[str, int] = {
    "begin_v1_test": 3500,
    "boolq_dev": 900,
    "breaking_nli": 900,
    "cad_nli": 4500,
    "conjnli_adversarial": 1200,
    "factcheck_gpt_stance": 900,
    "fever_rte_dev": 8000,
    "fever_swap": 2600,
    "halueval_dialogue": 1200,  # no entailed rows: more would teach the look of its evidence
    "halueval_qa": 5000,
    "hans": 1200,
    "help": 400,
    "infotabs": 4500,
    "med": 700,
    "mnli_dev_matched": 4500,
    "negation_nli": 1500,
    "snli_dev_test": 4500,
    "taxinli": 1800,
    "generated:antonym": 1500,
    "generated:antonym_twin": 1400,
    "generated:date": 1500,
    "generated:date_twin": 1300,
    "generated:name": 1800,
    "generated:name_twin": 1500,
    "generated:negation": 1200,
    "generated:negation_twin": 1100,
    "generated:number": 1700,
    "generated:number_twin": 1500,
    "generated:order_synonym": 3300,
    "generated:redressed": 1500,
    "generated:swap_name": 3300,
    "generated:swap_noun": 4200,
    "generated:table_form": 900,
    "generated:talk": 1800,
    "generated:talk_twin": 1800,
}
"""Rows a source at most; a source not named here gives what it has."""

_LONG = 115
"""Words of premise and hypothesis together from which a row is kept rarely: it costs twice and more."""
_DEVELOPMENT = 40
"""One document in so many is set aside, whole, for development."""


def mixture(rows: Sequence[Row], *, seed: int, caps: Mapping[str, int] = CAPS) -> list[Row]:
    """Cleaned rows in the order they are learnt from; the same rows and seed give the same list.

    Raises ValueError for a row whose licence is not stated: weights to be shipped must not know it.
    """
    chance = random.Random(seed)
    shuffled = [_cleaned(row) for row in rows]
    chance.shuffle(shuffled)
    seen: set[tuple[str, str]] = set()
    kept: list[Row] = []
    counts: Counter[str] = Counter()
    for row in shuffled:
        pair = (row.premise, row.hypothesis)
        if pair in seen or counts[row.source] >= caps.get(row.source, len(rows)):
            continue
        if chance.random() >= _share(len(row.premise.split()) + len(row.hypothesis.split())):
            continue
        seen.add(pair)
        counts[row.source] += 1
        kept.append(row)
    return kept


def split(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows to learn from and rows to develop on, by document: no premise's opening is on both sides."""
    learnt: list[Row] = []
    development: list[Row] = []
    for row in rows:
        digest = hashlib.sha256(row.premise[:80].encode()).digest()
        (development if digest[0] * 256 + digest[1] < 65_536 // _DEVELOPMENT else learnt).append(row)
    return learnt, development


def _share(words: int) -> float:
    """The share of rows of this length that is kept."""
    if words <= _LONG:
        return 1.0
    return 0.12 if words < 260 else 0.03


def _cleaned(row: Row) -> Row:
    if row.licence == NOT_STATED:
        raise ValueError(f"a row of {row.source} has no licence that allows shipping weights")
    return replace(row, premise=clean(row.premise), hypothesis=clean(row.hypothesis))
