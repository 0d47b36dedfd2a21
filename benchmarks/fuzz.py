"""Feeds the parsers with inputs made at random, and fails at the first that breaks a promise.

The promises: no exception but the documented ones, the text byte for byte, and the same outcome however the
input is cut. Each input has a number, which with the seed makes it again.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import AnyStr

from benchmarks.fuzz_inputs import event_stream, json_document, marked_text
from benchmarks.record import RESULTS, save
from vista_stream.core.text.legible import legible
from vista_stream.core.text.plaintext import strip_markup
from vista_stream.core.text.segmenter import Segment, Segmenter
from vista_stream_adapters.rewrite.json_fields import (
    FieldEnd,
    FieldText,
    JsonFields,
    Piece,
    Prose,
    Structure,
    Value,
)
from vista_stream_adapters.rewrite.json_values import LONGEST
from vista_stream_adapters.rewrite.sse import SseDecoder, SseEvent, encode

_LINE = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNFINISHED = re.compile(r"(\\u[dD][89aAbB]..)?(\\(u.{0,3})?)?", re.DOTALL)
"""What a document that breaks off in a string may end with: half a surrogate pair, and part of an escape."""
Target = Callable[[Random], None]


def check_sse(random: Random) -> None:
    """Bytes of an event stream: every cut alike, as a plain reading of the standard, and back again."""
    wire = event_stream(random)
    events = _decoded([wire])
    assert events == _standard(wire)
    assert events == _decoded(_cut(wire, random))
    again = _decoded([encode(event) for event in events])
    assert again == [SseEvent(data=e.data, event=e.event, id=e.id, retry=e.retry) for e in events]


def check_json(random: Random) -> None:
    """A document, or nearly one: every cut alike, nothing lost, the values that Python's parser finds."""
    document = json_document(random)
    read = _pieces([document])
    pieces = _joined(read)
    assert pieces == _joined(_pieces(_cut(document, random)))
    if not _SURROGATE.search(document):
        assert _UNFINISHED.fullmatch(document.removeprefix(_written(read)))
    try:
        value = json.loads(document)
    except ValueError:
        return
    if isinstance(value, dict | list | str):
        assert not any(isinstance(piece, Prose) for piece in pieces)
        assert _texts(pieces) == _values(document)


def check_segments(random: Random) -> None:
    """A text: its segments, joined, are the text, and every cut gives the same ones."""
    text = marked_text(random)
    segments = _segments([text])
    assert "".join(segment.text for segment in segments) == text
    assert [segment.span.start for segment in segments] == [0, *[s.span.end for s in segments]][
        : len(segments)
    ]
    assert segments == _segments(_cut(text, random))


def check_markdown(random: Random) -> None:
    """A text without its marks, and as a person reads it: every character comes from a place in the text."""
    text = marked_text(random)
    plain = strip_markup(text)
    for place in range(len(plain.text)):
        span = plain.origin(place, place + 1)
        assert 0 <= span.start < span.end <= len(text)
    seen, places = legible(text)
    assert len(places) >= len(seen)
    assert all(0 <= place <= len(text) for place in places)


TARGETS: Mapping[str, tuple[Target, int]] = {
    "sse": (check_sse, 4),
    "json": (check_json, 4),
    "segments": (check_segments, 1),
    "markdown": (check_markdown, 1),
}
"""Each target by name, and its part of the inputs."""


def run(inputs: int, *, seed: int) -> Mapping[str, int]:
    """Try as many inputs, shared among the targets; how many each had. Raises AssertionError, naming one."""
    parts = sum(part for _, part in TARGETS.values())
    tried = {}
    for name, (target, part) in TARGETS.items():
        tried[name] = -(-inputs * part // parts)
        for number in range(tried[name]):
            try:
                target(Random(f"{seed} {name} {number}"))
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}, input {number}: {error!r}") from error
    return tried


def _cut(whole: AnyStr, random: Random) -> Sequence[AnyStr]:
    """The whole in parts: each character alone, or at a few places."""
    if random.random() < 0.3:
        return [whole[place : place + 1] for place in range(len(whole))]
    edges = [0, *sorted(random.choices(range(len(whole) + 1), k=random.randrange(1, 6))), len(whole)]
    return [whole[start:end] for start, end in pairwise(edges)]


def _decoded(chunks: Sequence[bytes]) -> list[SseEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.finish()


def _standard(wire: bytes) -> list[SseEvent]:
    """The events of a whole stream, read line by line as the standard says; the end completes an event."""
    *lines, cut = _LINE.split(wire.decode("utf-8", "replace").removeprefix("\ufeff"))
    events, data = [], list[str]()
    fields: dict[str, str] = {}
    for line in [*lines, *([] if cut else [""])]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                retry = fields.pop("retry", None)
                events.append(
                    SseEvent(
                        data="\n".join(data),
                        event=fields.get("event") or None,
                        id=fields.pop("id", None),
                        retry=None if retry is None else int(retry),
                    )
                )
            data = []
            fields.pop("event", None)
        elif name == "data":
            data.append(value)
        elif (
            name == "event"
            or (name == "id" and "\0" not in value)
            or (name == "retry" and re.fullmatch("[0-9]{1,18}", value))
        ):
            fields[name] = value
    return events


def _pieces(deltas: Sequence[str]) -> list[Piece]:
    fields = JsonFields()
    return [piece for delta in deltas for piece in fields.feed(delta)] + fields.end()


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with neighbours of one kind in one."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Structure) and isinstance(last, Structure):
            joined[-1] = Structure(last.raw + piece.raw)
        elif isinstance(piece, FieldText) and isinstance(last, FieldText):
            joined[-1] = FieldText(last.text + piece.text)
        elif isinstance(piece, Prose) and isinstance(last, Prose):
            joined[-1] = Prose(last.text + piece.text)
        else:
            joined.append(piece)
    return joined


def _written(pieces: Sequence[Piece]) -> str:
    """The pieces as the document writes them."""
    written = ""
    for piece in pieces:
        match piece:
            case Structure(raw=raw) | Value(raw=raw):
                written += raw
            case FieldText(text=text, escape=escape):
                written += escape or text
            case Prose(text=text):
                written += text
    return written


def _texts(pieces: Sequence[Piece]) -> list[str]:
    found = [""]
    for piece in pieces:
        if isinstance(piece, FieldText):
            found[-1] += piece.text
        elif isinstance(piece, Value):
            found[-1] += piece.raw
        elif isinstance(piece, FieldEnd):
            found.append("")
    return found[:-1]


def _values(document: str) -> list[str]:
    """The values that are read, in the order of the document, as it writes them.

    Keys that come twice are kept, unlike in a dict. `null` and numbers that are too long are not read. Half a
    surrogate pair is a replacement character.
    """
    found: list[str] = []

    def visit(value: object) -> None:
        if isinstance(value, bool):
            found.append("true" if value else "false")
        elif isinstance(value, str):
            found.append(value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
        elif isinstance(value, list):
            for inner in value:
                visit(inner[1] if isinstance(inner, tuple) else inner)

    def number(raw: str) -> str | None:
        return raw if len(raw) <= LONGEST else None

    visit(json.loads(document, object_pairs_hook=list, parse_int=number, parse_float=number))
    return found


def _segments(deltas: Sequence[str]) -> list[Segment]:
    segmenter = Segmenter()
    return [segment for delta in deltas for segment in segmenter.feed(delta)] + segmenter.finish()


def main() -> None:
    """Run, and write how many inputs were tried."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="(default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "fuzz.json")
    args = parser.parse_args()
    begun = time.process_time()
    tried = run(args.inputs, seed=args.seed)
    print(f"{sum(tried.values())} inputs, none broke a promise: {tried}")
    save(args.out, {"seed": args.seed, "inputs": dict(tried), "seconds": round(time.process_time() - begun)})


if __name__ == "__main__":
    main()
