"""Short dialogues with a label on their last turn, made from BEGIN (TRUE) and HaluEval."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vista_stream.scoring.dialogue import Dialogue, parse_dialogue

Row = dict[str, Any]

BEGIN = Path("eval/true/begin.jsonl.gz")
HALUEVAL = Path("eval/pairs/halueval_dialogue.jsonl.gz")
_HISTORY = 3
_LONG_WORD = re.compile(r"\w{4,}")


def dialogues(folder: Path, count: int) -> list[Dialogue]:
    """`count` dialogues, alternating between the two sets; in each set half are labelled verifiable.

    A row of BEGIN is a reference and one turn, without earlier turns. A row of HaluEval has a history; its
    last assistant turn is scored too, without a label, so that there is a common ground. Rows of HaluEval are
    used only if the right answer shares enough words with its knowledge: small talk is no error, but no
    verifiable claim either.
    """
    made = []
    begin, halueval = _read(folder / BEGIN), _read(folder / HALUEVAL)
    grounded = [row for row in halueval if _carried(row)]
    for number in range((count + 1) // 2):
        right = number % 2 == 0
        labelled = [row for row in begin if bool(row["label"]) is right]
        made.append(_of_begin(_spread(labelled, number)))
        answer = "right" if right else "hallucinated"
        made.append(_of_halueval(_spread(grounded, number), answer, number))
    return [parse_dialogue(json.dumps(row)) for row in made[:count]]


def _read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _spread(rows: Sequence[Row], number: int) -> Row:
    """The row for a number; numbers in sequence give rows far apart, since neighbours often share a topic."""
    return rows[(7 + 29 * number) % len(rows)]


def _carried(row: Row) -> bool:
    answer = str(row["right"])
    held = _words(str(row["knowledge"]))
    said = _words(answer)
    return len(said) >= 3 and "?" not in answer and 2 * len(said & held) >= len(said)


def _words(text: str) -> set[str]:
    return set(_LONG_WORD.findall(text.casefold()))


def _of_begin(row: Row) -> Row:
    turn = {"role": "assistant", "text": row["hypothesis"], "references": [row["premise"]]}
    return {"id": row["id"], "turns": [{**turn, "label": _label(bool(row["label"]))}]}


def _of_halueval(row: Row, answer: str, number: int) -> Row:
    # The history's last utterance is the user's, and roles alternate.
    roles = ("user", "assistant")
    turns: list[Row] = []
    for back, text in enumerate(reversed(row["history"][-_HISTORY:])):
        turn = {"role": roles[back % 2], "text": text}
        turns.insert(0, turn | ({"references": [row["knowledge"]]} if back % 2 else {}))
    said = {"role": "assistant", "text": row[answer], "references": [row["knowledge"]]}
    return {"id": f"halueval/{number}", "turns": [*turns, {**said, "label": _label(answer == "right")}]}


def _label(verifiable: bool) -> str:
    return "verifiable" if verifiable else "unverifiable"
