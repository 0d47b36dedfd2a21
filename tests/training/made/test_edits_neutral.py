import random
from collections.abc import Callable

from vista_stream.training.made.edits_neutral import (
    Subjects,
    details,
    extra_detail,
    part_for_whole,
    same_subject,
    undecided,
    without_sentence,
)
from vista_stream.training.made.passages import Parsed

ONE = "Anna Brown was born in Leeds. The painter sold a large canvas to the museum."
TWO = "Anna Brown founded a school for blind children in Vienna."


def test_a_passage_without_the_sentence_does_not_decide_it(parsed: Callable[[str], Parsed]) -> None:
    made = list(without_sentence(parsed(ONE), random.Random(4)))
    assert {pair.label for pair in made} == {"neutral"}
    assert all(pair.hypothesis not in pair.premise for pair in made)
    assert len(made) == 2


def test_a_repeated_fact_is_not_called_undecided(parsed: Callable[[str], Parsed]) -> None:
    first, second = parsed("Anna Brown was born in Leeds. Anna Brown was born in Leeds.").sentences
    assert not undecided(first, second)


def test_another_passage_on_the_same_name_is_found(parsed: Callable[[str], Parsed]) -> None:
    one, two = parsed(ONE), parsed(TWO)
    made = [
        pair for seed in range(8) for pair in same_subject(one, Subjects([one, two]), random.Random(seed))
    ]
    assert made
    assert {(pair.premise, pair.label) for pair in made} == {(TWO, "neutral")}


def test_a_part_does_not_decide_the_whole(parsed: Callable[[str], Parsed]) -> None:
    made = list(part_for_whole(parsed("Anna Brown is a British singer born in the town of Leeds in May.")))
    assert [(pair.premise, pair.label) for pair in made] in ([("Anna Brown is a singer.", "neutral")], [])


def test_a_detail_is_open_unless_the_premise_holds_it(parsed: Callable[[str], Parsed]) -> None:
    assert details([parsed("The mill closed in 1871.")]) == ["in 1871"]
    open_, held = extra_detail(parsed("The painter sold a canvas."), ["in 1871"], random.Random(0))
    assert (open_.label, held.label) == ("neutral", "entailment")
    assert open_.hypothesis == held.hypothesis == held.premise == "The painter sold a canvas in 1871."
