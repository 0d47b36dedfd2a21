"""Measures how many falsified answers are blocked in the stream, and how many right ones by mistake.

    python -m benchmarks.streaming [--from-folder FOLDER] [--limit N] [--sets NAME…] [--model FOLDER]

`eval/vital`: the normal answer is the reference; the wrong answer is streamed.
`eval/pairs`: the document or knowledge is the reference; the right answer and the wrong one are streamed.

A turn counts as blocked if a vital claim is contradicted (VitalContradiction). Block recall at 2 % and 5 %
false blocks varies the contradiction threshold; the decisions of rules count at every threshold, because
they have no degree. The file of figures has the whole curve, and `python -m benchmarks.plots` draws it.
Scores of the model are kept on disk: an interrupted run starts again, and soon reaches where it stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.known_scores import CACHE, KnownScores
from benchmarks.record import RESULTS, data_folder, save
from vista_stream import Category, Importance, Policy, Session, Verdict
from vista_stream.verifiers.protocol import Verifier

_LATE = 120.0
_THRESHOLDS = 50
"""Steps of the trade-off curve."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to stream."""

    reference: str
    text: str
    query: str | None
    false: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The guard's findings on one answer."""

    false: bool
    rule: bool
    """Whether a rule contradicted a vital claim."""
    flagged: bool
    """Whether a vital claim was contradicted, at the default threshold."""
    height: float
    """The highest contradiction score of a vital claim that is not also entailed."""
    any_height: float
    """The highest such score over all claims, whatever their importance."""


def vital(folder: Path) -> Iterator[Case]:
    """Normal answers as references; the wrong version and the normal answer itself are streamed."""
    normal, wrong = (_rows(folder / f"eval/vital/{name}.jsonl.gz") for name in ("normal", "wrong"))
    for right, other in zip(normal, wrong, strict=True):
        yield Case(right["answer"], right["answer"], right["query"], False)
        yield Case(right["answer"], other["answer"], right["query"], True)


def vital_missing(folder: Path) -> Iterator[Case]:
    """Normal answers as references; the shortened version is streamed: true text, worded differently."""
    normal, missing = (_rows(folder / f"eval/vital/{name}.jsonl.gz") for name in ("normal", "missing"))
    for right, other in zip(normal, missing, strict=True):
        yield Case(right["answer"], other["answer"], right["query"], False)


def bump(folder: Path) -> Iterator[Case]:
    """News documents; a summary, and the same with one error put in by a person."""
    for row in _rows(folder / "eval/pairs/bump.jsonl.gz"):
        yield Case(row["document"], row["right"], None, False)
        yield Case(row["document"], row["wrong"], None, True)


def halueval(folder: Path) -> Iterator[Case]:
    """Knowledge strings; an answer in a dialogue, and a hallucinated one."""
    for row in _rows(folder / "eval/pairs/halueval_dialogue.jsonl.gz"):
        query = row["history"][-1]
        yield Case(row["knowledge"], row["right"], query, False)
        yield Case(row["knowledge"], row["hallucinated"], query, True)


SETS = {"vital": vital, "vital_missing": vital_missing, "bump": bump, "halueval_dialogue": halueval}


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


async def guard(case: Case, verifier: Verifier | None = None) -> Outcome:
    """Stream one answer and look at its verdicts; None takes the shipped verifier."""
    session = Session(verifier, policy=Policy.observing(deadline=_LATE))
    session.add_reference(case.reference)
    deltas = [word + " " for word in case.text.split(" ")]
    async with session.turn(deltas, query=case.query) as turn:
        report = await turn.drain()
    most = [v for v in report.verdicts if v.claim.importance is Importance.VITAL]
    return Outcome(
        false=case.false,
        rule=any(v.category is Category.CONTRADICTED and v.tier == "deterministic" for v in most),
        flagged=any(v.category is Category.CONTRADICTED for v in most),
        height=_height(most),
        any_height=_height(report.verdicts),
    )


def _height(verdicts: Sequence[Verdict]) -> float:
    return max((_contradiction(verdict) for verdict in verdicts), default=0.0)


def _contradiction(verdict: Verdict) -> float:
    scores = verdict.scores
    if scores is None or scores.contradiction <= scores.entailment:
        return 0.0
    return scores.contradiction


def recall_at(outcomes: Sequence[Outcome], false_share: float, *, vital_only: bool = True) -> float:
    """Share of false answers above the threshold that at most `false_share` of the right ones exceed."""
    heights = [(o.false, o.height if vital_only else o.any_height) for o in outcomes]
    right = sorted((height for false, height in heights if not false), reverse=True)
    allowed = int(false_share * len(right))
    limit = right[allowed] if allowed < len(right) else 0.0
    wrong = [height for false, height in heights if false]
    return sum(height > limit for height in wrong) / len(wrong)


def curve(outcomes: Sequence[Outcome], *, vital_only: bool = True) -> list[dict[str, float]]:
    """For each contradiction threshold, the percentages of false and of right answers that it would block."""
    heights = np.array([o.height if vital_only else o.any_height for o in outcomes])
    false = np.array([o.false for o in outcomes])
    limits = np.linspace(0, 1, _THRESHOLDS + 1)[1:]
    return [
        {
            "threshold": round(float(limit), 2),
            "false blocks": round(100 * float((heights[~false] >= limit).mean()), 1),
            "block recall": round(100 * float((heights[false] >= limit).mean()), 1),
        }
        for limit in limits
    ]


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The figures of one set, in percent."""
    wrong = [o for o in outcomes if o.false]
    right = [o for o in outcomes if not o.false]
    shares = {
        "blocked false answers": [o.flagged for o in wrong],
        "of them by a rule": [o.rule for o in wrong],
        "blocked right answers": [o.flagged for o in right],
        "right answers blocked by a rule": [o.rule for o in right],
    }
    figures = {name: 100 * sum(hits) / len(hits) for name, hits in shares.items() if hits}
    if wrong and right:
        for share in (0.02, 0.05):
            figures[f"block recall at {share:.0%} false blocks"] = 100 * recall_at(outcomes, share)
            name = f"block recall at {share:.0%} false blocks, any importance"
            figures[name] = 100 * recall_at(outcomes, share, vital_only=False)
    return {name: round(value, 1) for name, value in figures.items()}


async def run(folder: Path, names: Sequence[str], limit: int | None, verifier: KnownScores) -> dict[str, Any]:
    """The figures of every set; prints progress."""
    figures: dict[str, Any] = {}
    for name in names:
        cases = list(SETS[name](folder))[: limit and 2 * limit]
        outcomes = []
        for number, case in enumerate(cases, 1):
            outcomes.append(await guard(case, verifier))
            if number % 20 == 0:
                print(f"{name} {number}/{len(cases)}", flush=True)
        figures[name] = {"answers": len(cases), **summary(outcomes)}
        print(name, json.dumps(figures[name]), flush=True)
        if len({outcome.false for outcome in outcomes}) == 2:
            figures[name]["curve"] = curve(outcomes)
            figures[name]["curve, any importance"] = curve(outcomes, vital_only=False)
    return figures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--limit", type=int, help="pairs a set at most")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "streaming.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/vital")
    verifier = KnownScores.of(arguments.model, arguments.cache)
    save(arguments.out, asyncio.run(run(folder, arguments.sets, arguments.limit, verifier)))


if __name__ == "__main__":
    main()
