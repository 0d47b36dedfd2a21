"""The deterministic tier: each rule with a case on either side of its border."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.rules import compare, prepare


def ruling(claim: str, evidence: str) -> str | None:
    found = compare(prepare(claim), prepare(evidence))
    return found.category if found else None


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
    ],
)
def test_another_number_date_or_unit_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("About 5 million people live there.", "5.1 million people live there."),
        ("The jar holds 1,000,000 seeds.", "The jar holds 10⁶ seeds."),
        ("The jar holds 1,000,000 seeds.", "The jar holds 1.0 × 10⁶ seeds."),
        ("The walk takes 2 hours.", "The walk takes 2½ hours."),
        ("The tax is 34 percent.", "The tax is 3,4 percent."),
        ("The firm has 1.5 million clients.", "The firm has 1.5M clients."),
        ("The train leaves at 5.", "The train leaves at 5:30."),
        ("The bag costs 10 pounds.", "The bag costs £10."),
        ("The bag costs £10.", "The bag costs 10 pounds."),
        ("The fee is $7.", "The fee is $5–$10."),
        ("The fee is $7.", "The fee is $5-$10."),
        ("The tax is 15%.", "The tax is 10%–20%."),
        ("The city has 2 million people.", "The city has 2,148,271 people."),
        ("The wall is 20,000 km long.", "The wall is 21,196 km long."),
        ("The firm has 500 clients.", "The firm has over 500 clients."),
        ("The firm has 1,500 clients.", "The firm has >1,000 clients."),
        ("The reply takes <200 ms.", "The reply takes 120 ms."),
        ("The film runs 135 minutes.", "The film runs 2:15."),
        ("The film runs 2:15.", "The film runs 135 minutes."),
        ("The dish needs 2.5 kilos.", "The dish needs 2 kilos and a half bottle of wine."),
        ("The firm has over 500 clients.", "The firm has 500 clients."),
        ("The sea freezes at 33 °F.", "The sea freezes at 0 °C."),
        ("The patient is at 100 °F.", "The patient is at 37 °C."),
        ("The sea is at 2 °C.", "The sea is 2 °C warmer."),
        ("The loan is $5 million.", "The loan is A$5 million."),
        ("The loan is C$5 million.", "The loan is $5 million."),
        ("The release is 3.1.", "The release is 3.10."),
        ("The card is 9007199254740993.", "The card is 9007199254740992."),
        ("5 million people live there.", "5.1 million people live there."),
        ("Exactly 5 million people live there.", "About 5 million people live there."),
        ("At least 3 people came.", "7 people came."),
        ("More than 10 people came.", "More than 20 people came."),
        ("7 people came.", "5 to 10 people came."),
        ("Rents rose by 5 percent.", "Rents rose by 5 percentage points."),
        ("Rents rose by 5.", "Rents rose by 5 percent."),
        ("The trip costs 10 dollars.", "The trip costs 9 euros."),
        ("The school opened in 1993.", "The school opened in the 1990s."),
        ("The wall fell on 3 October 1990.", "The wall fell in 1990."),
        ("The house was built before 1995.", "The house was built before 1990."),
        ("The work was done in 1819 or 1821.", "The work was done in 1819 or 1820."),
        ("Corvia ran between 1936 and 1986.", "Corvia ran between 1936 and 1985."),
        ("The school was not opened in 1990.", "The school was not opened in 1991."),
        ("The bridge has not 4 lanes.", "The bridge has not 3 lanes."),
        ("Wales won the cup in 1962.", "Wales won the cup in 1958."),
        ("As of 1990, the town had a mayor.", "As of 1989, the town had a mayor."),
        ("Born in Leeds, she won the cup in 1962.", "Born in Leeds, she won the cup in 1958."),
        ("The film released in Japan won in 1962.", "The film released in Japan won in 1958."),
        ("The game was released in 1991.", "The game was released in 1990 in Japan."),
        ("The series aired on 3 May 1990.", "The series aired on 10 May 1990."),
        ("The bar opens at 9:00.", "The bar opens at 9 p.m."),
        ("The 9:00 tour is full.", "The 10:00 tour is full."),
        ("The pass costs $20 a month.", "The pass costs $240 a year."),
        ("Karl left a month later.", "Karl left a year later."),
    ],
)
def test_what_both_could_be_is_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


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
        ("The tower is tall.", "The tower is tall, because it was to be seen."),
    ],
)
def test_evidence_that_says_more_verifies(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "verified"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Anna was the first winner.", "Anna was the first winner in Wales."),
        ("Corvia is the largest lake.", "Corvia is the largest lake in Wales."),
        ("All trains are late.", "All trains are late on Sundays."),
        ("Anna won the prize.", "Anna won the prize, according to her aunt."),
        ("Anna won the prize.", "Anna won the prize if the votes were counted."),
        ("Anna lives in Leeds.", "Anna lives in Leeds or York."),
        ("Anna won the prize.", "Her sister said Anna won the prize."),
        ("Karl appeared in War.", "Karl appeared in War and Peace."),
        ("The run took 3 hours.", "The run took 3 hours and 18 minutes."),
        ("Karl is a spy.", "In the film, Karl is a spy."),
        ("The club is larger.", "The club is larger than the town."),
        ("Ada Moss wrote the song.", "Ada Moss's brother wrote the song."),
        ("The man ran.", "The man who chased the dog ran."),
        ("Anna may win the prize.", "Anna will win the prize."),
        ("Parking is free.", "Parking is free for stays below 2 hours."),
        ("Parking is free.", "Parking is free, for members."),
        ("Parking is free.", "Parking is free (members)."),
        ("Parking is free.", "Parking is free, space permitting."),
        ("The pool is closed.", "The pool is closed on Mondays."),
        ("The pool is closed.", "The pool is closed in May."),
        ("The pool is closed.", "In May, the pool is closed."),
        ("The pool is closed.", "The pool is closed while the water is cleaned."),
        ("The plant is harmless.", "The plant is harmless when cooked in water."),
        ("The plant is harmless.", "The plant is harmless and tasty when cooked."),
        ("Dogs can come in.", "Dogs can come in with a lead."),
        ("The moon is hollow.", "“The moon is hollow,” she said."),
        ("The moon is hollow.", "The moon is hollow, the club argues."),
        ("The moon is hollow.", "The moon is hollow, some believed."),
        ("The moon is hollow.", "The moon is hollow, he joked."),
        ("The moon is hollow.", "The moon is hollow, she insists."),
    ],
)
def test_evidence_that_turns_or_narrows_it_does_not_verify(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


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
    ],
)
def test_a_negation_on_one_side_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The team won the title.", "The team did not win the title in 1990."),
        ("The team did not win the title in 1991.", "The team won the title in 1990."),
        ("The team did not win all titles.", "The team won all titles but one."),
        ("The town has 3 harbours.", "The town has no harbour."),
        ("Karl no longer lives in Leeds.", "Karl lived in Leeds."),
        ("Parking is not free.", "Parking is free for stays below 2 hours."),
        ("Fishing is not allowed.", "Fishing is allowed in marked areas."),
        ("Fishing is not allowed.", "Fishing is allowed, with a permit."),
        ("Fishing is not allowed.", "In Wales, fishing is allowed."),
    ],
)
def test_a_negation_beside_another_difference_is_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fee is 20 euros.", "In Wales, the fee is 15 euros."),
        ("The fee is 20 euros.", "The fee is 15 euros for members."),
        ("The town had 900 people.", "The town had 500 people in 1990."),
        ("The hero is played by Ada Moss.", "In the remake, the hero is played by Bob Hill."),
        ("The hero is played by Ada Moss.", "The hero is played by Bob Hill in the remake."),
    ],
)
def test_another_value_under_a_condition_is_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Guests who do not have a car park for free.", "Guests who have a car park for free."),
        ("People whose bags do not arrive get a form.", "People whose bags arrive get a form."),
        ("Bags that are not locked are searched.", "Bags that are locked are searched."),
        ("Bags not locked are searched.", "Bags locked are searched."),
        ("Bags you do not lock are searched.", "Bags you lock are searched."),
        ("Bags a guest does not lock are searched.", "Bags a guest locks are searched."),
        ("Guests without a pass wait outside.", "Guests with a pass wait outside."),
        ("Guests with no pass wait outside.", "Guests with a pass wait outside."),
        ("Guests showing no pass wait outside.", "Guests showing a pass wait outside."),
        ("Guests given no notice are refunded.", "Guests given notice are refunded."),
        ("There is a form for guests not on the list.", "There is a form for guests on the list."),
        ("Not paying in time costs 5 euros.", "Paying in time costs 5 euros."),
        ("The stall sells jam when fruit is not in season.", "The stall sells jam when fruit is in season."),
        ("If the lift is lost, stuck or not used, call us.", "If the lift is lost, stuck or used, call us."),
        ("The fee is due unless you are not a member.", "The fee is due unless you are a member."),
        ("Anna can swim without a float.", "Anna can swim with a float."),
        ("Karl left without a hat.", "Karl left with a hat."),
        ("The plan might not work.", "The plan might work."),
        ("Some seats do not have a view.", "Some seats have a view."),
        ("Many guests did not pay.", "Many guests paid."),
    ],
)
def test_a_negation_that_picks_out_what_is_meant_is_left_open(one: str, other: str) -> None:
    assert ruling(one, other) is None
    assert ruling(other, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The second hall has a stage.", "The third hall has a stage."),
        ("The first ride is free of charge.", "The second ride is free of charge."),
        ("Two children pay 8 euros.", "Three children pay 8 euros."),
        ("A dive of 10 m is safe.", "A dive of 5 m is safe."),
        ("The $5 pass includes a map.", "The $9 pass includes a map."),
        ("Rooms for 2 guests have a balcony.", "Rooms for 4 guests have a balcony."),
        ("Parcels under 5 kg cost 3 euros.", "Parcels above 10 kg cost 3 euros."),
        ("Fewer than 5 guests pay 20 euros.", "At least 10 guests pay 20 euros."),
        ("If you stay 3 nights, breakfast is free.", "If you stay 5 nights, breakfast is free."),
        ("Guests who stay 3 nights get a map.", "Guests who stay 5 nights get a map."),
        ("Calls made 24 hours before the visit are free.", "Calls made 48 hours before the visit are free."),
        ("Items bought within 30 days qualify.", "Items bought within 60 days qualify."),
        ("The fee paid for 2 rooms is refunded.", "The fee paid for 3 rooms is refunded."),
        ("The club has a bar on the second floor.", "The club has a bar on the third floor."),
        ("A hall was opened in 2010.", "A hall was opened in 2012."),
        ("Another hall was opened in 2010.", "Another hall was opened in 2012."),
        ("Two halls were opened in 2010.", "Two halls were opened in 2012."),
        ("Halls were opened in 2010.", "Halls were opened in 2012."),
        ("In Leeds a hall was opened in 2010.", "In Leeds a hall was opened in 2012."),
        ("The hall built in 2010 has a stage.", "The hall built in 2012 has a stage."),
        ("The lake covers 5 miles.", "The lake covers 5 square miles."),
        ("The tank holds 5 cm.", "The tank holds 5 ml."),
        ("The limit is 60 miles.", "The limit is 60 mph."),
    ],
)
def test_a_value_that_picks_out_what_is_meant_is_left_open(one: str, other: str) -> None:
    assert ruling(one, other) is None
    assert ruling(other, one) is None


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
        ("The second hall was opened in 2010.", "The second hall was opened in 2012."),
        ("More than 90 people came.", "At most 20 people came."),
    ],
)
def test_a_value_that_is_said_of_what_is_meant_contradicts(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Dogs are allowed.", "Dogs (under 10 kg) are allowed."),
        ("Orders ship free.", "Orders (above $50) ship free."),
        ("Cancellation is free.", "Cancellation is free (24 hours before arrival)."),
        ("Kids eat free.", "Kids eat free (under 12)."),
        ("The plan is free.", "The plan is free (first 30 days)."),
        ("The plan is free.", "The plan is free (then $10 a month)."),
        ("Wi-Fi is free.", "Wi-Fi is free (where available)."),
        ("Children are admitted.", "Children, along with an adult, are admitted."),
        ("The fee is $5.", "The fee (adults) is $10."),
        ("Checkout is at 11 am.", "Checkout (weekdays) is at 10 am."),
        ("Delivery is free.", "Delivery is free, orders under $50 excluded."),
        ("Delivery is free.", "Delivery is free, minimum order $50."),
        ("Delivery is free.", "Delivery is free: orders above $50."),
        ("The museum is open.", "The museum is open, excluding the east wing."),
        ("The museum is open.", "The museum is open, apart from the east wing."),
        ("The museum is open.", "The museum is open, Mondays aside."),
        ("Tuition is free.", "Tuition is free, pending approval."),
        ("Tuition is free.", "Tuition is free, limited to residents."),
        ("Tuition is free.", "Tuition is free, so long as grades hold."),
        ("Tuition is free.", "Tuition is free, sometimes."),
        ("Returns are free.", "Returns are free – gold members."),
        ("Vaccines cause autism.", "Vaccines cause autism: a debunked myth."),
        ("The king was poisoned.", "The king was poisoned, legend has it."),
        ("The king was poisoned.", "The king was poisoned, which historians reject."),
        ("Returns are free.", "Returns are free? Wrong!"),
        ("The earth is flat.", "The earth is flat and other myths."),
        ("The fee is $10.", "The fee is $5, weekdays."),
        ("The dose is 250 mg.", "The dose is 500 mg – adults."),
        ("The fee is $2.50.", "The fee is $5, children half price."),
        ("Store at 20 °C.", "Store at –20 °C."),
        ("The balance is $50.", "The balance is -$50."),
        ("The balance is $50.", "The balance is –$50."),
        ("The tolerance is 5 mm.", "The tolerance is ±5 mm."),
        ("The bond is rated A.", "The bond is rated A-."),
        ("His blood type is O.", "His blood type is O-."),
        ("Free parking: ✓", "Free parking: ✗"),
        ("The language is C.", "The language is C#."),
        ("The museum is closed in December 2024.", "The museum is closed on 24 December 2024."),
        ("Admission is free in January.", "Admission is free on 1 January."),
        ("The rate was 5% in the 1990s.", "The rate was 5% in 1990."),
        ("Bags are free.", "On flights booked before 1 May 2024, bags are free."),
        ("The airbag is optional.", "In cars built before 2010, the airbag is optional."),
        ("Returns are free.", "From 1 January 2030, returns are free."),
        ("The king was poisoned.", "In the novel published in 1990, the king was poisoned."),
        ("The ice melted.", "As predicted in 1990, the ice melted."),
        ("The flight is an hour.", "The flight is an hour and a half."),
        ("The drive is an hour.", "The drive is an hour and twenty minutes."),
        ("The price is a dollar.", "The price is a dollar and fifty cents."),
        ("Rooms cost $99.", "Rooms cost $99 and up."),
        ("The flag is red.", "The flag is red and white."),
        ("Rooms cost $120.", "Rooms cost $99 and up."),
        ("Your order may not arrive on the same day.", "Your order may arrive on the same day."),
        ("The drug may not help.", "The drug may help."),
        ("You can park for 1 hour.", "You can park for 2 hours."),
        ("You may stay for 60 days.", "You may stay for 90 days."),
        ("The ticket is valid for 1 hour.", "The ticket is valid for 2 hours."),
        (
            "Pope Pius XII was born on 2 March 1939.",
            "Pope Pius XII (2 March 1939 – 9 October 1958) was head of the Church.",
        ),
        (
            "Queen Elizabeth I was born on 7 September 1533.",
            "Queen Elizabeth I (17 November 1558 – 24 March 1603) was Queen of England.",
        ),
        ("The race was won by Red Bull Racing.", "The race was won by Max Verstappen."),
        ("Anna was the founder of Apple.", "Anna was a founder of Apple."),
        ("The tank holds 45 litres.", "The tank holds 10 gallons."),
    ],
)
def test_what_an_aside_a_tail_an_opening_or_a_sign_may_change_is_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


def test_two_negations_cancel() -> None:
    assert ruling("The plan is not without risk.", "The plan is with risk.") == "verified"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ada Moss was born in 1950.", "Bob Hill was born in 1951."),
        ("Apollo 11 landed on the moon.", "Apollo 12 landed on the moon."),
        ("Karl played in the 2010 World Cup.", "Karl played in the 2014 World Cup."),
        ("In 1990, the town had 500 people.", "In 2000, the town had 900 people."),
        ("The team has 5 wins and 3 losses.", "The team has 3 wins and 5 losses."),
        ("Karl won the cup in 1995.", "Karl won the cup in 1990 and 1995."),
        ("The town is home to 1200 people.", "The town is home to 1990s art."),
    ],
)
def test_another_subject_or_two_differences_are_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


def test_the_number_of_the_list_that_stands_in_its_place_counts() -> None:
    evidence = "The team has 3 wins and 5 losses."
    assert ruling("The team has 3 wins.", evidence) == "verified"
    assert ruling("The team has 4 wins.", evidence) == "contradicted"
    assert ruling("The team has 5 wins.", evidence) is None


SONG = "The song was written by John Lennon."


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


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The song was written by Lennon.", SONG),
        ("The song was written by John Winston Lennon.", SONG),
        ("The song was written by J. W. Lennon.", SONG),
        ("The song was written by Paul Simon.", "The song was written by John Lennon and Paul Simon."),
        ("The song was sung by Paul Simon.", "The song was sung by John Lennon."),
        ("The hall is in North Wales.", "The hall is in Great Orme."),
        ("The film stars Ada Moss.", "The film stars Bob Hill."),
        ("One of his friends was Ada Moss.", "One of his friends was Bob Hill."),
        ("Ada Moss wrote the song.", "Bob Hill wrote the song."),
        ("A known citizen is Ada Moss.", "A known citizen is Bob Hill."),
        ("An old song was written by Ada Moss.", "An old song was written by Bob Hill."),
        ("The song was written by Paul Simon in 1990.", "The song was written by John Lennon in 1980."),
    ],
)
def test_names_that_may_both_hold_are_left_open(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


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


def test_a_claim_of_one_word_is_left_open() -> None:
    assert ruling("Paris.", "Paris.") is None


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


@pytest.mark.parametrize("aside", ["Sundays", "Berlin", "Premium"])
def test_a_name_in_brackets_after_a_predicate_says_of_what_it_holds(aside: str) -> None:
    assert ruling("Parking is free.", f"Parking is free ({aside}).") is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Maria gave birth to her first child.", "Maria gave birth to her second child."),
        ("The company opened its second store.", "The company opened its third store."),
        ("Anna Berg won her first title.", "Anna Berg won her second title."),
        ("Bob Hill scored the second goal.", "Bob Hill scored the first goal."),
    ],
)
def test_who_did_it_a_second_time_did_it_a_first(claim, evidence):
    assert ruling(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Winston Churchill was Prime Minister.", "Winston Churchill was Home Secretary."),
        ("Bob Hill is Irish American.", "Bob Hill is Roman Catholic."),
        ("Its partner is Deutsche Bank.", "Its partner is Credit Suisse."),
        ("His teacher was Joseph Haydn.", "His teacher was Antonio Salieri."),
    ],
)
def test_roles_origins_and_partners_may_be_several(claim, evidence):
    assert ruling(claim, evidence) is None


@pytest.mark.parametrize("built", ["1889", "1920"])
def test_a_claim_about_nobody_knows_what_is_not_settled(built):
    assert ruling("It was built in 1889.", f"It was built in {built}.") is None


def test_a_currency_sign_of_two_countries_and_a_rise_in_degrees_are_left_open():
    assert ruling("The ticket costs ¥500.", "The ticket costs 500 yuan.") is None
    assert ruling("The temperature rose 3.6 °F.", "The temperature rose 2 °C.") != "contradicted"
