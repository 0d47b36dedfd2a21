"""The manifest of a folder with an exported Flan-T5, and a check that the folder is complete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from vista_stream.core.judge import Thresholds
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.model_files import check_files

Quantization: TypeAlias = Literal["none", "int8", "fp16"]
KIND: Final = "flan-t5"
QUESTIONS = ("entailment", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlanT5Manifest:
    """`manifest.json` of an exported model.

    Raises ValueError for an invalid field.
    """

    name: str
    """Name of the model that was exported."""
    revision: str | None
    """Revision of the model on its hub; None for a model from a local folder."""
    licence: str | None
    """Licence of the weights, as the model's card states it; None where it states none."""
    quantization: Quantization
    files: Mapping[str, str]
    """SHA-256 of each file, as hexadecimal digits."""
    answers: tuple[str, str]
    """The texts that mean yes and no."""
    answer_tokens: tuple[int, int]
    """Token ids of the two answers, in the order of the columns of the graph's output."""
    end_token: int
    """Id of the token that ends a prompt."""
    templates: Mapping[str, str]
    """A prompt for each of QUESTIONS, with {premise} and, after it, {hypothesis}."""
    max_length: int = 512
    """Tokens of a prompt at most, the question included."""
    overlap: float = 0.25
    """Share of a chunk that the next one repeats."""
    temperature: float = 1.0
    """Divides the log-odds of both questions before they become three scores."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    """The thresholds from which this model's scores decide a category."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of the packages that made the folder, by name."""
    kind: Literal["flan-t5"] = KIND

    def __post_init__(self) -> None:
        if self.kind != KIND:
            raise ValueError(f"kind must be {KIND!r}, not {self.kind!r}")
        if not isinstance(self.files, Mapping):
            raise ValueError(f"files must give names their SHA-256, not {self.files!r}")
        for name in ("end_token", "max_length"):
            if not isinstance(getattr(self, name), int):
                raise ValueError(f"{name} must be a whole number, not {getattr(self, name)!r}")
        if not self.temperature > 0 or not self.max_length > 0 or not 0 <= self.overlap < 1:
            raise ValueError("temperature and max_length must be above 0, overlap from 0 to below 1")
        for question in QUESTIONS:
            place = self.templates.get(question, "").find("{premise}")
            if place < 0 or self.templates[question].find("{hypothesis}") < place:
                raise ValueError(f"the {question} template must hold {{premise}}, then {{hypothesis}}")

    def to_json(self) -> str:
        """The text of manifest.json."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"


def read_flan_t5_manifest(folder: Path) -> FlanT5Manifest:
    """Read an exported model's manifest and check every file that it names. Blocking.

    Raises ModelLoadError, naming the path and what was expected there.
    """
    path = folder / "manifest.json"
    try:
        manifest = _build(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelLoadError(f"{path} is missing: an exported model holds it ({error.strerror})") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelLoadError(f"{path} is not the manifest of an exported Flan-T5: {error}") from error
    check_files(folder, manifest.files)
    return manifest


def _build(table: dict[str, Any]) -> FlanT5Manifest:
    yes, no = table.pop("answers", (None, None))
    pair = tuple(table.pop("answer_tokens", ()))
    thresholds = Thresholds(**table.pop("thresholds", {}))
    return FlanT5Manifest(**table, answers=(yes, no), answer_tokens=pair, thresholds=thresholds)
