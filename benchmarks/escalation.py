"""Measures what a second opinion gains: unsure claims of documents written anew go to a local LLM.

    python -m benchmarks.escalation --gguf FILE [--claims N] [--minutes M] [--from-folder FOLDER]

FILE is an instruct model in the GGUF format, such as Qwen2.5-Coder-1.5B-Instruct in four bits. `pip install
--group integrations` brings xllamacpp, which serves it on the loopback interface.

The claims are a fixed random sample of `eval/written/pairs.jsonl.gz` of the folder: documents at random, four
claims of each one after the other, so that the server finds the document in its cache from the second on. The
embedded verifier and the LLM both judge each claim, the LLM with the whole document. So one run gives the
figures of any limits: a claim whose first scores lie between them counts as the LLM judged it. All claims
count as VITAL. After M minutes no further claim is asked about, and the sample is smaller.

Accuracy is three-way, by the thresholds that a guard uses. Delay is that of the second verifier alone: the
median and the 95th percentile of a claim that is asked about, and the mean over all claims.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import openai

from benchmarks.dialogues import serve
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Category, Claim, Finding, Importance, Scores, Span
from vista_stream.core.judge import Thresholds, category_of
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.escalate import Budget, Escalate, Unsure
from vista_stream.stages.llm.client import LlmClient
from vista_stream.stages.llm.verify import LlmVerify
from vista_stream.stages.protocols import Grounds
from vista_stream.training.documents import Document, WrittenClaim, read_documents
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

SEED = 11
OF_A_DOCUMENT = 4
"""Most claims of one document in the sample."""
LIMITS = ((0.2, 0.9), (0.1, 0.9), (0.2, 0.73), (0.4, 0.9), (0.05, 0.99))
"""Limits of `Unsure`, its own first."""
_CATEGORIES = {
    "entailment": Category.VERIFIED,
    "neutral": Category.LACKING_EVIDENCE,
    "contradiction": Category.CONTRADICTED,
}


@dataclass(frozen=True, slots=True)
class Both:
    """One claim, judged by both verifiers."""

    label: str
    claim: Claim
    first: Finding
    second: Category
    seconds: float
    """What the second took."""


def sample(documents: Sequence[Document], count: int) -> list[tuple[Document, WrittenClaim]]:
    """The same claims in the same order in every run; those of a document follow each other."""
    chance = random.Random(SEED)
    every = [
        (document, claim)
        for document in chance.sample(documents, len(documents))
        for claim in chance.sample(document.claims, min(OF_A_DOCUMENT, len(document.claims)))
    ]
    return every[:count]


async def judge(escalate: Escalate, document: Document, written: WrittenClaim) -> Both | None:
    """Both verifiers on one claim; None where the LLM gave no usable answer."""
    span = Span(0, len(written.text))
    claim = Claim(
        id=0,
        sentence=0,
        text=written.text,
        span=span,
        sentence_text=written.text,
        importance=Importance.VITAL,
    )
    found = await escalate.verify(claim, Grounds(references=(Reference(document.text, name="document"),)))
    told = found.second
    if told is None or told.failed or found.scores is None:
        return None
    first = Finding(scores=told.first)
    return Both(written.label, claim, first, category_of(found.scores, Thresholds()), told.seconds)


def rows(judged: Sequence[Both], thresholds: Thresholds) -> Iterator[dict[str, Any]]:
    """The figures of the first alone, of each pair of limits, and of the second alone."""
    yield {"way": "embedded alone", **figures(judged, thresholds, [False] * len(judged))}
    for low, high in LIMITS:
        unsure = Unsure(low=low, high=high)
        asked = [unsure(each.claim, each.first) for each in judged]
        yield {"way": f"unsure from {low} to {high}", **figures(judged, thresholds, asked)}
    yield {"way": "LLM alone", **figures(judged, thresholds, [True] * len(judged))}


def figures(judged: Sequence[Both], thresholds: Thresholds, asked: Sequence[bool]) -> dict[str, Any]:
    """Accuracy, share escalated and delay where the second decides the claims in `asked`."""
    found = [
        each.second if escalated else category_of(each.first.scores or Scores(0, 1, 0), thresholds)
        for each, escalated in zip(judged, asked, strict=True)
    ]
    pairs = list(zip([each.label for each in judged], found, strict=True))
    seconds = sorted(each.seconds for each, escalated in zip(judged, asked, strict=True) if escalated)
    return {
        "claims": len(judged),
        "accuracy": _share([_CATEGORIES[label] is category for label, category in pairs]),
        "contradictions found": _of(pairs, "contradiction", Category.CONTRADICTED),
        "contradictions called verified": _of(pairs, "contradiction", Category.VERIFIED),
        "entailed called verified": _of(pairs, "entailment", Category.VERIFIED),
        "entailed called contradicted": _of(pairs, "entailment", Category.CONTRADICTED),
        "open called contradicted": _of(pairs, "neutral", Category.CONTRADICTED),
        "escalated": _share(list(asked)),
        "seconds, median": round(seconds[len(seconds) // 2], 2) if seconds else 0.0,
        "seconds, 95th percentile": round(seconds[int(0.95 * (len(seconds) - 1))], 2) if seconds else 0.0,
        "seconds a claim, mean of all": round(sum(seconds) / len(judged), 2),
    }


def _of(pairs: Sequence[tuple[str, Category]], label: str, category: Category) -> float:
    return _share([found is category for own, found in pairs if own == label])


def _share(hits: Sequence[bool]) -> float:
    return round(100 * sum(hits) / len(hits), 1) if hits else 0.0


async def measure(args: argparse.Namespace, url: str) -> dict[str, Any]:
    """Judge the sample until the time is over; prints progress."""
    folder = data_folder(args.from_folder, "eval/written")
    *chosen, warm_up = sample(read_documents(folder / "eval/written/pairs.jsonl.gz"), args.claims + 1)
    verifier = EmbeddedVerifier.from_pretrained()
    first = EmbeddedVerify(
        verifier, embedder=EmbeddedEmbedder.from_pretrained(), thresholds=verifier.thresholds
    )
    sender = openai.AsyncOpenAI(base_url=url, api_key="none", timeout=300)
    async with LlmClient(args.gguf.stem, client=sender) as client:
        escalate = Escalate(
            first,
            LlmVerify(client),
            when=lambda claim, finding: True,
            budget=Budget(minute=args.claims + 1),
        )
        await judge(escalate, *warm_up)  # the server reads the exemplars, which later prompts find cached
        judged, unusable, began = [], 0, time.monotonic()
        for number, (document, claim) in enumerate(chosen, start=1):
            if time.monotonic() - began > 60 * args.minutes:
                break
            both = await judge(escalate, document, claim)
            unusable += both is None
            judged += [] if both is None else [both]
            print(f"\r{number}/{len(chosen)} claims, {time.monotonic() - began:.0f} s", end="", flush=True)
        print()
    if not judged:
        sys.exit("no claim was judged: the server gave no usable answer, or the minutes were too few")
    return {
        "first": verifier.name,
        "second": args.gguf.stem,
        "threads": args.threads,
        "sampled": args.claims,
        "without a usable answer": unusable,
        "ways": list(rows(judged, verifier.thresholds)),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--gguf", type=Path, required=True, help="the LLM")
    parser.add_argument("--claims", type=int, default=150, help="the size of the sample")
    parser.add_argument("--minutes", type=float, default=20.0, help="after which nothing more is asked")
    parser.add_argument("--threads", type=int, default=2, help="of the LLM's server")
    parser.add_argument("--port", type=int, default=18613, help="of the LLM's server")
    parser.add_argument("--out", type=Path, default=RESULTS / "escalation.json")
    args = parser.parse_args()
    server = serve(args.gguf, threads=args.threads, port=args.port)
    found = anyio.run(measure, args, f"http://127.0.0.1:{args.port}/v1")
    del server
    print(json.dumps(found, indent=1))
    save(args.out, found)


if __name__ == "__main__":
    main()
