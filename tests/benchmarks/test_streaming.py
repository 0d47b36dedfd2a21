import asyncio

from benchmarks.streaming import Case, Outcome, curve, guard, recall_at, summary

REFERENCE = "The harbour of Lund was dug in 1874. It was closed in 1962."


def outcome(false: bool, height: float) -> Outcome:
    return Outcome(false=false, rule=False, flagged=height > 0.5, height=height, any_height=height)


def test_a_falsified_answer_is_flagged_and_a_right_one_is_not():
    wrong = Case(REFERENCE, "The harbour of Lund was dug in 1784.", "When was it dug?", True)
    found = asyncio.run(guard(wrong))
    assert found.flagged
    assert found.rule
    right = Case(REFERENCE, "The harbour of Lund was dug in 1874.", "When was it dug?", False)
    assert not asyncio.run(guard(right)).flagged


def test_recall_counts_what_lies_above_the_allowed_right_answers():
    right = [outcome(False, height / 100) for height in range(100)]
    wrong = [outcome(True, 0.975), outcome(True, 0.99), outcome(True, 0.5), outcome(True, 0.96)]
    assert recall_at(right + wrong, 0.02) == 0.5
    assert recall_at(right + wrong, 0.05) == 0.75
    figures = summary(right + wrong)
    assert figures["block recall at 2% false blocks"] == 50.0
    assert figures["blocked right answers"] == 49.0


def test_the_curve_runs_from_much_to_little() -> None:
    outcomes = [outcome(False, 0.1), outcome(False, 0.7), outcome(True, 0.5), outcome(True, 0.9)]
    points = curve(outcomes)
    assert points[0] == {"threshold": 0.02, "false blocks": 100.0, "block recall": 100.0}
    at_60 = next(point for point in points if point["threshold"] == 0.6)
    assert at_60 == {"threshold": 0.6, "false blocks": 50.0, "block recall": 50.0}
    assert points[-1] == {"threshold": 1.0, "false blocks": 0.0, "block recall": 0.0}
