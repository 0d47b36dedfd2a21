from collections import Counter

import pytest

from benchmarks.replies import Reply, figures, outcome, replies
from vista_stream.claims import Scores
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.testing import ScriptedVerifier
from vista_stream.training.documents import Document, WrittenClaim


def claim(text: str) -> WrittenClaim:
    return WrittenClaim(text, "entailment", frozenset((0,)))


def test_a_claim_with_a_message_and_a_short_answer_is_one() -> None:
    told = ("I'm a student. What do I pay? 12 euros.", "It is open.", f"When? {'Late ' * 20}.")
    document = Document("d", "written:x", ("Students pay 12 euros.",), tuple(map(claim, told)))
    assert replies(document, 12) == [Reply("I'm a student. What do I pay?", "12 euros.", "entailment")]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (Scores(0.98, 0.01, 0.01), "verified"),
        (Scores(0.01, 0.01, 0.98), "contradicted"),
        (Scores(0.1, 0.8, 0.1), "open"),
    ],
)
async def test_an_answer_has_the_outcome_of_its_claims(scores: Scores, expected: str) -> None:
    session = Session(ScriptedVerifier(default=scores), policy=Policy(deadline=60.0))
    session.add_reference("The museum tells of whales.")
    assert await outcome(session, Reply("Who founded it?", "Anna Lund.", "neutral")) == expected
    assert await outcome(session, Reply("Who founded it?", "Good morning!", "neutral")) == "no claim"


def test_figures_are_shares_of_each_label() -> None:
    counts = Counter({("entailment", "verified"): 1, ("entailment", "open"): 3})
    assert figures(counts) == {
        "entailment": {"answers": 4, "verified": 25.0, "contradicted": 0.0, "open": 75.0, "no claim": 0.0}
    }
