"""Compares optimum's export of Flan-T5 with the package's own graph: the same scores, and how fast each is.

    python -m benchmarks.optimum --tokenizer FOLDER [--size small|base|large] [--pairs N] [--threads T]

Random weights, seeded, in the published shape, with the tokenizer of FOLDER. Both verifiers score the same
pairs, one at a time and in turns. It needs the extras `export` and `optimum` in one environment.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.flan_t5_models import SHAPES, Texts, seeded_model
from benchmarks.record import RESULTS, save
from vista_stream.claims import Pair
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.flan_t5_question import TEMPLATES

SEED = 5
LENGTHS = (64, 128, 256)
"""Tokens of the premises."""
DOCUMENTS = Path(__file__).parents[1] / "vista_stream" / "demo" / "documents"


def make(args: argparse.Namespace, work: Path) -> tuple[dict[str, FlanT5Verifier], list[Pair]]:
    """The two verifiers of one seeded model, and the pairs."""
    import transformers  # type: ignore[import-not-found, unused-ignore]

    from vista_stream.export.flan_t5 import export_flan_t5
    from vista_stream.export.optimum import export_by_optimum

    transformers.logging.set_verbosity_error()
    tokenizer = transformers.AutoTokenizer.from_pretrained(args.tokenizer)
    texts = Texts(DOCUMENTS, tokenizer, seed=SEED)
    pairs = [Pair(*prompt) for prompt in texts.prompts([*LENGTHS] * args.pairs)]
    prompts = [
        TEMPLATES["entailment"].replace("{premise}", p.premise).replace("{hypothesis}", p.hypothesis)
        for p in pairs[: 3 * len(LENGTHS)]
    ]
    model, _ = seeded_model(args.size, args.tokenizer, prompts=prompts, seed=SEED)
    model.save_pretrained(work / "model")
    tokenizer.save_pretrained(work / "model")
    export_flan_t5(str(work / "model"), work / "own")
    export_by_optimum(str(work / "model"), work / "optimum")
    return {
        name: FlanT5Verifier.from_pretrained(work / name, threads=args.threads) for name in ("own", "optimum")
    }, pairs


def measure(verifiers: dict[str, FlanT5Verifier], pairs: list[Pair]) -> dict[str, Any]:
    """The largest difference of a score, and the median milliseconds of a pair by length."""
    seconds: dict[str, list[float]] = {name: [] for name in verifiers}
    scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in verifiers}
    for each in verifiers.values():
        each.score_sync(pairs[:1])  # the first run allocates
    for pair in pairs:
        for name, verifier in verifiers.items():
            began = time.perf_counter()
            scores[name] += verifier.score_sync([pair])
            seconds[name].append(time.perf_counter() - began)
    gaps = [
        abs(a - b)
        for own, other in zip(scores["own"], scores["optimum"], strict=True)
        for a, b in zip(own, other, strict=True)
    ]
    found: dict[str, Any] = {"pairs": len(pairs), "largest difference of a score": max(gaps)}
    for place, length in enumerate(LENGTHS):
        found[f"premise of {length} tokens, median ms a pair"] = {
            name: round(1000 * statistics.median(took[place :: len(LENGTHS)]), 1)
            for name, took in seconds.items()
        }
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="a folder with Flan-T5's tokenizer and config"
    )
    parser.add_argument("--size", choices=SHAPES, default="small")
    parser.add_argument("--pairs", type=int, default=7, help="of each length")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "optimum.json")
    args = parser.parse_args()
    if not args.tokenizer.is_dir():
        sys.exit(f"skipped: there is no folder {args.tokenizer}")
    with tempfile.TemporaryDirectory() as work:
        found = measure(*make(args, Path(work)))
    packages = {name: version(name) for name in ("optimum-onnx", "transformers", "torch")}
    found = {"size": args.size, "threads": args.threads, **packages, **found}
    print(found)
    save(args.out, found)


if __name__ == "__main__":
    main()
