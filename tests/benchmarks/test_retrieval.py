"""The retrieval benchmark: how evidence is hidden, what is counted, and a whole small run."""

import argparse
import gzip
import json
from pathlib import Path

import pytest

from benchmarks.retrieval import Bench, Hiding, Meter, Sought, markdown, measure, run, sentences, sought
from vista_stream.claims import Pair
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import linear
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

POOL = [
    f"The {animal} of the {place} sat on a mat that the {colour} dog had left there."
    for animal in ("cat", "heron", "otter", "badger", "lynx")
    for place in ("harbour", "abbey", "quarry", "orchard")
    for colour in ("red", "blue")
]
SINGLE = [f"Number{row} w{row} x{row} y{row} z{row} cat." for row in range(20)]
"""No two of them alike."""
EVIDENCE = "A bridge was opened by the mayor in spring after three years of work."
CLAIM = "The mayor opened the bridge"


@pytest.fixture
def data(tmp_path) -> Path:
    """A folder of sets as the benchmark expects them."""
    premise = " ".join(POOL)
    rows = {
        "eval/nli2/fm2_test": [
            {"premise": EVIDENCE, "hypothesis": CLAIM, "label": "entailment"},
            {"premise": POOL[0], "hypothesis": "The heron sat.", "label": "not_entailment"},
            {"premise": premise, "hypothesis": "Animals sat on mats.", "label": "entailment"},
        ],
        "eval/true/dialfact": [{"premise": POOL[1], "hypothesis": "I love it when they sit", "label": 1}],
        "eval/true/q2": [{"premise": "Too short.", "hypothesis": "x", "label": 1}],
        "eval/true/begin": [{"premise": " ", "hypothesis": "x", "label": 0}],
        "train/nli": [{"premise": "A row of another set is not taken from here.", "source": "other"}],
    }
    for name, lines in rows.items():
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    return tmp_path


def test_only_entailed_claims_that_stand_alone_and_have_one_sentence_are_sought(data):
    assert sought(data) == [Sought(CLAIM, EVIDENCE)]


def test_whole_sentences_of_the_same_sources_are_the_pool(data):
    assert sentences(data) == [EVIDENCE, *POOL]


@pytest.mark.parametrize("size", [8, 16])
def test_a_document_has_its_size_and_hides_the_evidence(size):
    ((document, hidden),) = Hiding([*POOL, EVIDENCE]).documents([Sought(CLAIM, EVIDENCE)], size)

    assert hidden == [Sought(CLAIM, EVIDENCE)]
    assert len(document.sentences) == size
    assert document.text.count(EVIDENCE) == 1


def test_what_says_nearly_the_same_is_not_in_the_document():
    twin = EVIDENCE.replace("spring", "summer")
    ((document, _),) = Hiding([*POOL, twin]).documents([Sought(CLAIM, EVIDENCE)], len(POOL))

    assert twin not in document.text


def test_larger_documents_hide_more_evidence():
    claims = [Sought(f"Claim {row}", text) for row, text in enumerate(SINGLE[:4])]

    assert [len(hidden) for _, hidden in Hiding(SINGLE).documents(claims, 16)] == [2, 2]


def test_a_document_larger_than_the_pool_is_refused():
    with pytest.raises(ValueError, match="size must be at most"):
        next(Hiding(POOL).documents([Sought(CLAIM, EVIDENCE)], 4096))


def test_a_pair_is_run_once_and_costs_the_same_again(verifier_folder):
    meter = Meter(EmbeddedVerifier.from_pretrained(verifier_folder))

    first = meter(Pair("the dog sat", "a dog"))

    assert meter(Pair("the dog sat", "a dog")) == first
    assert meter(Pair("the cat sat", "a dog")) != first


def test_a_search_is_charged_its_pairs_and_rounds(verifier_folder):
    meter = Meter(EmbeddedVerifier.from_pretrained(verifier_folder))
    document = Reference("The dog sat on the mat. The cat ran home.", name="document")

    found, rounds, seconds = run(lambda: linear(document, "a dog"), meter)

    assert (found.model_calls, rounds) == (2, 1)
    spent = sum(meter(Pair(document.text[a:b], "a dog"))[1] for a, b in document.sentences)
    assert seconds >= spent


def test_a_small_run_counts_the_model_runs_of_each_strategy(verifier_folder, encoder_folder):
    verifier = EmbeddedVerifier.from_pretrained(verifier_folder)
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder)
    claims = [Sought(f"the {number} cat sat", text) for number, text in enumerate(SINGLE[:8])]
    options = argparse.Namespace(sizes=[8, 16], claims=6, seconds=60.0, linear_to=8)

    figures = measure(Bench(verifier, embedder, Hiding(SINGLE)), claims, options)

    eight, sixteen = (size["strategies"] for size in figures["sizes"])
    assert eight["linear"]["model_runs"] == 8
    assert "linear" not in sixteen
    assert (eight["BST"]["model_runs"], sixteen["BST"]["model_runs"]) == (6, 8)
    assert sixteen["BST"]["model_runs"] < sixteen["beam 2"]["model_runs"] < sixteen["beam 4"]["model_runs"]
    assert sixteen["BST as released"]["model_runs"] == 8
    assert eight["pre-selection"]["model_runs"] <= 3 + 1  # a sentence by itself, too
    assert (eight["pre-selection"]["claims"], eight["BST"]["claims"]) == (8, 6)
    assert eight["pre-selection, the claims of the trees"]["claims"] == 6
    assert len(markdown(figures).splitlines()) == 4


def test_what_costs_much_stops_after_its_time_but_is_tried(verifier_folder, encoder_folder):
    verifier = EmbeddedVerifier.from_pretrained(verifier_folder)
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder)
    claims = [Sought(f"the {number} cat sat", text) for number, text in enumerate(SINGLE[:8])]
    options = argparse.Namespace(sizes=[8], claims=8, seconds=0.0, linear_to=0)

    (eight,) = measure(Bench(verifier, embedder, Hiding(SINGLE)), claims, options)["sizes"]

    assert eight["strategies"]["BST"]["claims"] == 5
    assert eight["strategies"]["pre-selection"]["claims"] == 8
