import random
import re
from collections import Counter, defaultdict

import pytest

from vista_stream.training.made.terms import terms


def made(seed: int, count: int = 400):
    return list(terms(random.Random(seed), count=count))


def test_the_same_seed_gives_the_same_pages() -> None:
    assert made(3) == made(3)
    assert made(3) != made(4)


def test_every_kind_of_claim_is_made_with_every_label_it_has() -> None:
    labels = defaultdict(Counter)
    for pair in made(0, 3000):
        labels[pair.edit][pair.label] += 1
    for edit in ("compared", "bound", "most", "exception"):
        assert set(labels[f"terms_{edit}"]) == {"entailment", "contradiction"}
    for edit in ("cell", "rule", "joined"):
        assert set(labels[f"terms_{edit}"]) == {"entailment", "neutral", "contradiction"}


def test_the_claim_alone_does_not_tell_its_label() -> None:
    kinds = ("cell", "rule", "compared", "bound", "most", "exception")
    by_words = defaultdict(Counter)
    for pair in made(1, 20_000):
        if pair.edit.removeprefix("terms_") in kinds and pair.label != "neutral":
            by_words[re.sub(r"\d[\d:.]*", "#", pair.hypothesis)][pair.label] += 1
    often = [labels for labels in by_words.values() if labels.total() >= 15]
    assert len(often) > 20
    assert sum(max(labels.values()) for labels in often) < 0.75 * sum(labels.total() for labels in often)


@pytest.mark.parametrize("seed", range(5))
def test_no_page_or_claim_holds_what_was_to_be_filled_in(seed: int) -> None:
    for pair in made(seed):
        assert not set("{}") & set(pair.premise + pair.hypothesis)


def test_labels_are_what_the_page_says() -> None:
    """Read back from the pages that are lists of fields: prices of plans."""
    checked = Counter()
    for pair in made(2, 60_000):
        claim = re.fullmatch(
            r"(Basic|Standard|Plus|Pro|Team|Premium|Starter) costs €(\d+) a month\.", pair.hypothesis
        )
        if claim is None or "###" not in pair.premise:
            continue
        section = re.search(rf"### {claim[1]}\n((?:.+\n?)*)", pair.premise)
        price = section and re.search(r"Price per month: \D*(\d+)", section[1])
        expected = "neutral" if not price else "entailment" if price[1] == claim[2] else "contradiction"
        assert pair.label == expected
        checked[expected] += 1
    assert len(checked) == 3
