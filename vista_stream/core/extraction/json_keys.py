"""Statements that stand in the keys of a JSON object: '{"pets are allowed": {"since": 2020}}'."""

from __future__ import annotations

import json
from collections.abc import Iterator

_FEWEST_WORDS = 3
"""A key of fewer words names a thing and states nothing."""


def stated_keys(text: str) -> list[str]:
    """The keys of a JSON object that have the words of a statement, in order; empty for any other text."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [key for key in _keys(found) if len(key.split()) >= _FEWEST_WORDS]


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
