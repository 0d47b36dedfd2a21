"""`vista-stream tune`: thresholds chosen on a user's own examples."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.inputs import input_name, read_input, standard_output
from vista_stream.cli.loading import VERIFIERS, close_verifiers, load_verifier
from vista_stream.cli.score_files import check_paths
from vista_stream.cli.summary import failures_line
from vista_stream.core.text.surrogates import encodable
from vista_stream.scoring.tuning import Example, Sentence, Tuning, failures, judged, parse_example, tune
from vista_stream.scoring.tuning_page import tuning_lines, tuning_page
from vista_stream.verifiers.protocol import Verifier, thresholds_of

EPILOG = """\
In, one example a line: an answer, what it was written from, and the stretches of it that are false.
  {"references": ["..."], "query": "...", "answer": "...", "false": ["..."]}
A sentence is false where a part of it stands in "false", which is [] for an answer that is right. query and
id may be left out.

Standard output gets the text of a policy file with the thresholds that are proposed; standard error says what
they do on the examples. --page writes the whole curves.

Exit status: 0, 1 if the verifier failed and judged no claim, 2 for bad usage or input.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "tune",
        help=COMMANDS["tune"],
        description="Choose a policy's thresholds on your own examples.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("examples", metavar="EXAMPLES.jsonl", help="the examples; - reads standard input")
    add("--page", metavar="FILE.html", help="write a page with the curves and the mistakes")
    add("--disturbed", type=_share, default=0.02, metavar="S", help="right sentences blocked, at most (0.02)")
    add("--precision", type=_share, default=0.9, metavar="S", help="of verified ones right, at least (0.9)")
    add("--verifier", default="embedded", metavar="NAME", help=VERIFIERS)


def _share(value: str) -> float:
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"takes a share from 0 to 1, not {value!r}")
    return share


def run(args: argparse.Namespace) -> int:
    """Tune on the examples and return the exit status: 1 if the verifier judged nothing, else 0."""
    standard_output()
    examples = _examples(args.examples)
    check_paths(args)
    verifier = load_verifier(args.verifier)
    own = thresholds_of(verifier)
    try:
        sentences = anyio.run(_judge, examples, verifier)
        tuning = tune(sentences, own, disturbed=args.disturbed, precision=args.precision)
    except ValueError as error:
        raise CommandError(f"{input_name(args.examples)}: {error}") from error
    if not _told_failures(sentences):
        return 1
    print(_policy_file(tuning), end="")
    print(*tuning_lines(tuning), sep="\n", file=sys.stderr)
    if args.page:
        title = Path(input_name(args.examples)).name
        _write_page(Path(args.page), tuning_page(tuning, title=f"Thresholds for {title}"))
    return 0


def _told_failures(sentences: Sequence[Sentence]) -> bool:
    """Report the verifier's failures on standard error; False if for them it judged no claim."""
    if not (failed := failures(sentences)):
        return True
    settled = any(verdict.tier == "model" for each in sentences for verdict in each.verdicts)
    told = f"{'' if settled else 'the verifier judged no claim; '}{failures_line(failed)}"
    print(f"vista-stream tune: {told}", file=sys.stderr)
    return settled


def _examples(path: str) -> list[Example]:
    examples, name = [], input_name(path)
    # Not splitlines: it also splits at U+2028 and similar characters, which may stand in JSON strings.
    for number, line in enumerate(read_input(path).split("\n"), start=1):
        if line.strip():
            try:
                examples.append(parse_example(line, number=number))
            except ValueError as error:
                raise CommandError(f"{name}, line {number}: {error}") from error
    if not examples:
        raise CommandError(f"{name} holds no examples")
    return examples


async def _judge(examples: Sequence[Example], verifier: Verifier) -> list[Sentence]:
    try:
        return await _sentences(examples, verifier)
    finally:
        with anyio.CancelScope(shield=True):
            await close_verifiers()


async def _sentences(examples: Sequence[Example], verifier: Verifier) -> list[Sentence]:
    sentences: list[Sentence] = []
    for number, example in enumerate(examples, start=1):
        try:
            sentences += await judged(example, verifier)
        except ValueError as error:
            raise ValueError(f"{example.id}: {error}") from error
        if sys.stderr.isatty():
            print(f"\r{number} of {len(examples)} examples", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return sentences


def _policy_file(tuning: Tuning) -> str:
    lines = [f"{name} = {float(value)}" for name, value in tuning.thresholds.items()]
    return "\n".join(["[thresholds]", *lines, ""])


def _write_page(path: Path, page: str) -> None:
    try:
        path.write_text(encodable(page), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--page {path}: {error.strerror}") from error
