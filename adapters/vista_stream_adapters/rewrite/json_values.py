"""Words a number or boolean of a JSON document as a sentence that a guard can check. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 80
"""Most characters of a key, a name or a number that are read."""

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAMING = frozenset(("name", "title", "product", "item", "subject", "entity", "company", "person"))
"""Last words of keys whose string says what their object is about."""
_UNITS = frozenset(
    (
        *("eur", "usd", "gbp", "chf", "euros", "dollars", "pounds", "francs", "percent"),
        *("kg", "g", "mg", "km", "m", "cm", "mm", "l", "ml", "kwh", "kw", "w", "mph", "kmh"),
        *("years", "months", "weeks", "days", "hours", "minutes", "seconds"),
    )
)
"""Last words of keys that are the number's unit: `weight_kg`."""
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "can"))
"""First words of keys of booleans that are the sentence's verb: `has_dimmer`."""
_MOST_NAME_WORDS = 8


@dataclass(slots=True)
class _Level:
    """An object or array that is open."""

    is_object: bool
    heading: str
    """What an object's values belong to, where it says no name itself: an outer name, or its own key."""
    key: str = ""
    name: str = ""


class ValuePath:
    """The place in a JSON document that is being read: which key, in an object of which name."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []

    def enter(self, bracket: str) -> None:
        """An object or array begins."""
        outer = self._levels[-1] if self._levels else _Level(False, "")
        heading = outer.name or outer.heading
        if bracket == "{" and outer.is_object:
            heading = heading or _plain(outer.key)
        key = "" if bracket == "{" else outer.key
        self._levels.append(_Level(bracket == "{", heading, key))

    def leave(self) -> None:
        """The innermost object or array ends."""
        self._levels.pop()

    def meet_key(self, key: str) -> None:
        """A key of the innermost object, without its quotes."""
        self._levels[-1].key = key

    def meet_string(self, text: str) -> None:
        """A string value; under a key such as `name` it says what its object is about."""
        level = self._levels[-1] if self._levels else None
        if level is None or not level.is_object or not {_plain(level.key).split(" ")[-1]} & _NAMING:
            return
        name = _plain(text).removeprefix("The ")
        level.name = level.name or (name if name.count(" ") < _MOST_NAME_WORDS else "")

    def sentence(self, word: str) -> str:
        """A number or boolean at this place as one sentence: "The price of the Aldo lamp is 120 eur."""
        level = self._levels[-1]
        words = _plain(level.key).lower().split(" ")
        subject = level.name or level.heading
        if word in ("true", "false"):
            return _yes_or_no(words, subject, word == "true")
        unit = f" {words.pop()}" if len(words) > 1 and words[-1] in _UNITS else ""
        of = f" of the {subject}" if subject else ""
        verb = "is" if level.is_object else "includes"
        return f"The {' '.join(words) or 'value'}{of} {verb} {word}{unit}."


def _yes_or_no(words: list[str], subject: str, yes: bool) -> str:
    verb = words.pop(0) if len(words) > 1 and words[0] in _VERBS else "is"
    negation = "" if yes else " no" if verb in ("has", "have") else " not"
    who = f"The {subject}" if subject else "It"
    return f"{who} {verb}{negation} {' '.join(words) or 'true'}."


def _plain(text: str) -> str:
    """The words of a key or name, without marks that could end a sentence."""
    return " ".join(_WORDS.findall(_CAMEL.sub(" ", text[:LONGEST])))
