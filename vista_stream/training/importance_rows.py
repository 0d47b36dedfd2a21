"""Reads claims with known importance: rows, answers with claims, or written files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vista_stream.claims import Importance, Span
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.turn import DECOMPOSED
from vista_stream.stages.llm.locate import locate
from vista_stream.training.rows import numbered_lines

ORDER = (Importance.LESS_IMPORTANT, Importance.OKAY, Importance.VITAL)
_LETTERS = dict(zip("SKV", ORDER, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One claim of an answer to a query."""

    query: str
    text: str
    importance: Importance
    position: int = 0
    """Index of its sentence among the answer's sentences with claims, from 0."""
    answer: str = ""
    """Key of its answer; rows of one answer and position are claims of one sentence."""


def rows_of(path: Path) -> list[Row]:
    """The rows of a JSON Lines file, gzipped or not, or of all .txt files of a folder in the written form.

    A line is a row (query, text, importance, optionally position) or an answer (query, answer, claims).
    Raises ValueError, naming the first invalid line, OSError for what cannot be read.
    """
    if path.is_dir():
        return [row for file in sorted(path.glob("*.txt")) for row in _written(file)]
    rows: list[Row] = []
    for number, line in numbered_lines(path):
        try:
            rows += _of_line(json.loads(line), f"{path.name}/{number}")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{path.name}, line {number}: a row must hold the strings query and text, importance (one of"
                f" {', '.join(ORDER)}), and may hold position, a number from 0; an answer must hold the"
                f" strings query and answer, and claims, each with text and importance: {error}"
            ) from error
    return rows


def _of_line(values: dict[str, Any], key: str) -> list[Row]:
    if "claims" in values:
        claims = [(claim["text"], Importance(claim["importance"])) for claim in values["claims"]]
        return list(_placed(values["query"], values["answer"], claims, key))
    query, text, position = values["query"], values["text"], values.get("position", 0)
    _check(query, text)
    if not isinstance(position, int) or position < 0:
        raise ValueError(f"position is {position!r}")
    importance = Importance(values["importance"])
    return [Row(query=query, text=text, importance=importance, position=position, answer=query)]


def _check(*texts: object) -> None:
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError("query, answer and text must be strings that are not empty")


def _written(path: Path) -> Iterator[Row]:
    told = False
    query, answer, claims = "", list[str](), list[tuple[str, Importance]]()
    for number, line in numbered_lines(path):
        line = line.rstrip("\n")
        letter, bar, claim = line.partition(" | ")
        if line.startswith("#q "):
            yield from _placed(query, "\n".join(answer), claims, f"{path.name}/{query}")
            query, answer, claims, told = line.removeprefix("#q "), [], [], False
        elif line == "#claims":
            told = True
        elif not told:
            answer.append(line.removeprefix("A: "))
        elif bar and letter in _LETTERS:
            claims.append((claim, _LETTERS[letter]))
        else:
            raise ValueError(
                f"{path.name}, line {number}: a claim must begin with V |, K | or S |, not {line!r}"
            )
    yield from _placed(query, "\n".join(answer), claims, f"{path.name}/{query}")


def _placed(query: str, answer: str, claims: Iterable[tuple[str, Importance]], key: str) -> Iterator[Row]:
    """The rows of an answer, in its order; a claim's sentence is the one with most of its words."""
    sentences = _sentences(answer)
    whole = Segment(index=0, text=answer, span=Span(0, len(answer)), kind=SegmentKind.SENTENCE)
    placed = []
    for text, importance in claims:
        _check(query, answer, text)
        placed.append((_nearest(locate(text, whole), sentences), text, importance))
    placed.sort(key=lambda entry: entry[0])
    places = sorted({place for place, _, _ in placed})
    for place, text, importance in placed:
        position = places.index(place)
        yield Row(query=query, text=text, importance=importance, position=position, answer=key)


def _sentences(answer: str) -> list[Span]:
    segmenter = Segmenter()
    segments = [*segmenter.feed(answer), *segmenter.finish()]
    return [segment.span for segment in segments if segment.kind in DECOMPOSED] or [Span(0, len(answer))]


def _nearest(span: Span, sentences: Sequence[Span]) -> int:
    shared = [min(span.end, other.end) - max(span.start, other.start) for other in sentences]
    return shared.index(max(shared))
