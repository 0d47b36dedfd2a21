"""What is shipped and what it needs: models are the ones of their digests, licences allow the use."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded.kinds import read_head
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "vista_stream" / "models"
FILES = [
    (EmbeddedVerifier.from_pretrained, "verifier", "model.onnx"),
    (EmbeddedVerifier.from_pretrained, "verifier", "tokenizer.json"),
    (EmbeddedEmbedder.from_pretrained, "encoder", "model.onnx"),
    (EmbeddedEmbedder.from_pretrained, "encoder", "tokenizer.json"),
    (lambda folder: read_head(folder, encoder="all-MiniLM-L6-v2-int8"), "kinds", "head.json"),
]


@pytest.mark.parametrize(("load", "model", "name"), FILES, ids=[f"{m}/{n}" for _, m, n in FILES])
def test_one_changed_bit_keeps_a_shipped_model_from_loading(load, model, name, tmp_path):
    folder = tmp_path / model
    shutil.copytree(MODELS / model, folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelLoadError, match="SHA-256"):
        load(folder)


def test_the_licences_of_all_installed_packages_are_allowed():
    ran = subprocess.run([sys.executable, ROOT / ".ci" / "licences.py"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "numpy" in ran.stdout


def test_a_licence_that_is_not_on_the_list_is_refused(tmp_path):
    told = tmp_path / "strange-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1\nLicense: AGPL-3.0\n")
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "licences.py"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert ran.returncode == 1
    assert "strange: AGPL-3.0" in ran.stderr


def test_the_bill_of_materials_names_packages_models_and_digests(tmp_path):
    wheel, out = tmp_path / "vista_stream.whl", tmp_path / "sbom.json"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in (MODELS / "kinds").iterdir():
            archive.write(path, f"vista_stream/models/kinds/{path.name}")
    subprocess.run([sys.executable, ROOT / ".ci" / "sbom", wheel, out], check=True, capture_output=True)
    told = json.loads(out.read_text())
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    assert f"pkg:pypi/numpy@{distribution('numpy').version}" in {
        each.get("purl") for each in told["components"]
    }
    model = next(each for each in told["components"] if each["type"] == "machine-learning-model")
    manifest = json.loads((MODELS / "kinds" / "manifest.json").read_text())
    digests = {file["name"].rsplit("/", 1)[1]: file["hashes"][0]["content"] for file in model["components"]}
    assert digests["head.json"] == manifest["files"]["head.json"]


def test_the_locked_versions_cover_the_requirements_and_name_no_host():
    lines = (ROOT / ".ci" / "constraints.txt").read_text().splitlines()[1:]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.+]+", line) for line in lines)
    names = {line.split("==")[0] for line in lines}
    assert {"aiohttp", "anyio", "numpy", "onnxruntime", "pytest", "ruff", "spacy"} <= names
