"""A data folder with answers to stream past the guards."""

import gzip
import json

RIGHT = "The sea is deep. The land is dry."
WRONG = "The sea is shallow. The land is dry."


def write(folder, name, rows):
    path = folder / f"eval/{name}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def fill(folder, count=10):
    """A data folder with a few answers of each kind."""
    answers = [(f"{RIGHT} It is number {n}.", f"{WRONG} It is number {n}.") for n in range(count)]
    write(folder, "vital/normal", [{"query": "How?", "answer": right} for right, _ in answers])
    write(folder, "vital/wrong", [{"query": "How?", "answer": wrong} for _, wrong in answers])
    write(
        folder,
        "pairs/bump",
        [{"document": right, "right": right, "wrong": wrong} for right, wrong in answers],
    )
