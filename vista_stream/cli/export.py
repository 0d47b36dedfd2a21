"""`vista-stream export`: turns a published Flan-T5 into a model folder that `FlanT5Verifier` reads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.errors import missing_extra

if TYPE_CHECKING:
    from vista_stream.verifiers.flan_t5_manifest import FlanT5Manifest

_SUMMARY = "turn a published Flan-T5 into a folder for --verifier"
_MODULES = ("torch", "transformers", "huggingface_hub", "onnx", "optimum")
_WITH = ("own", "optimum")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    summary = COMMANDS.get("export", _SUMMARY)
    parser = subparsers.add_parser("export", help=summary, description=summary)
    parser.add_argument("model", metavar="MODEL", help="a hub's model, as google/flan-t5-base, or a folder")
    parser.add_argument("--to", required=True, type=Path, metavar="DIR", help="written whole or not at all")
    parser.add_argument(
        "--quantize",
        default="none",
        choices=("none", "int8", "fp16"),
        help="int8 for a CPU, fp16 for CUDA; none, the default, keeps fp32",
    )
    parser.add_argument(
        "--with",
        dest="exporter",
        default="own",
        choices=_WITH,
        help="own, the default, makes one graph; optimum its encoder and decoder",
    )


def run(args: argparse.Namespace) -> int:
    """Export the model and return the exit status 0."""
    by_optimum = args.exporter == "optimum"
    if by_optimum and args.quantize != "none":
        raise CommandError(f"--quantize {args.quantize} needs --with own: optimum's export keeps fp32")
    try:
        import transformers  # type: ignore[import-not-found, unused-ignore]

        export = _exporter(args)
    except ImportError as error:
        name = (error.name or "").partition(".")[0]
        if name not in _MODULES:
            raise
        extra = "optimum" if by_optimum else "export"
        raise CommandError(missing_extra(f"{name} is missing", extra)) from error
    # Its warnings are about training and generation; failures of an export are raised as errors.
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        manifest = export(args.model, args.to)
    except (ValueError, OSError) as error:
        raise CommandError(f"{args.to}: {getattr(error, 'strerror', None) or error}") from error
    size = sum(path.stat().st_size for path in args.to.iterdir())
    print(f"{args.to}: {manifest.name}, quantization {manifest.quantization}, {size / 1e6:.0f} MB")
    return 0


def _exporter(args: argparse.Namespace) -> Callable[[str, Path], FlanT5Manifest]:
    if args.exporter == "own":
        from vista_stream.export.flan_t5 import export_flan_t5

        return partial(export_flan_t5, quantization=args.quantize)
    import optimum.exporters.onnx  # noqa: F401  optimum alone, without optimum-onnx, has no such module

    from vista_stream.export.optimum import export_by_optimum

    return export_by_optimum
