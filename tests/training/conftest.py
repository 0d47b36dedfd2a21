from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.stages.embedded.pipeline import load_pipeline
from vista_stream.training.made.passages import Parsed, Passage


@pytest.fixture(scope="session")
def parsed() -> Callable[[str], Parsed]:
    model = load_pipeline()

    def parse(text: str) -> Parsed:
        doc = model(text)
        return Parsed(Passage(text, "fever_rte_dev", "MIT"), doc, tuple(doc.sents))

    return parse


@pytest.fixture(scope="session")
def sentence(parsed: Callable[[str], Parsed]) -> Callable[[str], Span]:
    return lambda text: parsed(text).sentences[0]
