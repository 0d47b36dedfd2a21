"""Whether any parser or regular expression of the package takes more than linear time: fails where one does.

Each is timed on texts that repeat one adversarial piece, from 1 kB on: with every piece as far as the times
stay short, then with the piece that took longest up to 10 MB. An expression is applied as its module applies
it: only to the beginning of a text where all its uses are `match` or `fullmatch`, else from every place on.
Processor time of this thread is counted, so a busy machine is no failure. Writes
benchmarks/results/growth.json.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import log
from types import ModuleType
from typing import Any

import vista_stream
import vista_stream_adapters
from benchmarks.record import RESULTS, save
from vista_stream import Reference
from vista_stream.caching import forget_all
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.text.language import is_english
from vista_stream.core.text.legible import legible
from vista_stream.core.text.plaintext import strip_markup
from vista_stream.core.text.segmenter import Segmenter
from vista_stream.plain import plain
from vista_stream.retrieval.context import Outline
from vista_stream_adapters.guard import retrieved_documents
from vista_stream_adapters.proxy.references_folder import text_of
from vista_stream_adapters.rewrite.json_fields import JsonFields
from vista_stream_adapters.rewrite.sse import SseDecoder

STEEP = 1.35
"""Exponent of the growth from which it is a failure; n log n has 1.1 between these sizes."""
_SHORTEST = 1_000
_MEASURABLE = 0.0005
"""Seconds under which a time says nothing about growth."""
_OWN_TEXT = ("vista_stream.training", "vista_stream.export")
PATIENCE = 0.01
"""Seconds from which no longer text is tried with a piece that is not the slowest."""
_LONGEST = 300.0
"""The same for the slowest piece."""
_CERTAIN = 2.0
"""Seconds from which a steep time is no chance, and is not measured again."""
_LOOKAHEAD = 1_600
"""Characters that may be looked ahead at: below, time may grow faster without being a failure."""
_STEP = 10**0.5

PIECES = (
    *("a", "A", "0", " ", "\n", "\r", "\t", ".", ",", "-", "_", "*", "`", "'", '"', "\\", "/", ":", "&", "#"),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "|",
        "~",
        "$",
        "%",
        "@",
        "!",
        "+",
        "=",
        "\u200b",
        "é",
        "\ud83d",
    ),
    *(
        "a ",
        "A ",
        "0 ",
        "1,",
        "1.",
        "a.",
        "A.",
        "a-",
        "a,",
        " a",
        "\na",
        "a\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "\n\n",
    ),
    *("[a](", "](", "![", "<a ", "</", "<!--", "&#", "&amp", "a@", "://", "a/", "\\u", '\\"', '"a":', "[1]"),
    *(
        "**a",
        "``",
        "```\n",
        "|a",
        "$1",
        "1 000 ",
        "the ",
        "not ",
        "and ",
        "of ",
        "A. B",
        "two hundred ",
        "'s ",
    ),
    *(
        "data: a\n",
        ":\n",
        "data:\n:\n",
        "data: a\n\n",
        "id: 1\n",
        "<!-- >",
        "<a b=' >",
        "<script>",
        "</script ",
        "<svg>",
        "</svg>",
        "<p>",
        "A b. ",
        "don't ",
        "# a\n",
    ),
)
"""What a text repeats."""

_ATTEMPTS = 3
"""How often a reading must be too steep: another program that slows one measurement is no failure."""


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How the time of one reading grew with its text."""

    what: str
    piece: str
    exponent: float
    length: int
    seconds: float


def _whole(make: Callable[[], Any], encoded: bool = False) -> Callable[[str], object]:
    return lambda text: make().feed(text.encode("utf-8", "replace") if encoded else text)


def _claims(text: str) -> None:
    forget_all()  # the texts are measured again
    discourse = Discourse(None)
    for segment in Segmenter().feed(text):
        discourse.decompose(segment)


def _in_pieces(make: Callable[[], Any], encoded: bool = False) -> Callable[[str], object]:
    def read(text: str) -> None:
        parser, given = make(), text.encode("utf-8", "replace") if encoded else text
        for start in range(0, len(given), 16):
            parser.feed(given[start : start + 16])

    return read


PARSERS: Mapping[str, Callable[[str], object]] = {
    "Segmenter": _whole(Segmenter),
    "Segmenter, in deltas": _in_pieces(Segmenter),
    "Discourse": _claims,
    "JsonFields": _whole(JsonFields),
    "JsonFields, in deltas": _in_pieces(JsonFields),
    "JsonFields, in a value": lambda text: JsonFields().feed('{"a": "' + text),
    "JsonFields, in a list": lambda text: JsonFields().feed("[" + text),
    "SseDecoder": _whole(SseDecoder, encoded=True),
    "SseDecoder, in deltas": _in_pieces(SseDecoder, encoded=True),
    "strip_markup": strip_markup.__wrapped__,  # type: ignore[attr-defined]  # not what it keeps
    "legible": legible,
    "plain": plain,
    "is_english": is_english,
    "retrieved_documents": lambda text: retrieved_documents([{"role": "tool", "content": text}]),
    "text_of html": lambda text: text_of(text.encode("utf-8", "replace"), suffix=".html"),
    "Reference": lambda text: Reference("A. " + text, name="text"),
    "Outline": Outline,
}
"""Each parser by name; it reads one text."""


def patterns() -> Mapping[str, Callable[[str], object]]:
    """The regular expressions of all modules that read strangers' text, by name; each reads a text."""
    found: dict[str, Callable[[str], object]] = {}
    for package in (vista_stream, vista_stream_adapters):
        for entry in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if entry.name.endswith("__main__") or entry.name.startswith(_OWN_TEXT):
                continue
            try:
                module = importlib.import_module(entry.name)
            except ImportError:
                continue  # an extra that is not installed
            used = _uses(module)
            for name, value in vars(module).items():
                for place, pattern in _within(value, name):
                    found.setdefault(f"{module.__name__}.{place}", _applied(pattern, used.get(place, set())))
    return found


def _uses(module: ModuleType) -> Mapping[str, set[str]]:
    """For each name of a module, the methods that the module calls on it; "" for any other use."""
    found: dict[str, set[str]] = defaultdict(set)
    tree = ast.parse(inspect.getsource(module))
    called = {node.value: node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found[node.id].add(called.get(node, ""))
    return found


def _applied(pattern: re.Pattern[Any], methods: set[str]) -> Callable[[str], object]:
    """The pattern, as methods of these names read a text with it."""
    if methods == {"fullmatch"}:
        return lambda text: pattern.fullmatch(_given(pattern, text))
    if methods and methods <= {"match", "fullmatch"}:
        return lambda text: pattern.match(_given(pattern, text))
    return lambda text: deque(pattern.finditer(_given(pattern, text)), maxlen=0)


def _given(pattern: re.Pattern[Any], text: str) -> Any:
    return text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text


def _within(value: object, name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in a value, also inside of tuples, lists, dicts and the fields of classes."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict) and not name.startswith("__"):
        for key, inner in value.items():
            yield from _within(inner, f"{name}[{key!r}]")
    elif isinstance(value, tuple | list):
        for number, inner in enumerate(value):
            yield from _within(inner, f"{name}[{number}]")


def measure(
    what: str, read: Callable[[str], object], piece: str, *, largest: int, patience: float = PATIENCE
) -> Growth | None:
    """Time one reading on texts of growing length; None where all times are too short to tell.

    After four lengths, no longer text is tried after one that took `patience` seconds.
    """
    times: list[tuple[int, float]] = []
    for length in _lengths(largest):
        if len(times) >= 4 and times[-1][1] >= patience:
            break
        text = (piece * (length // len(piece) + 1))[:length]
        times.append((length, _seconds(read, text)))
    steps = [
        (log(later / earlier) / log(long / short), long, later)
        for (short, earlier), (long, later) in zip(times, times[2:], strict=False)
        if earlier > _MEASURABLE and short > _LOOKAHEAD
    ]
    if not steps:
        return None
    exponent, at, seconds = steps[-1]
    return Growth(what=what, piece=piece, exponent=exponent, length=at, seconds=seconds)


def _lengths(largest: int) -> list[int]:
    """From 1,000 to `largest`, which is the last one; each about three times the one before."""
    steps = int(log(largest / _SHORTEST) / log(_STEP) + 1e-9)
    return [round(largest / _STEP**step) for step in range(steps, -1, -1)]


def _seconds(read: Callable[[str], object], text: str) -> float:
    """Processor time of one reading, without the garbage collector: its time depends on all that lives."""
    gc.disable()
    try:
        begun = time.thread_time()
        with suppress(ValueError, RecursionError):  # documented: a limit is passed, or no sentence is left
            read(text)
        return time.thread_time() - begun
    finally:
        gc.enable()


def steep(
    readings: Iterable[tuple[str, Callable[[str], object]]], *, largest: int, patience: float = PATIENCE
) -> list[Growth]:
    """The readings that grow too fast, each with the piece that shows it."""
    return [
        grown
        for reading in readings
        for grown in _all_pieces(*reading, largest=largest, patience=patience)
        if grown.exponent > STEEP
    ]


def slowest(
    what: str, read: Callable[[str], object], among: Iterable[Growth], *, largest: int
) -> Growth | None:
    """The reading of up to `largest` characters of the piece that took most time for each character."""
    worst = max(among, key=lambda each: each.seconds / each.length, default=None)
    return worst and _settled(what, read, worst.piece, largest=largest, patience=_LONGEST)


def _all_pieces(
    what: str, read: Callable[[str], object], *, largest: int, patience: float
) -> Iterator[Growth]:
    for piece in PIECES:
        if (grown := _settled(what, read, piece, largest=largest, patience=patience)) is not None:
            yield grown
            if grown.exponent > STEEP:
                return  # one piece is enough to fail, and each such one takes long


def _settled(
    what: str, read: Callable[[str], object], piece: str, *, largest: int, patience: float
) -> Growth | None:
    """One measurement, or the least steep of several where each is too steep.

    Each goes on to longer texts than the one before: what looks ahead to a bound is steep below it.
    """
    measured: list[Growth] = []
    for attempt in range(_ATTEMPTS):
        grown = measure(what, read, piece, largest=largest, patience=patience * 10**attempt)
        if grown is None or grown.exponent <= STEEP or grown.seconds > _CERTAIN:
            return grown
        measured.append(grown)
    return min(measured, key=lambda each: each.exponent)


def main() -> None:
    """Measure all; exit with 1 where one grows too fast."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--largest", type=int, default=10_000_000, help="characters (default: 10,000,000)")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds (default: 0.01)")
    parser.add_argument("--only", default="", help="a part of the names to measure; nothing is written")
    args = parser.parse_args()
    readings = [*PARSERS.items(), *patterns().items()]
    told = {}
    for what, read in readings:
        if args.only in what:
            told[what] = _row(what, read, largest=args.largest, patience=args.patience)
            print(what, told[what], flush=True)
    worst = [what for what, row in told.items() if row["too steep"]]
    print(f"{len(told)} readings, {len(PIECES)} pieces, {len(worst)} too steep")
    if not args.only:
        save(RESULTS / "growth.json", {"pieces": len(PIECES), "largest": args.largest, "readings": told})
    sys.exit(bool(worst))


def _row(what: str, read: Callable[[str], object], *, largest: int, patience: float) -> dict[str, Any]:
    """What is told of one reading."""
    grown = list(_all_pieces(what, read, largest=largest, patience=patience))
    steeper = [each for each in grown if each.exponent > STEEP]
    longest = None if steeper else slowest(what, read, grown, largest=largest)
    if longest is not None and longest.exponent > STEEP:
        steeper.append(longest)
    return {
        "pieces with measurable times": len(grown),
        "slowest": longest and asdict(longest),
        "too steep": [asdict(each) for each in steeper],
    }


if __name__ == "__main__":
    main()
