"""Compares the decomposer's claims with statements that people wrote of the same sentences.

    python -m benchmarks.decomposition [--rows N] [--from-folder FOLDER]

`eval/decomposition`: atomic facts of sentences of biographies (FActScore), and sentences that people split
(WikiSplit). A claim and a statement are as similar as their sets of words (Jaccard). `precision` is the mean
over the claims of the most similar statement's similarity, `recall` that over the statements of the most
similar claim's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.record import RESULTS, data_folder, save
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.text.segmenter import Segmenter
from vista_stream.stages.embedded.parser import load_parse

_WORD = re.compile(r"\w+(?:[.,]\d+)*")


class Told(NamedTuple):
    """A sentence, and what people say that it states."""

    sentence: str
    statements: Sequence[str]


def biographies(folder: Path, most: int) -> list[list[Told]]:
    """Answers of FActScore, each the list of its sentences; about `most` sentences."""
    rows = islice(_rows(folder / "eval/decomposition/factscore.jsonl.gz"), most)
    answers = groupby(rows, key=lambda row: (row["topic"], row["system"]))
    return [[Told(row["sentence"], row["facts"]) for row in answer] for _, answer in answers]


def split_sentences(folder: Path, most: int) -> list[list[Told]]:
    """Sentences of WikiSplit, each alone."""
    rows = islice(_rows(folder / "eval/decomposition/wikisplit_test.jsonl.gz"), most)
    return [[Told(row["sentence"], row["splits"])] for row in rows]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def compared(texts: Sequence[Sequence[Told]], parse: Parse) -> dict[str, float]:
    """Precision, recall and the number of claims a sentence, of texts whose sentences are read in order."""
    precise, found, sentences = list[float](), list[float](), 0
    for text in texts:
        discourse = Discourse(parse)
        for told in text:
            claims = _claims(discourse, told.sentence)
            precise += [nearest(claim, told.statements) for claim in claims]
            found += [nearest(statement, claims) for statement in told.statements]
            sentences += 1
    return {
        "sentences": sentences,
        "claims": len(precise),
        "statements": len(found),
        "precision": round(sum(precise) / len(precise), 4),
        "recall": round(sum(found) / len(found), 4),
    }


def _claims(discourse: Discourse, sentence: str) -> list[str]:
    segmenter = Segmenter()
    segments = [*segmenter.feed(sentence + " "), *segmenter.finish()]
    return [draft.text for segment in segments for draft in discourse.decompose(segment)]


def nearest(wording: str, others: Sequence[str]) -> float:
    """The similarity of a wording to the most similar of the others; 0 where there are none."""
    words = _words(wording)
    return max((len(words & _words(o)) / len(words | _words(o)) for o in others), default=0.0)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--rows", type=int, default=1_000, metavar="N", help="sentences of each set (1,000)")
    parser.add_argument("--out", type=Path, default=RESULTS / "decomposition.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/decomposition/factscore.jsonl.gz")
    parse = load_parse()
    if parse is None:
        parser.exit(2, 'skipped: no parser is installed; from a checkout, pip install ".[parse]"\n')
    figures = {
        "factscore": compared(biographies(folder, arguments.rows), parse),
        "wikisplit": compared(split_sentences(folder, arguments.rows), parse),
    }
    print(json.dumps(figures, indent=1))
    save(arguments.out, figures)


if __name__ == "__main__":
    main()
