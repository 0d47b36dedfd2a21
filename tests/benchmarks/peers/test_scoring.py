"""Verifiers on labelled pairs, one of them in a process of its own."""

import gzip
import json

from benchmarks.peers.install import read
from benchmarks.peers.scoring import measured, rules_alone

GUARD = """
NAME = "words"
PACKAGES = []
SETTINGS = {"documented": ""}
OWN_VERIFIER = "shared words"

class Guard:
    def score(self, premise, hypothesis):
        return len(set(premise.split()) & set(hypothesis.split()))

async def open_guard(setting, verifier):
    assert verifier == "own"
    return Guard()
"""
PREMISE = "The harbour of Lund was dug in 1874."


def test_the_rules_say_yes_no_or_nothing():
    pairs = [(PREMISE, PREMISE), (PREMISE, "The harbour of Lund was dug in 1784."), (PREMISE, "Cats purr.")]
    scores, seconds = rules_alone(pairs)
    assert scores == [1.0, -1.0, 0.0]
    assert seconds > 0


def test_every_verifier_with_degrees_has_a_row(tmp_path):
    folder = tmp_path / "eval" / "true"
    folder.mkdir(parents=True)
    rows = [{"premise": PREMISE, "hypothesis": PREMISE, "label": 1}] * 3
    rows += [{"premise": PREMISE, "hypothesis": "The harbour of Lund was dug in 1784.", "label": 0}] * 3
    with gzip.open(folder / "own.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "words.py").write_text(GUARD)
    (tmp_path / "silent.py").write_text(
        GUARD.replace("def score", "def scores").replace('"words"', '"silent"')
    )
    guards = [read(tmp_path / name) for name in ("words.py", "silent.py")]
    rules, words, silent = measured(tmp_path, guards, tmp_path / "venvs", 100)
    assert rules["sets"]["true/own"]["auc"] == 100.0
    assert words["verifier"] == "words: shared words"
    assert words["sets"]["true/own"] == {"rows": 6, "auc": 100.0, "low": 100.0, "high": 100.0}
    assert silent["absent"] == "it gives no degrees for pairs"
