"""The figures of answers with hidden errors."""

import json

import pytest

from benchmarks.answers import measure
from vista_stream.policy import Policy

ANSWER = {
    "reference": "The tower is 30 metres high. Entry costs 6 euros.",
    "query": "How high is the tower?",
    "sentences": [
        {"text": "The tower is 30 metres high.", "label": "true"},
        {"text": "Entry costs 7 euros.", "label": "false"},
    ],
}


@pytest.mark.parametrize(
    ("said", "important"),
    [
        ((None, None), None),
        ((True, False), {"true": {"sentences": 1, "blocked": 0, "verified": 1}}),
        ((False, False), {}),
    ],
)
@pytest.mark.anyio
async def test_important_sentences_are_counted_apart_where_the_answers_say_which_those_are(said, important):
    sentences = [
        each if value is None else each | {"important": value}
        for each, value in zip(ANSWER["sentences"], said, strict=True)
    ]
    found = await measure([json.dumps(ANSWER | {"sentences": sentences})], None, Policy())
    assert found["all"] == {
        "false": {"sentences": 1, "blocked": 1, "verified": 0},
        "true": {"sentences": 1, "blocked": 0, "verified": 1},
    }
    assert found.get("important") == important


@pytest.mark.anyio
async def test_items_stand_on_lines_of_their_own_and_their_marks_stay() -> None:
    sentences = [
        {"text": "This is what I know.", "label": "talk"},
        {"text": "- Entry costs 7 euros.", "label": "false"},
        {"text": "- The tower is 30 metres high.", "label": "true"},
    ]
    found = await measure([json.dumps(ANSWER | {"sentences": sentences})], None, Policy())
    assert found["all"]["false"] == {"sentences": 1, "blocked": 1, "verified": 0}
    assert found["all"]["true"] == {"sentences": 1, "blocked": 0, "verified": 1}
