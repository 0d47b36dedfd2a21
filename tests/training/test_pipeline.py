"""A pipeline package becomes the file that ships, and reads texts as before."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import spacy
from spacy.training import Example

from vista_stream.stages.embedded.pipeline import load_pipeline
from vista_stream.training.__main__ import main

TEXTS = ["The mill is old", "A tower was sold", "It has two floors"]
TAGS = [["DT", "NN", "VBZ", "JJ"], ["DT", "NN", "VBD", "VBN"], ["PRP", "VBZ", "CD", "NNS"]]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package with a tagger that has learnt the texts, and a component that is left out."""
    language = spacy.blank("en")
    language.add_pipe("tagger")
    language.meta.update(author="Nobody", license="MIT", name="tiny", version="1.0")
    learnt = [
        Example.from_dict(language.make_doc(text), {"tags": tags})
        for text, tags in zip(TEXTS, TAGS, strict=True)
    ]
    optimizer = language.initialize(lambda: learnt)
    for _ in range(20):
        language.update(learnt, sgd=optimizer)
    made, asked = ModuleType("tiny_pipeline"), list[list[str]]()

    def load(exclude: list[str]) -> Any:
        asked.append(exclude)
        return language

    made.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiny_pipeline", made)
    return asked


def test_a_packed_pipeline_tags_as_the_package(package: list[list[str]], tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "parser"
    assert main(["parser", "--package", "tiny_pipeline", "--out", str(out)]) == 0
    assert package == [["senter"]]
    packed = load_pipeline(out)
    assert [[token.tag_ for token in packed(text)] for text in TEXTS] == TAGS
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["name"] == "en_tiny-1.0-float16"
    assert (manifest["licence"], manifest["kind"]) == ("MIT", "parser")
    assert "Nobody" in manifest["base"]


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, capsys: Any) -> None:
    assert main(["parser", "--package", "no_such_pipeline", "--out", str(tmp_path / "parser")]) == 2
    assert "no_such_pipeline is not installed" in capsys.readouterr().err
