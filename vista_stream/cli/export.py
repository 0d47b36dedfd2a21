"""`vista-stream export`: turns a published Flan-T5 into a model folder that `FlanT5Verifier` reads."""

from __future__ import annotations

import argparse
from pathlib import Path

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.errors import missing_extra

_SUMMARY = "turn a published Flan-T5 into a folder for --verifier"
_MODULES = ("torch", "transformers", "huggingface_hub", "onnx")


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


def run(args: argparse.Namespace) -> int:
    """Export the model and return the exit status 0."""
    try:
        import transformers  # type: ignore[import-not-found, unused-ignore]

        from vista_stream.export.flan_t5 import export_flan_t5
    except ModuleNotFoundError as error:
        if error.name not in _MODULES:
            raise
        raise CommandError(missing_extra(f"{error.name} is missing", "export")) from error
    # Its warnings are about training and generation; failures of an export are raised as errors.
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        manifest = export_flan_t5(args.model, args.to, quantization=args.quantize)
    except (ValueError, OSError) as error:
        raise CommandError(f"{args.to}: {getattr(error, 'strerror', None) or error}") from error
    size = sum((args.to / name).stat().st_size for name in manifest.files)
    print(f"{args.to}: {manifest.name}, quantization {manifest.quantization}, {size / 1e6:.0f} MB")
    return 0
