"""From labelled pairs to the folder that is shipped: fit, calibrate, export, quantise, measure, tell."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from vista_stream.training.batches import Encoded, encode, grouped, tokenizer
from vista_stream.training.cross_encoder import LABELS, CrossEncoder
from vista_stream.training.encoder import Encoder
from vista_stream.training.fit import Recipe, fit
from vista_stream.training.made.generate import generate
from vista_stream.training.measure import Worth, logits_of, probabilities, temperature, threshold, worth
from vista_stream.training.mixture import mixture, split
from vista_stream.training.rows import Row, load
from vista_stream.training.storing.exporting import export
from vista_stream.training.storing.rounding import Rounding

FALSE_BLOCKS = 0.02
"""Share of development pairs that are not contradictions, and may score above the threshold."""
_SAMPLED = 64
"""Development pairs that show which channels are far larger than others."""
PAD = {"mpnet": 1, "bert": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One training run."""

    data: Path
    """Folder with nli.jsonl.gz and nli_extra.jsonl.gz, or one file of own pairs."""
    base: Path
    """Folder of an MPNet or BERT model: config.json, model.safetensors, tokenizer.json."""
    out: Path
    """Folder to write the model to; checkpoints lie beside it in `<out>.work`."""
    layers: int = 10
    """Lowest layers of the base that are kept."""
    frozen: int = 4
    """Lowest layers that stay as the base has them; a GPU can afford 0."""
    generated: int = 240_000
    """Pairs that the generator makes of the texts; 0 for none."""
    teacher: Path | None = None
    """model.safetensors of an earlier run with all the base's layers, to learn from; None for none."""
    refined: Sequence[Path] = ()
    """model.safetensors of an earlier run to go on from, with its weights rounded as they will be stored and
    with more long premises; of several runs their mean; none to start from the base."""
    steps: int | None = None
    """Batches to learn from; None for one epoch, 0 to ship what `refined` holds."""
    length: int = 384
    """Tokens a pair at most."""
    dropout: float = 0.0
    """Share of values dropped. One pass over the rows needs none; on a CPU it costs a tenth of the time."""
    rate: float = 6e-5
    tokens: int = 2_048
    """Tokens a batch."""
    seed: int = 0
    name: str = "vista-verifier"
    device: str = "cpu"
    licence: str = "Apache-2.0"


def train(job: Job, *, say: Callable[[str], None] = print) -> Path:
    """Run a job and return its folder; a run that was stopped goes on from its last checkpoint.

    Raises ValueError for data or a base that cannot be used, OSError for files that cannot be read.
    """
    work = job.out.parent / f"{job.out.name}.work"
    work.mkdir(parents=True, exist_ok=True)
    learnt, development = split(mixture(_rows(job, work, say), seed=job.seed, refining=bool(job.refined)))
    if not learnt or not development:
        raise ValueError(
            f"data must give rows to learn from and to develop on, not {len(learnt)} and {len(development)}"
        )
    say(f"{len(learnt)} rows to learn from, {len(development)} to develop on")
    model = _fitted(job, learnt, work, say)
    rows = encode(development, tokenizer(job.base, length=512))
    with Rounding(model).applied():
        logits, labels = logits_of(model, rows, pad=_pad(job)), np.asarray([row.label for row in rows])
    figures = calibrated(logits, labels)
    say(f"development: {worth(logits, labels)}; temperature {figures['temperature']}")
    manifest = _manifest(job, learnt, figures, worth(logits, labels))
    model.save(work / "model.safetensors")
    export(model, job.base, job.out, manifest, sample=[row.ids for row in rows[:_SAMPLED]])
    return job.out


def _rows(job: Job, work: Path, say: Callable[[str], None]) -> list[Row]:
    rows = load(job.data)
    if job.generated:
        say(f"making {job.generated} pairs of {len(rows)} rows")
        rows += generate(rows, seed=job.seed, limit=job.generated, cache=work / "parses")
    return rows


def _fitted(job: Job, learnt: Sequence[Row], work: Path, say: Callable[[str], None]) -> CrossEncoder:
    torch.manual_seed(job.seed)
    encoded = encode(learnt, tokenizer(job.base, length=job.length))
    lengths = [len(row.ids) for row in encoded]
    steps = len(grouped(lengths, tokens=job.tokens, seed=job.seed)) if job.steps is None else job.steps
    model = CrossEncoder(Encoder.from_folder(job.base, dropout=job.dropout))
    teacher = _teacher(job)
    if teacher is not None:
        model.load_state_dict(teacher.state_dict())
    model.encoder.keep_layers(list(range(min(job.layers, model.encoder.shape.layers))))
    if job.refined:
        model.load(*job.refined)
    model.freeze(layers=job.frozen)
    model.to(job.device)
    recipe = Recipe(
        steps=steps,
        pad=_pad(job),
        tokens=job.tokens,
        rate=job.rate,
        average=0.998,
        rounded=bool(job.refined),
        seed=job.seed,
        rests_on=_digest(job, encoded),
    )
    return fit(model, encoded, recipe, folder=work, teacher=teacher, say=say)


def _digest(job: Job, encoded: Sequence[Encoded]) -> str:
    """Tells runs apart that must not go on from each other's checkpoints."""
    rows = sha256()
    for row in encoded:
        rows.update(row.ids.tobytes() + bytes([row.label]))
    sources = (job.base, *job.refined, *([job.teacher] if job.teacher else []))
    return f"{rows.hexdigest()[:16]} {job.layers} {job.frozen} {' '.join(str(path) for path in sources)}"


def _teacher(job: Job) -> CrossEncoder | None:
    if job.teacher is None:
        return None
    teacher = CrossEncoder(Encoder.from_folder(job.base))
    teacher.load(job.teacher)
    return teacher.to(job.device).eval().requires_grad_(False)


def _pad(job: Job) -> int:
    config = json.loads((job.base / "config.json").read_text(encoding="utf-8"))
    return PAD[config["model_type"]]


def calibrated(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, float]:
    """Temperature, and the contradiction threshold of FALSE_BLOCKS, on development pairs."""
    degree = temperature(logits, labels)
    shares = probabilities(logits, degree)
    harmless = (labels == 0) | (labels == 1)
    limit = threshold(shares[:, 2], harmless, false_share=FALSE_BLOCKS)
    return {"temperature": degree, "contradiction": round(min(limit, 0.99), 3), "entailment": 0.5}


def _manifest(job: Job, learnt: Sequence[Row], figures: dict[str, float], found: Worth) -> dict[str, object]:
    return {
        "name": job.name,
        "kind": "cross-encoder",
        "labels": list(LABELS),
        "max_length": 512,
        "batch_tokens": 1,
        "temperature": figures["temperature"],
        "thresholds": {key: figures[key] for key in ("entailment", "contradiction")},
        "licence": job.licence,
        "base": f"{job.base.name}, lowest {job.layers} layers",
        "data": dict(sorted(Counter(row.source for row in learnt).items())),
        "licences": dict(sorted(Counter(row.licence for row in learnt).items())),
        "development": asdict(found),
    }
