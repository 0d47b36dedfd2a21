"""Reading the replies of LLMs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.stages.llm.form import Form

FREE = Form()
LABEL = Form(choices=("VERIFIED", "UNVERIFIABLE"), count=1)
THREE = Form(count=3)


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("1. Tea is hot.\n2. Tea has caffeine.", ["Tea is hot.", "Tea has caffeine."]),
        ("1) Tea is hot.\n\n  2) Tea has caffeine.  \n", ["Tea is hot.", "Tea has caffeine."]),
        ('{"answers": ["Tea is hot. "]}', ["Tea is hot."]),
        ('{"answers": []}', []),
        ('{"answers": ["Tea \\ud800"]}', ["Tea ?"]),
        ("NONE", []),
        ('{"answers": ["NONE"]}', []),
        ("1. NONE", []),
        ("<think>\nLet me see. 1. no\n</think>\n\n1. Tea is hot.", ["Tea is hot."]),
    ],
)
def test_lists_and_json_are_read(reply: str, answers: list[str]) -> None:
    assert FREE.parse(reply) == answers


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("Here are the claims:\n1. Tea is hot.", "line 1 must begin"),
        ("1. Tea is hot.\n3. Tea has caffeine.", "line 2 must begin"),
        ("1. Tea is hot.\nTea has caffeine.", "line 2 must begin"),
        ("1.Tea is hot.", "line 1 must begin"),
        ('{"answers": ["Tea is', "not JSON"),
        pytest.param('{"answers": ' + "[" * 100_000, "not JSON", id="nested deep"),
        ('{"claims": ["Tea is hot."]}', "must be"),
        ('{"answers": [1]}', "must be"),
        ('{"answers": [" "]}', "must be"),
    ],
)
def test_what_is_neither_is_refused_with_its_reason(reply: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        FREE.parse(reply)


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"answers": ["Tea is hot."]}\n```',
        '```\n{"answers": ["Tea is hot."]}\n```',
        'Here it is: {"answers": ["Tea is hot."]} I hope {this} helps.',
        '{"answers": ["Tea is hot."]}\n\nThe text says so.',
        'Let me {see}.\n</think>\n\n{"answers": ["Tea is hot."]}',
        '<think>1. no</think>```json\n{"answers": ["Tea is hot."]}\n```',
        '["Tea is hot."]',
        '```json\n["Tea is hot."]\n```',
        "1. Tea is hot.",
        "```\n1. Tea is hot.\n```",
    ],
)
def test_json_that_was_asked_for_is_found_in_what_stands_around_it(reply: str) -> None:
    assert FREE.parse(reply, structured=True) == ["Tea is hot."]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "must be JSON"),
        ("Here are the claims:\n- Tea is hot.", "must be JSON"),
        ('{"answers": ["Tea"]} or {"answers": ["Coffee"]}', "one JSON object"),
        ('So: {"answers": ["Tea is', "not JSON"),
        ('the "answers"', "not JSON"),
        ("[1]", "must be"),
        ("[" * 100_000, "not JSON"),
        ('{"a": {"answers": ["Tea"]}}', "must be"),
    ],
)
def test_json_that_was_asked_for_and_is_not_there_is_refused(reply: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        FREE.parse(reply, structured=True)


@pytest.mark.parametrize("reply", ["VERIFIED", "verified.", "1. VERIFIED", '{"answers": ["VERIFIED"]}'])
def test_a_single_label_may_stand_alone(reply: str) -> None:
    assert LABEL.parse(reply) == ["VERIFIED"]


@pytest.mark.parametrize(
    "reply", ["The claim is VERIFIED", "NOT VERIFIED", "1. VERIFIED\n2. VERIFIED", "NONE", "VERIFIED because"]
)
def test_a_label_is_never_guessed(reply: str) -> None:
    with pytest.raises(ValueError, match=r"not among|needed"):
        LABEL.parse(reply)


def test_the_count_must_fit() -> None:
    with pytest.raises(ValueError, match="3 answers are needed, and there are 2"):
        THREE.parse("1. a\n2. b")
    with pytest.raises(ValueError, match="must begin"):
        THREE.parse("NONE")


def test_there_may_be_too_many() -> None:
    form = Form(most=2)
    assert form.parse("1. a\n2. b") == ["a", "b"]
    assert form.schema["properties"]["answers"]["maxItems"] == 2
    with pytest.raises(ValueError, match="at most 2 answers are allowed, and there are 3"):
        form.parse("1. a\n2. b\n3. c")


LINES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1)


@given(answers=st.lists(LINES), structured=st.booleans())
def test_what_is_rendered_is_read_back(answers: list[str], structured: bool) -> None:
    assert FREE.parse(FREE.render(answers, structured=structured)) == answers


def test_the_schema_allows_what_is_allowed() -> None:
    answers = LABEL.schema["properties"]["answers"]
    assert answers["items"]["enum"] == ["VERIFIED", "UNVERIFIABLE"]
    assert (answers["minItems"], answers["maxItems"]) == (1, 1)
    assert "minItems" not in FREE.schema["properties"]["answers"]
    json.dumps(LABEL.schema)


def test_a_pattern_stands_in_the_schema_alone() -> None:
    form = Form(count=1, pattern="^(yes|no): [a-z ]+$")
    assert form.schema["properties"]["answers"]["items"] == {"type": "string", "pattern": form.pattern}
    assert form.parse("1. Yes, it does.") == ["Yes, it does."]
