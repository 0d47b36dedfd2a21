"""Reads written talks: conversations with a label for each sentence of the assistant, and for others that it
might have said in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import md5
from pathlib import Path
from typing import Final, NamedTuple

from vista_stream.training.rows import Label, numbered_lines

LABELS: Final[dict[str, Label]] = {
    "S": "entailment",
    "C": "contradiction",
    "N": "neutral",
    "T": "neutral",
}
"""Supported, contradicted, open, and talk that states no fact."""
_HELD: Final = 12
_SENTENCE: Final = re.compile(r"(\+?)([SCNT]) \| (\S.*)")


class Said(NamedTuple):
    """A sentence of the assistant and its letter, one of `LABELS`."""

    letter: str
    text: str


class Place(NamedTuple):
    """What was said at one place of a conversation, and what might have been."""

    said: Said
    instead: list[Said]


class Exchange(NamedTuple):
    """A message of the user, and the sentences that answer it."""

    message: str
    places: list[Place]


class Talk(NamedTuple):
    """One conversation."""

    key: str
    """Of all talks this one's alone."""
    reference: str
    """What the assistant was given; empty for nothing."""
    exchanges: Sequence[Exchange]


def read_talks(path: Path) -> list[Talk]:
    """The talks of a file, or of each .txt file of a folder and of its folders.

    One in which the assistant says nothing is left out.

    Raises ValueError, naming file and line, for a line that cannot be read, OSError for a file that cannot.
    """
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    return [talk for file in files for talk in _talks(file)]


def divided(paths: Iterable[Path]) -> tuple[list[Talk], list[Talk]]:
    """The talks of files and folders to learn from, and one in twelve, chosen by its key, that no run learns
    from; raises as `read_talks` does."""
    talks = [talk for path in paths for talk in read_talks(path)]
    held = [talk for talk in talks if _number(talk.key) % _HELD == 0]
    return [talk for talk in talks if _number(talk.key) % _HELD], held


def _number(key: str) -> int:
    return int(md5(key.encode(), usedforsecurity=False).hexdigest(), 16)


def _talks(path: Path) -> Iterator[Talk]:
    reference, exchanges = "", list[Exchange]()
    number = 0
    for line_number, line in numbered_lines(path):
        line = line.strip()
        places = exchanges[-1].places if exchanges else []
        sentence = _SENTENCE.fullmatch(line)
        if line.startswith("#conversation"):
            if any(each.places for each in exchanges):
                yield Talk(f"{path.parent.name}/{path.name}#{number}", reference, exchanges)
                number += 1
            reference, exchanges = "", []
        elif line.startswith("R:") and not (exchanges or reference):
            reference = line.removeprefix("R:").strip()
        elif line.startswith("U:"):
            exchanges.append(Exchange(line.removeprefix("U:").strip(), []))
        elif sentence and exchanges and (places or not sentence[1]):
            said = Said(sentence[2], sentence[3])
            if sentence[1]:
                places[-1].instead.append(said)
            else:
                places.append(Place(said, []))
        elif line:
            raise ValueError(
                f"{path.name}, line {line_number}: a talk has lines 'R: …', 'U: …', 'S | …' and '+C | …', "
                f"the last ones below what they stand for, not {line[:60]!r}"
            )
    if any(each.places for each in exchanges):
        yield Talk(f"{path.parent.name}/{path.name}#{number}", reference, exchanges)
