from typing import Any

from benchmarks.scripted import figures, outcome_of, table
from vista_stream.claims import Category, Claim, Span, UnresolvedReason, Verdict
from vista_stream.report import TurnReport, Unresolved


def claim(start: int) -> Claim:
    return Claim(id=start, sentence=0, text="x", span=Span(start, start + 5))


def test_a_sentence_is_found_to_be_the_worst_of_its_claims() -> None:
    verdicts = [
        Verdict(claim=claim(start), category=category)
        for start, category in enumerate(
            [Category.VERIFIED, Category.LACKING_EVIDENCE, Category.CONTRADICTED]
        )
    ]
    report = TurnReport(
        verdicts=verdicts, unresolved=[Unresolved(claim=claim(9), reason=UnresolvedReason.DEADLINE)]
    )
    found = [outcome_of(report, *span) for span in ((0, 1), (0, 2), (0, 3), (8, 10), (4, 5))]
    assert found == ["ok", "open", "contradicted", "open", "ok"]


def test_figures_are_told_by_kind() -> None:
    rows: list[dict[str, Any]] = [
        {"kind": "change", "label": "ok", "found": "contradicted"},
        {"kind": "change", "label": "ok", "found": "ok"},
        {"kind": "earlier", "label": "contradicted", "found": "contradicted"},
    ]
    found = figures(rows)
    assert found["change"]["share right"] == 0.5
    assert found["change"]["others called contradicted"] == 1
    assert (found["earlier"]["of these found"], found["all"]["sentences"]) == (1, 3)
    assert found["pronoun"]["share right"] is None
    assert len(table(found).splitlines()) == 4
