"""Scores 20 labelled dialogues with embedded, LLM and mixed stages, the baselines and VISTA's ablations.

    python -m benchmarks.dialogues --gguf FILE [--dialogues N] [--only "embedded; llm"] [--from-folder FOLDER]

The LLM is a GGUF file, served by xllamacpp on the loopback interface. Without one, only the ways that need no
LLM run.

Scored dialogues are kept in --work. An interrupted run resumes there, and a run of fewer dialogues is a part
of the whole run. After a change of the code, name another folder. LLM replies are cached there too: when two
ways of scoring send the same prompt, the second takes the reply from the cache, and the seconds that it took
are counted again.

Before a way is timed, it scores a warm-up dialogue that does not count. The models are then loaded, and the
server has read the prompts' exemplars.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import anyio

from benchmarks.dialogue_sets import HALUEVAL, dialogues
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.cli.score import add_parser
from vista_stream.cli.scorers import build_scorer, connect, describe
from vista_stream.report import SessionReport
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn
from vista_stream.scoring.records import dialogue_record
from vista_stream.scoring.scorer import Scorer
from vista_stream.scoring.summary import compare, summarise
from vista_stream.stages import defaults
from vista_stream.stages.llm.client import LlmClient

Scored = dict[str, Any]

WHOLE = 20
_ALL = "decompose,rank,verify,categorise"
WAYS: dict[str, str] = {
    "embedded": "",
    "embedded, no history": "--no-history",
    "embedded, no background": "--no-background",
    "factscore, embedded": "--method factscore",
    "llm": f"--stages {_ALL}",
    "llm + judge": f"--stages {_ALL},judge",
    "mixed: llm decompose": "--stages decompose",
    "mixed: llm verify": "--stages verify",
    "mixed: embedded + judge": "--stages judge",
    "llm, zero-shot": f"--stages {_ALL} --zero-shot",
    "llm, no history": f"--stages {_ALL} --no-history",
    "llm, no background": f"--stages {_ALL} --no-background",
    "factscore, llm": "--method factscore --stages decompose,verify",
    "llm-judge": "--method llm-judge",
}
"""Each way of scoring, by its options of `vista-stream score`."""
_WITHOUT_LLM = 4


class Stopped(Exception):
    """The LLM's server does not answer."""


def options(way: str, model: str, url: str, work: Path) -> argparse.Namespace:
    """The options of a way, parsed as by the command line; one request and one dialogue at a time."""
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    server = ["--model", model, "--base-url", url, "--cache", str(work / "replies.db")] if url else []
    return parser.parse_args(["score", "-", "--concurrency", "1", *WAYS[way].split(), *server])


def fingerprint(args: argparse.Namespace, dialogue: Dialogue) -> str:
    """A key of everything that a score depends on: options, prompts, shipped models, the dialogue itself."""
    models = files("vista_stream") / "models"
    manifests = [(models / part / "manifest.json").read_text() for part in ("verifier", "encoder")]
    told = json.dumps([describe(args), manifests, repr(dialogue)])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


async def score(scorer: Scorer, client: LlmClient | None, dialogue: Dialogue) -> Scored:
    """One dialogue's record and seconds; for cached replies, the seconds they took originally are added."""
    kept = _kept_seconds(client)
    began = time.perf_counter()
    scored = await scorer.score(dialogue)
    seconds = time.perf_counter() - began + _kept_seconds(client) - kept
    record = dialogue_record(dialogue, scored, setup={})
    silent = [error for error in _errors(record) if "did not answer" in error]
    if silent:
        raise Stopped(silent[0])
    return {"id": dialogue.id, "seconds": seconds, "record": record, "stages": _stages(scored.report)}


def _kept_seconds(client: LlmClient | None) -> float:
    return sum(spent.cached_seconds for spent in client.spent.values()) if client else 0.0


def _errors(record: dict[str, Any]) -> Iterator[str]:
    for turn in record["turns"]:
        yield from turn.get("errors", ())
        yield from (unresolved["error"] for unresolved in turn.get("unresolved", ()))


def _stages(report: SessionReport) -> dict[str, float]:
    return {stage: round(took.seconds, 3) for stage, took in report.stage_times.items()}


async def run_way(way: str, args: argparse.Namespace, picked: Sequence[Dialogue], work: Path) -> None:
    """Score the dialogues that were not scored before, and write each at once."""
    path = work / _file(way)
    before = {scored["key"] for scored in read(path)}
    left = [(key, d) for d in picked if (key := fingerprint(args, d)) not in before]
    if not left:
        print(f"{way}: {len(picked)} dialogues were scored before", flush=True)
        return
    client = connect(args)
    try:
        # Otherwise a way would profit from pairs that earlier ways had scored in this process.
        defaults._shipped_verifier.cache_clear()
        scorer = build_scorer(args, client)
        await scorer.score(_warm_up())
        spent = 0.0
        for number, (key, dialogue) in enumerate(left, start=1):
            scored = await score(scorer, client, dialogue)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **scored}, ensure_ascii=False) + "\n")
            spent += scored["seconds"]
            rest = spent / number * (len(left) - number)
            told = f"{len(picked) - len(left) + number}/{len(picked)} {scored['seconds']:.1f} s"
            print(f"{way}: {told}, about {rest / 60:.0f} min to go for this way", flush=True)
    finally:
        if client is not None:
            with anyio.CancelScope(shield=True):
                await client.aclose()


def _warm_up() -> Dialogue:
    # A text for which no reply is cached.
    text = f"Parcel {time.time_ns()} was brought by the postman. I think it is heavy."
    turn = DialogueTurn(role="assistant", text=text, references=["The parcel came by post."])
    return Dialogue(id="warm-up", turns=[DialogueTurn(role="user", text="Who brought the parcel?"), turn])


def _file(way: str) -> str:
    return f"{''.join(c if c.isalnum() else '-' for c in way)}.jsonl"


def read(path: Path) -> list[Scored]:
    """The dialogues that were scored; removes an incomplete last line from the file."""
    if not path.exists():
        return []
    whole, _, cut = path.read_text(encoding="utf-8").rpartition("\n")
    if cut:
        path.write_text(f"{whole}\n", encoding="utf-8")
    return [json.loads(line) for line in whole.split("\n") if line]


def table(work: Path, ways: dict[str, argparse.Namespace], picked: Sequence[Dialogue]) -> dict[str, Any]:
    """A row for each way that has scored any of the dialogues."""
    found = {}
    for way, args in ways.items():
        keys = [fingerprint(args, dialogue) for dialogue in picked]
        by_key = {scored["key"]: scored for scored in read(work / _file(way))}
        found[way] = [by_key[key] for key in keys if key in by_key]
    first = found.get("embedded") or []
    return {way: row(scored, first) for way, scored in found.items() if scored}


def row(scored: Sequence[Scored], first: Sequence[Scored]) -> dict[str, Any]:
    """Accuracy on labelled turns, and seconds; `p_against_embedded` by McNemar on the turns of both."""
    records = [each["record"] for each in scored]
    summary = summarise(records)
    claims = summary["claims"] + summary["unresolved"]
    seconds = sum(each["seconds"] for each in scored)
    labelled = [turn for record in records for turn in record["turns"] if turn.get("label") is not None]
    shared = {each["id"] for each in first} & {each["id"] for each in scored}
    return {
        "dialogues": len(scored),
        "turn_accuracy": round(summary["agreement"]["turn_accuracy"], 3),
        "verifiable_found": _found(labelled, verifiable=True),
        "unverifiable_found": _found(labelled, verifiable=False),
        "claims": claims,
        "unresolved": summary["unresolved"] + summary["errors"],
        "seconds_a_claim": round(seconds / claims, 3) if claims else None,
        "seconds_a_dialogue": round(seconds / len(scored), 3),
        "seconds_by_stage": _added(each["stages"] for each in scored),
        "p_against_embedded": round(compare(records, [each["record"] for each in first])["p_value"], 4)
        if shared
        else None,
    }


def _found(turns: Iterable[dict[str, Any]], *, verifiable: bool) -> str:
    said = [turn["verifiable"] is verifiable for turn in turns if turn["label"] is verifiable]
    return f"{sum(said)} of {len(said)}"


def _added(stages: Iterable[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in stages:
        for stage, seconds in each.items():
            total[stage] = round(total.get(stage, 0.0) + seconds, 3)
    return total


def show(rows: dict[str, Any], of: int) -> None:
    """The table in Markdown, as benchmarks/README.md has it."""
    print("\n| way | dialogues | turns right | verifiable | unverifiable | claims | unresolved | s a claim |")
    print("|---|---|---|---|---|---|---|---|")
    for way, figures in rows.items():
        each = figures["seconds_a_claim"]
        print(
            f"| {way} | {figures['dialogues']} of {of} | {figures['turn_accuracy']:.0%} |"
            f" {figures['verifiable_found']} | {figures['unverifiable_found']} | {figures['claims']} |"
            f" {figures['unresolved']} | {'–' if each is None else f'{each:.2f}'} |"
        )


def serve(gguf: Path, *, threads: int, port: int) -> Any:
    """A server on the loopback interface, with enough slots that each prompt finds its exemplars cached."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.n_parallel, params.n_ctx, params.port, params.verbosity = 6, 6 * 4096, port, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


def main() -> int:
    """Command line."""
    args = arguments()
    picked = dialogues(data_folder(args.from_folder, str(HALUEVAL)), args.dialogues)
    args.work.mkdir(parents=True, exist_ok=True)
    model = args.gguf.stem if args.gguf else "local"
    url = f"http://127.0.0.1:{args.port}/v1"
    ways = {way: options(way, model, url, args.work) for way in WAYS}
    chosen = [way for way in list(WAYS)[: None if args.gguf else _WITHOUT_LLM] if way in args.only]
    server = serve(args.gguf, threads=args.threads, port=args.port) if args.gguf else None
    status = 0
    try:
        for left, way in zip(reversed(range(len(chosen))), chosen, strict=True):
            began = time.monotonic()
            anyio.run(run_way, way, ways[way], picked, args.work)
            took = time.monotonic() - began
            print(f"{way}: {took / 60:.1f} min; {left} ways left, {took * left / 60:.0f} min at this pace")
    except (KeyboardInterrupt, Stopped) as stop:
        print(f"stopped{f': {stop}' if str(stop) else ''}; the same command goes on")
        status = 1
    del server
    rows = table(args.work, ways, picked)
    show(rows, WHOLE)
    whole = all(rows.get(way, {}).get("dialogues") == WHOLE for way in WAYS)
    path = args.out or (RESULTS / "dialogues.json" if whole else args.work / "partial.json")
    save(path, {"model": model if args.gguf else None, "of": WHOLE, "threads": args.threads, "ways": rows})
    print(f"\n{'whole' if whole else 'partial'} figures: {path}")
    return status


def arguments() -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--gguf", type=Path, help="the LLM; without it only the embedded stages run")
    parser.add_argument("--dialogues", type=int, default=WHOLE, metavar="N", help="only the first N")
    parser.add_argument("--only", type=_names, default=list(WAYS), help="ways of scoring, with semicolons")
    parser.add_argument("--threads", type=int, default=2, help="of the LLM's server")
    parser.add_argument("--port", type=int, default=18612, help="of the LLM's server; kept replies need it")
    parser.add_argument("--work", type=Path, default=Path(".work/dialogues"), help="what was scored so far")
    parser.add_argument("--out", type=Path, help="default: results/dialogues.json once all is scored")
    return parser.parse_args()


def _names(value: str) -> list[str]:
    names = [name.strip() for name in value.split(";")]
    unknown = [name for name in names if name not in WAYS]
    if unknown:
        raise argparse.ArgumentTypeError(f"takes {'; '.join(WAYS)}, not {unknown[0]!r}")
    return names


if __name__ == "__main__":
    sys.exit(main())
