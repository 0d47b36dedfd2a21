import random

from vista_stream.training.made.edits_talk import talk


def test_claims_about_speakers_are_answered_by_what_was_said() -> None:
    made = list(talk(random.Random(0), count=400))
    assert {pair.label for pair in made} == {"entailment", "contradiction", "neutral"}
    for pair in made:
        assert pair.hypothesis.startswith(("The assistant", "The user"))
        value = pair.hypothesis.rstrip(".").split()[-1]
        if pair.label == "entailment":
            assert value in pair.premise


def test_each_claim_of_a_twin_comes_with_both_answers() -> None:
    pairs = [pair for pair in talk(random.Random(1), count=200) if pair.edit != "talk_undecided"]
    for start in range(0, len(pairs), 4):
        right, wrong, denied, other = pairs[start : start + 4]
        assert right.hypothesis == other.hypothesis
        assert wrong.hypothesis == denied.hypothesis
        assert right.label == wrong.label == "entailment" != denied.label
