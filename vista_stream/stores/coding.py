"""A conversation as the JSON text that stores keep."""

from __future__ import annotations

import json
from typing import Any

from vista_stream.claims import Category
from vista_stream.core.common_ground import Statement
from vista_stream.errors import StoreError
from vista_stream.stores.conversation import Conversation, KeptStatement

FORMAT = 1


def encode(conversation: Conversation) -> str:
    """The conversation as JSON text in ASCII, the form that `decode` reads."""
    table = {
        "format": FORMAT,
        "turns": conversation.turns,
        "places": conversation.places,
        "references": list(conversation.references),
        "asked": dict(conversation.asked),
        "ended": list(conversation.ended),
        "kept": [_row(entry) for entry in conversation.kept],
    }
    return json.dumps(table, separators=(",", ":"))  # ASCII, since a lone surrogate has no UTF-8 form


def decode(text: str | bytes | None) -> Conversation:
    """The conversation in a text; an empty one for None.

    Raises StoreError for a text of another format version, or one that is not a conversation.
    """
    if text is None:
        return Conversation()
    try:
        table = json.loads(text)
        if table["format"] != FORMAT:
            raise StoreError(
                f"the store holds conversations of format {table['format']!r}, and this version reads "
                f"format {FORMAT}: run the same version on every replica, or take another store"
            )
        return Conversation(
            kept=[_entry(row) for row in table["kept"]],
            turns=table["turns"],
            places=table["places"],
            references=tuple(table["references"]),
            asked=table["asked"],
            ended=tuple(table["ended"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            "the store holds something that is no conversation of vista_stream: take another store"
        ) from error


def _row(entry: KeptStatement) -> dict[str, Any]:
    statement = entry.statement
    row: dict[str, Any] = {
        "place": entry.place,
        "text": statement.text,
        "origin": statement.origin,
        "turn": statement.turn,
        "category": statement.category.value,
    }
    if statement.supersedes:
        row["supersedes"] = list(statement.supersedes)
    if entry.withdrawn:
        row["withdrawn"] = True
    if entry.question is not None:
        row["question"] = entry.question
    if entry.answer:
        row["answer"] = entry.answer
    return row


def _entry(row: dict[str, Any]) -> KeptStatement:
    statement = Statement(
        text=row["text"],
        origin=row["origin"],
        turn=row["turn"],
        category=Category(row["category"]),
        supersedes=tuple(row.get("supersedes", ())),
    )
    return KeptStatement(
        statement=statement,
        place=row["place"],
        withdrawn=row.get("withdrawn", False),
        question=row.get("question"),
        answer=row.get("answer", ""),
    )
