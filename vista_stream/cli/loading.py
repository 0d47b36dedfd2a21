"""Loads the verifiers and policies that command-line options name."""

from __future__ import annotations

import json
from pathlib import Path

from vista_stream.cli import CommandError
from vista_stream.policy import Policy
from vista_stream.verifiers.protocol import Verifier

VERIFIERS = "embedded, the default, or the folder of an exported model"
POLICIES = f"{', '.join(Policy.NAMES)}, or a TOML file"


def load_verifier(name: str, *, option: str = "--verifier") -> Verifier:
    """The verifier for "embedded" or for the path of a model folder.

    Raises CommandError if there is no such folder, ModelLoadError if the model cannot be loaded.
    """
    from vista_stream.verifiers.embedded import EmbeddedVerifier

    if name == "embedded":
        return EmbeddedVerifier.from_pretrained()
    if not Path(name).is_dir():
        raise CommandError(f"{option} takes {VERIFIERS}: there is no {name!r}")
    from vista_stream.verifiers.flan_t5_optimum import optimum_graphs

    folder = Path(name)
    kind = _kind(folder)
    if kind == "flan-t5" or (kind is None and optimum_graphs(folder) is not None):
        from vista_stream.verifiers.flan_t5 import FlanT5Verifier

        return FlanT5Verifier.from_pretrained(name)
    return EmbeddedVerifier.from_pretrained(name)


def _kind(folder: Path) -> object:
    """The `kind` in a folder's manifest; None without a readable manifest (the verifier then says why)."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("kind") if isinstance(manifest, dict) else None


def load_policy(name: str | None) -> Policy:
    """The policy of a name or TOML file, None the default one; raises CommandError where there is none."""
    if name is None or name in Policy.NAMES:
        return Policy.named(name or "default")
    try:
        return Policy.from_toml(name)
    except FileNotFoundError as error:
        raise CommandError(f"--policy takes {POLICIES}; {name}: {error.strerror}") from error
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(str(error)) from error
