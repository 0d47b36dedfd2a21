import json
from importlib.resources import files

import pytest

from vista_stream.cli.material import load_scenes

SCENES = load_scenes()
ROWS = json.loads(files("vista_stream").joinpath("demo/turns.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("scene", "row"), list(zip(SCENES, ROWS, strict=True)))
def test_an_answer_is_as_written_but_for_its_listed_alteration(scene, row):
    if scene.alteration is None:
        assert scene.answer == row["answer"]
    else:
        assert row["answer"].count(scene.alteration.was) == 1
        assert scene.answer == row["answer"].replace(scene.alteration.was, scene.alteration.now)
        assert scene.answer != row["answer"]


@pytest.mark.parametrize("scene", SCENES)
def test_tokens_make_up_the_answer(scene):
    assert "".join(scene.tokens) == scene.answer


def test_the_show_has_true_answers_and_altered_ones_and_later_turns_without_a_document():
    altered = [scene for scene in SCENES if scene.alteration]
    assert 2 <= len(altered) < len(SCENES)
    for later in (scene for scene in SCENES if scene.document is None):
        earlier = SCENES[: SCENES.index(later)]
        assert any(scene.conversation == later.conversation and scene.document for scene in earlier)


def test_the_show_at_the_speed_of_a_chat_takes_less_than_50_seconds():
    assert sum(len(scene.tokens) for scene in SCENES) / 22 < 50


def test_every_shipped_document_is_described():
    about = files("vista_stream").joinpath("demo/ABOUT.md").read_text(encoding="utf-8")
    for document in files("vista_stream").joinpath("demo/documents").iterdir():
        assert document.name in about
