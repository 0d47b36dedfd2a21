"""The deterministic tier: what it verifies or contradicts; what lies beyond: test_compare_open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings import SONG, ruling
from vista_stream.core.rules.compare import compare, prepare

SAME = [
    ("The bridge has three lanes.", "The bridge has 3 lanes"),
    ("The town has 1,000 inhabitants.", "the town has 1000 inhabitants!"),
    ("Rents rose by 5 %.", "Rents rose by 5 percent."),
    ("Rents rose by 5 per cent.", "Rents rose by five percent."),
    ("The lake is 12 km long.", "The lake is 12 kilometres long."),
    ("The lake is 5 km long.", "The lake is 5,000 m long."),
    ("The lake is 26.2 miles long.", "The lake is 42.2 km long."),
    ("The wall fell on Oct 3, 1990.", "The wall fell on 3 October 1990."),
    ("The wall fell on the 3rd of October 1990.", "The wall fell on 1990-10-03."),
    ("The firm is worth $2 million.", "The firm is worth 2,000,000 dollars."),
    ("The firm is worth $4.1 million.", "The firm is worth $4,100,000."),
    ("The firm is worth $8.2 billion.", "The firm is worth $8.2bn."),
    ("The firm is worth $8.2 billion.", "The firm is worth $8.2B."),
    ("The firm is worth €1.5 million.", "The firm is worth €1.5M."),
    ("The town spent £300k.", "The town spent £300,000."),
    ("The country has 8.2 billion trees.", "The country has 8,200,000,000 trees."),
    ("The pill holds 0.5 mg.", "The pill holds .5 mg."),
    ("The oven is set to 212 °F.", "The oven is set to 100 °C."),
    ("The sea warmed by 3.6 °F.", "The sea warmed by 2 °C."),
    ("The fee is $5–$10.", "The fee is 5 to 10 dollars."),
    ("Rents rose by 10%–20%.", "Rents rose by 10-20 percent."),
    ("The loan is A$5 million.", "The loan is AU$5m."),
    ("The town has 100,000 inhabitants.", "The town has 1,00,000 inhabitants."),
    ("Anna isn't a member.", "Anna is not a member."),
    ("Karl can't swim.", "Karl cannot swim."),
    ("The tower has twenty-one floors.", "The tower has 21 floors."),
    ("Corvia happened in the 19th century.", "Corvia happened in the 19th century."),
    ("The film did not win a prize.", "The film failed to win a prize."),
    ("“Dune” is a novel.", "'Dune' is a novel."),
    ("The pass lasts 12 months.", "The pass lasts a year."),
    ("Write back within 7 days.", "Write back within a week."),
    ("The tour takes 60 minutes.", "The tour takes an hour."),
    ("The bar closes at 20:00.", "The bar closes at 8 p.m."),
    ("The bar closes at 6:30pm.", "The bar closes at 18:30."),
    ("Lunch is at noon.", "Lunch is at 12 p.m."),
    ("The pass costs $20 a year.", "The pass costs 20 dollars per year."),
    ("The tour takes an hour and a half.", "The tour takes 90 minutes."),
    ("The tour takes two hours and a half.", "The tour takes 2.5 hours."),
    ("The tour takes two and a half hours.", "The tour takes 150 minutes."),
    ("The pass lasts a year and a half.", "The pass lasts 18 months."),
    ("The way is one mile and a quarter.", "The way is 1.25 miles."),
    ("The firm is worth $2 and a half million.", "The firm is worth $2.5 million."),
    ("The plan has >50 GB.", "The plan has more than 50 GB."),
    ("The ride takes 90 minutes.", "The ride takes 1 hour, 30 minutes."),
    ("The ride takes 1 h 30 min.", "The ride takes 90 minutes."),
    ("Karl is 5 ft 10 in tall.", "Karl is 70 inches tall."),
    ("The hall has 12 500 m².", "The hall has 12,500 m²."),
    ("The fee is CHF 1'200.", "The fee is CHF 1,200."),
    ("The pill holds 1,5 g.", "The pill holds 1.5 g."),
    ("The plan has 100MB/s.", "The plan has 100 MB/s."),
    ("The chip runs at 3.2GHz.", "The chip runs at 3200 MHz."),
    ("The pill holds 50μg.", "The pill holds 50 mcg."),
    ("Sales were 5-10 million units.", "Sales were 5 million to 10 million units."),
    ("Corvia sold 2–3 million copies.", "Corvia sold 2,000,000 to 3,000,000 copies."),
    ("The plan has ≤ 50 GB.", "The plan has at most 50 GB."),
    ("The train leaves from platform 5.", "The train leaves from platform 05."),
    ("The train leaves from platform 05.", "The train leaves from platform 5."),
    ("The fee is 5,000 ₩.", "The fee is ₩5,000."),
    ("The flat costs 500 ₺.", "The flat costs ₺500."),
    ("The fee is ₴5,000 per year.", "The fee is 5,000 ₴ per year."),
    ("The pool 🏊 opens at 9 am.", "The pool opens at 9 am."),
    ("The desk opens at 9.", "The desk opens at 9 ☎️."),
    ("Contact the desk 24 hours a day.", "Contact the desk → 24 hours a day."),
]


@pytest.mark.parametrize(("claim", "evidence"), SAME)
def test_the_same_in_another_spelling_is_verified(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "verified"
    assert ruling(evidence, claim) == "verified"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bridge has four lanes.", "The bridge has 3 lanes."),
        ("The town has 1,000 inhabitants.", "The town has 10,000 inhabitants."),
        ("Rents rose by 5 %.", "Rents rose by 15 %."),
        ("The lake is 5 km long.", "The lake is 5 miles long."),
        ("The lake is 5 km long.", "The lake is 500 m long."),
        ("The stone weighs 5 kg.", "The stone weighs 5 pounds."),
        ("The wall was built on Oct 3, 1990.", "The wall was built on 3 October 1989."),
        ("The wall was built on Oct 4, 1990.", "The wall was built on 3 October 1990."),
        ("The wall was built in November 1990.", "The wall was built on 3 October 1990."),
        ("Ada Moss was born in South Leeds in 1950.", "Ada Moss was born in South Leeds in 1951."),
        ("Ada Moss founded Mossoft in 1950.", "Ada Moss founded Mossoft in 1951."),
        ("The series first aired on 3 May 1990.", "The series first aired on 10 May 1990."),
        ("The school opened in the 1980s.", "The school opened in 1991."),
        ("Check-in is at 4 pm 😊", "Check-in is at 3 pm."),
        ("The school was built by Ann Hill in 1900.", "The school was built by Ann Hill in 1890."),
        ("The school opened in the 18th century.", "The school opened in 1991."),
        ("The temple was built in 44 BC.", "The temple was built in 54 BC."),
        ("Anna came third in the race.", "Anna came second in the race."),
        ("The firm is worth $2 million.", "The firm is worth €2 million."),
        ("At least 30 people came.", "Fewer than 20 people came."),
        ("The limit is 8 percent.", "The limit is .08 percent."),
        ("The fee is $12.", "The fee is $5–$10."),
        ("The council has 150 members.", "The council has 203 members."),
        ("The show has 20 episodes.", "The show has 24 episodes."),
        ("The oven is set to 20 °C.", "The oven is set to 25 °C."),
        ("The oven is set to 40 °F.", "The oven is set to 2 °C."),
        ("The release is 3.1.", "The release is 3.2."),
        ("About 9 million people live there.", "About 5 million people live there."),
        ("The match ended 3-1.", "The match ended 2-1."),
        ("The pass lasts a month.", "The pass lasts a year."),
        ("The bar closes at 9 p.m.", "The bar closes at 20:00."),
        ("The bar opens at 9:00.", "The bar opens at 10:00."),
        ("The pass costs $20 a month.", "The pass costs $20 a year."),
        ("The loan costs 3.5% per month.", "The loan costs 3.5% per year."),
        ("Take three pills a day.", "Take one pill a day."),
        ("The tour takes one hour.", "The tour takes an hour and a half."),
        ("The firm has 800 clients.", "The firm has >1,000 clients."),
        ("The reply takes 320 ms.", "The reply takes < 200 ms."),
        ("You can park for 3 hours.", "You can park for 2 hours."),
        ("The mean in January is 10 °C.", "The mean in January is –10 °C."),
        ("The return is 5%.", "The return is –5%."),
        ("The room has 1 bed.", "The room has 3 beds."),
    ],
)
def test_another_number_date_or_unit_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The school opened in the 1990s.", "The school opened in 1993."),
        ("The wall fell in October 1990.", "The wall fell on 3 October 1990."),
        ("About 5 million people live there.", "5 million people live there."),
        ("Anna won the prize.", "Anna won the prize in 1990."),
        ("Anna won the prize.", "In 1990, Anna won the prize."),
        ("The lake is deep.", "The lake (see map) is deep."),
        ("Ada Moss won the prize.", "Ada Moss, who lives in Leeds, won the prize."),
        ("The tower is 300 m tall.", "The tower is 300 m tall and was finished in 1889."),
        ("The tower is 300 m tall.", "The tower is 300 m tall (984 ft)."),
        ("The World Health Fund was founded in 1948.", "The World Health Fund (WHF) was founded in 1948."),
        ("The Fund of the World was founded in 1948.", "The Fund of the World (FW) was founded in 1948."),
        ("The Bank of Leeds was founded in 1948.", "The Bank of Leeds (BofL) was founded in 1948."),
        ("The World Health Fund Corporation is old.", "The World Health Fund Corporation (WHF) is old."),
        ("The tower is 330 m tall.", "The tower is 330 m tall, which is about 81 storeys."),
        ("The prize went to the Bank of Leeds.", "The prize went to the Bank of Leeds (BoL) in 1990."),
        ("Ada Moss met Bob Hill in Leeds.", "Ada Moss met Bob Hill (York, 3 May 1950) in Leeds."),
        ("The tower is tall.", "The tower is tall, because it was to be seen."),
        ("The tower has 3 lifts.", "The tower has 3 lifts, which are old."),
        ("The fee is 5 euros.", "The fee is 5 euros, which includes a map."),
        ("The tower was built in 1889.", "The tower was built in 1889 and is now a museum."),
        ("Ada Moss won the prize.", "Ada Moss, formerly a singer, won the prize."),
    ],
)
def test_evidence_that_says_more_verifies(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "verified"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The team won the title.", "The team did not win the title."),
        ("The team didn't win the title.", "The team won the title."),
        ("The team never won the title.", "The team won the title in 1990."),
        ("The team failed to win the title.", "The team won the title."),
        ("The town has a harbour.", "The town has no harbour."),
        (
            "Minors can legally buy tickets without consent.",
            "Minors cannot legally buy tickets without consent.",
        ),
        ("Karl is not.", "Karl is."),
        ("If you have a pass, you do not need a ticket.", "If you have a pass, you need a ticket."),
        ("The pool is not open when it rains.", "The pool is open when it rains."),
        ("No dogs are allowed in the hall.", "Dogs are allowed in the hall."),
        ("The card is currently not valid.", "The card is currently valid."),
        ("Ada Moss, who lives in Leeds, did not win.", "Ada Moss, who lives in Leeds, won."),
        ("The team did not hit the mark.", "The team hit the mark."),
        ("Bob did not broadcast the show.", "Bob broadcast the show."),
        ("The children were not happy.", "The child was happy."),
    ],
)
def test_a_negation_on_one_side_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("If you cancel, the fee is 20 euros.", "If you cancel, the fee is 10 euros."),
        ("The third hall has 4 doors.", "The third hall has 5 doors."),
        ("Sales dropped by 5 % last year.", "Sales dropped by 9 % last year."),
        ("The bar is open until 10 p.m.", "The bar is open until 11 p.m."),
        ("The bar is on the second floor.", "The bar is on the third floor."),
        ("The fire killed two people.", "The fire killed five people."),
        ("You get 5 days of leave.", "You get 10 days of leave."),
        ("Use 3 spoons of flour.", "Use 2 spoons of flour."),
        ("The halls were opened in 2010.", "The halls were opened in 2012."),
        ("Ada Moss and Bob Hill were born in 1950.", "Ada Moss and Bob Hill were born in 1951."),
        ("Her first novel was published in 1990.", "Her first novel was published in 1993."),
        ("Her eldest son was born in 1990.", "Her eldest son was born in 1993."),
        ("Goethe's Faust was published in 1808.", "Goethe's Faust was published in 1810."),
        ("McDonald's was founded in 1940.", "McDonald's was founded in 1945."),
        ("Ada's mother died in 1920.", "Ada's mother died in 1925."),
        ("Uranus was discovered by Ada Moss in 1781.", "Uranus was discovered by Ada Moss in 1791."),
        ("The inn has many rooms and 5 lifts.", "The inn has many rooms and 6 lifts."),
        ("The inn has several halls, 5 lifts and a pool.", "The inn has several halls, 6 lifts and a pool."),
        ("The comet was discovered in Chile in 1990.", "The comet was discovered in Chile in 1991."),
        ("Microsoft was founded in Albuquerque in 1975.", "Microsoft was founded in Albuquerque in 1976."),
        ("The second hall was opened in 2010.", "The second hall was opened in 2012."),
        ("More than 90 people came.", "At most 20 people came."),
    ],
)
def test_a_value_that_is_said_of_what_is_meant_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


def test_two_negations_cancel() -> None:
    assert ruling("The plan is not without risk.", "The plan is with risk.") == "verified"


def test_the_number_of_the_list_that_stands_in_its_place_counts() -> None:
    evidence = "The team has 3 wins and 5 losses."
    assert ruling("The team has 3 wins.", evidence) == "verified"
    assert ruling("The team has 4 wins.", evidence) == "contradicted"
    assert ruling("The team has 5 wins.", evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The song was written by Paul Simon.", SONG),
        ("The hero is played by actor Ada Moss.", "The hero is played by Bob Hill."),
        (
            "The actor who played the hero was Ada Moss.",
            "The actor who played the hero was Bob Hill, a Scottish singer.",
        ),
    ],
)
def test_a_swapped_name_in_a_place_for_one_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


LIFE = "Ada Moss (born Ada Hill; 3 October 1950 – 7 May 2001) was a Welsh painter."


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("Ada Moss was born in 1950.", LIFE, "verified"),
        ("Ada Moss was born on October 3, 1951.", LIFE, "contradicted"),
        ("Ada Moss died in 2001.", LIFE, "verified"),
        ("Ada Moss died in 1950.", LIFE, "contradicted"),
        ("Eve Moss died in 1950.", LIFE, None),
        ("Ada Moss was born in 1950.", "Ada Moss (1950–1961) was a Welsh band.", None),
        ("Ada Moss was born in 1949.", "Ada Moss (born 3 October 1950) is a painter.", "contradicted"),
    ],
)
def test_brackets_after_a_name_tell_birth_and_death(claim: str, evidence: str, expected: str | None) -> None:
    assert ruling(claim, evidence) == expected


def test_the_reason_names_what_differs() -> None:
    found = compare(prepare("The lake is 5 km long."), prepare("The lake is 8 km long."))
    assert found is not None
    assert found.reason == "number: the evidence has 8 km, not 5 km"


WORDS = "ada moss won the red boat 3 7 1990 not in of km about and by who , ( )"
SENTENCES = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=12).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_any_two_texts_are_compared_without_an_error(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) in ("verified", "contradicted", None)


@given(SENTENCES)
def test_no_sentence_contradicts_itself(text: str) -> None:
    assert ruling(text, text) in ("verified", None)


def test_what_differs_in_capitals_only_is_told_as_written() -> None:
    found = compare(prepare("The plant has a power of 5 mW."), prepare("The plant has a power of 5 MW."))

    assert found is not None
    assert found.reason == "number: the evidence has 5 MW, not 5 mW"
