"""A whole bulk run, from the options of a command to its exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.engine import Told, Work, require_ray, run_parts
from vista_stream.cli.bulk.parts import PartFiles
from vista_stream.cli.bulk.rows import Check, Part, cut

PART_ROWS = 256


def positive(value: str) -> int:
    """A whole number above 0, of an option; raises ArgumentTypeError for anything else."""
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"takes a whole number, 1 or more, not {value!r}")
    return int(value)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a bulk run, besides --out and --resume."""
    add = parser.add_argument
    add("--engine", choices=("local", "ray"), default="local", help="ray: on a Ray cluster, in parts")
    add("--workers", type=positive, metavar="N", help="of --engine ray (one for each CPU)")
    add("--part-rows", type=positive, metavar="N", help=f"of --engine ray, in a file ({PART_ROWS})")


def check_engine(args: argparse.Namespace, *, unfit: Sequence[str]) -> None:
    """Raise CommandError for options that the engine does not take; `unfit` are those that ray does not."""
    if args.engine == "local":
        given = [name for name in ("workers", "part_rows") if getattr(args, name) is not None]
        if given:
            raise CommandError(f"--{given[0].replace('_', '-')} is for --engine ray")
        return
    given = [name for name in unfit if getattr(args, name)]
    if given:
        raise CommandError(
            f"--{given[0].replace('_', '-')} is not for --engine ray: use it on what --out holds"
        )
    if not args.out:
        raise CommandError("--engine ray needs --out, a file or, with a slash at its end, a folder")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be done."""

    command: str
    source: str
    check: Check
    start: Callable[[], Work]
    """Makes a worker's work; it is sent to the workers."""
    out: PartFiles
    resume: bool
    workers: int | None = None
    part_rows: int | None = None
    all_settled: bool = False
    """Whether one failure makes the exit status 1, and not only that nothing was settled."""


def run_job(job: Job) -> int:
    """Write the output and return the exit status: 0, or 1 where too much failed, as the job says.

    Raises CommandError for a missing package, an input that cannot be read, an output that cannot be written.
    """
    require_ray()
    if job.source == "-":
        raise CommandError("--engine ray reads files, not standard input")
    job.out.check(job.source)
    began = monotonic()
    parts = list(cut(job.source, rows=job.part_rows or PART_ROWS, check=job.check))
    missing = job.out.prepare(parts, resume=job.resume)
    told = _run(job, missing) if missing else []
    job.out.merge(parts)
    kept = len(parts) - len(missing)
    rows = sum(each.rows for each in told)
    seconds = monotonic() - began
    print(
        f"{rows} rows in {len(missing)} parts, {seconds:.1f} s; {kept} parts were there already",
        file=sys.stderr,
    )
    return _status(job, told, kept)


def _run(job: Job, missing: Sequence[Part]) -> list[Told]:
    console = Console(stderr=True)
    columns = (TextColumn("parts"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    told = []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("parts", total=len(missing))
        for each in run_parts(missing, job.start, job.out, workers=job.workers):
            told.append(each)
            progress.advance(task)
    return told


def _status(job: Job, told: Sequence[Told], kept: int) -> int:
    failures = sum(each.failures for each in told)
    if not failures:
        return 0
    settled = kept or sum(each.settled for each in told)
    first = next(each.first_failure for each in told if each.failures)
    print(
        f"vista-stream {job.command}: {'' if settled else 'nothing was settled; '}failures: {failures}; "
        f"the first in {first}; --resume tries them again",
        file=sys.stderr,
    )
    return 0 if settled and not job.all_settled else 1
