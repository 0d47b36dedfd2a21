"""Streams answers with hidden errors through a guard: what is caught, and what is disturbed.

    python -m benchmarks.answers [--answers FILE] [--model FOLDER] [--policy default|vital]

`tests/written/answers.jsonl`: documents, and answers whose sentences are true, false, unsupported or talk.
Each answer goes through a session delta by delta. A sentence counts as blocked where its text was not
released whole.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from benchmarks.record import RESULTS, save
from vista_stream.claims import Category
from vista_stream.events import TextReleased
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.testing import replay
from vista_stream.verifiers.embedded import EmbeddedVerifier

ANSWERS = Path("tests") / "written" / "answers.jsonl"
_DEADLINE = 60.0
_DELTA = 12
_ITEM = "- "


async def guarded(
    row: dict[str, Any], verifier: EmbeddedVerifier | None, policy: Policy
) -> list[dict[str, Any]]:
    """Each sentence with its label, whether it was blocked, and whether its claims were all verified.

    "important" is None where the answer does not say it.
    """
    session = Session(verifier, policy=policy)
    session.add_reference(row["reference"])
    await session.prepare()
    sentences = row["sentences"]
    text = _joined([sentence["text"] for sentence in sentences])
    shown: list[tuple[int, int]] = []
    async with session.turn(replay(text, size=_DELTA), query=row["query"]) as turn:
        async for event in turn:
            if isinstance(event, TextReleased):
                shown.append((event.span.start, event.span.end))
    found, start = [], 0
    for sentence in sentences:
        end = start + len(sentence["text"])
        mark = _ITEM if sentence["text"].startswith(_ITEM) else ""
        verdicts = [v for v in turn.report.verdicts if start <= v.claim.span.start < end]
        found.append(
            {
                "label": sentence["label"],
                "important": sentence.get("important"),
                # The marks of an item stay where its text is withheld.
                "blocked": not any(first < end and last > start + len(mark) for first, last in shown),
                "verified": bool(verdicts) and all(v.category is Category.VERIFIED for v in verdicts),
            }
        )
        start = end + 1
    return found


def _joined(sentences: Sequence[str]) -> str:
    """An answer: its items on lines of their own, with one character between two sentences in any case."""
    parts = (f"\n{each}" if each.startswith(_ITEM) else f" {each}" for each in sentences)
    return "".join(parts)[1:]


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all sentences, and of the important ones where it is said which those are."""
    found = {"all": figures(rows)}
    if any(row["important"] is not None for row in rows):
        found["important"] = figures([row for row in rows if row["important"]])
    return found


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts by label."""
    counts = Counter(row["label"] for row in rows)
    return {
        label: {
            "sentences": count,
            "blocked": sum(row["blocked"] for row in rows if row["label"] == label),
            "verified": sum(row["verified"] for row in rows if row["label"] == label),
        }
        for label, count in sorted(counts.items())
    }


async def measure(lines: Sequence[str], verifier: EmbeddedVerifier | None, policy: Policy) -> dict[str, Any]:
    """The figures over all answers; prints progress."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        rows += await guarded(json.loads(line), verifier, policy)
        print(f"\r{number}/{len(lines)} answers", end="", flush=True)
    print()
    return summary(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--answers", type=Path, default=ANSWERS, help="labelled answers")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--policy", choices=("default", "vital"), default="default")
    parser.add_argument("--out", type=Path, default=RESULTS / "answers.json")
    arguments = parser.parse_args()
    verifier = EmbeddedVerifier.from_pretrained(arguments.model)
    policy = Policy(deadline=_DEADLINE) if arguments.policy == "default" else Policy.vital(deadline=_DEADLINE)
    lines = arguments.answers.read_text(encoding="utf-8").splitlines()
    found = {"model": verifier.name, "policy": arguments.policy}
    found |= anyio.run(measure, lines, arguments.model and verifier, policy)
    print(json.dumps(found, indent=1))
    save(arguments.out, found)


if __name__ == "__main__":
    main()
