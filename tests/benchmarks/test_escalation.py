"""The figures of a second opinion, and a run against a server that replies by script."""

import argparse
import gzip
import json
from itertools import groupby
from pathlib import Path

import anyio
import pytest

from benchmarks.escalation import LIMITS, Both, figures, measure, rows, sample
from vista_stream.claims import Category, Claim, Finding, Importance, Scores, Span
from vista_stream.core.judge import Thresholds
from vista_stream.stages.escalate import Unsure
from vista_stream.training.documents import Document, WrittenClaim

OWN = Thresholds(entailment=0.73, contradiction=0.6)
CLAIM = Claim(id=0, sentence=0, text="x", span=Span(0, 1), importance=Importance.VITAL)


def both(label, first, second, seconds=2.0):
    return Both(label, CLAIM, Finding(scores=first), second, seconds)


JUDGED = [
    both("contradiction", Scores(0.3, 0.3, 0.4), Category.CONTRADICTED, 4.0),
    both("contradiction", Scores(0.8, 0.1, 0.1), Category.LACKING_EVIDENCE),
    both("entailment", Scores(0.95, 0.05, 0.0), Category.VERIFIED),
    both("neutral", Scores(0.05, 0.9, 0.05), Category.CONTRADICTED),
]


def test_only_what_is_escalated_is_the_seconds():
    alone = figures(JUDGED, OWN, [False] * 4)
    assert (alone["accuracy"], alone["contradictions found"], alone["contradictions called verified"]) == (
        50.0,
        0.0,
        50.0,
    )
    assert alone["seconds a claim, mean of all"] == 0.0
    some = figures(JUDGED, OWN, [True, True, False, False])
    assert (some["accuracy"], some["escalated"], some["contradictions found"]) == (75.0, 50.0, 50.0)
    assert (some["seconds, median"], some["seconds a claim, mean of all"]) == (4.0, 1.5)
    assert figures(JUDGED, OWN, [True] * 4)["open called contradicted"] == 100.0


def test_the_rows_are_the_first_the_limits_and_the_second():
    found = list(rows(JUDGED, OWN))
    assert [row["escalated"] for row in found][:2] == [0.0, 50.0]
    assert found[-1]["escalated"] == 100.0
    assert len(found) == len(LIMITS) + 2
    assert Unsure(low=LIMITS[0][0], high=LIMITS[0][1]) == Unsure()


def test_the_sample_is_the_same_every_time_and_keeps_the_claims_of_a_document_together():
    documents = [
        Document(name, "written:x", ("line",), tuple(claims_of(name, count)))
        for name, count in (("a", 9), ("b", 2), ("c", 9))
    ]
    once, twice = (sample(documents, 9) for _ in range(2))
    assert once == twice
    names = [document.id for document, _ in once]
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    assert sorted(count for _, count in runs) in ([1, 4, 4], [2, 3, 4])
    assert len({name for name, _ in runs}) == 3
    assert all(claim.text.startswith(document.id) for document, claim in once)
    assert len({claim.text for _, claim in once}) == 9


def claims_of(name, count):
    return (WrittenClaim(f"{name} {n}", "neutral", frozenset()) for n in range(count))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "eval/written/pairs.jsonl.gz"
    path.parent.mkdir(parents=True)
    told = [("The mill grinds rye.", "entailment"), ("The mill was sold.", "neutral")]
    lines = [
        json.dumps(
            {"document": "d", "source": "written:x", "sentences": ["The mill grinds rye."], "deciding": [0]}
            | {"hypothesis": text, "label": label}
        )
        for text, label in told
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return tmp_path


def arguments(folder, minutes):
    return argparse.Namespace(
        from_folder=folder, claims=1, minutes=minutes, threads=1, gguf=Path("tiny.gguf")
    )


def test_a_run_asks_the_server_about_each_claim(folder, server):
    server.script = lambda request: "1. CONTRADICTED"
    found = anyio.run(measure, arguments(folder, 1.0), server.url)
    assert (found["second"], found["without a usable answer"]) == ("tiny", 0)
    assert found["ways"][-1]["claims"] == 1
    assert found["ways"][-1]["accuracy"] == 0.0
    assert len(server.requests) == 2  # one of them to warm up


def test_without_a_usable_answer_it_says_so(folder, server):
    server.script = lambda request: "perhaps"
    with pytest.raises(SystemExit, match="no claim was judged"):
        anyio.run(measure, arguments(folder, 1.0), server.url)
