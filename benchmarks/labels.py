"""Compares claim types with their labels, and importance with people's labels.

    python -m benchmarks.labels [--from-folder FOLDER]

`eval/claim_type`: factual, out of scope or abstention, by the trained head that a session uses, and by the
certain rules alone.
`eval/vital`: the importance that the embedded ranker gives the data set's claims, against people's labels:
linear and quadratic weighted kappa, the recall of VITAL, and the share of claims ranked VITAL. Nothing of
the ranker was chosen on this set. Its weights and thresholds come from questions and answers of the training
data (`python -m vista_stream.training importance`). "thresholds of this set" is what the same scores would
give with the best thresholds for these claims: at a recall of 0.80, and where kappa is highest.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from sklearn.metrics import cohen_kappa_score

from benchmarks.record import RESULTS, data_folder, save
from vista_stream import Importance, Span
from vista_stream.claims import Draft
from vista_stream.core.importance import WITH_SIMILARITY, Wanted, question_of, score
from vista_stream.scoring.agreement import macro_f1
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.training.claim_type import claim_type, told_type
from vista_stream.training.importance import ORDER, kappa
from vista_stream.verifiers.embedded import EmbeddedEmbedder
from vista_stream.verifiers.protocol import Embedder

_RECALL = 0.80


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


def sentences(answer: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The claims of each sentence of an answer, in its order."""
    order = list(dict.fromkeys(claim["sentence"] for claim in answer["claims"]))
    for sentence in order:
        yield [claim for claim in answer["claims"] if claim["sentence"] == sentence]


async def ranked(answer: dict[str, Any], rank: EmbeddedRank) -> list[tuple[Importance, Importance]]:
    """(people's, the ranker's) importance of each labelled claim of an answer, sentence by sentence."""
    pairs = []
    for position, claims in enumerate(sentences(answer)):
        drafts = [Draft(text=claim["text"], span=Span(0, 0)) for claim in claims]
        own = await rank.rank(drafts, answer["query"], position=position)
        pairs += [
            (people, said) for claim, said in zip(claims, own, strict=True) if (people := _people(claim))
        ]
    return pairs


def scored(answer: dict[str, Any], embedder: Embedder) -> list[tuple[int, float]]:
    """(people's level in ORDER, score) of each labelled claim of an answer."""
    query, pairs = answer["query"], []
    wanted = Wanted(query)
    for position, claims in enumerate(sentences(answer)):
        texts = [claim["text"] for claim in claims]
        vectors = embedder.embed([question_of(query), *texts])
        for claim, cosine in zip(claims, (vectors[1:] @ vectors[0]).tolist(), strict=True):
            if people := _people(claim):
                features = wanted.features(claim["text"], cosine)
                pairs.append((ORDER.index(people), score(features, position, WITH_SIMILARITY)))
    return pairs


def _people(claim: dict[str, Any]) -> Importance | None:
    label = claim["importance"]
    return Importance(label.replace("-", "_")) if label else None


def at_best(pairs: Sequence[tuple[int, float]]) -> dict[str, dict[str, float]]:
    """Quadratic kappa with the thresholds that suit these claims: at a recall of 0.80, and the highest."""
    levels, scores = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    wanted = float(np.quantile(scores[levels == 2], 1 - _RECALL))
    steps = np.quantile(scores, np.arange(0.02, 1.0, 0.02)).tolist()

    def tried(vital: float) -> tuple[float, float]:
        okays = [okay for okay in (*steps, vital) if okay <= vital]
        classes = ((scores >= okay).astype(float) + (scores >= vital) for okay in okays)
        return max(kappa(levels, said) for said in classes), vital

    found = {
        "recall of 0.80": tried(wanted),
        "highest kappa": max(tried(vital) for vital in (*steps, wanted)),
    }
    return {
        name: {
            "kappa_quadratic": round(value, 3),
            "recall_vital": round(float((scores[levels == 2] >= vital).mean()), 3),
            "share_vital": round(float((scores >= vital).mean()), 3),
        }
        for name, (value, vital) in found.items()
    }


async def importance(folder: Path) -> dict[str, Any]:
    """Kappas, the recall of VITAL, the share of claims ranked VITAL; and what the best thresholds give."""
    embedder = EmbeddedEmbedder.from_pretrained()
    rank = EmbeddedRank(embedder)
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
        "thresholds of this set": at_best(
            [pair for answer in answers(folder) for pair in scored(answer, embedder)]
        ),
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
