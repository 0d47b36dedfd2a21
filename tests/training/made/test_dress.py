import random

import pytest

from vista_stream.training.made.dress import (
    chatty,
    decapped,
    dressed,
    lengthened,
    listed,
    spoken,
    treebank,
    worn,
)
from vista_stream.training.made.edits import Made

CLAIM = "The harbour froze in 1893."
OTHERS = [f"Passage {number} speaks of {number} ships." for number in range(30)]


@pytest.mark.parametrize("seed", range(40))
def test_chat_words_leave_the_claim_in(seed: int) -> None:
    text = chatty(CLAIM, random.Random(seed))
    assert "harbour froze in 1893" in text
    assert ", The" not in text
    assert "that The" not in text


def test_only_common_opening_words_lose_their_capital() -> None:
    assert decapped("The harbour froze.") == "the harbour froze."
    assert decapped("Oslo froze.") == "Oslo froze."


@pytest.mark.parametrize("seed", range(10))
def test_a_long_premise_holds_the_evidence_and_keeps_to_its_length(seed: int) -> None:
    text = lengthened(CLAIM, OTHERS, random.Random(seed), words=40)
    assert CLAIM in text
    assert len(text.split()) <= 40
    items = listed(CLAIM, OTHERS, random.Random(seed)).split("\n")
    assert sum(CLAIM in item for item in items) == 1
    assert 2 <= len(items) <= 7


def test_a_speaker_is_named() -> None:
    assert spoken(CLAIM, random.Random(0)).endswith(CLAIM)
    assert spoken(CLAIM, random.Random(0)) != CLAIM


def test_treebank_spaces() -> None:
    assert (
        treebank("Oda (a potter), the mill's owner, left.") == "Oda ( a potter ) , the mill 's owner , left ."
    )


@pytest.mark.parametrize("seed", range(30))
def test_wear_leaves_numbers_and_names(seed: int) -> None:
    text = worn("While Oda was in Leeds, the harbour froze in 1893.", random.Random(seed)).lower()
    assert "1893" in text
    assert "oda" in text
    assert "leeds" in text


def test_a_dress_never_changes_label_or_edit() -> None:
    made = Made(CLAIM, "The harbour froze.", "entailment", "x")
    drawn = [dressed(made, OTHERS, random.Random(seed)) for seed in range(200)]
    assert {(pair.label, pair.edit) for pair in drawn} == {("entailment", "x")}
    assert 0.25 < sum(pair == made for pair in drawn) / 200 < 0.6
