"""Names in a place that only one can hold."""

import pytest

from vista_stream.core.rules.names import excludes, find_holder
from vista_stream.core.rules.wording import atoms_of


def name(text: str) -> tuple[str, ...] | None:
    found = find_holder(atoms_of(text))
    return found.name if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The song was written by John Moss.", ("john", "moss")),
        ("The hero is played by actor Ada de la Hay.", ("ada", "de", "la", "hay")),
        ("The first winner was Ada Moss.", ("ada", "moss")),
        ("The song was sung by John Moss.", None),
        ("The song was written by Moss.", None),
        ("The song was written by John Moss and Ann Hill.", None),
        ("The song was written by John Moss, Ann Hill.", None),
        ("The winner was not Ada Moss.", None),
        ("A rich man was Ada Moss.", None),
        ("John Moss wrote it.", None),
        ("Among the winners was Ada Moss.", None),
    ],
)
def test_a_holder_is_found_only_where_there_can_be_one(text: str, expected: tuple[str, ...] | None) -> None:
    assert name(text) == expected


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ("John Moss", "Ann Hill", True),
        ("John Moss", "Jon Moss", False),
        ("United Kingdom", "Upper Karabakh", False),
    ],
)
def test_names_that_share_a_part_or_initials_may_be_one(own: str, other: str, expected: bool) -> None:
    first, second = (find_holder(atoms_of(f"It was written by {text}.")) for text in (own, other))
    assert first is not None
    assert second is not None
    assert excludes(first, second) is expected
