"""Chooses the rows that a verifier is fitted on: every source up to a cap, few long premises."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vista_stream.core.text.typography import plain
from vista_stream.training.rows import NOT_STATED, OWN, Row

CAPS: Mapping[str, int] = {
    "begin_v1_test": 4041,
    "boolq_dev": 600,
    "breaking_nli": 900,
    "cad_nli": 4500,
    "ci_tod": 250,
    "conjnli_adversarial": 1200,
    "dnc_megaveridicality": 250,
    "dnc_winogender": 250,
    "drop_nli": 150,
    "factcheck_gpt_stance": 1000,
    "fever_rte_dev": 9500,
    "fever_swap": 800,
    "function_words_nli": 800,
    "halueval_dialogue": 700,  # no entailed rows: more would teach the form of its evidence, not the label
    "halueval_qa": 3200,
    "hans": 1200,
    "help": 500,
    "infotabs": 3600,
    "med": 700,
    "mnli_dev_matched": 5500,
    "negation_nli": 1800,
    "snli_dev_test": 5000,
    "summedits_evalsplit": 200,
    "tabfact_val": 200,
    "taxinli": 1500,
    "wikisplit_pairs": 2000,
    "generated:antonym": 700,
    "generated:antonym_twin": 600,
    "generated:cell": 300,
    "generated:cell_missing": 200,
    "generated:cell_twin": 300,
    "generated:claim_attribute": 250,
    "generated:claim_predicate_first": 150,
    "generated:claim_predicate_second": 100,
    "generated:comparison": 200,
    "generated:comparison_twin": 180,
    "generated:date": 550,
    "generated:date_twin": 480,
    "generated:extra_detail": 250,
    "generated:extra_detail_twin": 220,
    "generated:name": 700,
    "generated:name_twin": 600,
    "generated:negation": 550,
    "generated:negation_twin": 480,
    "generated:number": 600,
    "generated:number_twin": 520,
    "generated:order_born": 400,
    "generated:order_coordination": 1000,
    "generated:order_date_form": 800,
    "generated:order_synonym": 2000,
    "generated:paraphrase_born": 80,
    "generated:paraphrase_clause": 80,
    "generated:paraphrase_coordination": 80,
    "generated:paraphrase_date_form": 80,
    "generated:paraphrase_digits": 60,
    "generated:paraphrase_list": 60,
    "generated:paraphrase_synonym": 200,
    "generated:order_clause": 700,
    "generated:order_list": 600,
    "generated:part_attribute": 250,
    "generated:part_predicate_first": 150,
    "generated:part_predicate_second": 100,
    "generated:redressed": 600,
    "generated:same_subject": 250,
    "generated:says_less": 250,
    "generated:says_less_twin": 230,
    "generated:sentence": 250,
    "generated:swap_adjective": 1900,
    "generated:swap_adjective_twin": 600,
    "generated:swap_name": 3000,
    "generated:swap_name_twin": 900,
    "generated:swap_noun": 3200,
    "generated:swap_noun_twin": 900,
    "generated:swap_date": 600,
    "generated:table_form": 600,
    "generated:without_sentence": 280,
}
"""Most rows of each source; a source that is not named here gives all its rows."""

_WORD_ORDER = ("generated:order", "generated:swap")
REFINING: Mapping[str, int] = {
    **{source: cap // 3 for source, cap in CAPS.items()},
    **{source: cap // 2 for source, cap in CAPS.items() if source.startswith(_WORD_ORDER)},
    "begin_v1_test": 2000,
    "boolq_dev": 900,
    "cad_nli": 4500,
    "drop_nli": 250,
    "factcheck_gpt_stance": 1587,
    "fever_rte_dev": 3500,
    "halueval_dialogue": 350,
    "infotabs": 11_000,
    "mnli_dev_matched": 2400,
    "summedits_evalsplit": 600,
    "tabfact_val": 400,
    "taxinli": 1000,
    "generated:order": 200,
    "generated:order_digits": 300,
    "generated:order_twin": 150,
    "generated:quantifier": 150,
    "generated:redressed": 400,
    "generated:sentence": 300,
    "generated:talk": 700,
    "generated:talk_twin": 600,
    "generated:talk_undecided": 400,
    "generated:unit": 120,
    "generated:unit_twin": 100,
    "generated:without_sentence": 300,
}
"""Most rows of each source when a fitted model is refined: long premises, tables, and some of all else."""

_LONG = 100
"""Words of premise and hypothesis above which few rows are kept: a row costs twice the time or more."""
_TOO_LONG = 280
"""Words above which a pair is truncated at the token limit, so that its label may be wrong."""
_DEVELOPMENT = 40
"""One document in so many is set aside, whole, for development."""


def mixture(rows: Sequence[Row], *, seed: int, refining: bool = False) -> list[Row]:
    """Cleaned rows in the order in which they are trained on; the same rows and seed give the same list.

    A first fit takes few rows with long premises, since they cost twice the time or more. Refining takes them
    like others. A user's own rows, which have no source, are all kept.

    Raises ValueError for a row whose licence is not stated: shipped weights must not be trained on it.
    """
    chance = random.Random(seed)
    caps, share = (REFINING, _refining_share) if refining else (CAPS, _share)
    shuffled = [_cleaned(row) for row in rows]
    chance.shuffle(shuffled)
    seen: set[tuple[str, str]] = set()
    kept: list[Row] = []
    counts: Counter[str] = Counter()
    for row in shuffled:
        pair = (row.premise, row.hypothesis)
        if pair in seen or counts[row.source] >= caps.get(row.source, len(rows)):
            continue
        words = len(row.premise.split()) + len(row.hypothesis.split())
        if row.source != OWN and chance.random() >= share(words):
            continue
        seen.add(pair)
        counts[row.source] += 1
        kept.append(row)
    return kept


def split(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows to train on, and development rows, split by document: no premise's opening is on both sides."""
    learnt: list[Row] = []
    development: list[Row] = []
    for row in rows:
        digest = hashlib.sha256(row.premise[:80].encode()).digest()
        (development if digest[0] * 256 + digest[1] < 65_536 // _DEVELOPMENT else learnt).append(row)
    return learnt, development


def _share(words: int) -> float:
    """The share of rows of this length that a fit keeps."""
    if words <= _LONG:
        return 1.0
    return 0.12 if words < 260 else 0.03


def _refining_share(words: int) -> float:
    """The share of rows of this length that refining keeps: all that are not truncated."""
    return 0.0 if words > _TOO_LONG else 1.0


def _cleaned(row: Row) -> Row:
    if row.licence == NOT_STATED:
        raise ValueError(f"a row of {row.source} has no licence that allows shipping weights")
    return replace(row, premise=plain(row.premise), hypothesis=plain(row.hypothesis))
