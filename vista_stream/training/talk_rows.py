"""Pairs of written conversations for a verifier: a claim with what the assistant was given and had said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from vista_stream.training.documents import LICENCE
from vista_stream.training.rows import Label, Row, numbered_lines

SOURCE: Final = "conversation"
_LABELS: Final[dict[str, Label]] = {
    **dict.fromkeys(("V", "verified"), "entailment"),
    **dict.fromkeys(("L", "lacking_evidence"), "neutral"),
    **dict.fromkeys(("X", "contradicted"), "contradiction"),
}
_SETTLED: Final = ("V", "verified", "O", "out_of_scope")
"""What was said before and may decide a claim."""
_BEFORE: Final = 6
"""Claims before that a premise has at most."""
_LONGEST: Final = 200
"""Words of a premise at most."""


class _Turn(NamedTuple):
    reference: str
    claims: list[tuple[str, str]]
    """Texts, each with its label."""


def talk_rows(path: Path) -> list[Row]:
    """A row for each claim of a JSON Lines file of conversations, or of a folder of .txt in the written form.

    The premise is the turn's reference and the last claims of earlier turns that were verified or out of
    scope, one a line. Claims that are out of scope or abstentions, or have no reference, give no row. Raises
    ValueError, naming file and line, for a line that cannot be read, OSError for a file that cannot.
    """
    if path.is_dir():
        found = (turns for file in sorted(path.glob("*.txt")) for turns in _written(file))
        return [row for turns in found for row in _rows(turns)]
    read = (_turns(line, f"{path.name}, line {number}") for number, line in numbered_lines(path))
    return [row for turns in read for row in _rows(turns)]


def _rows(turns: Iterable[_Turn]) -> Iterator[Row]:
    before: list[str] = []
    for turn in turns:
        premise = "\n".join((turn.reference, *before[-_BEFORE:]))
        if turn.reference and len(premise.split()) <= _LONGEST:
            for text, label in turn.claims:
                if label in _LABELS:
                    yield Row(premise, text, _LABELS[label], SOURCE, LICENCE)
        before += [text for text, label in turn.claims if label in _SETTLED]


def _turns(line: str, where: str) -> Sequence[_Turn]:
    turns: list[_Turn] = []
    reference = ""
    try:
        dialogue: dict[str, Any] = json.loads(line)
        for turn in dialogue["turns"]:
            if turn["role"] == "assistant":
                reference = "\n".join(turn.get("references") or (reference,))
                claims = [(claim["text"], claim["label"]) for claim in turn.get("claims", ())]
                turns.append(_Turn(reference, claims))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{where}: a conversation has turns, each with role and, of the assistant, references and claims"
        ) from error
    return turns


def _written(path: Path) -> Iterator[Sequence[_Turn]]:
    turns: list[_Turn] = []
    reference = ""
    for _, line in numbered_lines(path):
        line = line.rstrip("\n")
        letter, bar, claim = line.partition(" | ")
        if line.startswith("#dialogue"):
            yield turns
            turns, reference = [], ""
        elif line.startswith("R: "):
            reference = line.removeprefix("R: ")
        elif line.startswith("A: "):
            turns.append(_Turn(reference, []))
        elif turns and bar:
            turns[-1].claims.append((claim, letter))
    yield turns
