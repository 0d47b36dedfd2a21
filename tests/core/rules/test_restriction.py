"""Places in a sentence that only say whom, what or which case is meant."""

import pytest

from vista_stream.core.rules.restriction import picks_out_by_date, picks_out_by_negation, picks_out_by_value
from vista_stream.core.rules.wording import Atom, atoms_of


def placed(text: str, key: str) -> tuple[tuple[Atom, ...], int]:
    atoms = atoms_of(text)
    return atoms, next(k for k, atom in enumerate(atoms) if atom.key == key)


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("The shop is not open.", "open", False),
        ("The shop is not open when it rains.", "open", False),
        ("When it rains, the shop is not open.", "open", False),
        ("When it rains, snows or does not stop, we close.", "stop", True),
        ("Guests who do not pay leave.", "pay", True),
        ("Guests you do not like leave.", "like", True),
        ("In 1990 she did not win.", "win", False),
        ("Guests a host does not like can leave.", "like", True),
        ("One room is not heated.", "heated", True),
        ("Two rooms are not heated.", "heated", True),
        ("A few rooms are not heated.", "heated", True),
        ("Another room is not heated.", "heated", True),
        ("The two rooms are not heated.", "heated", False),
        ("Exactly 198 of the 203 guests did not pay.", "pay", False),
        ("One must not smoke.", "smoke", False),
        ("A visa is not needed.", "needed", False),
    ],
)
def test_a_negation_in_a_clause_of_its_own_picks_out(text: str, key: str, expected: bool) -> None:
    assert picks_out_by_negation(*placed(text, key)) is expected


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("The hall has 3 doors.", "3", False),
        ("The room for 3 guests has a bath.", "3", True),
        ("Sales rose by 3 %.", "3 %", False),
        ("The cost of 3 bags is low.", "3", True),
        ("About 300 guests came.", "about 300", False),
        ("Take 3 pills.", "3", False),
        ("A box that weighs 3 kg is free.", "3 kg", True),
        ("Some rooms have 3 beds.", "3", True),
        ("The inn has some rooms with 2 baths and 3 beds.", "3", True),
        ("Some rooms are large and have 3 beds.", "3", True),
        ("The inn has some rooms and 3 lifts.", "3", False),
        ("Several flights cost 3 euros.", "3 euros", True),
        ("There is a shop 3 km away.", "3 km", True),
        ("There is a 3 km trail.", "3 km", True),
        ("There are buses at 9:00.", "9:00", True),
        ("There are 3 buses.", "3", False),
        ("There is a fee of 3 euros.", "3 euros", False),
        ("There is room for 3 cars.", "3", False),
        ("A ticket costs 3 euros.", "3 euros", False),
    ],
)
def test_a_number_before_the_main_verb_picks_out(text: str, key: str, expected: bool) -> None:
    assert picks_out_by_value(*placed(text, key)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mill was built in 1990.", False),
        ("Elmstad was founded in 1990.", False),
        ("A mill was built in 1990.", True),
        ("Mills were built in 1990.", True),
        ("Several mills were built in 1990.", True),
        ("The mill built in 1990 is old.", True),
    ],
)
def test_a_date_of_one_of_a_kind_picks_out(text: str, expected: bool) -> None:
    assert picks_out_by_date(*placed(text, "1990")) is expected
