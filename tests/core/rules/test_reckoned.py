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
        ("The canton pays 12.4 million.", 12.4e6, "Of 31 million the canton pays 40 %.", True),
        ("Children pay 12 euros.", 12, "The pass costs 24 euros; children pay half.", True),
        ("The first prize is £1,000.", 1000, "The second prize is £500, half the first prize.", True),
        ("The first prize is £2,000.", 2000, "The second prize is £500, half the first prize.", False),
        ("The cat weighs 3 kg.", 3, "The dog weighs 30 kg, ten times as much as the cat.", True),
        ("The course costs 20 euros.", 20, "The exam costs 40 euros, double what the course does.", True),
        ("The staff has 60 workers.", 60, "20 workers, a third of the staff, were sick.", True),
        ("It uses 10 litres for 200 km.", 200, "It uses 5 litres per 100 km.", True),
        ("It uses 10 litres for 300 km.", 300, "It uses 5 litres per 100 km.", False),
        ("It has 3 rooms and 60 beds.", 60, "It has 2 rooms and 40 beds.", False),
        ("Overtime is paid 50 % more.", 50, "Overtime is paid at 150 %.", True),
        ("It costs 75 dollars.", 75, "It costs 50 dollars from the fifth of the month on.", False),
        ("The desk opens at 10 am.", 600, "The room opens at 8 am, two hours before the desk.", True),
        ("The desk opens at 11 am.", 660, "The room opens at 8 am, two hours before the desk.", False),
        ("It costs little.", 0, "It costs 45 euros.", False),
        ("She won it three times.", 3, "She won it once in 1990 and twice later.", True),
        ("It is 0.05 g/l.", 0.05, "It is 5 mg/dl.", True),
        ("It is 50 mg/l.", 1, "It is 5 mg/dl.", True),
        ("It moves 3,600 m³/h.", 3600, "It moves 1 m³/s.", True),
        ("It moves 20 l/h.", 20, "It moves 20 m³/h.", False),
        ("The bag holds 1 kg.", 1, "The bag holds 450 g of rice and 550 g of beans.", True),
        ("The bag holds 2 kg.", 2, "The bag holds 450 g of rice and 550 g of beans.", False),
        ("A box of twelve holds 3.6 kg.", 3.6, "Jars of 300 g are sold in boxes of twelve.", True),
        ("It rose to 40 °C.", 40, "It rose from 15 °C by 25 °C.", True),
        ("Two cups contain 160 mg.", 2, "Each cup of 250 ml contains 80 mg.", True),
        ("Two cups contain 160 mg.", 160, "Each cup of 250 ml contains 80 mg.", True),
        ("Three cups contain 160 mg.", 3, "Each cup of 250 ml contains 80 mg.", False),
        ("Take 4 of 50 mg, at most 200 mg.", 4, "Take 2 of 50 mg, at most 200 mg.", False),
        ("It costs 2,520 euros a year.", 2520, "It costs 210 euros monthly.", True),
        ("It costs 2,520 euros yearly.", 2520, "It costs 210 euros a month.", True),
        ("It costs 2,520 euros yearly.", 2520, "It costs 210 euros weekly.", False),
    ],
)
def test_a_number_that_follows_from_the_sentence(claim, number, sentence, expected):
    atoms = atoms_of(claim)
    own = next((atom for atom in atoms if number in numbers_of(atom)), atoms[0])
    assert reckoned(own, atoms, atoms_of(sentence)) is expected
