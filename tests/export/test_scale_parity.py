"""The released SCALE code on a tiny Flan-T5 against the export of the same weights; skipped without it."""

from __future__ import annotations

import numpy as np
import pytest

from vista_stream.claims import Scores
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import published_bst
from vista_stream.verifiers.flan_t5 import FlanT5Verifier

SENTENCES = (
    "the ferry leaves at dawn.",
    "nobody on the quay had a ticket, and the clerk was asleep.",
    "a crate of lemons fell into the harbour.",
    "the captain counted the passengers twice.",
    "gulls sat on the mast.",
)
CHUNK = 300
"""Tokens of a chunk: pieces of this tokenizer are letters, and a document has some 600."""


@pytest.fixture(scope="module")
def released(published, transformers):
    """The released module, the model and its tokenizer."""
    module = pytest.importorskip("scale_score.utils", reason="scale-score is not installed")
    model = transformers.T5ForConditionalGeneration.from_pretrained(published).eval()
    return module, model, transformers.AutoTokenizer.from_pretrained(published)


@pytest.fixture(scope="module")
def verifier(published, tmp_path_factory):
    from vista_stream.export.flan_t5 import export_flan_t5

    folder = tmp_path_factory.mktemp("exported") / "model"
    export_flan_t5(str(published), folder)
    return FlanT5Verifier.from_pretrained(folder, threads=1, max_length=1 << 20)


def documents(count):
    random = np.random.default_rng(8)
    for row in range(count):
        chosen = random.integers(0, len(SENTENCES), 2 if row % 2 else 16)
        yield [SENTENCES[each] for each in chosen], SENTENCES[row % len(SENTENCES)]


def test_scores_are_the_released_ones_chunked_or_whole(released, verifier):
    module, model, tokenizer = released
    for sentences, hypothesis in documents(12):
        text = " ".join(sentences)
        (expected,) = module.scale_score(
            model, tokenizer, [text], [[hypothesis]], device="cpu", chunk_size=CHUNK
        )
        score = verifier.p_entail(text, hypothesis, chunk_tokens=CHUNK)
        assert score == pytest.approx(float(expected), abs=1e-4)


def test_the_published_tree_ends_at_the_released_sentence(released, verifier):
    module, model, tokenizer = released
    for sentences, hypothesis in documents(6):
        ((expected, _),) = module.scale_retrieve(model, tokenizer, [sentences], [[hypothesis]], device="cpu")
        search = published_bst(Reference("\n\n".join(sentences), name="document"), hypothesis)
        pairs = next(search)
        with pytest.raises(StopIteration) as end:
            while True:
                pairs = search.send([Scores(p, 1 - p, 0.0) for p in verifier.p_entail_each(pairs)])
        assert end.value.value.evidence.text == expected
