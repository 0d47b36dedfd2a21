"""What a sentence excepts from what it says."""

import pytest

from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.excepted import excepting


def excepted(sentence: str) -> list[str]:
    atoms = prepare(sentence).atoms
    return [
        atom.key for k, atom in enumerate(atoms) if excepting(atoms, k) and atom.stem not in ("in", "and")
    ]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("All rooms except the attic have heating.", ["attic"]),
        ("The trail is open except in March and in April.", ["march", "april"]),
        ("Pets, except dogs, are welcome.", ["dogs"]),
        ("Everyone but Nora came.", ["nora"]),
        ("All guests came late but Nora left.", []),
        ("Rooms are alike except that the attic is cold.", ["that"]),
    ],
)
def test_only_what_stands_behind_the_word_is_excepted(sentence: str, words: list[str]) -> None:
    assert excepted(sentence) == words
