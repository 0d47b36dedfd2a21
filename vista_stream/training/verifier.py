"""From labelled pairs to the folder that is shipped: fit, calibrate, export, quantise, measure, tell."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import repeat
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch.utils.data import DataLoader

from vista_stream.training.batches import Batch, Encoded, encode, grouped, tokenizer, unit_batches
from vista_stream.training.cross_encoder import LABELS, CrossEncoder
from vista_stream.training.documents import WRITTEN
from vista_stream.training.encoder import Encoder
from vista_stream.training.epochs import EncodedUnit, Epochs
from vista_stream.training.fit import Recipe, fit, taught
from vista_stream.training.low_rank import Updates, adapt, fixed, merge, products, settle, updates
from vista_stream.training.made.generate import generate
from vista_stream.training.made.scenes import Scene, drawn, read_scenes
from vista_stream.training.measure import (
    Worth,
    logits_of,
    precise,
    probabilities,
    temperature,
    threshold,
    worth,
)
from vista_stream.training.mixture import mixture, split
from vista_stream.training.premises import cut_rows
from vista_stream.training.reader import Lessons, divided, fitted, manifest_of, sample, watched
from vista_stream.training.rows import Row, load
from vista_stream.training.storing.checkpoints import is_packed, read, updates_of, write
from vista_stream.training.storing.exporting import export, export_reading
from vista_stream.training.storing.restoring import restored, restored_updates
from vista_stream.training.storing.rounding import Rounding
from vista_stream.training.talk_rows import talk_rows
from vista_stream.training.talk_units import talk_units
from vista_stream.training.talks import Talk
from vista_stream.training.talks import divided as divided_talks
from vista_stream.verifiers.unpacking import Update

FALSE_BLOCKS = 0.02
"""Share of development pairs that are not contradictions, and may score above the threshold."""
VERIFIED_PRECISION = 0.9
"""Share of written development claims above the threshold of entailment that must be entailed."""
_SAMPLED = 64
"""Development pairs that show which channels are far larger than others."""
_OF_THE_BASE = ("encoder.words.weight", "encoder.relative.weight")
"""Weights that no run changes: a packed checkpoint leaves them out."""
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
    """Lowest layers that stay as the base has them; with `whole`, that have no updates."""
    generated: int = 240_000
    """Pairs that the generator makes of the texts; 0 for none."""
    teacher: Path | None = None
    """model.safetensors of an earlier run with all the base's layers, to learn from; None for none."""
    refined: Sequence[Path] = ()
    """model.safetensors of an earlier run, or a model folder such as the shipped one, to go on from, with its
    weights rounded as they will be stored and with more long premises; of several their mean; none to start
    from the base."""
    adapted: int = 0
    """Rank of the updates to learn while the weights stay as they are stored (`low_rank.py`), unless `whole`;
    0 trains the weights."""
    whole: bool = False
    """With `adapted`: whether the weights are learnt too, rounded as they are stored; for a GPU."""
    apart: int = 0
    """Lowest layers in which windows of a text are read by themselves, once for all claims; 0 reads each
    pair anew."""
    written: Sequence[Path] = ()
    """Written documents to learn from besides, files or folders (`documents.py`); with `apart` the project's
    own where none is given."""
    conversations: Sequence[Path] = ()
    """Written conversations whose claims are learnt from besides, files or folders (`talk_rows.py`)."""
    scenes: Sequence[Path] = ()
    """Written scenes to learn from besides, files or folders (`made/scenes.py`); not with `apart`."""
    talks: Sequence[Path] = ()
    """Written talks to learn from besides, files or folders (`talks.py`); not with `apart`."""
    steps: int | None = None
    """Batches to learn from; None for one epoch, 0 to ship what `refined` holds."""
    length: int = 384
    """Tokens a pair at most."""
    dropout: float = 0.0
    """Share of values dropped. One pass over the rows needs none; on a CPU it costs a tenth of the time."""
    rate: float = 6e-5
    update_rate: float | None = None
    """The rate of updates, where another."""
    tokens: int = 2_048
    """Tokens a batch."""
    workers: int = 0
    """Processes that prepare the next epochs meanwhile."""
    seed: int = 0
    name: str = "vista-verifier"
    device: str = "cpu"
    licence: str = "Apache-2.0"


def train(job: Job, *, say: Callable[[str], None] = print) -> Path:
    """Run a job and return its folder; a run that was stopped goes on from its last checkpoint.

    Raises ValueError for data or a base that cannot be used, OSError for files that cannot be read.
    """
    if job.adapted and job.apart:
        raise ValueError("adapted is for a verifier that reads pairs whole, not with apart")
    for name in ("scenes", "talks"):
        if getattr(job, name) and job.apart:
            raise ValueError(f"{name} are for a verifier that reads pairs whole, not with apart")
    if job.whole and not job.adapted:
        raise ValueError("whole is for adapted: the weights are learnt anyway where there are no updates")
    if job.update_rate is not None and not job.adapted:
        raise ValueError("update_rate is for adapted: there are no updates to learn")
    work = job.out.parent / f"{job.out.name}.work"
    work.mkdir(parents=True, exist_ok=True)
    learnt, development = split(mixture(_rows(job, work, say), seed=job.seed, refining=bool(job.refined)))
    if not learnt or not development:
        raise ValueError(
            f"data must give rows to learn from and to develop on, not {len(learnt)} and {len(development)}"
        )
    learnt = [*learnt, *(row for path in job.conversations for row in talk_rows(path))]
    say(f"{len(learnt)} rows to learn from, {len(development)} to develop on")
    if job.apart:
        return _train_reading(job, learnt, development, work, say)
    kept, held = divided(job.written) if job.written else ([], [])
    scenes = [scene for path in job.scenes for scene in read_scenes(path)]
    talks, _ = divided_talks(job.talks)
    epochs = Epochs(
        rows=learnt,
        documents=kept,
        scenes=scenes,
        talks=talks,
        base=job.base,
        length=job.length,
        seed=job.seed,
    )
    model = _fitted(job, epochs, work, say)
    asked = cut_rows(held, random.Random(0))
    rows = encode([*development, *asked], tokenizer(job.base, length=512))
    with Rounding(model).applied():
        logits, labels = logits_of(model, rows, pad=_pad(job)), np.asarray([row.label for row in rows])
    figures = calibrated(logits, labels, written=len(asked))
    say(f"development: {worth(logits, labels)}; temperature {figures['temperature']}")
    documents = [*kept, *(drawn(scene, random.Random(job.seed)).document for scene in scenes)]
    written = [row for document in documents for row in document.rows()]
    written += [row for talk in talks for unit in talk_units(talk, random.Random(job.seed)) for row in unit]
    manifest = _manifest(job, [*learnt, *written], figures, worth(logits, labels))
    learnt_updates = _saved(model, work)
    order = [learnt_updates.get(name) for name in products(model)] if learnt_updates else []
    export(model, job.base, job.out, manifest, sample=[row.ids for row in rows[:_SAMPLED]], updates=order)
    return job.out


def _saved(model: CrossEncoder, work: Path) -> dict[str, Update]:
    """Write a run's weights, merge its updates into them, and return these by name; none of a plain run."""
    found = updates(model)
    if not found:
        model.save(work / "model.safetensors")
        return {}
    kept = {name: values for name, values in fixed(model).items() if name not in _OF_THE_BASE}
    write(kept, found, work / "packed.safetensors")
    merge(model)
    return {name: (wide.cpu().numpy(), narrow.cpu().numpy()) for name, (wide, narrow) in found.items()}


def _train_reading(
    job: Job, learnt: Sequence[Row], development: Sequence[Row], work: Path, say: Callable[[str], None]
) -> Path:
    kept, held = divided(job.written or [WRITTEN])
    taught = Lessons(
        base=job.base,
        tokens=job.tokens,
        documents=kept,
        rows=learnt,
        held_documents=held,
        held_rows=development,
    )
    say(f"{len(taught.documents)} documents to learn from, {len(taught.held_documents)} to develop on")
    torch.manual_seed(job.seed)
    recipe = Recipe(
        steps=job.steps or 0,
        rate=job.rate,
        average=0.998,
        rounded=bool(job.refined),
        seed=job.seed,
        rests_on=f"{len(learnt)} {len(taught.documents)} {job.tokens} {job.apart} {job.layers} {job.frozen}",
    )
    verifier = fitted(
        _model(job, work),
        taught,
        recipe,
        apart=job.apart,
        folder=work,
        say=say,
    )
    found = watched(verifier, taught)
    for name, each in found.items():
        say(f"development, {name}: {each.worth}")
    asked = found["written"]
    figures = calibrated(asked.logits, asked.labels, written=len(asked.labels))
    verifier.save(work / "model.safetensors")
    manifest = _manifest(job, learnt, figures, found["written"].worth)
    manifest |= {"kind": "reader", "apart": job.apart, "development": manifest_of(found)}
    export_reading(verifier, job.base, job.out, manifest, sample=sample(taught))
    return job.out


def _rows(job: Job, work: Path, say: Callable[[str], None]) -> list[Row]:
    rows = load(job.data)
    if job.generated:
        say(f"making {job.generated} pairs of {len(rows)} rows")
        rows += generate(rows, seed=job.seed, limit=job.generated, cache=work / "parses")
    return rows


def _fitted(job: Job, epochs: Epochs, work: Path, say: Callable[[str], None]) -> CrossEncoder:
    torch.manual_seed(job.seed)
    first = epochs[0]
    lengths = [max(len(row.ids) for row in unit) for unit in first]
    counts = [len(unit) for unit in first]
    one = grouped(lengths, tokens=job.tokens, seed=job.seed, rows=counts)
    teacher = _teacher(job)
    model = _model(job, work, teacher=teacher)
    recipe = Recipe(
        steps=len(one) if job.steps is None else job.steps,
        rate=job.rate,
        update_rate=job.update_rate,
        average=0.998,
        rounded=bool(job.refined) and not job.adapted,
        seed=job.seed,
        rests_on=_digest(job, [row for unit in first for row in unit], [*epochs.scenes, *epochs.talks]),
    )
    later = repeat(first) if epochs.repeated else iter(_later(epochs, job.workers))

    def epoch(number: int) -> Iterator[Batch]:
        units = next(later) if number else first
        return unit_batches(units, tokens=job.tokens, pad=_pad(job), seed=job.seed + number)

    fitted = fit(model, epoch, recipe, folder=work, loss_of=taught(teacher), say=say)
    settle(fitted)
    return fitted


def _later(epochs: Epochs, workers: int) -> DataLoader[list[EncodedUnit]]:
    """The epochs from 1 on, prepared by so many processes."""
    return DataLoader(
        epochs,
        batch_size=None,
        sampler=range(1, len(epochs)),
        num_workers=workers,
        collate_fn=_unchanged,
    )


def _unchanged(epoch: list[EncodedUnit]) -> list[EncodedUnit]:
    return epoch


def _model(job: Job, work: Path, *, teacher: CrossEncoder | None = None) -> CrossEncoder:
    """The model that a run begins with."""
    model = CrossEncoder(Encoder.from_folder(job.base, dropout=job.dropout))
    if teacher is not None:
        model.load_state_dict(teacher.state_dict())
    model.encoder.keep_layers(list(range(min(job.layers, model.encoder.shape.layers))))
    if job.refined:
        paths = [
            _weights(model, path, work / f"refined-{number}.safetensors")
            for number, path in enumerate(job.refined)
        ]
        model.load(*paths)
    if job.adapted:
        adapt(model, job.adapted, frozen=job.frozen, known=_known(job.refined), whole=job.whole)
    else:
        model.freeze(layers=job.frozen)
    return model.to(job.device)


def _known(refined: Sequence[Path]) -> Updates:
    """The updates that the weights to go on from contain; a mean of several files has none of its own."""
    if len(refined) != 1:
        return {}
    (path,) = refined
    if path.is_dir():
        return restored_updates(path)
    return updates_of(path) if is_packed(path) else {}


def _weights(model: CrossEncoder, path: Path, taken: Path) -> Path:
    """A file of weights; of a model folder or a packed checkpoint `taken`, the rest as the base has it."""
    if not path.is_dir() and not is_packed(path):
        return path
    whole = {**model.state_dict(), **(restored(path) if path.is_dir() else read(path))}
    save_file({name: values.float().contiguous() for name, values in whole.items()}, taken)
    return taken


def _digest(job: Job, encoded: Sequence[Encoded], drawn_from: Sequence[Scene | Talk]) -> str:
    """Tells runs apart that must not go on from each other's checkpoints."""
    rows = sha256()
    for row in encoded:
        rows.update(row.ids.tobytes() + bytes([row.label]))
    for each in drawn_from:  # an epoch may lack some of them
        rows.update(repr(each).encode())
    sources = (job.base, *job.refined, *([job.teacher] if job.teacher else []))
    named = " ".join(str(path) for path in sources)
    return f"{rows.hexdigest()[:16]} {job.tokens} {job.layers} {job.frozen} {job.adapted} {job.whole} {named}"


def _teacher(job: Job) -> CrossEncoder | None:
    if job.teacher is None:
        return None
    teacher = CrossEncoder(Encoder.from_folder(job.base))
    teacher.load(job.teacher)
    return teacher.to(job.device).eval().requires_grad_(False)


def _pad(job: Job) -> int:
    config = json.loads((job.base / "config.json").read_text(encoding="utf-8"))
    return PAD[config["model_type"]]


def calibrated(
    logits: NDArray[np.float32], labels: NDArray[np.int64], *, written: int = 0
) -> dict[str, float]:
    """Temperature and thresholds, on development pairs.

    Where the last `written` rows are claims about written documents the thresholds are chosen on those alone:
    a third of them is entailed, fewer than in most answers, and they are harder than pairs of other sources.
    """
    degree = temperature(logits, labels)
    shares = probabilities(logits, degree)[-written:]
    known = labels[-written:]
    limit = threshold(shares[:, 2], (known == 0) | (known == 1), false_share=FALSE_BLOCKS)
    verified = precise(shares[:, 0], known == 0, precision=VERIFIED_PRECISION) if written else 0.5
    return {
        "temperature": degree,
        "contradiction": round(min(limit, 0.99), 3),
        "entailment": round(min(max(verified, 0.5), 0.99), 3),
    }


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
