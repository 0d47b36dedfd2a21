import json
import sys
from functools import partial

import pytest

from pretended_cuda import PretendedCuda
from vista_stream.cli import CommandError
from vista_stream.cli.loading import load_policy, load_verifier
from vista_stream.errors import ModelLoadError, VerifierUnreachable
from vista_stream.policy import Policy
from vista_stream.verifiers.embedded import EmbeddedVerifier


def test_a_folder_is_an_embedded_verifier(verifier_folder):
    verifier = load_verifier(str(verifier_folder))
    assert isinstance(verifier, EmbeddedVerifier)
    assert verifier.name == "tiny"


def test_an_unknown_name_is_told():
    with pytest.raises(CommandError, match=r"--verifier takes embedded.*there is no 'embeded'"):
        load_verifier("embeded")


def test_what_a_verifier_of_ones_own_raises_is_told_in_a_line():
    with pytest.raises(CommandError, match=r"^--verifier json:loads: TypeError: .*missing 1 required"):
        load_verifier("json:loads")
    with pytest.raises(CommandError, match=r"^--verifier json:nothing: AttributeError: "):
        load_verifier("json:nothing")


@pytest.mark.parametrize("manifest", [None, "{", "[]"])
def test_a_folder_without_a_sound_manifest_is_no_model(manifest, tmp_path):
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(ModelLoadError, match=r"manifest.json"):
        load_verifier(str(tmp_path))


def test_a_flan_t5_folder_goes_to_its_own_verifier(tmp_path, monkeypatch):
    flan_t5 = pytest.importorskip("vista_stream.verifiers.flan_t5")
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "flan-t5"}))
    monkeypatch.setattr(flan_t5.FlanT5Verifier, "from_pretrained", lambda path, threads: ("flan-t5", path))
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


def test_a_module_gives_a_verifier_by_object_class_or_function(tmp_path, monkeypatch):
    (tmp_path / "own_verifiers.py").write_text(
        "class Own:\n    async def score(self, pairs):\n        return []\n"
        "shared = Own()\n"
        "def make():\n    return shared\n"
    )
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    shared = load_verifier("own_verifiers:shared")
    assert load_verifier("own_verifiers:make") is shared
    assert type(load_verifier("own_verifiers:Own")) is type(shared)
    assert sys.path == path


def test_a_pool_that_is_gone_takes_the_fallback_or_is_told(verifier_folder, monkeypatch):
    pytest.importorskip("aiohttp", reason="a pool needs the extra pool")
    from vista_stream.verifiers.pool import settings

    hasty = partial(settings.PoolSettings, patience=0)
    monkeypatch.setattr(settings, "PoolSettings", hasty)
    with pytest.raises(VerifierUnreachable, match=r"127\.0\.0\.1:9"):
        load_verifier("http://127.0.0.1:9")
    verifier = load_verifier("http://127.0.0.1:9", fallback=str(verifier_folder))
    assert (verifier.name, verifier.thresholds.contradiction) == ("tiny", 0.7)


def test_a_pool_on_ray_without_ray_says_which_extra_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "vista_stream.verifiers.pool.ray_verifier", raising=False)
    with pytest.raises(CommandError, match=r'RayVerifier needs Ray Serve: .*"\.\[ray\]"'):
        load_verifier("ray://auto/vista_stream")


def test_a_device_is_told_to_the_model_that_is_loaded(verifier_folder, monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr(EmbeddedVerifier, "from_pretrained", lambda *path, **settings: told.append(settings))
    load_verifier("embedded", device="auto")
    load_verifier(str(verifier_folder), device="cuda")
    assert [settings["device"] for settings in told] == ["auto", "cuda"]


def test_flan_t5_takes_cuda_as_a_provider(tmp_path, monkeypatch):
    flan_t5 = pytest.importorskip("vista_stream.verifiers.flan_t5")
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "flan-t5"}))
    told = []
    monkeypatch.setattr(
        flan_t5.FlanT5Verifier, "from_pretrained", lambda path, **settings: told.append(settings)
    )
    PretendedCuda(monkeypatch)
    load_verifier(str(tmp_path), device="cuda")
    assert told == [{"threads": None, "providers": ["CUDAExecutionProvider"]}]


@pytest.mark.parametrize("name", ["own_verifiers:shared", "http://127.0.0.1:9", "ray://auto/vista_stream"])
def test_a_device_is_for_models_of_this_process_alone(name):
    with pytest.raises(CommandError, match="--device is for a model that this process loads"):
        load_verifier(name, device="cuda")


def test_a_fallback_is_for_pools_alone():
    with pytest.raises(CommandError, match="--verifier-fallback is for a pool"):
        load_verifier("embedded", fallback="embedded")
