"""The claim-type recipe: measures how well the rules tell claim types, and whether a head does better.

The rules of `core.extraction.kinds` need no training. The head here is a classifier: logistic regression over
the bi-encoder's vectors. It is judged on sources it was not fitted on: a source often has one type only, so a
head that has seen it may recognise the source instead of the type. On 1,312 of the rows that may be trained
on, the rules have a macro F1 of 93.0 and this head 73.0. The head that ships is another one, fitted on
conversations (`kind_head`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.linear_model import LogisticRegression

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.kinds import is_courtesy, kind_of
from vista_stream.scoring.agreement import confusion, macro_f1
from vista_stream.training.rows import NOT_STATED, numbered_lines
from vista_stream.verifiers.protocol import Embedder

ClaimType: TypeAlias = Literal["factual", "out_of_scope", "abstention"]
TYPES: tuple[ClaimType, ...] = get_args(ClaimType)
_BY_KIND: dict[ClaimKind, ClaimType] = {ClaimKind.REFUSAL: "abstention", ClaimKind.FACT: "factual"}
_SHOWN = 5
"""How many mistakes of each sort claim_type.json shows."""


class Row(NamedTuple):
    """One labelled statement."""

    text: str
    label: ClaimType
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run."""

    data: Path
    """JSON Lines, gzipped or not, with text, label, and optionally source and licence; or a folder with such
    a file, claim_type.jsonl.gz."""
    out: Path
    """Folder to write claim_type.json to."""


def claim_type(text: str) -> ClaimType:
    """The type of a text by the rules; see `told_type`."""
    return told_type(text, kind_of(text))


def told_type(text: str, kind: ClaimKind) -> ClaimType:
    """The type of a text of a given kind; a courtesy or a question makes no claim, and is out of scope."""
    if is_courtesy(text) or text.rstrip().endswith("?"):
        return "out_of_scope"
    return _BY_KIND.get(kind, "out_of_scope")


def examine(job: Job, embedder: Embedder, *, say: Callable[[str], None] = print) -> Path:
    """Measure the rules, and a head on unseen sources; write both to claim_type.json and return its path.

    Raises ValueError for rows that cannot be used, OSError for files that cannot be read.
    """
    rows = load(job.data)
    say(f"{len(rows)} rows: {dict(Counter(row.label for row in rows))}")
    ruled: list[str] = [claim_type(row.text) for row in rows]
    figures = {"rows": Counter(row.source for row in rows), "rules": _figures(rows, ruled)}
    headed = by_head(rows, embedder)
    if headed is not None:
        figures["head, on sources it has not seen"] = _figures(rows, headed)
    best = max((name for name in figures if name != "rows"), key=lambda name: figures[name]["macro_f1"])
    for name in figures.keys() - {"rows"}:
        say(f"{name}: macro F1 {figures[name]['macro_f1']}")
    say(f"best: {best}")
    job.out.mkdir(parents=True, exist_ok=True)
    path = job.out / "claim_type.json"
    told = {"best": best, **figures, "mistakes of the rules": _mistakes(rows, ruled)}
    path.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def load(path: Path) -> list[Row]:
    """Rows that shipped weights may be trained on; raises ValueError, naming a line that is invalid."""
    file = path / "claim_type.jsonl.gz" if path.is_dir() else path
    found = [_row(line, where=f"{file.name}, line {number}") for number, line in numbered_lines(file)]
    rows = [row for row in found if row is not None]
    if not rows:
        raise ValueError(f"{file.name} holds no row with a licence")
    return rows


def by_head(rows: Sequence[Row], embedder: Embedder) -> list[str] | None:
    """The type of each row by a head that was fitted on the other sources.

    A type that the other sources lack cannot be predicted. None if there is one source, or if the others have
    fewer than two types.
    """
    sources = sorted({row.source for row in rows})
    if len(sources) < 2:
        return None
    vectors = embedder.embed([row.text for row in rows])
    labels, origins = np.array([row.label for row in rows]), np.array([row.source for row in rows])
    said = np.empty(len(rows), dtype=object)
    for source in sources:
        out = origins == source
        if len(set(labels[~out])) < 2:
            return None
        head = LogisticRegression(max_iter=300, class_weight="balanced").fit(vectors[~out], labels[~out])
        said[out] = head.predict(vectors[out])
    return [str(label) for label in said]


def _row(line: str, *, where: str) -> Row | None:
    try:
        values = json.loads(line)
        text, label = values["text"], values["label"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"{where}: a row must be an object with text and label") from error
    if not isinstance(text, str) or not text.strip() or label not in TYPES:
        raise ValueError(f"{where}: text must be a string and label one of {', '.join(TYPES)}, not {label!r}")
    if values.get("licence") == NOT_STATED:
        return None
    return Row(text, label, str(values.get("source", "own")))


def _figures(rows: Sequence[Row], said: Sequence[str]) -> dict[str, Any]:
    gold = [row.label for row in rows]
    table = confusion(gold, said, TYPES)
    return {
        "macro_f1": round(100 * macro_f1(gold, said), 1),
        "confusion": {
            name: dict(zip(TYPES, counts.tolist(), strict=True))
            for name, counts in zip(TYPES, table, strict=True)
        },
    }


def _mistakes(rows: Sequence[Row], said: Sequence[str]) -> dict[str, list[str]]:
    shown: dict[str, list[str]] = {}
    for row, guess in zip(rows, said, strict=True):
        if guess != row.label:
            shown.setdefault(f"{row.label}, taken as {guess}", []).append(row.text)
    return {sort: texts[:_SHOWN] for sort, texts in sorted(shown.items())}
