"""The figures on written claims, computed from findings that are known."""

from __future__ import annotations

from benchmarks.written import Judged, figures, trade_off
from vista_stream.claims import Scores
from vista_stream.core.judge import Thresholds
from vista_stream.training.documents import WrittenClaim
from vista_stream.training.rows import Label


def judged(label: Label, *scores: float) -> Judged:
    return Judged(
        WrittenClaim("It opens at nine.", label, frozenset({0})),
        "written:one",
        Scores(*scores),
        evidence="The shop opens at nine. It closes at six.",
        deciding=("The shop opens at nine.",),
    )


ROWS = [
    judged("entailment", 0.92, 0.05, 0.03),
    judged("entailment", 0.55, 0.25, 0.20),
    judged("contradiction", 0.65, 0.05, 0.30),
    judged("contradiction", 0.05, 0.10, 0.85),
    judged("neutral", 0.10, 0.80, 0.10),
    judged("neutral", 0.15, 0.30, 0.55),
]


def test_figures_tell_what_a_guard_would_have_said() -> None:
    found = figures(ROWS, Thresholds(entailment=0.6, contradiction=0.5))
    assert found["claims"] == 6
    assert found["contradictions called verified"] == 50.0
    assert found["of verified, entailed"] == 50.0
    assert found["entailed or open called contradicted"] == 25.0
    assert found["deciding line in the evidence"] == 100.0


def test_a_higher_threshold_verifies_less_and_errs_less() -> None:
    found = {row["threshold"]: row for row in trade_off(ROWS)}
    assert found[0.5]["entailed called verified"] == 100.0
    assert found[0.5]["of verified, entailed"] == 66.7
    assert found[0.7]["entailed called verified"] == 50.0
    assert found[0.7]["of verified, entailed"] == 100.0
    assert found[0.5]["entailed or open called contradicted"] == 25.0
    assert found[0.6]["contradictions called contradicted"] == 50.0


def test_nothing_verified_counts_as_no_share() -> None:
    assert trade_off(ROWS)[-1]["of verified, entailed"] == 0.0
