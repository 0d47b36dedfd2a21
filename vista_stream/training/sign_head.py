"""Fits the classifier head that tells signs of corrections, changes and requests.

Its rows are sentences of the assistant and of users, each written with its class. One of five is held out;
the figures in the manifest are of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vista_stream.core.change import Sign, certain_sign
from vista_stream.stages.embedded.kinds import Head
from vista_stream.stages.embedded.signs import CLASSES, TOLD, EmbeddedSigns, read
from vista_stream.training.heads import fitted, kept_apart
from vista_stream.training.rows import numbered_lines
from vista_stream.verifiers.embedded import EmbeddedEmbedder

_BY_LETTER = dict(zip("CNFRQ", CLASSES, strict=True))
_REGULAR = 0.3
"""Inverse strength of L2 regularisation, chosen by cross-validation."""
_OFTEN = 3
"""In so many sentences a phrase must be."""


class SignRow(NamedTuple):
    """A sentence and its class."""

    text: str
    label: str
    """One of `CLASSES`."""

    @property
    def of_user(self) -> bool:
        """Whether the user says it."""
        return CLASSES.index(self.label) >= len(TOLD)


def read_signs(folder: Path) -> list[SignRow]:
    """The rows of a folder's .txt files; raises ValueError for a line that is none, OSError."""
    rows = []
    for path in sorted(folder.glob("*.txt")):
        for number, line in numbered_lines(path):
            letter, bar, text = line.strip().partition(" | ")
            if not bar or letter not in _BY_LETTER:
                raise ValueError(f"{path}, line {number}: a sentence is '{'|'.join(_BY_LETTER)} | text'")
            rows.append(SignRow(text, _BY_LETTER[letter]))
    return rows


def fit(rows: Sequence[SignRow], embedder: EmbeddedEmbedder) -> tuple[Head, dict[str, Any]]:
    """The head, and the agreement of certain words and head with the held-out rows.

    Raises ValueError if the rows to fit on do not have all of `CLASSES`.
    """
    learnt = [row for row in rows if not kept_apart(row.text)]
    if {row.label for row in learnt} != set(CLASSES):
        raise ValueError(f"the sentences must be of each of {', '.join(CLASSES)}")
    head = _side_by_side(
        *(_fitted([row for row in learnt if row.of_user is of_user], embedder) for of_user in (False, True))
    )
    kept = [row for row in rows if kept_apart(row.text)]
    return head, _figures(kept, EmbeddedSigns(embedder, head))


def _fitted(rows: Sequence[SignRow], embedder: EmbeddedEmbedder) -> Head:
    texts = [row.text for row in rows]
    gold = [CLASSES.index(row.label) for row in rows]
    return fitted(read(embedder, texts), texts, gold, regular=_REGULAR, often=_OFTEN)


def _side_by_side(told: Head, asked: Head) -> Head:
    """One head with the classes of both; a phrase that only one of them knows says nothing to the other."""
    unknown = [np.zeros(len(head.biases)) for head in (told, asked)]
    phrases = {
        phrase: np.concatenate([told.phrases.get(phrase, unknown[0]), asked.phrases.get(phrase, unknown[1])])
        for phrase in sorted(told.phrases.keys() | asked.phrases.keys())
    }
    weights = np.vstack([told.weights, asked.weights])
    return Head(weights, np.concatenate([told.biases, asked.biases]), phrases)


def _figures(rows: Sequence[SignRow], teller: EmbeddedSigns) -> dict[str, Any]:
    figures = {}
    for name, of_user in (("assistant", False), ("user", True)):
        own = [row for row in rows if row.of_user is of_user]
        gold = [row.label in list(Sign) for row in own]
        texts = [row.text for row in own]
        found = teller.of(*(([], texts) if of_user else (texts, [])))
        words = [certain_sign(text, of_user=of_user) is not None for text in texts]
        both = [text in found or word for text, word in zip(texts, words, strict=True)]
        figures[name] = {"sentences": len(own)} | {
            way: _agreement(gold, said)
            for way, said in (
                ("words", words),
                ("head", [text in found for text in texts]),
                ("words or head", both),
            )
        }
    return figures


def _agreement(gold: Sequence[bool], said: Sequence[bool]) -> dict[str, float]:
    """Accuracy, and how many of those with a sign and of the others are taken for such, in percent."""
    signs = [s for g, s in zip(gold, said, strict=True) if g]
    others = [s for g, s in zip(gold, said, strict=True) if not g]
    right = sum(signs) + len(others) - sum(others)
    return {
        "accuracy": round(100 * right / len(gold), 1),
        "found": round(100 * sum(signs) / max(len(signs), 1), 1),
        "false": round(100 * sum(others) / max(len(others), 1), 1),
    }
