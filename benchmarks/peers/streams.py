"""The scripted streams: right answers, and the same falsified, with the false sentences marked.

`vital`: the normal answer is the reference; it and its wrong version are streamed.
`bump`: a summary of a news document, unchanged and with one error that a person put in.
`listed`: such summaries as a numbered list between a heading and a last line without a full stop; they show
whether a guard loses line breaks or the end of the text.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sentencex  # type: ignore[import-untyped]

SEED = 7
_LONGEST = {"vital": 900, "bump": 260, "listed": 320}
_MARKER = re.compile(r"\s*(?:#+|[-*]|\d+\.)\s+")
"""The mark of a heading or a list item, which is no part of the line's first sentence."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One answer to stream; spans are (start, end) in its code points."""

    id: str
    text: str
    query: str | None
    """What the user asked; None for BUMP's summaries, which answer no question."""
    references: tuple[str, ...]
    false: tuple[Span, ...]
    """Its false sentences, empty where the answer is right."""

    @property
    def sentences(self) -> list[Span]:
        """Its sentences, without the space around them."""
        return sentences(self.text)

    def request(self, **how: Any) -> dict[str, Any]:
        """The driver's request to stream it: `cut`, `rate`, `fault`, `leave_after`, `limit_s`."""
        return {
            "id": self.id,
            "text": self.text,
            "query": self.query,
            "references": list(self.references),
            "false": [list(span) for span in self.false],
            **how,
        }


def sentences(text: str) -> list[Span]:
    """The spans of a text's sentences, by a splitter that favours no guard here."""
    found, line_start = [], 0
    for line in text.splitlines(keepends=True):
        mark = _MARKER.match(line)
        begin = mark.end() if mark else 0
        for boundary in sentencex.get_sentence_boundaries("en", line[begin:]):
            piece = boundary["text"].strip()
            if piece:
                start = line_start + line.index(piece, begin + boundary["start_index"])
                found.append((start, start + len(piece)))
        line_start += len(line)
    return found


def pair(
    name: str, right: str, wrong: str, query: str | None, reference: str
) -> tuple[Stream, Stream] | None:
    """The right answer and the falsified one; None if they differ in no sentence, or in every one."""
    told = {right[start:end] for start, end in sentences(right)}
    spans = sentences(wrong)
    false = tuple((start, end) for start, end in spans if wrong[start:end] not in told)
    if not false or len(false) == len(spans):
        return None
    grounds = (reference,)
    return (
        Stream(id=f"{name}/right", text=right, query=query, references=grounds, false=()),
        Stream(id=f"{name}/wrong", text=wrong, query=query, references=grounds, false=false),
    )


def load(folder: Path) -> dict[str, list[tuple[Stream, Stream]]]:
    """Pairs of each kind that are neither too long nor entirely false, in an order drawn with SEED."""
    kinds = {"vital": _vital, "bump": _bump, "listed": _listed}
    return {name: _drawn(name, read(folder)) for name, read in kinds.items()}


_Found = Iterator[tuple[Stream, Stream] | None]
_Read = Callable[[Path], _Found]


def _drawn(name: str, found: _Found) -> list[tuple[Stream, Stream]]:
    pairs = [one for one in found if one is not None and len(one[1].text) <= _LONGEST[name]]
    random.Random(SEED).shuffle(pairs)
    return pairs


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _vital(folder: Path) -> _Found:
    normal, wrong = (_rows(folder / f"eval/vital/{name}.jsonl.gz") for name in ("normal", "wrong"))
    for number, (right, other) in enumerate(zip(normal, wrong, strict=True)):
        yield pair(f"vital/{number}", right["answer"], other["answer"], right["query"], right["answer"])


def _bump(folder: Path) -> _Found:
    for number, row in enumerate(_rows(folder / "eval/pairs/bump.jsonl.gz")):
        yield pair(f"bump/{number}", row["right"].strip(), row["wrong"].strip(), None, row["document"])


def _listed(folder: Path) -> _Found:
    for number, row in enumerate(_rows(folder / "eval/pairs/bump.jsonl.gz")):
        right, wrong = (_as_list(row[version].strip()) for version in ("right", "wrong"))
        yield pair(f"listed/{number}", right, wrong, None, row["document"])


def _as_list(text: str) -> str:
    lines = [f"{place}. {text[start:end]}" for place, (start, end) in enumerate(sentences(text), 1)]
    return "## In short\n\n" + "\n".join(lines) + "\n\nThis is what the article says"
