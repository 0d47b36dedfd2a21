import pytest

from vista_stream.core.rules.restated import measures, restated
from vista_stream.core.rules.wording import atoms_of


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        (
            "The fare is paid back if the delay is 120 minutes or longer.",
            "If the delay is two hours or longer, the fare is paid back.",
            "The fare is paid back if the delay is two hours or longer.",
        ),
        (
            "You need two weeks' notice to cancel.",
            "Cancelling takes 14 days' notice.",
            "You need 14 days' notice to cancel.",
        ),
        ("See Vardal at 19:30.", "Vardal will play at 7.30 pm.", "See Vardal at 7.30 pm."),
        (
            "The fee is at most €8, and the lens weighs 1,800kg.",
            "The lens of 1.8 tonnes costs up to 8 euros.",
            "The fee is up to 8 euros, and the lens weighs 1.8 tonnes.",
        ),
        ("It sends 40 megabits a second.", "Upload: 40 Mbit/s", "It sends 40 Mbit/s."),
        ("Two weeks are enough.", "It takes fourteen days.", "Fourteen days are enough."),
        ("It takes at most ten kilos.", "Up to 10 kg: £8", "It takes up to 10 kg."),
        ("It opens at 20:00.", "It opens at 8 p.m. on Sundays.", "It opens at 8 p.m."),
        ("The gym costs 260 euros a year.", "It costs 5 euros per week.", "The gym costs 5 euros per week."),
        ("It loses 14 seconds a week.", "It loses two seconds a day.", "It loses two seconds a day."),
        ("It lasts 90 minutes.", "Length: 1 h 30", "It lasts 1 h 30 min."),
        ("Entry costs €1.50.", "Entry is 1 euro 50 per head.", "Entry costs 1.50 euro."),
    ],
)
def test_a_measure_is_told_as_the_evidence_tells_it(claim, evidence, expected):
    assert restated(claim, measures(atoms_of(claim)), evidence) == expected


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It takes 90 minutes.", "It takes two hours."),
        ("It takes at least 120 minutes.", "It takes two hours."),
        ("It opens at 7:30.", "It opens at 7.30 pm."),
        ("The fine is 15 pence a week.", "The fine is 15 pence a day."),
        ("The plan costs $100 a year.", "The plan costs $10 a month."),
        ("The rent is 1.20 euros.", "The rent is 1.200 euros."),
        ("The code is 07.", "The code is 007."),
        ("The tour takes 125 minutes.", "The tour takes 2 hours, 05 is the extension."),
        ("Tickets cost €20.12.", "Tickets cost 20 euros, 12 to 16 half of it."),
        ("She takes three tools for a week.", "Tools cost £4 a day."),
        ("Thirty people came.", "30 people came."),
        ("It takes 120 minutes.", "It takes 120 minutes, which is two hours."),
        ("Walk 120 minutes, rest, and walk 120 minutes.", "Walk two hours."),
        ("It is 5 km long.", "Nothing is said of it."),
        ("", ""),
    ],
)
def test_another_measure_stays(claim, evidence):
    assert restated(claim, measures(atoms_of(claim)), evidence) == claim


@pytest.mark.parametrize(
    ("claim", "found"), [("It is 5 km long.", True), ("Five people came.", False), ("It is long.", False)]
)
def test_only_measures_can_be_restated(claim, found):
    assert bool(measures(atoms_of(claim))) is found
