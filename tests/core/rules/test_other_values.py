import pytest

from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.other_values import differs_in_value, lacks_value, turns_limit

CANAL = "The Panama Canal opened on 15 August 1914."


def said(claim, *sentences):
    return differs_in_value(prepare(claim), [prepare(sentence) for sentence in sentences])


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The Panama Canal was opened in 1915.", CANAL),
        ("The canal was opened in 1915.", CANAL),
        ("The shop is open at 8 a.m.", "The shop is open from 9 a.m. to 6 p.m."),
        ("The shop opens at noon.", "The shop is open from 9 a.m. to 6 p.m."),
        ("The canal was opened in July 1914.", CANAL),
        ("The tower is 450 metres high.", "Counting its mast, the tower stands 430 metres high."),
        (
            "The lake holds 37 % of the fresh water.",
            "Of all fresh water 20 % is in the lake, which holds ice.",
        ),
        ("The ship carried 2,400 people.", "When it sank, the ship carried 1,300 people and mail."),
        ("The bus carried nine passengers.", "When it left the road the bus carried four passengers."),
    ],
)
def test_another_value_in_like_words_contradicts_what_has_one_only(claim, evidence):
    assert said(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The team won the cup in 1990.", "In 1988 the team had won the cup at home."),
        ("In 2015 the team had 40 wins.", "In 2014 the team had 40 wins and a draw."),
        ("Five people were killed.", "Police say two people were killed when the bus left the road."),
    ],
)
def test_what_may_hold_twice_stays_open(claim, evidence):
    assert said(claim, evidence) == "open"


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        ("The canal was opened in 1914.", [CANAL]),
        ("The canal was opened in August 1914.", [CANAL]),
        ("The canal was opened in 1915.", [CANAL, "The opening was put off to 1915."]),
        ("The canal was opened in 1915.", ["The Panama Canal joins two oceans."]),
        ("The canal was opened in 1915.", ["Work on the canal ended in 1914."]),
        ("The canal was not opened in 1915.", [CANAL]),
        ("The canal opened before 1915.", [CANAL]),
        ("Three women wrestle.", ["A woman wrestles with two others, women who wrestle back."]),
        ("Five people were killed.", ["Two people were killed by the bus and three people by the fire."]),
        ("Nine of them wrestle.", ["Two of them wrestle, with one of the others."]),
        ("The tower is about 450 metres high.", ["The tower is 430 metres high."]),
        ("The tower is 1,411 feet high.", ["The tower is 430 metres high."]),
        ("About 2 million people came.", ["2,148,271 people came."]),
        ("The band formed in the 1970s.", ["The band formed in the mid-1970s, and again in 1990."]),
        ("The canal was opened by the president.", [CANAL]),
        ("The park costs $900.", ["The park costs $800.", "With the museum it is 900."]),
        ("The ticket is valid for 30 days.", ["The ticket is valid for 3 zones."]),
        ("Returns take 30 days.", ["Returns take a month, or 20 days by post."]),
        ("The film lasts 135 minutes.", ["The film lasts 2:15."]),
        ("The park is open in May.", ["The park is open from March to October."]),
        ("The shop is open at noon.", ["The shop is open from 9 a.m. to 6 p.m."]),
        ("The bar is open at 1 a.m.", ["The bar is open from 6 p.m. to 2 a.m."]),
        ("The park is open in May.", ["The park is open all year except in March."]),
        ("Rossi scored in minutes 12 and 98.", ["Rossi scored twice, in the minutes named."]),
        ("The glass is heat-resistant to 200 °C.", ["The glass is heat-resistant to 300 °C."]),
    ],
)
def test_else_nothing_is_said(claim, sentences):
    assert said(claim, *sentences) is None


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        ("Our check-out is at 10 a.m.", ["Check-out is at 11 a.m.", "The deposit is 200 euros."]),
        ("Our pass costs $30.", ["The pass costs $20.", "Parcels are delivered within 3 days."]),
        ("Our pass costs $30 a month.", ["The pass costs $20 a month.", "It has 900 users."]),
    ],
)
def test_numbers_of_another_kind_in_the_passage_hide_no_difference(claim, sentences):
    assert said(claim, *sentences) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Take one 50 mg tablet.", "The dose is 50 mcg a day."),
        ("You get up to 500 MB/s.", "Downloads run at up to 500 Mbps."),
        ("You may send up to 25 GB.", "Attachments may have 25 MB."),
        ("It takes about 120 kW a year.", "The fridge uses 120 kWh a year."),
        ("Set the oven to 180 °F.", "Bake it at 180 °C."),
    ],
)
def test_the_same_number_in_another_unit_contradicts_in_whatever_words(claim, evidence):
    assert said(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("You get up to 500 megabits per second.", "Downloads run at up to 500 Mbps."),
        ("Take one 50 mg tablet.", "The dose is 50 mcg for children and 0.05 g for adults."),
        ("Send at most 10 GB.", "The limit is 10 GiB."),
        ("The box holds 5 kg.", "The box costs 5 dollars."),
        ("It is -40 °C cold.", "It was -40 °F that day."),
        ("The plan costs $120 a year.", "The plan costs $10 a month."),
        ("Payment within a week earns a discount.", "Payment within 10 days earns a discount."),
    ],
)
def test_a_unit_that_gives_the_value_or_measures_something_else_is_no_slip(claim, evidence):
    assert said(claim, evidence) is None


def test_a_length_of_time_in_another_unit_stays_open():
    assert said("You have 30 weeks to send it back.", "Returns are accepted within 30 days.") == "open"


@pytest.mark.parametrize(
    ("claim", "evidence", "lacks"),
    [
        ("You pay $35.", "The price is $25.", True),
        ("You may send up to 50 MB.", "Attachments may have up to 25 MB.", True),
        ("You may send up to 25 MB.", "Attachments may have up to 25 MB.", False),
        ("It has more than 1,000 workers.", "It employs 1,500 people.", False),
        ("You pay about $35.", "The price is $25.", False),
        ("You have 60 days.", "Returns are accepted within 30 days.", False),
        ("Five people came.", "Six people were there.", False),
        ("You pay $35.", "It is not free.", False),
        ("You do not pay $35.", "The price is $25.", False),
        ("It came third.", "It came second.", False),
        ("You pay $35 a kilo.", "The price is $35 per kg.", False),
        ("It is waterproof at 30 m.", "The watch is waterproof to 50 m.", False),
        ("It is waterproof at 80 m.", "The watch is waterproof to 50 m.", True),
    ],
)
def test_a_value_is_lacking_where_the_evidence_has_others_of_its_sort(claim, evidence, lacks):
    assert lacks_value(prepare(claim), [prepare(evidence)]) is lacks


def test_a_number_that_the_reference_has_elsewhere_is_not_lacking():
    claim, evidence = prepare("You pay $35."), [prepare("The price is $25.")]
    assert lacks_value(claim, evidence, elsewhere={25.0})
    assert not lacks_value(claim, evidence, elsewhere={35.0})


@pytest.mark.parametrize(
    "claim", ["It is $35 in all.", "The total is $35.", "This makes $35.", "That's $35."]
)
def test_what_is_reckoned_is_not_lacking(claim):
    assert not lacks_value(prepare(claim), [prepare("The price is $25.")])


@pytest.mark.parametrize(
    ("claim", "evidence", "turned"),
    [
        ("At least five days must be carried over.", "Up to five days may be carried over.", True),
        ("A room is yours for three hours at least.", "You can book rooms for up to three hours.", True),
        ("You get no less than €300 for an item.", "No more than €300 is paid for any one item.", True),
        ("It never returns fewer than 200 items.", "It returns at most 200 items.", True),
        ("Up to five days may be carried over.", "At most five days may be carried over.", False),
        ("At least six days must be carried over.", "Up to five days may be carried over.", False),
        ("You need at least two adults.", "Each adult may take at most two children.", False),
        ("Rebook at least 48 hours before sailing.", "You may rebook up to 48 hours before sailing.", False),
        ("Over 27 you pay.", "Under 27 it is free.", False),
        ("It does not take at least 5 days.", "It takes up to 5 days.", False),
        ("It takes at least 5 days.", "It takes at least 5 days and at most 5 days.", False),
    ],
)
def test_the_least_is_not_the_most(claim, evidence, turned):
    assert turns_limit(prepare(claim), [prepare(evidence)]) is turned
