"""The Flan-T5 benchmark's tables: what counts towards which median, and that nothing measured is left out."""

from __future__ import annotations

import pytest

from benchmarks.flan_t5_report import PARTS, RELEASED, SAME_TREE, markdown, medians, plot


def taken(**speedups: float) -> dict[str, dict[str, float]]:
    return {
        name: {"median_ms": 100 / faster, "min_ms": 1.0, "max_ms": 200.0, "speedup": faster}
        for name, faster in {RELEASED: 1.0, **speedups}.items()
    }


@pytest.fixture
def report():
    size = {
        "size": "small",
        "lengths": [
            {"premise_tokens": tokens, "ways": taken(fp32=faster, int8=2 * faster)}
            for tokens, faster in ((64, 5.0), (512, 3.0))
        ],
        "documents": [
            {
                "document_tokens": 6000,
                "task": "score",
                "ways": taken(**{"fp32": 4.0, "fp32, chunks of 512": 6.0}),
            },
            {
                "document_tokens": 6000,
                "task": "search",
                "ways": taken(
                    **{f"fp32, {SAME_TREE}": 7.0, f"fp32, {PARTS}": 11.0, "fp32, pre-selection": 99.0}
                ),
            },
        ],
        "batches": [{"pairs": 16, "premise_tokens": 256, "ways": taken(fp32=8.0)}],
        "parity": {
            "pairs": 300,
            "fp32": {"largest": 2e-6, "mean": 1e-6, "correlation": 1.0},
            "same_sentence": {"fp32": 12},
            "searched": 12,
        },
    }
    return {
        "machine": "a processor",
        "threads": 2,
        "versions": "onnxruntime 1",
        "median_times_faster": medians([size]),
        "sizes": [size],
    }


def test_documents_count_once_as_published_and_once_cut_to_the_model(report):
    assert report["median_times_faster"] == {
        "fp32, published": 5.0,  # of 5, 3, 4, 7, 8
        "fp32, own": 6.0,  # of 5, 3, 6, 11, 8
        "int8, published": 8.0,
        "int8, own": 8.0,
    }


def test_the_tables_hold_every_way_and_the_parity(report):
    text = markdown(report)
    assert f"| document_tokens 6000, task search | {RELEASED} | 100.0 |" in text
    assert "| fp32, pre-selection |" in text
    assert "| fp32 | 2.0e-06 | 1.0e-06 | 1.0 | 12 of 12 |" in text
    assert "### small: batches" in text


def test_the_plot_has_a_line_a_size_and_precision(report):
    drawn = plot(report)
    assert drawn.count('fill="none"') == 2
    assert ">small, int8</text>" in drawn
