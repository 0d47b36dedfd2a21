"""`vista-stream verify`: scores and evidence for pairs of premise and hypothesis."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import BinaryIO, NamedTuple

from anyio.from_thread import BlockingPortal, start_blocking_portal
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vista_stream.claims import Evidence, Pair, Scores
from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.inputs import parse_object, standard_input
from vista_stream.cli.loading import VERIFIERS, load_verifier
from vista_stream.cli.summary import stage_line
from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import InferenceError
from vista_stream.report import StageTime
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import Rounds, preselect, together
from vista_stream.verifiers.protocol import Verifier

_BATCH = 8

EPILOG = """\
In: {"premise": "...", "hypothesis": "..."} a line. Out, in the same order:
{"entailment": p, "neutral": p, "contradiction": p, "evidence": "the sentence of the premise that decided"}

The scores are the verifier's own, without the rules that decide before it in a guard. A premise longer
than a few sentences is searched for the passage that decides. Each line is written as soon as it is
known: what was written before Ctrl-C (exit status 130) or a bad line (2) is complete.
"""


class Answer(NamedTuple):
    """One line of the output."""

    scores: Scores
    evidence: str


class _Asked(NamedTuple):
    """One line of the input."""

    number: int
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


def run(args: argparse.Namespace, *, load: Callable[[str], Verifier] = load_verifier) -> int:
    """Score the pairs; 0 once all are written."""
    with _opened(args.pairs) as (lines, total), _written(total) as write:
        verifier = load(args.verifier)
        took = StageTime()
        with start_blocking_portal() as portal:
            for batch in _batches(lines, 1 if args.pairs == "-" else _BATCH):
                began = monotonic()
                for answer in _scored(portal, verifier, batch):
                    write(_line(answer))
                took += StageTime(len(batch), monotonic() - began)
    print(stage_line({"verify": took}), file=sys.stderr)
    return 0


def _line(answer: Answer) -> str:
    line = {**answer.scores._asdict(), "evidence": answer.evidence}
    return encodable(json.dumps(line, ensure_ascii=False))


def _scored(portal: BlockingPortal, verifier: Verifier, batch: Sequence[_Asked]) -> Iterator[Answer]:
    """Answers in order; where the batch fails, its lines one by one up to the one that cannot be scored."""
    try:
        yield from portal.call(_answers, verifier, batch)
    except InferenceError as error:
        if len(batch) == 1:
            raise CommandError(f"line {batch[0].number}: {error}") from error
        for asked in batch:
            yield from _scored(portal, verifier, [asked])


async def _answers(verifier: Verifier, batch: Sequence[_Asked]) -> list[Answer]:
    search = together([_answer(asked.premise, asked.hypothesis) for asked in batch])
    pairs = next(search)
    while True:
        try:
            pairs = search.send(await verifier.score(pairs))
        except StopIteration as end:
            answers: list[Answer] = end.value
            return answers


def _answer(premise: Reference, hypothesis: str) -> Rounds[Answer]:
    """Scores of the whole premise, or of a long one's deciding passage, and the sentence that decides."""
    if len(premise.windows) == 1:
        passage = premise.windows[0]
        (scores,) = yield [Pair(premise.text, hypothesis)]
    else:
        found = yield from preselect([premise], hypothesis)
        passage, scores = found.evidence, found.scores
    sentences = _sentences(premise, passage)
    if len(sentences) == 1:
        return Answer(scores, sentences[0])
    each = yield [Pair(sentence, hypothesis) for sentence in sentences]
    label = 2 if scores.contradiction > scores.entailment else 0
    decisive = max(range(len(sentences)), key=lambda row: each[row][label])
    return Answer(scores, sentences[decisive])


def _sentences(premise: Reference, passage: Evidence) -> list[str]:
    inside = [span for span in premise.sentences if passage.span.start <= span.start < passage.span.end]
    return [premise.text[span.start : span.end] for span in inside]


def _batches(lines: Iterable[bytes], size: int) -> Iterator[list[_Asked]]:
    batch: list[_Asked] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            batch.append(_asked(number, line))
        except CommandError:
            if batch:
                yield batch
            raise
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _asked(number: int, line: bytes) -> _Asked:
    where = f"line {number}"
    try:
        match parse_object(where, line.decode("utf-8-sig")):
            case {"premise": str(premise), "hypothesis": str(hypothesis)} if hypothesis.strip():
                return _Asked(number, Reference(premise, name="premise"), hypothesis)
    except UnicodeDecodeError as error:
        raise CommandError(f"{where}: not UTF-8") from error
    except ValueError as error:
        raise CommandError(f"{where}: premise: {error}") from error
    raise CommandError(f'{where}: takes {{"premise": "...", "hypothesis": "..."}}')


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The lines of a file and their number, or those of standard input."""
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
    """The lines of a file that can be read twice."""
    if not file.seekable():
        return None
    try:
        total = sum(1 for line in file if line.strip())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    file.seek(0)
    return total


@contextmanager
def _written(total: int | None) -> Iterator[Callable[[str], None]]:
    """A function that writes one line at once, below it a progress bar where there is a terminal."""
    on_terminal = sys.stdout.isatty()
    console = Console() if on_terminal else Console(stderr=True)
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False
    ) as progress:
        task = progress.add_task("verifying", total=total)

        def write(line: str) -> None:
            if on_terminal:
                console.print(line, markup=False, highlight=False, soft_wrap=True)
            else:
                sys.stdout.buffer.write(f"{line}\n".encode())
                sys.stdout.buffer.flush()
            progress.advance(task)

        yield write
