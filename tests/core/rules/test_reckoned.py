import pytest

from vista_stream.core.rules.reckoned import reckoned
from vista_stream.core.rules.wording import atoms_of, numbers_of


@pytest.mark.parametrize(
    ("claim", "number", "sentence", "expected"),
    [
        (
            "With two passengers it costs 56 euros.",
            56,
            "It costs 38 euros; each passenger pays 9 more.",
            True,
        ),
        (
            "Toys bring in 15 percent.",
            15,
            "Seats bring in 60 percent, prams 25 percent, toys the rest.",
            True,
        ),
        ("It succeeded in 1930.", 1930, "It failed in 1929 but succeeded a year later.", True),
        ("The fee is 5,580 euros.", 5580, "The fee is 18 euros a page for 310 pages.", True),
        ("It costs 54 euros.", 54, "It costs 45 euros.", False),
        ("The brush costs $54.", 54, "One brush is included, the other costs 54 euros.", False),
        ("It costs 54 euros.", 54, "Nothing is said of its price.", False),
        ("It loses 14 seconds a week.", 1, "It loses two seconds a day.", True),
        ("It costs 120 dollars a year.", 120, "It costs 10 dollars a month.", True),
        ("It costs 10 dollars a month.", 10, "It costs 120 dollars a year.", True),
        ("It costs 10 dollars a year.", 1, "It costs 10 dollars a month.", False),
        ("It costs little.", 0, "It costs 45 euros.", False),
    ],
)
def test_a_number_that_follows_from_the_sentence(claim, number, sentence, expected):
    atoms = atoms_of(claim)
    own = next((atom for atom in atoms if number in numbers_of(atom)), atoms[0])
    assert reckoned(own, atoms, atoms_of(sentence)) is expected
