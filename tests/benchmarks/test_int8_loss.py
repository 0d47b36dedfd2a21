from pathlib import Path

import numpy as np
import onnx
import pytest

from benchmarks.int8_loss import widened
from benchmarks.known_scores import SHIPPED
from vista_stream.claims import Pair
from vista_stream.verifiers.embedded import EmbeddedVerifier

PAIRS = [
    Pair("The mill stands on a hill.", "There is a mill."),
    Pair("It rains in Lund today.", "It is dry in Lund."),
    Pair("The harbour was widened in 1932.", "The harbour was widened in 1923."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return widened(SHIPPED, tmp_path_factory.mktemp("wide"))


def test_no_product_of_eight_bits_is_left(folder: Path) -> None:
    kinds = [node.op_type for node in onnx.load(folder / "model.onnx").graph.node]
    assert "MatMul" in kinds
    assert "MatMulInteger" not in kinds


def test_what_is_wider_says_nearly_the_same(folder: Path) -> None:
    wide = EmbeddedVerifier.from_pretrained(folder, threads=1)
    shipped = EmbeddedVerifier.from_pretrained(threads=1)
    assert wide.name != shipped.name
    moved = np.abs(np.array(wide.score_sync(PAIRS)) - np.array(shipped.score_sync(PAIRS)))
    assert 0 < moved.max() < 0.1


def test_a_model_without_such_products_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no product of eight bits"):
        widened(folder, tmp_path)
