"""Scores pairs with verifiers that give a degree of support: the peers', and this project's rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.evaluation_sets import Row, sets
from benchmarks.peers.install import OURS, CannotInstall, Peer, install
from benchmarks.peers.runner import Driver, DriverFailed
from vista_stream.claims import Finding
from vista_stream.core.rules.compare import prepare
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.agreement import roc_auc_interval
from vista_stream.stages.embedded.rule_tier import RuleTier

_LIMIT = 600.0
"""Seconds that one set may take."""
Score = Callable[[list[tuple[str, str]]], tuple[list[float] | None, float]]
"""Pairs of premise and hypothesis to scores, None where there are no degrees, and seconds."""


def measured(folder: Path, peers: Sequence[Peer], venvs: Path, limit: int) -> Iterator[dict[str, Any]]:
    """A row of ROC AUC by set for each verifier, on at most `limit` rows a set."""
    rows = dict(sets(folder, "true/", limit))
    yield {"verifier": f"{OURS}, its rules alone on undivided hypotheses", **_row(rows, rules_alone)}
    for peer in peers:
        if peer.name != OURS and peer.own_verifier is not None:
            try:
                yield {"verifier": f"{peer.name}: {peer.own_verifier}", **_of_peer(peer, venvs, rows)}
            except (CannotInstall, DriverFailed) as error:
                yield {"verifier": peer.name, "absent": str(error)}


def rules_alone(pairs: list[tuple[str, str]]) -> tuple[list[float], float]:
    """1 if a rule verifies the hypothesis, -1 if one contradicts it, 0 if no rule decides; and seconds."""
    begun = time.perf_counter()
    scores = []
    for premise, hypothesis in pairs:
        tier, reference = RuleTier(), Reference(premise, name="premise")
        reference.index_rules()
        ruled = tier.by_references(prepare(hypothesis), [reference])
        scores.append(_degree(ruled))
    return scores, time.perf_counter() - begun


def _degree(ruled: Finding | None) -> float:
    if ruled is None or ruled.scores is None:
        return 0.0
    return ruled.scores.entailment - ruled.scores.contradiction


def _of_peer(peer: Peer, venvs: Path, rows: dict[str, list[Row]]) -> dict[str, Any]:
    home = install(peer, venvs)
    setting = next(iter(peer.settings))
    with Driver(home.python, peer.path, setting=setting, verifier="own") as driver:

        def score(pairs: list[tuple[str, str]]) -> tuple[list[float] | None, float]:
            reply = driver.score(pairs, _LIMIT)
            return reply["scores"], reply["seconds"]

        return _row(rows, score)


def _row(rows: dict[str, list[Row]], score: Score) -> dict[str, Any]:
    found, seconds = {}, 0.0
    for name, chosen in rows.items():
        scores, took = score([(row.premise, row.hypothesis) for row in chosen])
        if scores is None:
            return {"absent": "it gives no degrees for pairs"}
        estimate = roc_auc_interval([row.label == "entailment" for row in chosen], scores)
        found[name] = {
            "rows": len(chosen),
            "auc": round(100 * estimate.value, 1),
            "low": round(100 * estimate.low, 1),
            "high": round(100 * estimate.high, 1),
        }
        seconds += took
    return {"sets": found, "ms a pair": round(1000 * seconds / sum(map(len, rows.values())), 2)}
