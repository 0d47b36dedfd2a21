from __future__ import annotations

import subprocess
import sys

import anyio
import pytest

from vista_stream.claims import Span, Utterance
from vista_stream.core.segmenter import Segment, SegmentKind
from vista_stream.stages.embedded_decompose import EmbeddedDecompose
from vista_stream.stages.parser import load_parse


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


def test_the_parser_is_loaded_once() -> None:
    assert load_parse() is load_parse()


def test_importing_the_stage_does_not_import_the_parser() -> None:
    code = (
        "import sys, vista_stream, vista_stream.stages.embedded_decompose; sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
