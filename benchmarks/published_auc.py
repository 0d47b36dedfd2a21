"""Checks that the published per-example scores give the ROC AUC printed in SCALE's Table 3, for each method.

Run: python -m benchmarks.published_auc --from-folder FOLDER (the folder that holds eval/true).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

from vista_stream.scoring.agreement import roc_auc

TOLERANCE = 0.1
"""Percentage points by which a recomputed AUC may differ from the printed one."""


def labels_of(path: Path) -> list[int]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["label"] for line in lines]


def compare(folder: Path) -> list[dict[str, Any]]:
    published = json.loads(gzip.decompress((folder / "published.json.gz").read_bytes()))
    rows = []
    for method, sets in published["scores"].items():
        for name, scores in sets.items():
            auc = 100 * roc_auc(labels_of(folder / f"{name}.jsonl.gz"), scores)
            printed = published["roc_auc"][method][name]
            rows.append({"method": method, "set": name, "auc": round(auc, 2), "printed": printed})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from-folder", type=Path, default=Path("../shared/data"))
    folder = parser.parse_args().from_folder / "eval" / "true"
    if not (folder / "published.json.gz").exists():
        print(f"skipped: {folder / 'published.json.gz'} is absent; name its folder with --from-folder")
        return 0
    rows = compare(folder)
    for row in rows:
        print(f"{row['method']:14}{row['set']:12}{row['auc']:7.2f}{row['printed']:7.1f}")
    worst = max(abs(row["auc"] - row["printed"]) for row in rows)
    print(f"largest difference: {worst:.2f} points over {len(rows)} scores")
    results = Path(__file__).parent / "results" / "published_auc.json"
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps({"largest_difference": round(worst, 3), "rows": rows}, indent=1) + "\n")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
