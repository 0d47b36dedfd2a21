"""What is shipped and what it needs: models are the ones of their digests, licences allow the use."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded.kinds import read_head
from vista_stream.stages.embedded.pipeline import load_pipeline
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "vista_stream" / "models"
FILES = [
    (EmbeddedVerifier.from_pretrained, "verifier", "model.onnx"),
    (EmbeddedVerifier.from_pretrained, "verifier", "tokenizer.json"),
    (EmbeddedEmbedder.from_pretrained, "encoder", "model.onnx"),
    (EmbeddedEmbedder.from_pretrained, "encoder", "tokenizer.json"),
    (lambda folder: read_head(folder, encoder="all-MiniLM-L6-v2-int8"), "kinds", "head.json"),
    (load_pipeline, "parser", "pipeline.msgpack"),
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


def test_the_lock_covers_the_requirements_has_digests_and_names_no_host():
    text = (ROOT / ".ci" / "requirements.txt").read_text()
    entries = re.split(r"\n(?=[a-z])", text)[1:]
    names = {entry.split("==")[0] for entry in entries}
    assert all(re.match(r"[a-z0-9-]+==[\w.+]+", entry) and "--hash=sha256:" in entry for entry in entries)
    assert {"aiohttp", "anyio", "hatchling", "numpy", "onnxruntime", "pytest", "ruff", "spacy"} <= names
    assert "://" not in text


def test_the_lock_allows_the_versions_that_the_project_asks_for():
    entries = re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (ROOT / ".ci" / "requirements.txt").read_text(), re.M)
    versions = dict(entries)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    asked = [Requirement(line) for line in listed if not line.startswith("vista-stream")]
    assert all(each.specifier.contains(versions[canonicalize_name(each.name)]) for each in asked)
