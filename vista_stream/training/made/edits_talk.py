"""Pairs about what speakers say of themselves: evidence is turns and profiles, claims are as decomposed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

from vista_stream.training.made.edits import Made


class _Trait(NamedTuple):
    said: str
    """The trait in the first person."""
    told: str
    """The trait as it follows "The assistant" or "The user"."""
    values: tuple[str, ...]
    single: bool
    """Whether another value contradicts."""


_PLACES: Final = (
    "Leeds",
    "Porto",
    "Tampere",
    "Cork",
    "Lyon",
    "Gdansk",
    "Osaka",
    "Nairobi",
    "Lima",
    "Perth",
    "Graz",
)
_JOBS: Final = (
    "nurse",
    "baker",
    "welder",
    "librarian",
    "pilot",
    "tailor",
    "surveyor",
    "farmer",
    "potter",
    "vet",
)
_THINGS: Final = (
    "jazz",
    "chess",
    "hiking",
    "opera",
    "baseball",
    "gardening",
    "sushi",
    "crosswords",
    "sailing",
    "tea",
)
_PETS: Final = ("a dog", "a cat", "two rabbits", "a parrot", "three goldfish", "a tortoise", "a hamster")
_COLOURS: Final = ("blue", "green", "red", "yellow", "purple", "orange", "grey", "black")
_NUMBERS: Final = ("two", "three", "four", "five", "six", "seven")
_NAMES: Final = ("Nova", "Iris", "Bolt", "Juniper", "Otis", "Vera", "Milo", "Sable", "Quill", "Ember")
_FIRMS: Final = (
    "Larkspur Labs",
    "Northwind Systems",
    "Fennel AI",
    "Blue Harbour",
    "Tessera",
    "Oakline Software",
)
_YEARS: Final = tuple(str(year) for year in range(1950, 2010, 3))
_TRAITS: Final = (
    _Trait("I live in {}", "lives in {}", _PLACES, True),
    _Trait("I was born in {}", "was born in {}", _PLACES, True),
    _Trait("I was born in {}", "was born in {}", _YEARS, True),
    _Trait("I grew up in {}", "grew up in {}", _PLACES, True),
    _Trait("I work as a {}", "works as a {}", _JOBS, True),
    _Trait("I used to be a {}", "used to be a {}", _JOBS, False),
    _Trait("I love {}", "loves {}", _THINGS, False),
    _Trait("I can't stand {}", "can't stand {}", _THINGS, False),
    _Trait("I have {}", "has {}", _PETS, False),
    _Trait("My favourite colour is {}", "'s favourite colour is {}", _COLOURS, True),
    _Trait("I have {} siblings", "has {} siblings", _NUMBERS, True),
    _Trait("I speak {} languages", "speaks {} languages", _NUMBERS, True),
    _Trait("My name is {}", "'s name is {}", _NAMES, True),
    _Trait("I was made by {}", "was made by {}", _FIRMS, True),
    _Trait("I moved to {} last year", "moved to {} last year", _PLACES, True),
)
_LEADS: Final = ("", "", "Well, ", "Hi! ", "Honestly, ", "Sure. ", "Thanks for asking! ", "Oh, ")
_ENDS: Final = (".", ".", "!", ", you know.", ". And you?", ". What about you?", ", to be honest.")


def talk(rng: random.Random, *, count: int) -> Iterator[Made]:
    """Yield about `count` pairs of what a speaker says, or is said to be, and a claim about that speaker."""
    for _ in range(count // 5):
        traits = rng.sample(_TRAITS, rng.randint(2, 4))
        stated = [(trait, rng.choice(trait.values)) for trait in traits]
        yield from _about(stated, rng)


def _about(stated: list[tuple[_Trait, str]], rng: random.Random) -> Iterator[Made]:
    """Yield five pairs on one trait: two entailed, two not entailed with another value, one neutral."""
    speaker = rng.choice(("assistant", "assistant", "user"))
    (trait, value), rest = stated[0], stated[1:]
    other = rng.choice([drawn for drawn in trait.values if drawn != value])
    rest = [(kept, cell) for kept, cell in rest if kept.told.split("{")[0] != trait.told.split("{")[0]]
    if not rest:
        return
    right, wrong = (_told(speaker, trait, cell) for cell in (value, other))
    evidence = [_shown(speaker, [(trait, cell), *rest], rng) for cell in (value, other)]
    yield Made(evidence[0], right, "entailment", "talk_twin")
    yield Made(evidence[1], wrong, "entailment", "talk_twin")
    yield Made(evidence[0], wrong, "contradiction" if trait.single else "neutral", "talk")
    yield Made(evidence[1], right, "contradiction" if trait.single else "neutral", "talk")
    yield Made(_shown(speaker, rest, rng), rng.choice((right, wrong)), "neutral", "talk_undecided")


def _told(speaker: str, trait: _Trait, value: str) -> str:
    gap = "" if trait.told.startswith("'") else " "
    return f"The {speaker}{gap}{trait.told.format(value)}."


def _shown(speaker: str, stated: list[tuple[_Trait, str]], rng: random.Random) -> str:
    """Return the traits as turns of a dialogue, as a list of claims, or as a profile in the third person."""
    stated = rng.sample(stated, len(stated))
    form = rng.randrange(4)
    if form == 0:
        turns = (
            f"{speaker.capitalize()}: {rng.choice(_LEADS)}{trait.said.format(value)}{rng.choice(_ENDS)}"
            for trait, value in stated
        )
        return "\n".join(turns)
    if form == 1:
        return "\n".join(f"- {_told(speaker, trait, value)}" for trait, value in stated)
    if form == 2:
        said = ". ".join(trait.said.format(value) for trait, value in stated)
        return f"{speaker.capitalize()}: {said}."
    return " ".join(_told(speaker, trait, value) for trait, value in stated)
