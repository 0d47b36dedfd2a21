import random
from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.training.made.edits_negation import negated, negation_twins, quantifier_pairs

LONG = random.Random(1)


class Plain(random.Random):
    """Never takes the short form."""

    def random(self) -> float:
        return 0.9


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("The mill was built in Leeds.", "The mill was not built in Leeds."),
        ("Oda wrote three novels.", "Oda did not write three novels."),
        ("The river flows north.", "The river does not flow north."),
        ("Oslo is the capital of Norway.", "Oslo is not the capital of Norway."),
        ("The mill was never built.", None),
        ("Oda was born in Leeds and died in York.", None),
    ],
)
def test_the_main_verb_is_negated_or_the_sentence_left(
    sentence: Callable[[str], Span], text: str, turned: str | None
) -> None:
    assert negated(sentence(text), Plain()) == turned


def test_negated_and_plain_premises_answer_each_other(sentence: Callable[[str], Span]) -> None:
    text = "The mill was built in Leeds."
    made = list(negation_twins(f"{text} It burnt.", sentence(text), text, Plain()))
    assert [pair.label for pair in made] == ["entailment", "contradiction", "entailment", "contradiction"]
    assert made[3].premise == "The mill was not built in Leeds. It burnt."
    assert made[3].hypothesis == text


def test_quantifiers_follow_their_table(sentence: Callable[[str], Span]) -> None:
    text = "All members pay a small fee."
    made = {}
    for seed in range(30):
        for pair in quantifier_pairs(text, sentence(text), random.Random(seed)):
            made[pair.premise.split()[0], pair.hypothesis.split()[0]] = pair.label
    assert made["All", "Some"] == "entailment"
    assert made["Some", "All"] == "neutral"
    assert made["No", "Some"] == "contradiction"
    assert ("Some", "Some") not in made


def test_a_sentence_without_a_leading_quantifier_gives_none(sentence: Callable[[str], Span]) -> None:
    text = "The members pay a small fee."
    assert not list(quantifier_pairs(text, sentence(text), random.Random(0)))
