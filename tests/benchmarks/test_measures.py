from benchmarks.evaluation_sets import Row
from benchmarks.long_texts import TAUGHT
from benchmarks.measures import bins, sliced, summary, three_way, two_way
from vista_stream.claims import Scores

YES, OPEN, NO = Scores(0.8, 0.15, 0.05), Scores(0.2, 0.7, 0.1), Scores(0.1, 0.1, 0.8)


def rows(*labels: str, hypothesis: str = "the mill") -> list[Row]:
    return [Row("the mill stands", hypothesis, label, place) for place, label in enumerate(labels)]


def test_two_ways() -> None:
    found = two_way(rows("entailment", "entailment", "not_entailment", "not_entailment"), [YES, OPEN, NO, NO])
    assert found["auc"] == found["high"] == 100.0
    assert found["bins"][0] == {"from": 0.1, "rows": 2, "said": 0.1, "true": 0.0}


def test_three_ways() -> None:
    found = three_way(rows("entailment", "neutral", "neutral", "contradiction"), [YES, OPEN, YES, NO])
    assert found["accuracy"] == 75.0
    assert found["low"] <= 75.0 <= found["high"]
    assert found["majority"] == 50.0


def test_the_last_bin_holds_certainty() -> None:
    assert bins([1.0, 0.95], [True, False]) == [{"from": 0.9, "rows": 2, "said": 0.975, "true": 0.5}]


def test_slices_leave_out_sets_that_give_them_few_rows() -> None:
    many = rows(*["entailment", "not_entailment"] * 25, hypothesis="the mill has 12 rooms")
    few = rows("entailment", "not_entailment", hypothesis="the mill never opened")
    told = rows("entailment", "neutral")
    found = sliced(
        {
            "nli2/a": (many, [YES, NO] * 25),
            "nli2/b": (few, [YES, NO]),
            "nli3/c": (told, [YES, YES]),
        }
    )
    assert found["numbers"] == {"two-way rows": 50, "two-way sets": 1, "mean auc": 100.0}
    assert "negation" not in found
    assert found["other"] == {"three-way rows": 2, "accuracy": 50.0}


def test_the_means() -> None:
    sets = {
        "true/q2": {"auc": 80.0, "auc_entailment": 78.0, "baselines": {"overlap": 60.0}, "ece": 0.1},
        "true/paws": {"auc": 70.0, "auc_entailment": 72.0, "baselines": {"overlap": 50.0}, "ece": 0.3},
        "nli3/cad_test": {"accuracy": 66.0},
        "nli3/lingnli_val": {"accuracy": 10.0},
    }
    sets["true/q2"]["calibrated"] = {"auc": 79.0, "ece": 0.1}
    sets["true/paws"]["calibrated"] = {"auc": 69.0, "ece": 0.2}
    assert summary(sets) == {
        "TRUE mean AUC": 75.0,
        "TRUE mean AUC of P(entailment)": 75.0,
        "TRUE mean AUC, overlap": 55.0,
        "TRUE mean ECE": 0.2,
        "TRUE mean AUC, softer where long": 74.0,
        "TRUE mean ECE, softer where long": 0.15,
        "three-way mean accuracy": 66.0,
        "three-way sets": 1,
    }


def test_a_long_premise_is_calibrated_by_itself() -> None:
    told = [
        Row("harbour " * words, "It is deep.", label, 0)
        for words in (TAUGHT + 1, 5)
        for label in ("entailment", "neutral")
    ]
    sure = [Scores(0.9, 0.05, 0.05)] * 4
    found = two_way(told, sure)
    assert found["ece"] == 0.4
    assert found["calibrated"]["ece"] < 0.4
    assert found["calibrated"]["auc"] == found["auc"] == 50.0
