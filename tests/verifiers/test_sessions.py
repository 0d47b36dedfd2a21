"""The way to CUDA, with an ONNX Runtime that pretends to have it: no GPU is at hand."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
import pytest

from pretended_cuda import CPU, CUDA, PretendedCuda
from vista_stream.claims import Pair
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.onnx import CUDA_TOKENS, OnnxModel
from vista_stream.verifiers.placement import Placement
from vista_stream.verifiers.sessions import BoundSession, open_session

HALF = {"device": "cuda", "precision": "float16"}
PAIRS = [
    Pair("the dog sat on mat", "the dog sat"),
    Pair("a cat", "the cat ran not"),
    Pair("the red dog ran home", "a blue mat"),
]


def loaded(folder, cache, **settings) -> OnnxModel:
    """A model that this test alone has: not one that another test loaded."""
    return OnnxModel(folder, "cross-encoder", 1, Placement(cache=cache, **settings))


def test_a_bound_run_gives_what_a_plain_run_gives(verifier_folder):
    session = open_session(verifier_folder / "model.onnx", 1)
    bound = BoundSession(session)
    assert [entry.name for entry in bound.get_inputs()] == ["input_ids", "attention_mask"]
    for rows, length in ((1, 3), (4, 7), (2, 2)):
        ids = np.arange(rows * length, dtype=np.int64).reshape(length, rows).T % 12  # not contiguous
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        assert np.array_equal(bound.run(None, feed)[0], session.run(None, feed)[0])


def test_bound_runs_of_many_threads_are_made_by_one(verifier_folder):
    session = open_session(verifier_folder / "model.onnx", 1)
    made_by = set()

    class Noting:
        def __getattr__(self, name):
            made_by.add(threading.current_thread())  # not its ident: those of ended threads come again
            return getattr(session, name)

    bound = BoundSession(Noting())
    feed = {name: np.ones((1, 3), dtype=np.int64) for name in ("input_ids", "attention_mask")}
    plain = session.run(None, feed)[0]
    for _ in range(3):  # a new thread each time
        with ThreadPoolExecutor(1) as caller:
            assert np.array_equal(caller.submit(bound.run, None, feed).result()[0], plain)
    (maker,) = made_by
    assert maker is not threading.current_thread()


def test_on_cuda_all_pairs_are_one_bound_run_of_a_padded_batch(verifier_folder, tmp_path, monkeypatch):
    plain = np.array(EmbeddedVerifier(loaded(verifier_folder, tmp_path)).score_sync(PAIRS))
    cuda = PretendedCuda(monkeypatch)
    model = loaded(verifier_folder, tmp_path, **HALF)
    verifier = EmbeddedVerifier(model)
    assert (verifier.placement.device, verifier.placement.precision) == ("cuda", "float16")
    assert cuda.opened == [[CUDA, CPU]]
    assert np.array(verifier.score_sync(PAIRS)) == pytest.approx(plain, abs=0.005)
    assert cuda.bound == 1
    lengths = [len(model.encode(pair.premise, pair.hypothesis)) for pair in PAIRS]
    assert len(set(lengths)) > 1


def test_batches_on_cuda_have_few_shapes_and_score_as_they_would_alone(
    verifier_folder, tmp_path, monkeypatch
):
    plain = loaded(verifier_folder, tmp_path, precision="float32")
    PretendedCuda(monkeypatch)
    model = loaded(verifier_folder, tmp_path, device="cuda", precision="float32")
    monkeypatch.setattr("vista_stream.verifiers.onnx._CUDA_LENGTHS", (6, 8, 16))
    shapes = []
    run = model._session.run
    monkeypatch.setattr(
        model._session,
        "run",
        lambda outputs, feed: shapes.append(feed["input_ids"].shape) or run(outputs, feed),
    )
    texts = ["the dog", "a red cat", "the dog sat on mat", "the dog " * 9]
    encodings = [model.encode(text, "cat") for text in texts]
    assert [len(encoding) for encoding in encodings] == [6, 7, 9, 12]  # 12: as many as the model takes
    for batch in ([0], [0, 1], [0, 1, 2], [3], [1] * 5):
        found = model.run([encodings[row] for row in batch])
        alone = np.concatenate([plain.run([encodings[row]]) for row in batch])
        assert found == pytest.approx(alone, abs=1e-5)
    assert shapes == [(1, 6), (2, 8), (4, 12), (1, 12), (8, 8)]


def test_a_batch_on_cuda_has_a_limit(verifier_folder, tmp_path, monkeypatch):
    PretendedCuda(monkeypatch)
    model = loaded(verifier_folder, tmp_path, **HALF)
    encodings = [model.encode("dog " * (n % 9 + 1), "cat") for n in range(2 * CUDA_TOKENS // 12)]
    batches = list(model.batches(encodings))
    assert sorted(row for batch in batches for row in batch) == list(range(len(encodings)))
    for batch in batches:
        rows, width = model._padded(len(batch), max(len(encodings[row]) for row in batch))
        assert rows * width <= CUDA_TOKENS
    assert len(batches) == 3  # 1,024 rows of 12 tokens each: a power of two that fits


@pytest.mark.anyio
async def test_pairs_of_many_calls_are_gathered_for_cuda(verifier_folder, tmp_path, monkeypatch):
    assert BatchingVerifier(EmbeddedVerifier(loaded(verifier_folder, tmp_path)))._max_tokens == 512
    PretendedCuda(monkeypatch)
    verifier = EmbeddedVerifier(loaded(verifier_folder, tmp_path, **HALF))
    batching = BatchingVerifier(verifier, max_wait=0.0)
    assert batching._max_tokens == CUDA_TOKENS
    assert len(await batching.score(PAIRS)) == len(PAIRS)


@pytest.mark.parametrize(
    ("pretended", "why"),
    [
        ({"refused": RuntimeError("CUDA failure 100:\n  no device")}, "CUDA failure 100: no device"),
        ({"falls_back": True}, "onnxruntime could not start it; its own message has the reason"),
    ],
    ids=["it raises", "it falls back by itself"],
)
def test_where_cuda_does_not_start_the_cpus_graph_runs_and_one_line_says_so(
    pretended, why, verifier_folder, tmp_path, monkeypatch, caplog
):
    cuda = PretendedCuda(monkeypatch, **pretended)
    verifier = EmbeddedVerifier(loaded(verifier_folder, tmp_path, **HALF))
    assert verifier.placement == Placement()
    assert cuda.opened == [[CUDA, CPU], [CPU]]
    assert len(verifier.score_sync(PAIRS)) == len(PAIRS)
    assert [record.message for record in caplog.records] == [
        f"the verifier runs on the CPU, although CUDA was asked for: {why}"
    ]


@pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this onnxruntime has CUDA"
)
def test_without_cuda_the_verifier_that_ships_is_the_one_that_was_loaded(verifier_folder, caplog):
    cpu = EmbeddedVerifier.from_pretrained(verifier_folder, threads=1)
    asked = EmbeddedVerifier.from_pretrained(verifier_folder, threads=1, device="cuda")
    assert asked._model is cpu._model
    assert len(caplog.records) == 1


def test_floats_on_the_cpu_run_as_the_manifest_says(verifier_folder, tmp_path):
    verifier = EmbeddedVerifier.from_pretrained(
        verifier_folder, threads=1, precision="float32", cache=tmp_path
    )
    assert verifier.placement == Placement(precision="float32", cache=tmp_path)
    assert verifier.batch_tokens is None
    plain = EmbeddedVerifier.from_pretrained(verifier_folder, threads=1)
    assert np.array(verifier.score_sync(PAIRS)) == pytest.approx(np.array(plain.score_sync(PAIRS)))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_model_that_reads_windows_runs_on_the_cpu(tmp_path, caplog):
    import tiny_reader

    folder = tiny_reader.write(tmp_path / "reader")
    verifier = EmbeddedVerifier.from_pretrained(folder, threads=1, device="cuda")
    assert verifier.placement == Placement()
    assert "reads windows has graphs for the CPU alone" in caplog.records[0].message
    with pytest.raises(ValueError, match="precision must be int8 for a model that reads windows"):
        EmbeddedVerifier.from_pretrained(folder, precision="float16")


def test_cudas_libraries_are_loaded_first_and_what_is_missing_is_told_on_stderr(
    verifier_folder, tmp_path, monkeypatch, capsys
):
    cuda = PretendedCuda(monkeypatch)
    opened = []

    def preload_dlls():
        opened.append(list(cuda.opened))
        print("Failed to load libcublas.so.13")

    monkeypatch.setattr(onnxruntime, "preload_dlls", preload_dlls, raising=False)
    loaded(verifier_folder, tmp_path, **HALF)
    assert opened == [[]]  # before the session is opened
    told = capsys.readouterr()
    assert told.out == ""
    assert "libcublas" in told.err


def test_on_the_cpu_no_library_of_cuda_is_loaded(verifier_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(onnxruntime, "preload_dlls", lambda: pytest.fail("loaded"), raising=False)
    loaded(verifier_folder, tmp_path)
