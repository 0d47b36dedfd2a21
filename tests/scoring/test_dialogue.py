"""Reading dialogues."""

import json
from typing import Any

import pytest

from vista_stream.claims import Category, Importance
from vista_stream.scoring.dialogue import digest, parse_dialogue


def line(**turn: Any) -> str:
    return json.dumps({"id": "d", "turns": [{"role": "assistant", "text": "Tea is hot.", **turn}]})


def test_a_whole_dialogue() -> None:
    dialogue = parse_dialogue(
        json.dumps(
            {
                "id": "d1",
                "background": ["The guide is Ada."],
                "turns": [
                    {"role": "user", "text": "Is tea hot?"},
                    {
                        "role": "assistant",
                        "text": "Tea is hot.",
                        "query": "tea?",
                        "references": ["Tea is served hot."],
                        "label": "verifiable",
                        "claims": [
                            {"text": "Tea is hot.", "importance": "less-important", "label": "verified"}
                        ],
                        "nuggets": ["Tea is hot.", {"text": "Tea has caffeine.", "importance": "okay"}],
                    },
                ],
            }
        )
    )
    user, assistant = dialogue.turns
    assert (user.claims, user.label, user.nuggets) == (None, None, None)
    assert assistant.label is True
    assert assistant.claims is not None
    assert (assistant.claims[0].importance, assistant.claims[0].label) == (
        Importance.LESS_IMPORTANT,
        Category.VERIFIED,
    )
    assert assistant.nuggets is not None
    assert [n.importance for n in assistant.nuggets] == [Importance.VITAL, Importance.OKAY]


def test_given_but_empty_is_not_missing() -> None:
    (turn,) = parse_dialogue(line(claims=[], nuggets=[])).turns
    assert turn.claims == []
    assert turn.nuggets == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "must be a JSON object"),
        ('{"turns": []}', "id must be a string"),
        ('{"id": "d"}', "turns must be a list"),
        ('{"id": "d", "turns": [1]}', r"turns\[0\] must be a JSON object"),
        ('{"id": "d", "turns": [{"role": "system", "text": "x"}]}', r"turns\[0\]\.role"),
        (line(text=""), r"turns\[0\]\.text"),
        (line(references="x"), r"turns\[0\]\.references must be a list of strings"),
        (line(references=["---"]), r"turns\[0\]\.references\[0\]"),
        (line(references=["notes.txt"]), r"references\[0\]: 'notes.txt' names a file: give the text itself"),
        (line(label="yes"), r"turns\[0\]\.label"),
        (line(claims=["x"]), r"turns\[0\]\.claims\[0\] must be a JSON object"),
        (line(claims=[{"text": "x", "importance": "big"}]), r"claims\[0\]\.importance must be one of vital"),
        (line(claims=[{"text": "x", "label": "true"}]), r"claims\[0\]\.label must be one of verified"),
        (line(nuggets=[3]), r"nuggets\[0\] must be a string or"),
        (line(nugets=["x"]), r"turns\[0\]\.nugets is unknown"),
        ('{"id": "d", "turns": [], "backgroud": []}', "backgroud is unknown"),
    ],
)
def test_what_cannot_be_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_dialogue(text)


@pytest.mark.parametrize(
    "given",
    [
        {"query": "When?"},
        {"references": ["Tea is hot."]},
        {"claims": [{"text": "Tea is hot."}]},
        {"nuggets": ["Tea is hot."]},
        {"label": "verifiable"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_is_the_assistants_is_refused_at_the_user(given: dict[str, Any]) -> None:
    turn = {"role": "user", "text": "Tea?", **given}
    with pytest.raises(ValueError, match=rf"turns\[0\]\.{next(iter(given))} is for the assistant's turns"):
        parse_dialogue(json.dumps({"id": "d", "turns": [turn]}))
    empty = {"role": "user", "text": "Tea?", "references": [], "claims": None, "label": None}
    assert parse_dialogue(json.dumps({"id": "d", "turns": [empty]})).turns[0].claims is None


def test_the_digest_is_of_what_is_said_not_of_how() -> None:
    line = '{"id": "d", "turns": [{"role": "assistant", "text": "Tea \\u00e9", "label": "verifiable"}]}'
    same = '{"turns": [{"text": "Tea é", "label": "verifiable", "role": "assistant"}], "id": "d"}'
    other = line.replace('"verifiable"', '"unverifiable"')
    assert digest(parse_dialogue(line)) == digest(parse_dialogue(same)) != digest(parse_dialogue(other))
