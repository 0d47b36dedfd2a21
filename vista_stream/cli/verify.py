"""`vista-stream verify`: writes scores, category and evidence for pairs of premise and hypothesis."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from time import monotonic
from typing import Any, BinaryIO, NamedTuple

from anyio.from_thread import start_blocking_portal
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vista_stream.claims import Pair
from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.bulk.engine import Made
from vista_stream.cli.bulk.job import Job, add_options, check_engine, run_job
from vista_stream.cli.bulk.parts import PartFiles, line_of
from vista_stream.cli.bulk.rows import Row
from vista_stream.cli.inputs import byte_lines, input_name, parse_object, standard_input, standard_output
from vista_stream.cli.loading import VERIFIERS, close_verifiers, load_verifier
from vista_stream.cli.summary import stage_line
from vista_stream.core.judge import category_of
from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import StageError, VerifierError
from vista_stream.portal import blocking_portal
from vista_stream.report import StageTime
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.dialogue import given_reference
from vista_stream.scoring.whole_texts import Found, least_supported
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.protocol import Verifier, checked_scores, inference, thresholds_of

EPILOG = """\
In: {"premise": "...", "hypothesis": "..."} a line. Out, in the same order:
{"entailment": p, "neutral": p, "contradiction": p, "category": "verified | contradicted | lacking_evidence",
"evidence": "the sentence of the premise that decided"}

Both may be of any length. A hypothesis of several sentences is split as in a guarded stream, and the one that
is supported least decides. Rules and thresholds are those of a guard; --scores-only leaves the rules out. A
line that cannot be scored gives {"error": "..."} and the exit status 1 at the end; a line that is no such
object ends the run (2), and so does an input without a line. Each line is written as soon as it is known:
what was written before Ctrl-C (130) is complete.

--engine ray verifies in parts on a Ray cluster: that of RAY_ADDRESS, or one started here. The input is a
file, a folder or an fsspec URL, of .jsonl or .parquet; so is --out, where a slash at the end keeps the parts.
"""


_COLUMNS = {
    **dict.fromkeys(("entailment", "neutral", "contradiction"), "double"),
    **dict.fromkeys(("category", "evidence", "error"), "string"),
}
"""Of Parquet: the keys of the lines."""


class _Asked(NamedTuple):
    """One line of the input."""

    where: str
    """Its place in the input, for messages."""
    premise: Reference
    hypothesis: str


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "verify",
        help=COMMANDS["verify"],
        description="Score pairs of premise and hypothesis.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pairs", metavar="PAIRS.jsonl", help="the pairs; - reads standard input")
    parser.add_argument("--verifier", default="embedded", metavar="NAME|PATH", help=VERIFIERS)
    parser.add_argument("--scores-only", action="store_true", help="the model's scores alone, without rules")
    parser.add_argument("--out", metavar="FILE|FOLDER/", help="of --engine ray: .jsonl or .parquet")
    parser.add_argument(
        "--resume", action="store_true", help="of --engine ray: make only the parts that lack"
    )
    add_options(parser)


def run(args: argparse.Namespace, *, load: Callable[[str], Verifier] = load_verifier) -> int:
    """Score the pairs and return the exit status: 0 once all are written, 1 if some could not be scored."""
    check_engine(args, unfit=())
    if args.engine == "ray":
        return _run_bulk(args, load)
    if args.out or args.resume:
        raise CommandError(f"--{'out' if args.out else 'resume'} is for --engine ray")
    failed = 0
    with _opened(args.pairs) as (lines, total), _written(total) as write:
        judge = _Judge(load(args.verifier), rules=not args.scores_only)
        took = StageTime()
        with start_blocking_portal() as portal:
            try:
                for asked in _asked_lines(lines):
                    began = monotonic()
                    line = portal.call(judge.line, asked)
                    took += StageTime(1, monotonic() - began)
                    failed += "error" in line
                    write(encodable(json.dumps(line, ensure_ascii=False)))
            finally:
                with suppress(RuntimeError):  # an interrupt has ended the event loop, and its connections
                    portal.call(close_verifiers)
    if not took.calls:
        raise CommandError(f"{input_name(args.pairs)} holds nothing to score")
    print(stage_line({"verify": took}), file=sys.stderr)
    if failed:
        print(f"vista-stream verify: {failed} of {took.calls} pairs could not be scored", file=sys.stderr)
    return 1 if failed else 0


def _run_bulk(args: argparse.Namespace, load: Callable[[str], Verifier]) -> int:
    setup = json.dumps([args.verifier, args.scores_only])
    job = Job(
        command="verify",
        source=args.pairs,
        check=_check,
        start=partial(_Judging, args, load),
        out=PartFiles(args.out, setup, _COLUMNS, json.loads),
        resume=args.resume,
        workers=args.workers,
        part_rows=args.part_rows,
        all_settled=True,
    )
    return run_job(job)


def _check(row: Row) -> None:
    _asked(row.place, row.text.encode())


class _Judging:
    """Judges the pairs of parts, in a worker of a bulk run."""

    def __init__(self, args: argparse.Namespace, load: Callable[[str], Verifier]) -> None:
        self._judge = _Judge(load(args.verifier), rules=not args.scores_only)

    def __call__(self, rows: Sequence[Row]) -> Made:
        asked = [_asked(row.place, row.text.encode()) for row in rows]
        with blocking_portal() as portal:
            lines = [portal.call(self._judge.line, each) for each in asked]
        failures = [line["error"] for line in lines if "error" in line]
        return Made(list(map(line_of, lines)), failures, len(lines) - len(failures))


class _Judge:
    """Turns pairs into lines of the output, with the stages of a guard."""

    def __init__(self, verifier: Verifier, *, rules: bool) -> None:
        thresholds = thresholds_of(verifier)
        kind = getattr(verifier, "kind", type(verifier).__name__)  # of a pool, that of its replicas
        embedder = EmbeddedEmbedder.from_pretrained() if kind == EmbeddedVerifier.__name__ else None
        self._verify = EmbeddedVerify(verifier, embedder=embedder, thresholds=thresholds, rules=rules)
        self._verifier = verifier
        self._thresholds = thresholds

    async def line(self, asked: _Asked) -> dict[str, Any]:
        try:
            found = await least_supported(
                self._verify, asked.premise, asked.hypothesis, thresholds=self._thresholds
            )
            evidence = await self._sentence(asked.premise, found)
        except (VerifierError, StageError) as error:
            return {"error": f"{asked.where}: {error}"}
        return {
            **found.scores._asdict(),
            "category": category_of(found.scores, self._thresholds),
            "evidence": evidence,
        }

    async def _sentence(self, premise: Reference, found: Found) -> str:
        """The sentence of the evidence that by itself gets the highest score of the deciding label.

        That label is contradiction if it scores above entailment, else entailment. "" without evidence.
        """
        evidence = found.finding.evidence
        if evidence is None:
            return ""
        sentences = [sentence.text for sentence in premise.sentences_in(evidence)]
        if len(sentences) < 2:
            return evidence.text
        pairs = [Pair(sentence, found.stated.text) for sentence in sentences]
        with inference("verifier"):
            each = checked_scores(await self._verifier.score(pairs), len(pairs))
        label = 2 if found.scores.contradiction > found.scores.entailment else 0
        return sentences[max(range(len(sentences)), key=lambda row: each[row][label])]


def _asked_lines(lines: Iterable[bytes]) -> Iterator[_Asked]:
    for number, line in enumerate(byte_lines(lines), start=1):
        if line.strip():
            yield _asked(f"line {number}", line)


def _asked(where: str, line: bytes) -> _Asked:
    try:
        match parse_object(where, line.decode("utf-8-sig")):
            case {"premise": str(premise), "hypothesis": str(hypothesis)} if hypothesis.strip():
                return _Asked(where, given_reference(premise, name="premise"), hypothesis)
    except UnicodeDecodeError as error:
        raise CommandError(f"{where}: not UTF-8") from error
    except ValueError as error:
        raise CommandError(f"{where}: premise: {error}") from error
    raise CommandError(f'{where}: takes {{"premise": "...", "hypothesis": "..."}}')


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The lines of a file and how many there are; for standard input the lines and None."""
    if path == "-":
        yield standard_input().buffer, None
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - what the block raises is not this file's
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    with file:
        yield file, _count(path, file)


def _count(path: str, file: BinaryIO) -> int | None:
    """How many lines of a file are not blank; None for a file that cannot be read twice."""
    if not file.seekable():
        return None
    try:
        total = sum(1 for line in byte_lines(file) if line.strip())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    file.seek(0)
    return total


@contextmanager
def _written(total: int | None) -> Iterator[Callable[[str], None]]:
    """A function that writes one line at once, in UTF-8; above a progress bar if there is a terminal."""
    out = standard_output()
    on_terminal = out.isatty()
    if on_terminal and isinstance(out, TextIOWrapper):
        out.reconfigure(encoding="utf-8")
    console = Console() if on_terminal else Console(stderr=True)
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False
    ) as progress:
        task = progress.add_task("verifying", total=total)

        def write(line: str) -> None:
            if on_terminal:
                console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)
            else:
                sys.stdout.buffer.write(f"{line}\n".encode())
                sys.stdout.buffer.flush()
            progress.advance(task)

        yield write
