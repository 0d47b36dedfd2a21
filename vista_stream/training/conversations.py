"""Reads written conversations: what the assistant was given, what it said, and its labelled claims."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from vista_stream.training.rows import numbered_lines

SOURCE: Final = "written"
"""The source of conversations in the written form."""
_LETTERS: Final = {
    "verified": "V",
    "lacking_evidence": "L",
    "contradicted": "X",
    "out_of_scope": "O",
    "abstention": "B",
}
"""The labels of claims in the written form, by their names in JSON Lines."""


class Reply(NamedTuple):
    """A turn with claims."""

    text: str
    reference: str
    """What the assistant was given, here or in an earlier turn; empty if nothing."""
    claims: Sequence[tuple[str, str]]
    """Texts, each with its label: V, L, X, O or B."""


class Conversation(NamedTuple):
    """The replies of one conversation, in order."""

    key: str
    """Of all conversations this one's alone."""
    source: str
    replies: Sequence[Reply]


def read_conversations(path: Path) -> list[Conversation]:
    """The conversations of a JSON Lines file, or of each .txt file of a folder in the written form.

    In the written form, one without a reply is left out.
    Raises ValueError, naming file and line, for a line that cannot be read, OSError for a file that cannot.
    """
    if path.is_dir():
        return [each for file in sorted(path.glob("*.txt")) for each in _written(file)]
    return [_of_line(path, number, line) for number, line in numbered_lines(path)]


def _of_line(path: Path, number: int, line: str) -> Conversation:
    replies: list[Reply] = []
    reference = ""
    try:
        dialogue: dict[str, Any] = json.loads(line)
        key = f"{path.name}/{dialogue['id']}"
        for turn in dialogue["turns"]:
            reference = "\n".join(turn.get("references") or (reference,))
            claims = [(claim["text"], _LETTERS[claim["label"]]) for claim in turn.get("claims", ())]
            if claims:
                replies.append(Reply(turn["text"], reference, claims))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{path.name}, line {number}: a conversation has turns and id, and claims have text and label"
        ) from error
    return Conversation(key, path.name, replies)


def _written(path: Path) -> Iterator[Conversation]:
    number, reference = 0, ""
    replies: list[Reply] = []
    claims: list[tuple[str, str]] = []
    for _, line in numbered_lines(path):
        line = line.rstrip("\n")
        letter, bar, claim = line.partition(" | ")
        if line.startswith("#dialogue"):
            if replies:
                yield Conversation(f"{path.name}/{number}", SOURCE, replies)
            number, reference, replies = number + 1, "", []
        elif line.startswith("R: "):
            reference = line.removeprefix("R: ")
        elif line.startswith("A: "):
            claims = []
            replies.append(Reply(line.removeprefix("A: "), reference, claims))
        elif bar and letter in _LETTERS.values():
            claims.append((claim, letter))
    if replies:
        yield Conversation(f"{path.name}/{number}", SOURCE, replies)
