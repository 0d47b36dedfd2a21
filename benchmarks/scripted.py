"""Scripted conversations, streamed turn by turn through one session each: which sentences are judged right.

    python -m benchmarks.scripted [--conversations FILE] [--model FOLDER]

`tests/written/conversations.jsonl`: conversations of six turns with a reference text or none. Each sentence
has a label: ok, open (nothing supports it) or contradicted (by the reference or by an earlier turn), and a
kind: what makes it hard.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from benchmarks.record import RESULTS, save
from vista_stream.claims import Category
from vista_stream.policy import Policy
from vista_stream.report import TurnReport
from vista_stream.session import Session
from vista_stream.testing import replay
from vista_stream.verifiers.embedded import EmbeddedVerifier

CONVERSATIONS = Path("tests") / "written" / "conversations.jsonl"
KINDS = {
    "earlier": "contradicts an earlier turn",
    "change": "a change that was asked for",
    "correction": "a correction",
    "pronoun": "begins with a pronoun",
    "fragment": "has no verb of its own",
    "other": "other",
}
_DEADLINE = 600.0
"""Seconds, so that no figure hangs on how busy the machine is."""
_DELTA = 12


async def judged(row: dict[str, Any], verifier: EmbeddedVerifier | None) -> list[dict[str, Any]]:
    """The sentences of a conversation, each with its label, its kind and what it was `found` to be."""
    session = Session(verifier, policy=Policy(deadline=_DEADLINE))
    if row["reference"]:
        session.add_reference(row["reference"])
    await session.prepare()
    found = []
    for turn in row["turns"]:
        text = " ".join(sentence["text"] for sentence in turn["sentences"])
        async with session.turn(replay(text, size=_DELTA), query=turn["user"]) as guarded:
            report = await guarded.drain()
        start = 0
        for sentence in turn["sentences"]:
            end = start + len(sentence["text"])
            found.append({**sentence, "found": outcome_of(report, start, end)})
            start = end + 1
    return found


def outcome_of(report: TurnReport, start: int, end: int) -> str:
    """What the claims that begin from `start` up to `end` make of a sentence, in the words of its label."""
    settled = {v.category for v in report.verdicts if start <= v.claim.span.start < end}
    if Category.CONTRADICTED in settled:
        return "contradicted"
    unresolved = any(start <= each.claim.span.start < end for each in report.unresolved)
    return "open" if unresolved or Category.LACKING_EVIDENCE in settled else "ok"


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts by kind, and of all."""
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    return {kind: _counts(members) for kind, members in {**by_kind, "all": list(rows)}.items()}


def _counts(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    false = [row for row in rows if row["label"] == "contradicted"]
    right = sum(row["found"] == row["label"] for row in rows)
    return {
        "sentences": len(rows),
        "right": right,
        "share right": round(right / len(rows), 3) if rows else None,
        "contradicted": len(false),
        "of these found": _found(false),
        "others called contradicted": _found(rows) - _found(false),
    }


def _found(rows: Sequence[dict[str, Any]]) -> int:
    return sum(row["found"] == "contradicted" for row in rows)


def table(found: dict[str, Any]) -> str:
    """The figures as lines of text: a line for each kind that occurs."""
    lines = [f"{'kind':<28} {'sentences':>9} {'right':>6} {'false':>6} {'found':>6} {'blamed':>7}"]
    for kind, counts in found.items():
        if not counts["sentences"]:
            continue
        lines.append(
            f"{KINDS.get(kind, kind):<28} {counts['sentences']:>9} {counts['share right']:>6.1%}"
            f" {counts['contradicted']:>6} {counts['of these found']:>6}"
            f" {counts['others called contradicted']:>7}"
        )
    return "\n".join(lines)


async def measure(lines: Sequence[str], verifier: EmbeddedVerifier | None) -> list[dict[str, Any]]:
    """All conversations' sentences, with progress."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        rows += await judged(json.loads(line), verifier)
        print(f"\r{number}/{len(lines)} conversations", end="", flush=True)
    print()
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--conversations", type=Path, default=CONVERSATIONS, help="labelled conversations")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--out", type=Path, default=RESULTS / "scripted.json")
    arguments = parser.parse_args()
    verifier = EmbeddedVerifier.from_pretrained(arguments.model)
    lines = arguments.conversations.read_text(encoding="utf-8").splitlines()
    found = figures(anyio.run(measure, lines, arguments.model and verifier))
    print(table(found))
    save(arguments.out, {"model": verifier.name, "kinds": found})


if __name__ == "__main__":
    main()
