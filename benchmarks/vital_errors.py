"""VITAL's measures on the human-labelled answers of VITALERRORS, and people against LLMs on importance.

Claims, importance and judgments are those of the data set. This checks the measures, not a verifier.

Run: python -m benchmarks.vital_errors [--from-folder FOLDER] (the folder that holds eval/vital).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vista_stream.claims import Category, Claim, Importance, Span, Verdict
from vista_stream.scoring import vital
from vista_stream.scoring.agreement import weighted_kappa

RATERS = ("gpt4o", "llama33_70b", "qwen3_235b", "gpt_oss_120b")
ORDER = [str(importance) for importance in Importance]


def answers(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verdicts(answer: dict[str, Any]) -> Iterator[Verdict]:
    """Verdicts of the claims that have a judgment and a label; the judgment "true" means VERIFIED."""
    for number, row in enumerate(answer["claims"]):
        if row["importance"] is None or row["judgment"] is None:
            continue
        importance = Importance(row["importance"].replace("-", "_"))
        claim = Claim(id=number, sentence=0, text=row["text"], span=Span(0, 0), importance=importance)
        category = Category.VERIFIED if row["judgment"] else Category.LACKING_EVIDENCE
        yield Verdict(claim=claim, category=category)


def measures(path: Path) -> dict[str, float]:
    judged = [list(verdicts(answer)) for answer in answers(path)]
    with_vital = [v for answer in judged if (v := vital.vital_precision(answer)) is not None]
    plain = [v for answer in judged if (v := vital.precision(answer)) is not None]
    flagged = sum(vital.response_level_precision(answer) is True for answer in judged)
    return {
        "factscore": round(100 * sum(plain) / len(plain), 1),
        "vital_precision": round(100 * sum(with_vital) / len(with_vital), 1),
        "rlp": round(100 * flagged / len(judged), 1),
    }


def kappas(folder: Path) -> dict[str, float]:
    rows = [c for path in sorted(folder.glob("*.gz")) for answer in answers(path) for c in answer["claims"]]
    agreed = {}
    for rater in RATERS:
        pairs = [
            (row["importance"].replace("-", "_"), row[f"importance_{rater}"].replace("-", "_"))
            for row in rows
            if row["importance"] and row[f"importance_{rater}"]
        ]
        people, model = zip(*pairs, strict=True)
        agreed[rater] = round(weighted_kappa(people, model, ORDER), 3)
    return agreed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from-folder", type=Path, default=Path("../shared/data"))
    folder = parser.parse_args().from_folder / "eval" / "vital"
    if not folder.is_dir():
        print(f"skipped: {folder} is absent; name its folder with --from-folder")
        return 0
    table = {name: measures(folder / f"{name}.jsonl.gz") for name in ("normal", "missing", "wrong")}
    for name, row in table.items():
        print(f"{name:10}", *(f"{key} {value:6.1f}" for key, value in row.items()), sep="  ")
    agreed = kappas(folder)
    print("weighted kappa, people against", ", ".join(f"{k} {v:.3f}" for k, v in agreed.items()))
    path = Path(__file__).parent / "results" / "vital_errors.json"
    path.write_text(json.dumps({"measures": table, "weighted_kappa": agreed}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
