"""Reads finished dialogues: one JSON object on each line.

    {"id": "d1", "background": ["…"], "turns": [
      {"role": "user", "text": "…"},
      {"role": "assistant", "text": "…", "query": "…", "references": ["…"], "label": "verifiable",
       "claims": [{"text": "…", "importance": "vital", "label": "verified"}],
       "nuggets": ["…", {"text": "…", "importance": "okay"}]}]}

Only `id`, `turns`, `role` and `text` are required. Claims that are given are used as they are. A `label` is
a human judgement: of a claim its category, of a turn "verifiable" or "unverifiable".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

from vista_stream.claims import Category, Importance
from vista_stream.core.text.surrogates import encodable
from vista_stream.retrieval.reference import Reference, names_file
from vista_stream.stages.nuggets import Nugget

E = TypeVar("E", bound=StrEnum)
_OF_ASSISTANT = ("query", "references", "claims", "nuggets", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenClaim:
    """A claim that comes with its dialogue."""

    text: str
    importance: Importance | None = None
    """None if it is to be ranked."""
    label: Category | None = None
    """The category that people gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueTurn:
    """One utterance; all fields but role and text are for the assistant's turns."""

    role: Literal["user", "assistant"]
    text: str
    query: str | None = None
    """What was asked; None takes the user's previous utterance."""
    references: Sequence[str] = ()
    claims: Sequence[GivenClaim] | None = None
    """None if they are to be extracted."""
    nuggets: Sequence[Nugget] | None = None
    """None if none are given."""
    label: bool | None = None
    """Whether people labelled the turn verifiable; None without a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One conversation."""

    id: str
    turns: Sequence[DialogueTurn]
    background: Sequence[str] = ()


def parse_dialogue(line: str) -> Dialogue:
    """Read one line; raises ValueError, naming the field, for anything that is not a dialogue.

    Half a surrogate pair becomes a question mark: JSON can escape it, but UTF-8 cannot encode it.
    """
    try:
        table = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(table, dict):
        raise ValueError(f"must be a JSON object, not {type(table).__name__}")
    _known(table, "", ("id", "background", "turns"))
    turns = _items(table, "turns", "turns", needed=True)
    return Dialogue(
        id=_text(table, "id", "id"),
        background=_texts(table, "background", "background"),
        turns=[_turn(turn, f"turns[{n}]") for n, turn in enumerate(turns)],
    )


def digest(dialogue: Dialogue) -> str:
    """SHA-256 of all fields of a dialogue, in hexadecimal; it does not depend on how the JSON was written."""
    return hashlib.sha256(json.dumps(asdict(dialogue), sort_keys=True).encode()).hexdigest()


def _turn(table: Any, where: str) -> DialogueTurn:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a JSON object")
    _known(table, where, ("role", "text", *_OF_ASSISTANT))
    role = table.get("role")
    given = [key for key in _OF_ASSISTANT if table.get(key)] if role == "user" else []
    if given:
        raise ValueError(f"{where}.{given[0]} is for the assistant's turns, and this is the user's")
    if role not in ("user", "assistant"):
        raise ValueError(f'{where}.role must be "user" or "assistant", not {role!r}')
    label = table.get("label")
    if label not in (None, "verifiable", "unverifiable"):
        raise ValueError(f'{where}.label must be "verifiable" or "unverifiable", not {label!r}')
    claims = [_claim(c, f"{where}.claims[{n}]") for n, c in enumerate(_items(table, "claims", where))]
    nuggets = [_nugget(c, f"{where}.nuggets[{n}]") for n, c in enumerate(_items(table, "nuggets", where))]
    return DialogueTurn(
        role=cast(Literal["user", "assistant"], role),
        text=_text(table, "text", f"{where}.text"),
        query=_text(table, "query", f"{where}.query") if table.get("query") is not None else None,
        references=_references(table, f"{where}.references"),
        claims=claims if table.get("claims") is not None else None,
        nuggets=nuggets if table.get("nuggets") is not None else None,
        label=None if label is None else label == "verifiable",
    )


def _claim(table: Any, where: str) -> GivenClaim:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a JSON object")
    _known(table, where, ("text", "importance", "label"))
    return GivenClaim(
        text=_text(table, "text", f"{where}.text"),
        importance=_member(Importance, table, "importance", where),
        label=_member(Category, table, "label", where),
    )


def _nugget(table: Any, where: str) -> Nugget:
    if isinstance(table, str):
        table = {"text": table}
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a string or a JSON object")
    _known(table, where, ("text", "importance"))
    importance = _member(Importance, table, "importance", where) or Importance.VITAL
    return Nugget(text=_text(table, "text", f"{where}.text"), importance=importance)


def _member(kind: type[E], table: Mapping[str, Any], key: str, where: str) -> E | None:
    value = table.get(key)
    if value is None:
        return None
    try:
        # Published data sets write hyphens where our names have underscores.
        return kind(str(value).replace("-", "_").lower())
    except ValueError:
        raise ValueError(f"{where}.{key} must be one of {', '.join(kind)}, not {value!r}") from None


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where} must be a string that is not empty, not {value!r}")
    return encodable(value)


def _items(table: Mapping[str, Any], key: str, where: str, *, needed: bool = False) -> list[Any]:
    value = table.get(key)
    if value is None and not needed:
        return []
    if not isinstance(value, list):
        raise ValueError(f"{where if needed else f'{where}.{key}'} must be a list")
    return value


def _texts(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = table.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise ValueError(f"{where} must be a list of strings that are not empty")
    return [encodable(text) for text in value]


def _references(table: Mapping[str, Any], where: str) -> list[str]:
    texts = _texts(table, "references", where)
    for number, text in enumerate(texts):
        try:
            reference_of(text, number + 1)
        except ValueError as error:
            raise ValueError(f"{where}[{number}]: {error}") from error
    return texts


@lru_cache(maxsize=512)
def reference_of(text: str, number: int) -> Reference:
    """The reference text with this number in a turn's list, from 1; cached, so that turns share its index."""
    return given_reference(text, name=f"reference {number}")


def given_reference(text: str, *, name: str) -> Reference:
    """A reference text of the input; raises ValueError for one without a sentence, and for a file's name."""
    if names_file(text):
        raise ValueError(f"{text!r} names a file: give the text itself")
    return Reference(text, name=name)


def _known(table: Mapping[str, Any], where: str, keys: Sequence[str]) -> None:
    unknown = sorted(set(table) - set(keys))
    if unknown:
        name = f"{where}.{unknown[0]}" if where else unknown[0]
        raise ValueError(f"{name} is unknown; a field is one of {', '.join(keys)}")
