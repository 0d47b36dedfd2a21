"""Training data of a verifier that reads windows once: windows of a text, and claims read with them.

A document is used whole, or cut into parts, each with the claims that it decides. A claim is neutral beside a
part that lacks a line which decides it. Sometimes a part also has a window of another document. Rows of other
sources are used in the same way: with one window if the premise is short, else with several.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from vista_stream.core.text.typography import plain
from vista_stream.retrieval.reference import sentence_spans
from vista_stream.training.batches import NUMBERS
from vista_stream.training.documents import Document
from vista_stream.training.reading import Readings
from vista_stream.training.rows import Row

UNIT: Final = 96
"""Most tokens of a window, as `Reference` cuts them."""
_UNITS: Final = (56, 80, 96, 120)
_UNDIVIDED: Final = 130
_MOST: Final = 440
"""Most tokens of all windows together that a claim is read with."""
_LONGEST_LINE, _LONGEST_CLAIM = 200, 120
_CLAIMS: Final = 16
"""Most claims that share their windows in one batch."""
_WHOLE, _STRANGE, _PARTED, _MISPLACED = 0.45, 0.2, 0.5, 0.08
"""Probabilities: a document is used whole; a part has a window of another document; a document of more than
four windows is cut twice; a claim is put beside a part that does not decide it."""

Ids: TypeAlias = NDArray[np.int32]


class Group(NamedTuple):
    """Windows and the claims read with them, each with its special tokens."""

    windows: tuple[Ids, ...]
    claims: tuple[tuple[Ids, int], ...]
    """Tokens and label number of each."""

    @property
    def length(self) -> int:
        """Tokens of the longest claim with its windows."""
        return sum(map(len, self.windows)) + max(len(ids) for ids, _ in self.claims)


class _Window(NamedTuple):
    ids: Ids
    lines: frozenset[int]


class Grouper:
    """Makes groups from documents and rows with a tokenizer; caches the tokens of each text."""

    def __init__(self, words: Tokenizer) -> None:
        self._words = words
        self._opening, self._closing = words.encode("").ids
        self._known: dict[str, Ids] = {}

    def of_documents(self, documents: Sequence[Document], chance: random.Random) -> list[Group]:
        """Groups of written documents; each call cuts the windows differently."""
        return [
            group
            for document in documents
            for group in self._document(document, chance, documents)
            if group.windows and group.claims
        ]

    def whole(self, documents: Sequence[Document]) -> list[Group]:
        """Each document whole, with all its claims, for development; too long documents are left out."""
        chance = random.Random(0)
        read = [
            (self._claims(one), [window.ids for window in self._windows(one.lines, UNIT, chance)])
            for one in documents
        ]
        return [self._group(windows, claims) for claims, windows in read if sum(map(len, windows)) < _MOST]

    def of_rows(self, rows: Sequence[Row], chance: random.Random) -> list[Group]:
        """Groups of rows that have the same premise."""
        by_premise: dict[str, list[Row]] = {}
        for row in rows:
            by_premise.setdefault(row.premise, []).append(row)
        groups = []
        for premise, about in by_premise.items():
            whole = self._tokens(premise)
            if len(whole) <= _UNDIVIDED and chance.random() < 0.8:
                windows = [whole]
            else:
                spans = sentence_spans(premise)
                lines = [premise[start:end] for start, end in spans] or [premise]
                windows = [window.ids for window in self._windows(lines, UNIT, chance)]
            claims = [(self._tokens(row.hypothesis)[:_LONGEST_CLAIM], NUMBERS[row.label]) for row in about]
            groups.append(self._group(_fitting(windows), claims))
        return [group for group in groups if group.windows]

    def _document(
        self, document: Document, chance: random.Random, others: Sequence[Document]
    ) -> Iterator[Group]:
        windows = self._windows(document.lines, chance.choice(_UNITS), chance)
        total = sum(len(window.ids) for window in windows)
        if total < _MOST and (len(windows) < 2 or chance.random() < _WHOLE):
            yield self._group([window.ids for window in windows], self._claims(document))
            return
        if len(windows) < 2:
            return
        parts = _parts(len(windows), chance)
        for rows, claims in self._placed(document, windows, parts, chance):
            kept = list(_fitting([windows[row].ids for row in rows]))
            if chance.random() < _STRANGE and sum(map(len, kept)) < _MOST // 2:
                stranger = chance.choice(self._windows(chance.choice(others).lines, UNIT, chance))
                kept.insert(chance.randrange(len(kept) + 1), stranger.ids)
            yield self._group(kept, claims)

    def _group(self, windows: Sequence[Ids], claims: Sequence[tuple[Ids, int]]) -> Group:
        """A group with the special tokens that the tokenizer gives a pair: a claim has one on each side."""
        return Group(
            tuple(_between(self._opening, ids, self._closing) for ids in windows),
            tuple((_between(self._closing, ids, self._closing), label) for ids, label in claims),
        )

    def _placed(
        self,
        document: Document,
        windows: Sequence[_Window],
        parts: Sequence[Sequence[int]],
        chance: random.Random,
    ) -> Iterator[tuple[Sequence[int], list[tuple[Ids, int]]]]:
        """Each part with its claims; then, as parts of their own, windows of claims that need several."""
        homes: list[list[tuple[Ids, int]]] = [[] for _ in parts]
        apart: dict[tuple[int, ...], list[tuple[Ids, int]]] = {}
        for claim in document.claims:
            ids, label = self._tokens(claim.text)[:_LONGEST_CLAIM], NUMBERS[claim.label]
            needed = [row for row, window in enumerate(windows) if window.lines & claim.deciding]
            home = next((n for n, part in enumerate(parts) if set(needed) <= set(part)), None)
            if home is None and chance.random() >= 0.3:
                apart.setdefault(tuple(needed), []).append((ids, label))
                continue
            if home is None or chance.random() < _MISPLACED:
                place = chance.randrange(len(parts))
                homes[place].append((ids, label if place == home else NUMBERS["neutral"]))
            else:
                homes[home].append((ids, label))
        yield from zip(parts, homes, strict=True)
        yield from apart.items()

    def _windows(self, lines: Sequence[str], budget: int, chance: random.Random) -> list[_Window]:
        """Windows of lines, of at most `budget` tokens; the first one is shorter, by a random share."""
        found: list[_Window] = []
        ids: list[int] = []
        held: set[int] = set()
        room = chance.uniform(0.5, 1.0) * budget
        for number, line in enumerate(lines):
            tokens = self._tokens(line)[:_LONGEST_LINE]
            if ids and len(ids) + len(tokens) > room:
                found.append(_Window(np.array(ids, np.int32), frozenset(held)))
                ids, held, room = [], set(), budget
            ids += tokens.tolist()
            held.add(number)
        return [*found, _Window(np.array(ids, np.int32), frozenset(held))]

    def _claims(self, document: Document) -> tuple[tuple[Ids, int], ...]:
        return tuple((self._tokens(claim.text), NUMBERS[claim.label]) for claim in document.claims)

    def _tokens(self, text: str) -> Ids:
        if text not in self._known:
            ids = self._words.encode(plain(text), add_special_tokens=False).ids
            self._known[text] = np.asarray(ids, np.int32)
        return self._known[text]


def _parts(count: int, chance: random.Random) -> list[list[int]]:
    """Indices of `count` windows, cut at random into two or three stretches."""
    cuts = {chance.randrange(1, count)}
    if count > 4 and chance.random() < _PARTED:
        cuts.add(chance.randrange(1, count))
    ends = [0, *sorted(cuts), count]
    return [list(range(first, stop)) for first, stop in pairwise(ends)]


def _fitting(windows: Sequence[Ids]) -> tuple[Ids, ...]:
    kept = list(windows)
    while sum(map(len, kept)) > _MOST:
        kept.pop()
    return tuple(kept)


def batched(groups: Sequence[Group], *, tokens: int, seed: int) -> Iterator[Readings]:
    """Batches of groups of similar length, in random order; each has about `tokens` tokens after padding."""
    chance = random.Random(seed)
    shared = [
        Group(group.windows, group.claims[start : start + _CLAIMS])
        for group in groups
        for start in range(0, len(group.claims), _CLAIMS)
    ]
    shared.sort(key=lambda group: group.length * chance.uniform(0.9, 1.1))
    batches: list[list[Group]] = [[]]
    longest = count = 0
    for group in shared:
        if batches[-1] and max(longest, group.length) * (count + len(group.claims)) > tokens:
            batches.append([])
            longest = count = 0
        batches[-1].append(group)
        longest, count = max(longest, group.length), count + len(group.claims)
    chance.shuffle(batches)
    for batch in batches:
        if batch:
            yield collated(batch)


def collated(groups: Sequence[Group]) -> Readings:
    """The groups as one batch; for the shapes see `Readings`."""
    windows: list[Ids] = []
    claims: list[Ids] = []
    labels: list[int] = []
    read: list[list[int]] = []
    for group in groups:
        places = list(range(len(windows), len(windows) + len(group.windows)))
        windows += group.windows
        for ids, label in group.claims:
            claims.append(ids)
            labels.append(label)
            read.append(places)
    laid, laid_mask = _padded(windows, 1)
    said, said_mask = _padded(claims, 1)
    length, after = laid.shape[1], laid.numel()
    seen = [np.concatenate([np.arange(len(windows[at])) + at * length for at in places]) for places in read]
    own = [np.arange(len(ids)) + after + row * said.shape[1] for row, ids in enumerate(claims)]
    joined = [np.concatenate(pair) for pair in zip(seen, own, strict=True)]
    return Readings(
        laid, laid_mask, said, said_mask, *_padded(seen, 0), *_padded(joined, 0), torch.tensor(labels)
    )


def _between(opening: int, ids: Ids, closing: int) -> Ids:
    return np.concatenate([[opening], ids, [closing]]).astype(np.int32)


def _padded(rows: Sequence[NDArray[np.integer]], fill: int) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    ids = np.full(
        (len(rows), -(-longest // 8) * 8), fill, np.int64
    )  # attention kernels are fastest at multiples of eight
    mask = np.zeros(ids.shape, np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)
