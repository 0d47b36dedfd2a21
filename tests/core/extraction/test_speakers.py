from __future__ import annotations

import pytest

from decomposing import segment
from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse
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
        ("Part I covers fines.", ["I"]),
        ("Tier I devices are slow.", ["I"]),
        ("Canto I of the poem is long.", ["I"]),
        ("Canto I and Canto II are long.", ["I"]),
        ("Volume I was published in 1901.", ["I"]),
        ("Charles I's wife sang.", ["I's"]),
        ("I/O latency is low, and I/O is cheap.", ["I", "I"]),
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
        "Here I always sing.",
        "Luckily I was there.",
        "Usually I focus on it.",
        "Often I discuss it.",
        "The part I play is small.",
        "Tomorrow I or Anna will sing.",
        "I/we agree.",
    ],
)
def test_elsewhere_it_is_a_person(wording: str) -> None:
    assert without_named(wording) == wording


@pytest.mark.parametrize(
    "wording", ["Part I covers fines.", "I/O latency is 50 ms.", "Class I drugs are safe."]
)
def test_a_numeral_is_no_speaker_in_a_claim(parse: Parse, wording: str) -> None:
    assert [(d.text, d.kind) for d in Discourse(parse).decompose(segment(wording))] == [
        (wording, ClaimKind.FACT)
    ]
