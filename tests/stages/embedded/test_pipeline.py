"""The pipeline that ships, and what is said of a folder that holds none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded.pipeline import FILE, load_pipeline, weights

pytest.importorskip("spacy", reason="needs the extra parse")


def test_its_weights_are_floats_of_full_precision_once_loaded() -> None:
    language = load_pipeline(exclude=["lemmatizer", "attribute_ruler"])
    assert language.pipe_names == ["tok2vec", "tagger", "parser", "ner"]
    kinds = {model.get_param(name).dtype for model, name in weights(language)}
    assert list(map(str, kinds)) == ["float32"]


def test_it_tags_parses_names_and_lemmatizes() -> None:
    first, *_, last = load_pipeline()("Jonas Pike sold the mills in 1820")
    assert (first.tag_, first.ent_type_, first.head.text) == ("NNP", "PERSON", "Pike")
    assert (last.ent_type_, last.head.head.lemma_) == ("DATE", "sell")


@pytest.mark.parametrize("manifest", [None, "{", "[]", json.dumps({"files": {}})])
def test_a_folder_without_a_pipeline_is_named(manifest: str | None, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"")
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(ModelLoadError, match=str(tmp_path)):
        load_pipeline(tmp_path)
