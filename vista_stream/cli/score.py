"""`vista-stream score`: the papers' numbers for a file of finished dialogues."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import anyio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.job import add_options, check_engine, positive
from vista_stream.cli.bulk.scoring import UNFIT, run_scoring
from vista_stream.cli.inputs import input_name, read_input, standard_output
from vista_stream.cli.loading import VERIFIERS, close_verifiers
from vista_stream.cli.score_files import RecordsFile, check_paths, read_records
from vista_stream.cli.scorers import (
    METHODS,
    STAGES,
    build_scorer,
    check_options,
    connect,
    describe,
    outlay_lines,
    read_prices,
    read_seconds,
)
from vista_stream.cli.summary import failures_line
from vista_stream.core.text.surrogates import encodable
from vista_stream.scoring.batch import run_ordered
from vista_stream.scoring.dialogue import Dialogue, digest, parse_dialogue
from vista_stream.scoring.outlay import Outlay
from vista_stream.scoring.page import page
from vista_stream.scoring.records import Record, dialogue_record, record_errors
from vista_stream.scoring.scorer import Scorer
from vista_stream.scoring.summary import assistant_turns, compare, is_decided, summarise
from vista_stream.verifiers.protocol import Embedder

T = TypeVar("T")

EPILOG = """\
In, one dialogue a line; only id, turns, role and text are needed:
  {"id": "d1", "background": ["..."], "turns": [{"role": "user", "text": "..."},
   {"role": "assistant", "text": "...", "query": "...", "references": ["..."], "label": "verifiable",
    "claims": [{"text": "...", "importance": "vital", "label": "verified"}], "nuggets": ["..."]}]}
Out, to standard output or --out, one dialogue a line, in the same order; the same input gives the same
lines. The summary goes to standard error, and what the run took: time by stage, tokens and their price;
in --json they stand under "run". --stages names what an LLM does, such as --stages decompose,verify; the
rest is done on this machine. An LLM is any OpenAI-compatible server: OPENAI_BASE_URL and OPENAI_API_KEY,
or --base-url.

Claims that errors kept from a verdict are unresolved: how many, and the first error, stand on standard
error. A turn that holds one is left out of the accuracy against labels.

--resume keeps what --out holds of the same dialogues scored in the same way; one whose references, labels
or other input than the turns' texts changed is scored again. A file in which a dialogue has other texts, is
not in the input or was scored with other options is of another run: it is left as it is (2).

--engine ray scores in parts on a Ray cluster: that of RAY_ADDRESS, or one started here. The input is a file,
a folder or an fsspec URL, of .jsonl or .parquet; so is --out, where a slash at the end keeps the parts.

Exit status: 0 scored, 1 errors left nothing settled, 2 bad usage or input, 130 interrupted: --out FILE
--resume goes on, and scores again what errors befell.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "score",
        help="score finished dialogues: VISTA, VITAL, FActScore, LLM-as-Judge",
        description="Score a file of finished dialogues by the measures of VISTA and VITAL.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("dialogues", metavar="DIALOGUES.jsonl", help="the dialogues; - reads standard input")
    add("--method", choices=METHODS, default="vista", help="default: vista")
    add("--out", metavar="FILE.jsonl", help="where the scored dialogues go, in place of standard output")
    add(
        "--resume",
        action="store_true",
        help="keep what --out holds already and go on; what failed is tried again",
    )
    add("--report", metavar="FILE.html", help="write a page that shows every turn and claim")
    add("--json", action="store_true", help="write one JSON object: summary and dialogues")
    add("--compare", metavar="FILE.jsonl", help="an earlier --out: McNemar's test, and how claims agree")
    add("--stages", default="", metavar="NAMES", help=f"what an LLM does: {','.join(STAGES)}, or all of them")
    add("--model", metavar="NAME", help="the LLM's name on its server")
    add("--base-url", metavar="URL", help="the LLM's server")
    add("--cache", metavar="FILE", help="keep the LLM's replies there and never ask twice")
    add("--timeout", type=read_seconds, metavar="S", help="seconds that the LLM has for a reply (120)")
    add("--verifier", default="embedded", metavar="NAME", help=VERIFIERS)
    add("--prices", type=read_prices, metavar="IN,OUT", help="of a million prompt and reply tokens")
    add("--make-nuggets", action="store_true", help="let the LLM make nuggets where none are given")
    add("--zero-shot", action="store_true", help="prompts without exemplars")
    add("--no-history", action="store_true", help="decompose without the earlier turns")
    add("--no-background", action="store_true", help="verify without background and earlier claims")
    add("--concurrency", type=positive, default=8, metavar="N", help="dialogues at a time (8)")
    add_options(parser)


def run(args: argparse.Namespace, *, build: Callable[..., Scorer] = build_scorer) -> int:
    """Score the dialogues and return the exit status: 1 if errors left nothing settled, else 0."""
    check_options(args)
    if not args.out:
        standard_output()
    if args.resume and not args.out:
        raise CommandError("--resume needs --out FILE, what it goes on with")
    check_engine(args, unfit=UNFIT)
    if args.engine == "ray":
        return run_scoring(args, build)
    dialogues = _dialogues(args.dialogues)
    earlier = _earlier(args.compare, dialogues) if args.compare else None
    check_paths(args)
    with RecordsFile(args.out) if args.out else nullcontext() as out:
        kept = _kept(args, out, dialogues) if args.resume and out is not None else []
        records, outlay = anyio.run(_score, args, build, dialogues, kept, out)
    summary = summarise(records)
    try:
        if earlier is not None:
            embedder = _embedder(records, earlier)
            compared = _told(args.compare, partial(compare, records, earlier, embedder=embedder))
            summary["comparison"] = compared
    finally:  # a failed comparison must not lose the scores, which may have cost an LLM's fees
        if args.json:
            _say({"summary": summary, "run": outlay.record(), "dialogues": records})
    _print_summary(summary)
    if args.report:
        _write_page(args, records, summary, outlay.record())
    return _told_failures(records)


def _say(record: Record) -> None:
    """Write one line of JSON to standard output, in UTF-8 whatever the terminal's encoding."""
    sys.stdout.buffer.write(encodable(f"{json.dumps(record, ensure_ascii=False)}\n").encode())
    sys.stdout.buffer.flush()


def _told_failures(records: Sequence[Record]) -> int:
    """Report failures on standard error, and return the exit status: 1 if nothing was settled, else 0."""
    failures = [failure for record in records for failure in record_errors(record)]
    if not failures:
        return 0
    settled = any(turn["claims"] or is_decided(turn) for turn in assistant_turns(records))
    told = f"{'' if settled else 'nothing was settled; '}{failures_line(failures)}"
    print(f"vista-stream score: {told}", file=sys.stderr)
    return 0 if settled else 1


def _embedder(*files: Sequence[Record]) -> Embedder | None:
    """The shipped bi-encoder, which matches claims that are worded differently.

    None if all files have the same wordings, or one of them has no claims: nothing is left to match.
    """
    worded = {frozenset(c["text"] for r in f for t in r["turns"] for c in t.get("claims", ())) for f in files}
    if len(worded) == 1 or frozenset() in worded:
        return None
    from vista_stream.verifiers.embedded import EmbeddedEmbedder

    return EmbeddedEmbedder.from_pretrained()


def _dialogues(path: str) -> list[Dialogue]:
    dialogues: dict[str, Dialogue] = {}
    name = input_name(path)
    for number, line in enumerate(read_input(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        dialogue = _told(where, partial(parse_dialogue, line))
        if dialogue.id in dialogues:
            raise CommandError(f"{where}: id {dialogue.id!r} stands there twice")
        dialogues[dialogue.id] = dialogue
    if not dialogues:
        raise CommandError(f"{name} holds no dialogue")
    turns = [turn for dialogue in dialogues.values() for turn in dialogue.turns]
    if any(t.label is not None or any(c.label is not None for c in t.claims or ()) for t in turns):
        _told(f"{name} holds labels", _measures)
    return list(dialogues.values())


def _measures() -> None:
    """Raise ImportError if the packages of the agreement measures are missing: now, not after the run."""
    import_module("vista_stream.scoring.agreement")


def _told(where: str, make: Callable[[], T]) -> T:
    try:
        return make()
    except (ValueError, ImportError) as error:
        raise CommandError(f"{where}: {error}") from error


def _earlier(path: str, dialogues: Sequence[Dialogue]) -> list[Record]:
    """The records to compare with; raises CommandError if they share no scored turn with these dialogues."""
    _told(path, _measures)
    records = read_records(path)
    answers = {(d.id, n) for d in dialogues for n, turn in enumerate(d.turns) if turn.role == "assistant"}
    scored = {(r["id"], n) for r in records for n, turn in enumerate(r["turns"]) if "verifiable" in turn}
    if not answers & scored:
        raise CommandError(f"{path}: it shares no scored turn with these dialogues")
    return records


def _kept(args: argparse.Namespace, out: RecordsFile, dialogues: Sequence[Dialogue]) -> list[Record]:
    """The records in --out that need not be scored again: complete, without errors, of the same input.

    Raises CommandError if a record is of another dialogue, or was scored with another setup. A record whose
    references, labels or other input have changed is dropped, and its dialogue scored again.
    """
    records = out.records()
    wanted = {dialogue.id: dialogue for dialogue in dialogues}
    setup = describe(args)
    for record in records:
        if other := _other(record, wanted.get(record["id"]), setup):
            told = f"{args.out} is of another run: dialogue {record['id']!r} {other}"
            raise CommandError(f"{told}; give another --out, or leave out --resume to score all again")
    same = [record for record in records if record.get("input") == digest(wanted[record["id"]])]
    kept = [record for record in same if not record_errors(record)]
    out.replace(kept)
    return kept


def _other(record: Record, dialogue: Dialogue | None, setup: Record) -> str:
    """What shows that a record is not of this dialogue or setup; "" for nothing."""
    if dialogue is None:
        return "is not in the input"
    if [turn["text"] for turn in record["turns"]] != [turn.text for turn in dialogue.turns]:
        return "has other texts in the input"
    scored = record.get("setup") or {}
    names = [name for name in {**scored, **setup} if scored.get(name) != setup.get(name)]
    return f"was scored with another setup: {', '.join(names)}" if names else ""


async def _score(
    args: argparse.Namespace,
    build: Callable[..., Scorer],
    dialogues: Sequence[Dialogue],
    kept: Sequence[Record],
    out: RecordsFile | None,
) -> tuple[list[Record], Outlay]:
    """All records in the order of the dialogues; a new one is written as soon as those before it are."""
    records = list(kept)
    places = {dialogue.id: place for place, dialogue in enumerate(dialogues)}
    done = {record["id"] for record in kept}
    left = [dialogue for dialogue in dialogues if dialogue.id not in done]
    setup = describe(args)
    client = connect(args)
    outlay = Outlay(prices=args.prices, spent={} if client is None else client.spent)
    try:
        scorer = build(args, client)
        if out is not None and not args.resume:
            out.clear()
        with _progress(len(kept), len(dialogues)) as advance:

            async def score(dialogue: Dialogue) -> Record:
                scored = await scorer.score(dialogue)
                outlay.add(scored)
                return dialogue_record(dialogue, scored, setup=setup)

            def put(record: Record) -> None:
                records.append(record)
                if out is not None:
                    out.write(record)
                elif not args.json:
                    _say(record)
                advance()

            await run_ordered(left, score, put, concurrency=args.concurrency)
    finally:
        for line in outlay_lines(outlay):
            print(line, file=sys.stderr)
        with anyio.CancelScope(shield=True):
            await close_verifiers()
            if client is not None:
                await client.aclose()
    ordered = sorted(records, key=lambda record: places[record["id"]])
    if out is not None and kept and ordered != records:
        out.replace(ordered)
    return ordered, outlay


@contextmanager
def _progress(done: int, total: int) -> Iterator[Callable[[], None]]:
    console = Console(stderr=True)
    columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False
    ) as progress:
        task = progress.add_task("scoring", total=total, completed=done)
        yield lambda: progress.advance(task)


def _print_summary(summary: dict[str, Any]) -> None:
    table = Table("measure", "value", title="Summary")
    for name, value in _rows(summary):
        table.add_row(name.replace("_", " "), value)
    Console(stderr=True).print(table)


def _rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in summary.items():
        match value:
            case dict():
                yield from ((f"{name}: {key}", shown) for key, shown in _rows(value))
            case int():
                yield name, str(value)
            case float():
                yield name, f"{value:.4f}"
            case _:
                pass


def _write_page(
    args: argparse.Namespace, records: Sequence[Record], summary: dict[str, Any], run: Record
) -> None:
    setup = describe(args)
    told = {key: value for key, value in setup.items() if isinstance(value, str)}
    versions = [f"prompt {version}" for version in setup.get("prompts", {}).values()]
    about = ", ".join([*(f"{key}: {value}" for key, value in told.items()), *versions])
    title = f"{Path(args.dialogues).name if args.dialogues != '-' else 'Dialogues'}, scored"
    text = page(records, summary, title=title, about=about, run=run)
    try:
        Path(args.report).write_text(encodable(text), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{args.report}: {error.strerror or error}") from error
