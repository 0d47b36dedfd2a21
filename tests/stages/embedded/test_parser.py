"""The shared parser: what several calls wait for is parsed in one batch."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from vista_stream.claims import Utterance
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.parser import _KEPT, load_parse
from vista_stream.verifiers.lru import Lru

pytestmark = pytest.mark.skipif(load_parse() is None, reason="no parser model: install vista-stream[parse]")


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The batches of texts that are parsed from now on."""
    parser: Any = load_parse()
    monkeypatch.setattr(parser, "_ready", Lru(_KEPT))
    pipe, seen = parser._language.pipe, list[list[str]]()

    def noted(texts: list[str], **options: Any) -> Any:
        seen.append(list(texts))
        return pipe(texts, **options)

    monkeypatch.setattr(parser._language, "pipe", noted)
    return seen


@pytest.mark.anyio
async def test_questions_of_many_conversations_are_parsed_together(batches: list[list[str]]) -> None:
    questions = [f"How old is the tower of number {number}?" for number in range(150)]
    decompose = EmbeddedDecompose()

    async def hear(question: str) -> None:
        await decompose.begin().hear(Utterance(role="user", text=question))

    async with anyio.create_task_group() as tasks:
        for question in questions:
            tasks.start_soon(hear, question)
    # More than 64 wait here: none may be dropped and parsed again.
    assert sorted(text for batch in batches for text in batch) == sorted(questions)
    assert len(batches) <= 15


@pytest.mark.anyio
async def test_a_long_utterance_holds_up_no_batch(batches: list[list[str]]) -> None:
    decompose = EmbeddedDecompose()
    article = "The tower was sold to the town in March. " * 12

    async def hear(text: str) -> None:
        await decompose.begin().hear(Utterance(role="user", text=text))

    async with anyio.create_task_group() as tasks:
        for text in ("How old is the tower?", article, "Who owns it?"):
            tasks.start_soon(hear, text)
    # Tasks begin in any order. The article may begin a batch; no other text waits for it in its own.
    assert sum(map(len, batches)) == 3
    assert not any(text.startswith("The tower was sold") for batch in batches for text in batch[1:])


def test_without_spacy_there_is_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert load_parse.__wrapped__() is None
