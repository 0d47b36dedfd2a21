from __future__ import annotations

import pytest

from vista_stream.core.extraction.inflection import article, forms, past, plain_form, singular, third_person


@pytest.mark.parametrize(
    ("verb", "expected"), [("go", "goes"), ("carry", "carries"), ("play", "plays"), ("have", "has")]
)
def test_third_person(verb: str, expected: str) -> None:
    assert third_person(verb) == expected


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("become", "became"),
        ("serve", "served"),
        ("carry", "carried"),
        ("star", "starred"),
        ("visit", "visited"),
        ("quiz", "quizzed"),
        ("snow", "snowed"),
        ("refer", "referred"),
        ("sell", "sold"),
        ("overlap", "overlapped"),
        ("foresee", "foresaw"),
        ("undo", "undid"),
        ("kidnap", "kidnapped"),
        ("bid", "bid"),
        ("relay", "relayed"),
        ("recover", "recovered"),
    ],
)
def test_past(verb: str, expected: str) -> None:
    assert past(verb) == expected


@pytest.mark.parametrize("tag", ["VBZ", "VBD"])
@pytest.mark.parametrize(
    "verb",
    [
        "open",
        "close",
        "go",
        "pass",
        "wash",
        "carry",
        "die",
        "have",
        "move",
        "start",
        "need",
        "name",
        "stop",
        "require",
        "repair",
        "use",
        "include",
        "see",
        "call",
        "settle",
    ],
)
def test_the_plain_form_of_an_inflected_one(verb: str, tag: str) -> None:
    assert plain_form(third_person(verb) if tag == "VBZ" else past(verb), tag) == verb


def test_other_forms_are_plain_or_have_none() -> None:
    assert plain_form("open", "VBP") == "open"
    assert plain_form("must", "MD") == ""
    assert plain_form("stung", "VBZ") == ""


@pytest.mark.parametrize(
    ("verb", "tag", "expected"),
    [
        ("are", "VBP", "is"),
        ("'m", "VBP", "is"),
        ("were", "VBD", "was"),
        ("live", "VBP", "lives"),
        ("won", "VBD", "won"),
        ("can", "MD", "can"),
        ("forgot", "VBP", "forgot"),
        ("misspoke", "VBP", "misspoke"),
        ("overtook", "VBP", "overtook"),
        ("overtake", "VBP", "overtakes"),
        ("LIKE", "VBP", "LIKES"),
        ("ve", "VBP", "has"),
    ],
)
def test_singular_changes_only_what_agrees(verb: str, tag: str, expected: str) -> None:
    assert singular(verb, tag) == expected


def test_article_follows_the_sound() -> None:
    assert [article(n) for n in ("actor", "painter", "university", "one-act play")] == ["an", "a", "a", "a"]


def test_forms_are_all_forms() -> None:
    assert forms("realise", "win") == {
        "realise",
        "realises",
        "realised",
        "realising",
        "win",
        "wins",
        "won",
        "winning",
    }
