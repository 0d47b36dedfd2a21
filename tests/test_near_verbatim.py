"""The rules alone, on near-verbatim edits and harmless rewrites, where a verifier believes every claim."""

from collections import Counter
from pathlib import Path

import pytest

from vista_stream.claims import Scores
from vista_stream.core.judge import Thresholds, category_of
from vista_stream.core.rules.compare import prepare
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.value_check import corrected
from vista_stream.training.documents import Document, WrittenClaim, read_documents

WRITTEN = Path(__file__).parent / "written"
BELIEVED, DOUBTED = Scores(0.9, 0.08, 0.02), Scores(0.7, 0.25, 0.05)


def outcome(reference: Reference, claim: str, scores_of_all: Scores) -> str:
    """The category of a claim where the model gives these scores for the whole document."""
    assert reference.rules is not None
    prepared = prepare(claim)
    if ruled := reference.rules.rule(prepared):
        return ruled[1].category.upper()
    elsewhere = reference.rules.known_numbers(prepared)
    (scores,) = corrected(prepared, [reference.text], [scores_of_all], elsewhere)
    return category_of(scores, Thresholds()).name


def claims(document: Document, scores: Scores) -> list[tuple[WrittenClaim, str]]:
    reference = Reference(document.text, name="document")
    reference.index_rules()
    return [(claim, outcome(reference, claim.text, scores)) for claim in document.claims]


@pytest.mark.parametrize(
    ("folder", "fewest", "vetoed", "contradicted"),
    [("near_verbatim", 200, 0.24, 0.19), ("held_out_edits", 35, 0.80, 0.80)],
)
def test_rules_veto_edits_and_leave_harmless_rewrites(folder, fewest, vetoed, contradicted):
    documents = read_documents(WRITTEN / folder)
    labels = Counter(claim.label for document in documents for claim in document.claims)
    edits, harmless = labels["contradiction"], labels["entailment"]
    assert min(edits, harmless) >= fewest
    # A copy that is only turned is vetoed where the model is convinced of it, and contradicted where not.
    for scores in (BELIEVED, DOUBTED):
        judged = [pair for document in documents for pair in claims(document, scores)]
        found = Counter((claim.label, category) for claim, category in judged)
        assert edits - found["contradiction", "VERIFIED"] >= vetoed * edits
        assert found["entailment", "CONTRADICTED"] == 0
        assert found["entailment", "LACKING_EVIDENCE"] <= 0.03 * harmless
    assert found["contradiction", "CONTRADICTED"] >= contradicted * edits
