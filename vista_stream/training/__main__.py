"""`python -m vista_stream.training RECIPE …`: each recipe is one command."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from vista_stream.errors import VistaError, missing_extra

if TYPE_CHECKING:
    from vista_stream.verifiers.embedded import EmbeddedEmbedder

_TORCH = ("torch", "safetensors", "onnx", "onnxruntime", "sklearn")
_NEEDED = {
    "verifier": _TORCH,
    "pooling": (*_TORCH[:1], "onnxruntime", "sklearn"),
    "encoder": _TORCH,
    "importance": ("onnxruntime",),
    "claim-type": ("onnxruntime", "sklearn", "scipy"),
    "signs": ("onnxruntime", "sklearn", "scipy"),
    "parser": ("spacy",),
}
_EXTRAS = {
    "verifier": "cpu,parse,train",
    "pooling": "cpu,parse,train",
    "encoder": "cpu,train",
    "importance": "cpu,parse",
    "claim-type": "cpu,score",
    "signs": "cpu,parse,score",
    "parser": "parse",
}


def main(argv: list[str] | None = None) -> int:
    """Run one recipe; 2 and one line on standard error where it cannot be run."""
    arguments = _parser().parse_args(argv)
    recipe = arguments.recipe
    missing = [name for name in _NEEDED[recipe] if importlib.util.find_spec(name) is None]
    if missing:
        print(missing_extra(f"{missing[0]} is missing", _EXTRAS[recipe]), file=sys.stderr)
        return 2
    try:
        return _RECIPES[recipe](arguments)
    except (ValueError, OSError, VistaError) as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vista_stream.training", description=__doc__)
    recipes = parser.add_subparsers(required=True, dest="recipe")
    verifier = recipes.add_parser("verifier", help="fit the three-way verifier of pairs")
    add = verifier.add_argument
    add("--data", type=Path, required=True, help="folder of nli.jsonl.gz files, or one file of own pairs")
    add("--base", type=Path, required=True, help="folder of an MPNet or BERT model")
    add("--out", type=Path, required=True, help="folder to write the model to")
    add("--layers", type=int, default=10, help="lowest layers of the base to keep (10)")
    add(
        "--frozen",
        type=int,
        default=4,
        help="lowest layers to leave as they are, or with --whole without updates (4)",
    )
    add("--generated", type=int, default=240_000, help="pairs to make by rule (240,000; 0 for none)")
    add("--teacher", type=Path, help="model.safetensors of a run with all layers, to learn from")
    add(
        "--refined",
        type=Path,
        nargs="+",
        default=(),
        help="model.safetensors of an earlier run, or a model folder, to go on from; the mean of several",
    )
    add(
        "--adapted",
        type=int,
        default=0,
        help="rank of updates to learn beside the weights, which stay without --whole (0: none)",
    )
    add("--whole", action="store_true", help="with --adapted: learn the weights too, rounded; for a GPU")
    add("--update-rate", type=float, help="peak learning rate of updates (as --rate)")
    add("--dropout", type=float, default=0.0, help="share of values dropped (0; 0.1 for many passes)")
    add("--workers", type=int, default=0, help="processes that prepare the next epochs (0; 2 for a GPU)")
    add("--apart", type=int, default=0, help="lowest layers that read a text once for all claims (0: none)")
    add(
        "--written",
        type=Path,
        nargs="+",
        default=(),
        help="written documents to learn from besides: files or folders (with --apart the project's own)",
    )
    add(
        "--conversations",
        type=Path,
        nargs="+",
        default=(),
        help="written conversations whose claims to learn from besides: files, or folders of .txt",
    )
    add(
        "--scenes",
        type=Path,
        nargs="+",
        default=(),
        help="written scenes, whose values are drawn anew, to learn from besides: files or folders",
    )
    add(
        "--talks",
        type=Path,
        nargs="+",
        default=(),
        help="written talks, whose sentences are read with what was said before: files or folders",
    )
    add("--steps", type=int, help="batches to learn from (one epoch; 0 ships what --refined holds)")
    add("--tokens", type=int, default=2_048, help="tokens a batch (2,048; 32,768 on a GPU)")
    add("--rate", type=float, default=6e-5, help="peak learning rate (6e-5)")
    add("--seed", type=int, default=0)
    add("--name", default="vista-verifier", help="name in the manifest")
    add("--device", default="cpu", help="cpu or cuda")
    pooling = recipes.add_parser("pooling", help="fit how the scores of a claim's passages become one triple")
    add = pooling.add_argument
    add("--model", type=Path, required=True, help="model folder; its manifest gets the pooling")
    add(
        "--written",
        type=Path,
        nargs="+",
        required=True,
        help="files or folders of written documents; only those that no run learns from are taken",
    )
    add("--talks", type=Path, nargs="+", default=(), help="files or folders of written talks, likewise")
    encoder = recipes.add_parser("encoder", help="export a base model, unchanged, as the bi-encoder")
    encoder.add_argument("--base", type=Path, required=True, help="folder of an MPNet or BERT model")
    encoder.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    encoder.add_argument("--name", default="vista-encoder", help="name in the manifest")
    pipeline = recipes.add_parser("parser", help="pack a spaCy pipeline into the file that ships")
    pipeline.add_argument("--package", default="en_core_web_sm", help="the pipeline, an installed package")
    pipeline.add_argument("--out", type=Path, required=True, help="folder to write it to")
    importance = recipes.add_parser("importance", help="fit the weights that tell vital claims from others")
    add = importance.add_argument
    add(
        "--data",
        type=Path,
        required=True,
        help="folder with nli.jsonl.gz, or one file of own labelled claims",
    )
    add("--out", type=Path, required=True, help="folder to write importance.json to")
    add("--encoder", type=Path, help="folder of a bi-encoder (the one that ships)")
    add("--questions", type=int, default=1_000, help="questions to make answers of (1,000)")
    add("--seed", type=int, default=0)
    claims = recipes.add_parser(
        "claim-type", help="measure the rules on labelled statements, and fit the head on conversations"
    )
    claims.add_argument(
        "--data", type=Path, required=True, help="claim_type.jsonl.gz, its folder, or own rows"
    )
    claims.add_argument(
        "--conversations",
        type=Path,
        nargs="+",
        default=(),
        help="files of conversations with labelled claims, or folders of .txt in the written form",
    )
    claims.add_argument(
        "--facts",
        type=Path,
        help="pairs whose hypotheses the head learns as plain facts: a folder with nli.jsonl.gz, or a file",
    )
    claims.add_argument(
        "--written",
        type=Path,
        help="written documents, a file or folder, whose claims the head learns as facts",
    )
    claims.add_argument("--out", type=Path, required=True, help="folder for claim_type.json and kinds/")
    claims.add_argument("--encoder", type=Path, help="folder of a bi-encoder (the one that ships)")
    _add_signs(recipes.add_parser("signs", help="fit the head that tells corrections, changes and requests"))
    return parser


def _add_signs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="folder of written sentences in .txt")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the head to")
    parser.add_argument("--encoder", type=Path, help="folder of a bi-encoder (the one that ships)")


def _verifier(arguments: argparse.Namespace) -> int:
    from vista_stream.training.verifier import Job, train

    named = {key: value for key, value in vars(arguments).items() if key != "recipe"}
    print(train(Job(**named)))
    return 0


def _pooling(arguments: argparse.Namespace) -> int:
    from vista_stream.training.pooling import write
    from vista_stream.training.reader import divided
    from vista_stream.training.talks import divided as divided_talks

    _, held = divided(arguments.written)
    _, talks = divided_talks(arguments.talks)
    print(write(arguments.model, held, talks))
    return 0


def _encoder(arguments: argparse.Namespace) -> int:
    from vista_stream.training.bi_encoder import BiEncoder
    from vista_stream.training.encoder import Encoder
    from vista_stream.training.storing.exporting import export

    manifest = {
        "name": arguments.name,
        "kind": "bi-encoder",
        "max_length": 256,
        "batch_tokens": 1,
        "licence": "Apache-2.0",
        "base": f"{arguments.base.name}, weights unchanged, quantised to int8",
    }
    model = BiEncoder(Encoder.from_folder(arguments.base))
    export(model, arguments.base, arguments.out, manifest)
    print(arguments.out)
    return 0


def _importance(arguments: argparse.Namespace) -> int:
    from vista_stream.training.importance import Job, train
    from vista_stream.verifiers.embedded import EmbeddedEmbedder

    job = Job(data=arguments.data, out=arguments.out, questions=arguments.questions, seed=arguments.seed)
    print(train(job, EmbeddedEmbedder.from_pretrained(arguments.encoder)))
    return 0


def _claim_type(arguments: argparse.Namespace) -> int:
    from vista_stream.training.claim_type import Job, examine
    from vista_stream.verifiers.embedded import EmbeddedEmbedder

    embedder = EmbeddedEmbedder.from_pretrained(arguments.encoder)
    if arguments.conversations:
        _kinds(arguments, embedder)
    print(examine(Job(data=arguments.data, out=arguments.out), embedder))
    return 0


def _kinds(arguments: argparse.Namespace, embedder: EmbeddedEmbedder) -> None:
    from vista_stream.stages.embedded.kinds import CLASSES
    from vista_stream.training.claim_type import load
    from vista_stream.training.heads import counted, write
    from vista_stream.training.kind_head import fit
    from vista_stream.training.kind_rows import conversations, plain_facts, statements, written_facts

    rows = statements(load(arguments.data))
    rows += plain_facts(arguments.facts) if arguments.facts else []
    rows += written_facts(arguments.written) if arguments.written else []
    rows += [row for path in arguments.conversations for row in conversations(path)]
    head, figures = fit(rows, embedder)
    told = {"rows": counted(row.source for row in rows), "kept apart": figures}
    out = arguments.out / "kinds"
    write(head, out, name="vista-kinds", classes=CLASSES, encoder=embedder.name, told=told)
    print(arguments.out / "kinds")


def _signs(arguments: argparse.Namespace) -> int:
    from vista_stream.stages.embedded.signs import CLASSES
    from vista_stream.training.heads import counted, write
    from vista_stream.training.sign_head import fit, read_signs
    from vista_stream.verifiers.embedded import EmbeddedEmbedder

    embedder = EmbeddedEmbedder.from_pretrained(arguments.encoder)
    rows = read_signs(arguments.data)
    head, figures = fit(rows, embedder)
    told = {"rows": counted(row.label for row in rows), "kept apart": figures}
    write(head, arguments.out, name="vista-signs", classes=CLASSES, encoder=embedder.name, told=told)
    print(arguments.out)
    return 0


def _pipeline(arguments: argparse.Namespace) -> int:
    from vista_stream.training.pipeline import pack

    print(pack(arguments.package, arguments.out))
    return 0


_RECIPES: dict[str, Callable[[argparse.Namespace], int]] = {
    "verifier": _verifier,
    "pooling": _pooling,
    "encoder": _encoder,
    "importance": _importance,
    "claim-type": _claim_type,
    "signs": _signs,
    "parser": _pipeline,
}


if __name__ == "__main__":
    sys.exit(main())
