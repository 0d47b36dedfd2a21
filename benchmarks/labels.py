"""Compares claim types with their labels, and importance with people's labels.

    python -m benchmarks.labels [--from-folder FOLDER]

`eval/claim_type`: factual, out of scope or abstention, by the trained head that a session uses, and by the
certain rules alone.
`eval/vital`: the importance that the embedded ranker gives the data set's claims, against people's labels:
linear and quadratic weighted kappa, the recall of VITAL, and the share of claims ranked VITAL. Nothing of the
ranker was chosen on this set. Its weights and thresholds come from questions and answers of the training data
(`python -m vista_stream.training importance`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
from sklearn.metrics import cohen_kappa_score

from benchmarks.record import RESULTS, data_folder, save
from vista_stream import Importance, Span
from vista_stream.claims import Draft
from vista_stream.scoring.agreement import macro_f1
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.training.claim_type import claim_type, told_type
from vista_stream.verifiers.embedded import EmbeddedEmbedder

ORDER = [Importance.LESS_IMPORTANT, Importance.OKAY, Importance.VITAL]


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def claim_types(folder: Path) -> dict[str, float]:
    """Macro F1 of the head and of the rules, in percent."""
    labelled = rows(folder / "eval/claim_type.jsonl.gz")
    texts = [row["text"] for row in labelled]
    gold = [row["label"] for row in labelled]
    kinds = EmbeddedKinds.from_pretrained(EmbeddedEmbedder.from_pretrained()).told(texts, texts)
    said = [told_type(text, kind) for text, kind in zip(texts, kinds, strict=True)]
    return {
        "rows": len(labelled),
        "macro_f1": round(100 * macro_f1(gold, said), 1),
        "macro_f1_rules": round(100 * macro_f1(gold, [claim_type(text) for text in texts]), 1),
    }


async def ranked(answer: dict[str, Any], rank: EmbeddedRank) -> list[tuple[Importance, Importance]]:
    """(people's, the ranker's) importance of each labelled claim of an answer, sentence by sentence."""
    sentences = list(dict.fromkeys(claim["sentence"] for claim in answer["claims"]))
    pairs = []
    for position, sentence in enumerate(sentences):
        claims = [claim for claim in answer["claims"] if claim["sentence"] == sentence]
        drafts = [Draft(text=claim["text"], span=Span(0, 0)) for claim in claims]
        for claim, own in zip(
            claims, await rank.rank(drafts, answer["query"], position=position), strict=True
        ):
            if claim["importance"]:
                pairs.append((Importance(claim["importance"].replace("-", "_")), own))
    return pairs


async def importance(folder: Path) -> dict[str, float]:
    """Kappas, the recall of VITAL, and the share of claims ranked VITAL."""
    rank = EmbeddedRank(EmbeddedEmbedder.from_pretrained())
    pairs = [pair for answer in answers(folder) for pair in await ranked(answer, rank)]
    people, own = ([ORDER.index(pair[side]) for pair in pairs] for side in (0, 1))
    vital = [said for gold, said in pairs if gold is Importance.VITAL]
    return {
        "claims": len(pairs),
        "kappa_linear": round(cohen_kappa_score(people, own, weights="linear"), 3),
        "kappa_quadratic": round(cohen_kappa_score(people, own, weights="quadratic"), 3),
        "recall_vital": round(sum(said is Importance.VITAL for said in vital) / len(vital), 3),
        "share_vital": round(sum(said is Importance.VITAL for _, said in pairs) / len(pairs), 3),
        "share_vital_people": round(len(vital) / len(pairs), 3),
    }


def answers(folder: Path) -> Iterator[dict[str, Any]]:
    """All versions of all answers."""
    for version in ("normal", "missing", "wrong"):
        yield from rows(folder / f"eval/vital/{version}.jsonl.gz")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--out", type=Path, default=RESULTS / "labels.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/claim_type.jsonl.gz")
    figures = {"claim types": claim_types(folder), "importance": anyio.run(importance, folder)}
    print(json.dumps(figures, indent=1))
    save(arguments.out, figures)


if __name__ == "__main__":
    main()
