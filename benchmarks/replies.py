"""Judges short answers to loose questions, which mean nothing without their question.

    python -m benchmarks.replies [--pairs PATH …] [--words N] [--limit N] [--model FOLDER]

The claims are those of written documents (`training/documents.py`) that hold a message and its answer ("I'm a
student. What do I pay? 12 euros."). The answer is streamed, and the message is its query, as in a guard. An
answer counts as contradicted where any claim of it is, as verified where all are, as "no claim" where it has
none. Without `--pairs` they are those of `tests/written/replies`, which no version learns from.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from benchmarks.known_scores import CACHE, KnownScores
from benchmarks.record import RESULTS, save
from vista_stream.claims import Category
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.testing import replay
from vista_stream.training.documents import Document, read_documents
from vista_stream.training.rows import Label

REPLIES = Path("tests") / "written" / "replies"
_WORDS = 12
"""Most words of an answer that counts as a short one."""
_DEADLINE = 60.0
_DELTA = 12
_MARK = "? "
_OUTCOMES = ("verified", "contradicted", "open", "no claim")


@dataclass(frozen=True, slots=True)
class Reply:
    """A short answer, its message, and whether the document entails it."""

    message: str
    answer: str
    label: Label


def replies(document: Document, words: int) -> list[Reply]:
    """The claims of a document that are a message with an answer of at most so many words."""
    found = []
    for claim in document.claims:
        message, mark, answer = claim.text.rpartition(_MARK)
        if mark and len(answer.split()) <= words:
            found.append(Reply(f"{message}?", answer, claim.label))
    return found


async def outcome(session: Session, reply: Reply) -> str:
    """What becomes of one answer in a conversation of its own: one of `_OUTCOMES`."""
    async with session.turn(replay(reply.answer, size=_DELTA), query=reply.message) as turn:
        categories = {verdict.category for verdict in (await turn.drain()).verdicts}
    if Category.CONTRADICTED in categories:
        return "contradicted"
    if not categories:
        return "no claim"
    return "verified" if categories == {Category.VERIFIED} else "open"


async def measure(
    documents: Sequence[Document], words: int, verifier: KnownScores
) -> Counter[tuple[Label, str]]:
    """How many answers of each label have each outcome; prints progress."""
    counts: Counter[tuple[Label, str]] = Counter()
    for number, document in enumerate(documents, 1):
        for reply in replies(document, words):
            session = Session(verifier, policy=Policy(deadline=_DEADLINE))
            session.add_reference(document.text)
            await session.prepare()
            counts[reply.label, await outcome(session, reply)] += 1
        print(f"\r{number}/{len(documents)} documents", end="", flush=True)
    print()
    return counts


def figures(counts: Counter[tuple[Label, str]]) -> dict[str, dict[str, float]]:
    """The answers of each label, and the share of each outcome in percent."""
    found: dict[str, dict[str, float]] = {}
    for label in sorted({label for label, _ in counts}):
        total = sum(counts[label, name] for name in _OUTCOMES)
        shares = {name: round(100 * counts[label, name] / total, 1) for name in _OUTCOMES}
        found[label] = {"answers": total} | shares
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=Path, nargs="+", default=[REPLIES], help="folders of documents")
    parser.add_argument("--words", type=int, default=_WORDS, help="most words of an answer")
    parser.add_argument("--limit", type=int, help="documents at most, the first ones")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "replies.json")
    arguments = parser.parse_args()
    verifier = KnownScores.of(arguments.model, arguments.cache)
    documents = [document for path in arguments.pairs for document in read_documents(path)]
    counts = anyio.run(measure, documents[: arguments.limit], arguments.words, verifier)
    found: dict[str, Any] = {"model": verifier.name, "of": [path.name for path in arguments.pairs]}
    found |= {"words": arguments.words} | figures(counts)
    print(json.dumps(found, indent=1))
    save(arguments.out, found)


if __name__ == "__main__":
    main()
