"""The shipped verify stage on amounts told in other words: "half a dozen", "an hour and a half"."""

from collections import Counter
from pathlib import Path

import anyio

from vista_stream.core.judge import category_of
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.whole_texts import least_supported
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.training.documents import read_documents
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

WRITTEN = Path(__file__).parent / "written" / "other_words_2"


def test_amounts_in_other_words_are_compared():
    async def judged():
        verify = EmbeddedVerify(
            EmbeddedVerifier.from_pretrained(), embedder=EmbeddedEmbedder.from_pretrained()
        )
        for document in read_documents(WRITTEN):
            reference = Reference(document.text, name="document")
            for claim in document.claims:
                found = await least_supported(verify, reference, claim.text, thresholds=verify.thresholds)
                told[claim.label, category_of(found.scores, verify.thresholds).name] += 1

    told: Counter[tuple[str, str]] = Counter()
    anyio.run(judged)
    true = sum(count for (label, _), count in told.items() if label == "entailment")
    false = sum(count for (label, _), count in told.items() if label == "contradiction")
    assert min(true, false) > 100
    assert told["contradiction", "CONTRADICTED"] >= 0.37 * false
    assert told["contradiction", "VERIFIED"] <= 0.02 * false
    assert told["entailment", "VERIFIED"] >= 0.5 * true
    assert told["entailment", "CONTRADICTED"] <= 0.035 * true
