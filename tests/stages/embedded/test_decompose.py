from __future__ import annotations

import subprocess
import sys

import anyio
import pytest

from vista_stream.claims import Draft, Span, Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsed_text import to_parse
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.parser import load_parse


def segment(text: str) -> Segment:
    return Segment(index=0, text=text, span=Span(0, len(text)), kind=SegmentKind.SENTENCE)


@pytest.mark.anyio
async def test_a_conversation_is_remembered_and_kept_apart() -> None:
    stage = EmbeddedDecompose()
    one, other = stage.begin(), stage.begin()
    await one.hear(Utterance(role="user", text="Who was Marie Curie?"))
    await other.hear(Utterance(role="user", text="Who was Rosa Luxemburg?"))
    assert [d.text for d in await one.decompose(segment("She was a physicist."))] == [
        "Marie Curie was a physicist."
    ]
    assert [d.text for d in await other.decompose(segment("She was Polish."))] == [
        "Rosa Luxemburg was Polish."
    ]


@pytest.mark.anyio
async def test_a_cancelled_call_leaves_no_trace() -> None:
    discourse = EmbeddedDecompose().begin()
    await discourse.hear(Utterance(role="user", text="Who was Marie Curie?"))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await discourse.decompose(segment("Rosa Luxemburg was a politician."))
    assert scope.cancelled_caught
    assert [d.text for d in await discourse.decompose(segment("She was a physicist."))] == [
        "Marie Curie was a physicist."
    ]


@pytest.mark.anyio
async def test_what_was_foreseen_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    discourse = EmbeddedDecompose().begin()
    foreseen = await discourse.foresee(segment("Well, Marie Curie was a physicist."))
    assert [draft.text for draft in foreseen] == ["Marie Curie was a physicist."]
    with monkeypatch.context() as patched:
        patched.setattr(Discourse, "decompose", None)
        assert await discourse.decompose(segment("Well, Marie Curie was a physicist.")) == foreseen
    assert [d.text for d in await discourse.decompose(segment("She was Polish."))] == [
        "Marie Curie was Polish."
    ]


@pytest.mark.anyio
async def test_a_sentence_that_comes_while_it_is_foreseen_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, times = Discourse.decompose, []

    def counted(state: Discourse, sentence: Segment) -> list[Draft]:
        times.append(sentence)
        return whole(state, sentence)

    monkeypatch.setattr(Discourse, "decompose", counted)
    discourse, sentence = EmbeddedDecompose().begin(), segment("Marie Curie was a physicist.")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(discourse.foresee, sentence)
        await anyio.wait_all_tasks_blocked()
        assert len(await discourse.decompose(sentence)) == 1
    assert times == [sentence]


@pytest.mark.anyio
async def test_what_was_foreseen_in_another_state_is_read_again() -> None:
    discourse = EmbeddedDecompose().begin()
    await discourse.hear(Utterance(role="user", text="Who was Marie Curie?"))
    await discourse.foresee(segment("She was Polish."))
    await discourse.hear(Utterance(role="user", text="Who was Rosa Luxemburg?"))
    assert [d.text for d in await discourse.decompose(segment("She was Polish."))] == [
        "Rosa Luxemburg was Polish."
    ]


@pytest.mark.anyio
async def test_a_wrong_foresight_changes_nothing() -> None:
    discourse = EmbeddedDecompose().begin()
    await discourse.foresee(segment("He met Dr."))
    assert [d.text for d in await discourse.decompose(segment("Lund met Dr. Who."))] == ["Lund met Dr. Who."]


def test_the_parser_is_loaded_once() -> None:
    assert load_parse() is load_parse()


def test_importing_the_stage_does_not_import_the_parser() -> None:
    code = (
        "import sys, vista_stream, vista_stream.stages.embedded.decompose; sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.anyio
async def test_sentences_that_wait_are_parsed_together_to_the_same_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse = load_parse()
    if parse is None:
        pytest.skip("the extra [parse] is not installed")
    backend = anyio.get_current_task().id  # texts that no run before has seen
    texts = [f"Mill {number} of street {backend} burnt down." for number in range(20)]
    sizes: list[int] = []
    pipe = parse._language.pipe  # type: ignore[attr-defined]  # the one place where batches can be seen

    def counted(batch: list[str], **options: int) -> object:
        sizes.append(len(batch))
        return pipe(batch, **options)

    monkeypatch.setattr(parse._language, "pipe", counted)  # type: ignore[attr-defined]
    found: dict[str, list[str]] = {}

    async def one(text: str) -> None:
        found[text] = [draft.text for draft in await EmbeddedDecompose().begin().decompose(segment(text))]

    async with anyio.create_task_group() as group:
        for text in texts:
            group.start_soon(one, text)
    assert found == {text: [text] for text in texts}
    assert sum(sizes) == len(texts)
    assert len(sizes) <= 3
    assert [word.text for word in parse(texts[0])] == texts[0].replace(".", " .").split()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("- **Rome** is old.", "Rome is old."),
        ("Well, Rome is old.", "Rome is old."),
        ("| Rome | old |", ""),
        ("You're welcome!", ""),
    ],
)
def test_the_text_to_parse_is_known_before(text: str, wanted: str) -> None:
    assert to_parse(text) == wanted
