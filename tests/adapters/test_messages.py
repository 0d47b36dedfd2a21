"""Messages in the form of the chat completions API."""

import json

import pytest

from vista_stream_adapters.messages import message_text, retrieved_documents


def user(text):
    return {"role": "user", "content": text}


def test_documents_come_from_the_tool_messages_of_this_turn():
    nested = {"hits": [{"text": "The mill is red.", "score": 3}, {"page_content": "It is old."}]}
    messages = [
        user("Old question"),
        {"role": "tool", "content": "Old document."},
        user("Question"),
        {"role": "tool", "content": json.dumps(nested)},
        {"role": "tool", "content": [{"type": "text", "text": "It is tall."}]},
        {"role": "tool", "content": "[]"},
        {"role": "tool", "content": "  "},
    ]
    assert retrieved_documents(messages) == ["The mill is red.", "It is old.", "It is tall."]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('[{"passage": "The mill is red.", "score": 1}]', ["The mill is red."]),
        ('{"results": [{"chunk": "The mill is red.", "id": "a1"}], "total": 1}', ["The mill is red."]),
        ('{"text": "", "body": "The mill is red."}', ["The mill is red."]),
        ('{"opened": 1914}', ['{"opened": 1914}']),
        ("1914", ["1914"]),
        ('{"results": [], "next": null}', []),
        (
            [{"type": "text", "text": '{"text": "A."}'}, {"type": "text", "text": '{"text": "B."}'}],
            ["A.", "B."],
        ),
    ],
)
def test_json_without_the_known_keys_gives_what_it_says(content, found):
    assert retrieved_documents([user("Question"), {"role": "tool", "content": content}]) == found


@pytest.mark.parametrize("depth", [150, 1200, 100_000])
def test_a_document_nested_too_deep_is_its_own_text(depth):
    content = "[" * depth + '"The mill is red."' + "]" * depth
    found = retrieved_documents([user("Question"), {"role": "tool", "content": content}])
    assert found == ["The mill is red." if depth == 150 else content]


def test_the_text_of_parts():
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert message_text({"role": "user", "content": parts}) == "a\nb"
    assert message_text({"role": "assistant", "content": None}) == ""
