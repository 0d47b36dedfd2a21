import json

import pytest

from vista_stream.cli import CommandError
from vista_stream.cli.loading import load_policy, load_verifier
from vista_stream.errors import ModelLoadError
from vista_stream.policy import Policy
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


@pytest.mark.parametrize("name", Policy.NAMES)
def test_a_policy_goes_by_its_name(name):
    assert load_policy(name) == Policy.named(name)


def test_without_a_name_it_is_the_default_policy():
    assert load_policy(None) == Policy()


def test_any_other_policy_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strict").write_text("deadline = 2.0\n")
    assert load_policy("./strict") == Policy(deadline=2.0)
    assert load_policy("strict") == Policy.strict()


def test_a_policy_that_is_neither_name_nor_file_is_told_with_the_names(tmp_path):
    with pytest.raises(CommandError, match=r"takes observing, .*, or a TOML file; strct: No such file"):
        load_policy("strct")
    with pytest.raises(CommandError, match="directory"):
        load_policy(str(tmp_path))
