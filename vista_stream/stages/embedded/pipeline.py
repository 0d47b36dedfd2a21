"""spaCy's small English pipeline, which ships in one file with its weights in half precision."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vista_stream.verifiers.model_files import read_checked
from vista_stream.verifiers.onnx import give_back_memory

if TYPE_CHECKING:
    from spacy.language import Language

FILE = "pipeline.msgpack"
"""In the model folder: what spaCy's `Language.to_bytes` gives."""
SHIPPED = Path(__file__).parents[2] / "models" / "parser"


def load_pipeline(path: str | Path | None = None, *, exclude: Sequence[str] = ()) -> Language:
    """The pipeline of a folder, without the named components; without a path, the one that ships. Blocking.

    Raises ModelLoadError where a file is missing or damaged, ModuleNotFoundError without spaCy.
    """
    import srsly
    from spacy.util import load_model_from_config
    from thinc.api import Config

    _, data = read_checked(Path(path or SHIPPED), FILE, what="pipeline")
    parts = srsly.msgpack_loads(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy warns at another patch release than the model's; it works
        config, told = Config().from_bytes(parts["config.cfg"]), srsly.json_loads(parts["meta.json"])
        language = load_model_from_config(config, exclude=exclude, meta=told)
        language.from_bytes(data, exclude=exclude)
    for model, name in weights(language):
        model.set_param(name, model.get_param(name).astype("float32"))
    del data, parts
    give_back_memory()
    return language


def weights(language: Language) -> Iterator[tuple[Any, str]]:
    """Each model of a pipeline's components with the name of each of its arrays of floats."""
    for _, component in language.pipeline:
        own: Any = getattr(component, "model", None)
        for model in own.walk() if own else ():
            for name in model.param_names:
                if model.has_param(name) and model.get_param(name).dtype.kind == "f":
                    yield model, name
