"""Where a clause begins and whether it is a statement: what joins it, adds to it, or hangs on it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from decomposing import claims
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse

WHOLE = (
    # tells when another clause holds
    "The bus runs until 9, though not before the school year has begun.",
    "The oven may be opened while it bakes, but not while it cools.",
    "Refill the tray with 150 ml of water, but never when it is colder than 12 °C.",
    "The flat is insured for two months, and once these are over, in the new one alone.",
    "A rise lets guests leave within 14 days, no matter how recently they joined.",
    "Guests may leave within 14 days, however long they were members.",
    # adds to another clause
    "The study took in 24 fields altogether, half of them ploughed and half strip-tilled.",
    "They stay for nine nights, split over two inns.",
    "Anna and Felix set off on 14 June and spend six nights away, spread over three places to sleep.",
    "Rents will rise by 5 per cent, the council warned.",
    "The mill, its owner admits, burned twice.",
    "He never threatened her, the prosecutor told the court, but followed her to a supermarket.",
    # "it is" puts a name forward
    "In her view it was the purchase of hens, not the pump repair, that brought the balance down.",
    "It's Oona Fairweather, a librarian, who decides on the titles that readers suggest.",
    # the parser misreads
    "A friend can stay for three weeks on end, yet renting the place on to somebody is ruled out.",
    "On a day of 5 degrees ticks are not active, and a spray would keep midges away as well.",
    "At 7 °C a boy of 13 may scull in a double, but may not be in a sweep boat.",
    "In 1962 lightning burned down the wooden tower, and a stone one was built with money from the radio.",
    "The National Farmers' Guild, which says £5,000 is a fraction of the cost, has asked for twice as much.",
    "That the lake is deep because ice carved it is a guess.",
)

CUT = [
    (
        "The hall was designed by Ada Lind, opened in 1974 and renovated in 2016 for four million euros.",
        (
            "The hall was designed by Ada Lind.",
            "The hall was opened in 1974.",
            "The hall was renovated in 2016 for four million euros.",
        ),
    ),
    (
        "A jeweller convicted of fraud was fined €60,000 and told to pay back the insurer.",
        (
            "A jeweller convicted of fraud was fined €60,000.",
            "A jeweller convicted of fraud was told to pay back the insurer.",
        ),
    ),
    (
        "You're a Patron, so the yearbook that reaches you will be signed by the editors.",
        ("The user is a Patron.", "The yearbook that reaches the user will be signed by the editors."),
    ),
    (
        "The grammar school took in boys and girls side by side from its very beginning.",
        (
            "The grammar school took in boys side by side from its very beginning.",
            "The grammar school took in girls side by side from its very beginning.",
        ),
    ),
    (
        "She played the full set of six Bach suites, yet recorded no more than the first three.",
        ("She played the full set of six Bach suites.", "She recorded no more than the first three."),
    ),
    (
        "Fans adore that Jean Tissot, who won a Nobel, has got a museum.",
        ("Fans adore that Jean Tissot has got a museum.", "Jean Tissot won a Nobel."),
    ),
    ("She knows that dog, which barks at night.", ("She knows that dog.", "That dog barks at night.")),
    (
        "EPUB is now free, whereas turning a note into a PDF takes a Pro plan.",
        ("EPUB is now free.", "Turning a note into a PDF takes a Pro plan."),
    ),
    ("Basic is free, while saving a map costs 5 euros.", ("Basic is free.", "Saving a map costs 5 euros.")),
    ("The pool is heated, whilst the lake is cold.", ("The pool is heated.", "The lake is cold.")),
    (
        "The pass covers public centres, which as a rule have room on three days of the week.",
        ("The pass covers public centres.", "Public centres as a rule have room on three days of the week."),
    ),
    (
        "In a drought, young males go ahead to the water and old females come behind.",
        ("In a drought, young males go ahead to the water.", "In a drought, old females come behind."),
    ),
    (
        "Because the wheat was no longer in the town, oats and chestnuts were used for the bread.",
        (
            "The wheat was no longer in the town.",
            "Because the wheat was no longer in the town, oats and chestnuts were used for the bread.",
        ),
    ),
    (
        "Dinner is at 8 and, after the show, the bar, for which guests need a band.",
        ("Dinner is at 8 and, after the show, the bar.", "Guests need a band for the bar."),
    ),
    (
        "The hut is red; painted in 1990, the barn is blue.",
        ("The hut is red.", "The barn is blue.", "The barn was painted in 1990."),
    ),
    (
        "Rents rise; seen from the shore, the hills look blue.",
        ("Rents rise.", "Seen from the shore, the hills look blue."),
    ),
    (
        "Its owner had reckoned with a delay of six weeks; it has become fourteen months.",
        ("Its owner had reckoned with a delay of six weeks.", "It has become fourteen months."),
    ),
    ("The hall is small, so what counts is the view.", ("The hall is small.", "What counts is the view.")),
    ("He moved to Bern in 1990, opened a bakery.", ("He moved to Bern in 1990.", "He opened a bakery.")),
]

COMMANDED = [
    ("Give the Flexi back early and you pay 12 euros.",
     "If the user gives the Flexi back early, the user pays 12 euros."),
    ("Turn up on a Monday, and your key is blocked for a day.",
     "If the user turns up on a Monday, the user's key is blocked for a day."),
    ("Be there by 9 and you get a coffee.", "If the user is there by 9, the user gets a coffee."),
    ("Do not press it and you save 9 euros.", "Do not press it and the user saves 9 euros."),
    ("Pay by Friday or you lose the place.", "Pay by Friday or the user loses the place."),
    ("So that it dries, the wool is hung up.", "So that it dries, the wool is hung up."),
    ("While the oven is at work, fry the onions for 12 minutes until they have turned brown.",
     "While the oven is at work, fry the onions for 12 minutes until they have turned brown."),
    ("While you are pregnant, ask your doctor before you take it.",
     "While you are pregnant, ask your doctor before you take it."),
]  # fmt: skip


@pytest.mark.parametrize("sentence", WHOLE)
def test_what_is_no_statement_of_its_own_stays_in_its_sentence(parse: Parse, sentence: str) -> None:
    assert claims(Discourse(parse), sentence) == [sentence]


@pytest.mark.parametrize(("sentence", "expected"), CUT, ids=[s for s, _ in CUT])
def test_a_clause_is_told_without_what_joins_it(parse: Parse, sentence: str, expected: Sequence[str]) -> None:
    assert sorted(claims(Discourse(parse), sentence)) == sorted(expected)


@pytest.mark.parametrize(("sentence", "expected"), COMMANDED, ids=[s for s, _ in COMMANDED])
def test_a_command_that_is_a_condition_or_has_one_is_one_claim(
    parse: Parse, sentence: str, expected: str
) -> None:
    assert claims(Discourse(parse), sentence) == [expected]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Since the pan is hot, fry the onions for 12 minutes until they have turned brown.",
            (
                "Since the pan is hot, fry the onions for 12 minutes until they have turned brown.",
                "The pan is hot.",
            ),
        ),
        (
            "City tax will come to €24 for the pair of you, so put some cash aside for it.",
            ("City tax will come to €24 for the pair of you.", "Put some cash aside for it."),
        ),
        (
            "City tax for the stay will come to €24 for the pair of you, so put some cash aside for it.",
            ("City tax for the stay will come to €24 for the pair of you.", "Put some cash aside for it."),
        ),
        (
            "It closes at 4, so be there when it opens at 9.",
            ("It closes at 4.", "Be there when it opens at 9."),
        ),
        ("The hall is closed, so bring an umbrella.", ("The hall is closed.", "Bring an umbrella.")),
        (
            "Take two tablets a day, and you must drink a lot of water.",
            ("Take two tablets a day.", "The user must drink a lot of water."),
        ),
    ],
)
def test_a_command_beside_a_statement_is_told_too(
    parse: Parse, sentence: str, expected: Sequence[str]
) -> None:
    assert claims(Discourse(parse), sentence) == list(expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "- **Who runs it:** chair and treasurer are elected for two years.",
            ["Chair and treasurer are elected for two years."],
        ),
        ("- **How it works**: the pump draws water.", ["The pump draws water."]),
        ("- **Don't hammer it:** the API takes 100 calls a minute.", ["The API takes 100 calls a minute."]),
        ("- **How much it costs:** 12 euros.", ["How much it costs: 12 euros."]),
        ("- **When it rains:** the hall is open.", ["When it rains: the hall is open."]),
        ("- **Book by 5 May:** places are few.", ["Book by 5 May: places are few"]),
        ("- **Hours:** the pool opens at 9.", ["Hours: the pool opens at 9"]),
        ("- **Sauna:** children may not go in.", ["Sauna: children may not go in"]),
        ("- **Check-out:** the room is free by 11.", ["Check-out: the room is free by 11"]),
        (
            "- **Forget it:** delete it, and bear in mind that its readings are wiped after 30 days.",
            ["Forget it: delete it, and bear in mind that its readings are wiped after 30 days"],
        ),
        ("- Knead it well: the dough must be smooth.", ["Knead it well", "The dough must be smooth."]),
    ],
)
def test_a_bold_label_that_asks_or_commands_is_no_claim(
    parse: Parse, line: str, expected: Sequence[str]
) -> None:
    assert claims(Discourse(parse), line) == expected


def test_a_question_before_it_leaves_the_statement_from_which_a_command_follows(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="What should I know about the hall?"))
    found = claims(discourse, "The hall is closed on Mondays, so plan ahead.")
    assert found == ["The hall is closed on Mondays.", "Plan ahead."]
