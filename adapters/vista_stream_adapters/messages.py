"""Reads messages in the form of the chat completions API."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from vista_stream import Utterance

Message: TypeAlias = Mapping[str, Any]
"""One message in the form of the chat completions API: a role, and content as text or parts."""

_DOCUMENT_KEYS = ("text", "content", "page_content", "document", "snippet")


def retrieved_documents(messages: Sequence[Message]) -> list[str]:
    """The documents in tool messages since the last user message, for `Guard(references=…)`.

    Each part of the content is read by itself. JSON gives the strings under the keys `text`, `content`,
    `page_content`, `document` and `snippet`, and the strings in its lists; where it has none, all its strings
    of several words; where it has none of these either, it is one document as it is. So is any other content.
    """
    return [document for documents in documents_by_message(messages) for document in documents]


def documents_by_message(messages: Sequence[Message]) -> list[list[str]]:
    """The same documents, of each tool message that has any."""
    documents: list[list[str]] = []
    for message in messages:
        if message.get("role") == "user":
            documents.clear()
        elif message.get("role") in ("tool", "function"):
            documents.append([found for text in _returned(message) for found in _documents(text)])
    return [found for found in documents if found]


def _returned(message: Message) -> list[str]:
    """The texts that a tool returned, one for each part; search results and text documents are parts too."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, Sequence) else ()
    return [_part_text(part) for part in parts if isinstance(part, Mapping)]


def _part_text(part: Mapping[str, Any]) -> str:
    if isinstance(text := part.get("text"), str):
        return text
    source = part.get("source")
    if isinstance(source, Mapping):
        part = {"content": source.get("data" if source.get("type") == "text" else "content")}
    return message_text(part)


def message_text(message: Message) -> str:
    """The text of a message's content; parts other than text are left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def utterance_of(message: Message) -> Utterance | None:
    """What a user or the assistant said; None for another role and for no text."""
    role, text = message.get("role"), message_text(message)
    if role not in ("user", "assistant") or not text.strip():
        return None
    return Utterance(role=role, text=text)


def _documents(content: str) -> list[str]:
    try:
        value = json.loads(content)
        found = _telling(_texts_in(value, _DOCUMENT_KEYS))
        if not found:
            values = list(_texts_in(value, None))
            found = [text for text in values if " " in text.strip()] or ([content] if values else [])
    except (ValueError, RecursionError):  # not JSON, or nested too deeply to read
        found = [content]
    return _telling(found)


def _telling(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if any(map(str.isalnum, text))]


def _texts_in(value: Any, keys: Collection[str] | None) -> Iterator[str]:
    """The strings of JSON in lists and under these keys; without keys all strings, numbers and booleans."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            if keys is None or key in keys or isinstance(entry, Mapping | list):
                yield from _texts_in(entry, keys)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts_in(entry, keys)
    elif keys is None and value is not None:
        yield json.dumps(value)
