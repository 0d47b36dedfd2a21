import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.rules.restated import measures, restated, told_measures
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


def told(claim, evidence):
    return restated(claim, told_measures(claim, atoms_of(claim)), evidence)


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("A lesson takes an hour.", "A lesson lasts 90 minutes.", "A lesson takes 60 minutes."),
        ("The wait is a day and a half.", "The usual wait: 36 hours.", "The wait is 36 hours."),
        ("The dough needs two days.", "The dough rests for 36 hours.", "The dough needs 48 hours."),
        ("Payment is due after a month.", "Payment: within 30 days.", "Payment is due after 30 days."),
        (
            "The stitches stay in for two months.",
            "The stitches come out after 3 weeks.",
            "The stitches stay in for 8 weeks.",
        ),
        ("It takes at least 120 minutes.", "It takes two hours.", "It takes at least two hours."),
        ("The bins go out every week.", "The bins go out twice a month.", "The bins go out 4 times a month."),
        ("Take it twice a day.", "Take it every 12 hours.", "Take it every 12 hours."),
        ("The club meets every other week.", "The club meets weekly.", "The club meets every 2 weeks."),
        ("We cut seven days a week.", "We cut every day.", "We cut every day."),
        ("Two fifths of the sales are abroad.", "Exports: 40% of sales.", "40% of the sales are abroad."),
        ("Members get half off.", "Members get 40 % off.", "Members get 50 % off."),
        ("One dog in twenty was sick.", "Of the dogs 4% were sick.", "5% of dogs was sick."),
        ("A ticket is eight euros fifty.", "A ticket costs €8.50.", "A ticket is €8.50."),
        ("A ticket is twelve quid.", "A ticket costs £12.", "A ticket is £12."),
        ("There are half a dozen lanes.", "The pool has six lanes.", "There are 6 lanes."),
        ("It opened in the sixties.", "It opened in 1954.", "It opened in the 1960s."),
        ("She led it in the nineties.", "She has led it since 2011.", "She led it in the 1990s."),
        ("It shone in the eighteen-forties.", "It shone from 1848 on.", "It shone in the 1840s."),
        ("Breakfast is at half past six.", "Breakfast: 6:30", "Breakfast is at 6:30."),
        (
            "The train goes at ten past ten at night.",
            "The train leaves at 21:50.",
            "The train goes at 22:10.",
        ),
        ("The bus goes at a quarter to nine.", "The bus leaves at 20:15.", "The bus goes at 20:45."),
        (
            "It flashes every three quarters of an hour.",
            "It flashes every 90 minutes.",
            "It flashes every 45 minutes.",
        ),
        ("The shop shuts at half past seven.", "The shop shuts at 6:30 pm.", "The shop shuts at 7:30 pm."),
        ("Leave a gap of half a metre.", "The gap is 45 cm.", "Leave a gap of 50 centimetres."),
        ("The tower is 200 feet tall.", "The tower is 36 metres tall.", "The tower is 61 metres tall."),
    ],
)
def test_another_amount_is_told_in_the_form_of_the_nearest_sentence(claim, evidence, expected):
    assert told(claim, evidence) == expected


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It runs at 60 km an hour.", "The hour-long ride costs 5 euros for 90 minutes."),
        ("It sails every hour and a half.", "It sails twice a day."),
        ("It is open six days a week.", "It is open for eleven hours."),
        ("A year's membership is cheap.", "Membership for 12 months: 40 euros."),
        ("She is in her sixties.", "She was born in 1954."),
        ("A quarter of an hour is enough.", "About 20 % is enough."),
        ("The wait is a week.", "The wait is 20 minutes."),
        ("It is just under 120 feet high.", "It is 36 metres high."),
        ("The lesson takes an hour.", "Parking is free for 90 minutes."),
        ("Rest for an hour.", "Rest for an hour, at most 90 minutes."),
        ("Two thirds came.", "Half of the guests came."),
        ("It lasts two hours or longer.", "It lasts 90 minutes."),
        ("From ten to twelve people come.", "People come at 9:30."),
    ],
)
def test_an_amount_stays_that_may_be_of_something_else(claim, evidence):
    assert told(claim, evidence) == claim


@given(st.text(alphabet=st.sampled_from("an hour half dozen every twice 0123456789£€%.:ab "), max_size=60))
def test_no_text_is_refused(text):
    told(text, "It lasts 90 minutes, twice a week, from 6:30 pm, in 1954, for £8.50 or 40 %.")
