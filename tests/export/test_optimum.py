"""Optimum's exports of a tiny Flan-T5: they load as they are, and score as the fused graph does."""

from __future__ import annotations

import json
import shutil

import pytest

from vista_stream.claims import Pair
from vista_stream.cli import main
from vista_stream.cli.loading import load_verifier
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.flan_t5 import FlanT5Verifier

SENTENCES = (
    "the ferry leaves at dawn.",
    "nobody on the quay had a ticket, and the clerk was asleep.",
    "a crate of lemons fell into the harbour.",
)
PAIRS = [Pair(" ".join(SENTENCES[: n + 1]), each) for n in range(3) for each in SENTENCES]
pytestmark = [
    # Of torch's tracer and of transformers, about what torch will change.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def exporter(transformers):
    return pytest.importorskip("optimum.exporters.onnx", reason="the extra 'optimum' is not installed")


@pytest.fixture(scope="module")
def fused(published, tmp_path_factory, exporter):
    from vista_stream.export.flan_t5 import export_flan_t5

    folder = tmp_path_factory.mktemp("fused") / "model"
    export_flan_t5(str(published), folder)
    return FlanT5Verifier.from_pretrained(folder, threads=1).score_sync(PAIRS)


@pytest.fixture(scope="module")
def with_past(published, tmp_path_factory, exporter):
    """Optimum's usual export: encoder, decoder, decoder with past, and the two merged where it can."""
    folder = tmp_path_factory.mktemp("past") / "model"
    exporter.main_export(str(published), folder, task="text2text-generation-with-past", do_validation=False)
    return folder


def test_the_command_exports_and_the_scores_are_those_of_the_fused_graph(
    published, fused, tmp_path, exporter, capsys
):
    to = tmp_path / "by-optimum"
    assert main(["export", str(published), "--to", str(to), "--with", "optimum"]) == 0
    assert "by-optimum" in capsys.readouterr().out
    assert {"encoder_model.onnx", "decoder_model.onnx"} <= {path.name for path in to.iterdir()}
    verifier = load_verifier(str(to))
    assert isinstance(verifier, FlanT5Verifier)
    assert_the_same(verifier, fused)


def assert_the_same(verifier, fused):
    spread = max(each.entailment for each in fused) - min(each.entailment for each in fused)
    assert spread > 1e-3, "the pairs must differ by far more than what counts as the same"
    for ours, theirs in zip(fused, verifier.score_sync(PAIRS), strict=True):
        assert theirs == pytest.approx(ours, abs=1e-5)


def test_an_export_with_past_scores_the_same(with_past, fused):
    assert_the_same(FlanT5Verifier.from_pretrained(with_past, threads=1), fused)


def test_so_does_a_merged_decoder_alone_in_a_folder_onnx(with_past, fused, tmp_path):
    if not (with_past / "decoder_model_merged.onnx").exists():
        pytest.skip("this optimum did not merge the decoders")
    folder = tmp_path / "published"
    shutil.copytree(with_past, folder, ignore=shutil.ignore_patterns("*.onnx"))
    (folder / "onnx").mkdir()
    for name in ("encoder_model.onnx", "decoder_model_merged.onnx"):
        shutil.copy(with_past / name, folder / "onnx" / name)
    assert_the_same(FlanT5Verifier.from_pretrained(folder, threads=1), fused)


def test_what_is_no_flan_t5_leaves_nothing(write_model, tmp_path, exporter):
    from vista_stream.export.optimum import export_by_optimum

    relu = write_model(feed_forward_proj="relu")
    with pytest.raises(ModelLoadError, match="must be that of a Flan-T5"):
        export_by_optimum(str(relu), tmp_path / "to")
    with pytest.raises(ModelLoadError, match=r"optimum cannot export /there/is/none: ."):
        export_by_optimum("/there/is/none", tmp_path / "to")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_lacks_a_part_is_named(with_past, tmp_path):
    folder = tmp_path / "part"
    shutil.copytree(with_past, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "decoder_start_token_id": None}))
    with pytest.raises(ModelLoadError, match=r"decoder_start_token_id in .* must be a whole number below"):
        FlanT5Verifier.from_pretrained(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelLoadError, match=r"tokenizer\.json is missing"):
        FlanT5Verifier.from_pretrained(folder)
    (folder / "config.json").unlink()
    with pytest.raises(ModelLoadError, match=r"config\.json is missing"):
        FlanT5Verifier.from_pretrained(folder)
