from __future__ import annotations

import pytest

from vista_stream.core.extraction.speakers import named, without_named


@pytest.mark.parametrize(
    ("wording", "words"),
    [
        ("World War I began in 1914.", ["I"]),
        ("James I ruled in 1605.", ["I"]),
        ("He has type I diabetes.", ["I"]),
        ("Carole King sang You Need Me in 1990.", ["You", "Me"]),
        ("Our Mutual Friend is a novel.", ["Our"]),
        ("I Am Legend is a film.", ["I"]),
        ("It stars in Call Me Maybe.", ["Me"]),
        ("U Thant led the UN.", ["U"]),
        ("The port is in Portland, ME.", ["ME"]),
    ],
)
def test_a_name_may_hold_a_word_of_a_person(wording: str, words: list[str]) -> None:
    assert [wording[start:end] for start, end in named(wording)] == words


@pytest.mark.parametrize(
    "wording",
    [
        "I sing.",
        "Yesterday I sang.",
        "Luckily I sang.",
        "In Rome I have friends.",
        "My dad sings.",
        "My Dad sings.",
        "My German is poor.",
        "We sang, and you heard us.",
        "Thank You for the song.",
        "Ada, I am late.",
    ],
)
def test_elsewhere_it_is_a_person(wording: str) -> None:
    assert without_named(wording) == wording
