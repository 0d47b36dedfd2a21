from argparse import Namespace
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper

import anyio
import pytest
from rich.console import Console

from vista_stream.claims import Category
from vista_stream.cli import demo
from vista_stream.cli.material import load_scenes
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages

ALTERED = [scene.alteration.now for scene in load_scenes() if scene.alteration]
SCRIPT = {now: Category.CONTRADICTED for now in ALTERED}


@pytest.fixture
def session():
    return partial(Session, stages=ScriptedStages(SCRIPT).stages())


def test_without_a_terminal_it_is_plain_text_with_every_altered_fact_blocked(session, capsys):
    assert demo.run(Namespace(speed="fast"), session=session) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("BLOCKED") == len(ALTERED)
    assert f"Facts altered by hand: {len(ALTERED)}, blocked: {len(ALTERED)}" in out
    assert "verified" in out


@pytest.mark.parametrize("color", [True, False])
def test_on_a_terminal_it_shows_both_sides(color, session):
    console = Console(
        force_terminal=True, width=90, height=50, no_color=not color, record=True, file=StringIO()
    )
    anyio.run(demo._show, console, session, float("inf"))
    text = console.export_text()
    assert ("the user sees" in text) is color
    assert f"Facts altered by hand: {len(ALTERED)}, blocked: {len(ALTERED)}" in text


def test_signs_that_the_output_lacks_are_question_marks(session, monkeypatch):
    out = TextIOWrapper(BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    assert demo.run(Namespace(speed="fast"), session=session) == 0
    out.flush()
    assert f"blocked: {len(ALTERED)}\n".encode() in out.buffer.getvalue()


def test_what_is_not_blocked_is_counted_honestly(capsys):
    session = partial(Session, stages=ScriptedStages().stages())
    demo.run(Namespace(speed="fast"), session=session)
    out = capsys.readouterr().out
    assert f"Facts altered by hand: {len(ALTERED)}, blocked: 0" in out
    assert "Sentences blocked: 0 of" in out
