"""Files and folders of the ranker's weights."""

import json
import shutil
from pathlib import Path

import pytest

from vista_stream.core.query import QUERY_KINDS
from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded.rank_weights import read_model, read_weights, shipped

SHIPPED = Path(__file__).parents[3] / "vista_stream" / "models" / "importance"


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(SHIPPED, tmp_path / "importance"))


@pytest.mark.parametrize("which", ["with_similarity", "without_similarity"])
def test_the_shipped_folder_holds_a_line_for_each_kind_of_query(which):
    weights = read_weights(SHIPPED / "importance.json", which)
    assert weights == read_model(SHIPPED, which) == shipped(which)
    assert set(weights) == set(QUERY_KINDS)
    assert all(line.okay <= line.vital for line in weights.values())
    assert weights["none"].slopes[:5] == (0.0,) * 5
    assert (weights["precise"].slopes.similarity > 0) is (which == "with_similarity")


def test_a_missing_file_is_named(folder):
    (folder / "manifest.json").unlink()
    with pytest.raises(ModelLoadError, match=r"must hold manifest\.json and importance\.json"):
        read_model(folder, "with_similarity")


def test_a_changed_file_is_damaged(folder):
    path = folder / "importance.json"
    path.write_text(path.read_text().replace("vital", "Vital", 1))
    with pytest.raises(ModelLoadError, match="SHA-256"):
        read_model(folder, "with_similarity")


def test_a_manifest_of_another_kind_is_refused(folder):
    (folder / "manifest.json").write_text('{"files": []}')
    with pytest.raises(ModelLoadError, match="holds no weights"):
        read_model(folder, "with_similarity")


@pytest.mark.parametrize("change", ["without the set", "without a kind", "without a slope", "no JSON"])
def test_a_file_without_the_weights_is_refused(folder, change):
    path = folder / "importance.json"
    table = json.loads(path.read_text())
    lines = table["with_similarity"]["lines"]
    if change == "without the set":
        del table["with_similarity"]
    elif change == "without a kind":
        del lines["polar"]
    elif change == "without a slope":
        del lines["polar"]["slopes"]["fits"]
    path.write_text("{" if change == "no JSON" else json.dumps(table))
    with pytest.raises(ValueError, match=r"importance\.json must hold the weights with_similarity"):
        read_weights(path, "with_similarity")
