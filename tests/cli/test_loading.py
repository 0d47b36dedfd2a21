import json

import pytest

from vista_stream.cli import CommandError
from vista_stream.cli.loading import load_verifier
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.embedded import EmbeddedVerifier


def test_a_folder_is_an_embedded_verifier(verifier_folder):
    verifier = load_verifier(str(verifier_folder))
    assert isinstance(verifier, EmbeddedVerifier)
    assert verifier.name == "tiny"


def test_an_unknown_name_is_told():
    with pytest.raises(CommandError, match=r"--verifier takes embedded.*there is no 'embeded'"):
        load_verifier("embeded")


@pytest.mark.parametrize("manifest", [None, "{", "[]"])
def test_a_folder_without_a_sound_manifest_is_no_model(manifest, tmp_path):
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(ModelLoadError, match=r"manifest.json"):
        load_verifier(str(tmp_path))


def test_a_flan_t5_folder_goes_to_its_own_verifier(tmp_path, monkeypatch):
    flan_t5 = pytest.importorskip("vista_stream.verifiers.flan_t5")
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "flan-t5"}))
    monkeypatch.setattr(flan_t5.FlanT5Verifier, "from_pretrained", lambda path: ("flan-t5", path))
    assert load_verifier(str(tmp_path)) == ("flan-t5", str(tmp_path))
