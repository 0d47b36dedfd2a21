"""Embedded, LLM and mixed stages, and VISTA's ablations, on 20 dialogues with turn labels.

Ten dialogues are BEGIN rows of TRUE, ten are HaluEval's (five right, five hallucinated answers, with their
history). The LLM is a GGUF file served by xllamacpp on the loopback. With --cache an interrupted run goes on
where it stopped, but the seconds of what was cached are not counted again.

Run: python -m benchmarks.dialogues --gguf FILE [--from-folder FOLDER] [--count 20] [--only embedded,llm]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from vista_stream.cli.score import add_parser
from vista_stream.cli.scorers import build_scorer, connect
from vista_stream.errors import VistaError
from vista_stream.scoring.dialogue import Dialogue, parse_dialogue
from vista_stream.scoring.records import Record, dialogue_record
from vista_stream.scoring.summary import compare, summarise

RESULTS = Path(__file__).parent / "results"
WAYS: dict[str, list[str]] = {
    "embedded": [],
    "llm": ["--stages", "decompose,rank,verify,categorise"],
    "llm + judge": ["--stages", "all"],
    "mixed: llm decompose": ["--stages", "decompose"],
    "mixed: llm categorise": ["--stages", "categorise"],
    "llm, zero-shot": ["--stages", "decompose,rank,verify,categorise", "--zero-shot"],
    "llm, no history": ["--stages", "decompose,rank,verify,categorise", "--no-history"],
    "llm, no background": ["--stages", "decompose,rank,verify,categorise", "--no-background"],
    "factscore, llm": ["--method", "factscore", "--stages", "decompose,verify"],
    "llm-judge": ["--method", "llm-judge"],
}
"""Each way of scoring, by its options of `vista-stream score`."""


def rows(path: Path, picked: Sequence[int]) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return [read[n] for n in picked]


def dialogues(folder: Path, count: int) -> list[Dialogue]:
    half = count // 2
    lines = []
    for row in rows(folder / "true" / "begin.jsonl.gz", range(7, 7 + 40 * half, 40)):
        label = "verifiable" if row["label"] else "unverifiable"
        turn = {"role": "assistant", "text": row["hypothesis"], "references": [row["premise"]]}
        lines.append({"id": row["id"], "turns": [{**turn, "label": label}]})
    picked = rows(folder / "pairs" / "halueval_dialogue.jsonl.gz", range(3, 3 + 90 * (count - half), 90))
    for number, row in enumerate(picked):
        right = number % 2 == 0
        # The history's last utterance is the user's, and roles alternate.
        roles = ["user", "assistant"] if len(row["history"]) % 2 else ["assistant", "user"]
        turns: list[dict[str, Any]] = [
            {"role": roles[n % 2], "text": text, **({"claims": []} if roles[n % 2] == "assistant" else {})}
            for n, text in enumerate(row["history"])
        ]
        answer = row["right"] if right else row["hallucinated"]
        label = "verifiable" if right else "unverifiable"
        turn = {"role": "assistant", "text": answer, "references": [row["knowledge"]], "label": label}
        lines.append({"id": f"halueval/{number}", "turns": [*turns, turn]})
    return [parse_dialogue(json.dumps(line)) for line in lines]


def options(way: list[str], url: str | None, cache: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    server = ["--model", "local", "--base-url", url, "--cache", str(cache)] if url else []
    return parser.parse_args(["score", "-", "--concurrency", "1", *way, *server])


async def score(args: argparse.Namespace, picked: Sequence[Dialogue]) -> tuple[list[Record], float]:
    client = connect(args)
    scorer = build_scorer(args, client)
    began = time.perf_counter()
    records = []
    for dialogue in picked:
        records.append(dialogue_record(dialogue, await scorer.score(dialogue), setup={}))
        print(".", end="", flush=True)
    seconds = time.perf_counter() - began
    if client is not None:
        await client.aclose()
    return records, seconds


def serve(gguf: Path, *, threads: int) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.n_ctx, params.n_parallel, params.port, params.verbosity = 8192, 1, 0, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from-folder", type=Path, default=Path("../shared/data"))
    parser.add_argument("--gguf", type=Path, help="the LLM; without it only the embedded stages run")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="keep the replies there, to go on after an interruption")
    parser.add_argument("--only", help="ways of scoring, by name, with commas")
    args = parser.parse_args()
    folder = args.from_folder / "eval"
    if not (folder / "true").is_dir():
        print(f"skipped: {folder} is absent; name its folder with --from-folder")
        return 0
    server = serve(args.gguf, threads=args.threads) if args.gguf else None
    url = f"{server.listening_address}/v1" if server else None
    picked = dialogues(folder, args.count)
    path = RESULTS / "dialogues.json"
    table: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    cache = args.cache or Path(tempfile.mkdtemp()) / "replies.db"
    first: list[Record] | None = None
    for name, way in WAYS.items():
        if (way and not url) or (args.only and name not in args.only.split(",")):
            continue
        print(f"{name:24}", end="", flush=True)
        try:
            records, seconds = anyio.run(score, options(way, url, cache), picked)
        except VistaError as error:
            print(f" not run: {error}")
            continue
        first = first or records
        table[name] = row(records, seconds, first)
        print(f" {table[name]}")
        path.write_text(json.dumps(table, indent=1) + "\n")
    return 0


def row(records: list[Record], seconds: float, first: list[Record]) -> dict[str, Any]:
    summary = summarise(records)
    claims = summary["claims"] + summary["unresolved"]
    return {
        "dialogues": summary["dialogues"],
        "turn_accuracy": round(summary["agreement"]["turn_accuracy"], 3),
        "claims": summary["claims"],
        "unresolved": summary["unresolved"],
        "seconds_a_claim": round(seconds / claims, 3) if claims else None,
        "seconds_a_dialogue": round(seconds / len(records), 3),
        "p_against_first": round(compare(records, first)["p_value"], 4),
    }


if __name__ == "__main__":
    sys.exit(main())
