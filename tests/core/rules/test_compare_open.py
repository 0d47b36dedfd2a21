"""The deterministic tier: what it leaves open, since both could be."""

import pytest

from rulings import SONG, ruling


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
        ("The price is ₩5,000.", "The price is ₽5,000."),
        ("The price is 5,000.", "The price is ₿5,000."),
        ("Sales are ↑ 5%.", "Sales are ↓ 5%."),
        ("The fee is 5,000 ₩ and 6 ₽.", "The fee is ₽5,000 and ₩6."),
        ("Dogs are allowed in the hotel.", "Dogs are allowed in the hotel 🚫."),
        ("The drink is free ☕ today.", "The drink is free 🍺 today."),
        ("The PIN is 42.", "The PIN is 0042."),
        ("The rating is ★★★★★.", "The rating is ★★★."),
        ("The limit is 5.", "The limit is 5‰, which is low."),
        ("The result is x > y.", "The result is x < y."),
        ("The piece is in B major.", "The piece is in B♭ major."),
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
        ("The school was built by 1900.", "The school was built by 1890."),
        ("The school was completed by 1995.", "The school was completed by May 1990."),
        ("The school was built by Ann Hill by 1900.", "The school was built by Ann Hill by 1890."),
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
        ("The moon is hollow.", "The moon is hollow, which is untrue."),
        ("The moon is hollow.", "The moon is hollow, which was a joke."),
        ("The moon is hollow.", "The moon is hollow, which is 0 % true."),
        ("The deadline is 5 May.", "The deadline is 5 May, now extended."),
        ("The fee is 10 euros.", "The fee is 10 euros, now 12 euros."),
        ("The fee is 10 euros.", "The fee is 10 euros (now 12 euros)."),
        ("The fee is 10 euros.", "The fee is 10 euros, but now 12 euros."),
        ("The capital is Bonn.", "The capital is Bonn, now Berlin."),
        ("Ada Moss is the mayor.", "Ada Moss is the mayor, formerly."),
    ],
)
def test_evidence_that_turns_or_narrows_it_does_not_verify(claim: str, evidence: str) -> None:
    assert ruling(claim, evidence) is None


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
        ("Her son was born in 1990.", "Her son was born in 1993."),
        ("The author's novel was published in 1990.", "The author's novel was published in 1993."),
        ("Gold was discovered in Alaska in 1896.", "Gold was discovered in Alaska in 1902."),
        ("Young people were killed in 1990.", "Young people were killed in 1995."),
        ("The bridge was destroyed in 1944.", "The bridge was destroyed in 1666."),
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The firm employed 500 people.", "The firm employs 600 people."),
        ("The village had 300 inhabitants.", "The village has 250 inhabitants."),
        ("The road was not paved.", "The road is paved."),
        ("The team did not win.", "The team wins."),
        ("The teams did not pay.", "The teams pay."),
        ("The team does not win.", "The team won."),
    ],
)
def test_what_was_so_is_no_contradiction_of_what_is_so(one: str, other: str) -> None:
    assert ruling(one, other) is None
    assert ruling(other, one) is None


def test_a_claim_of_one_word_is_left_open() -> None:
    assert ruling("Paris.", "Paris.") is None


@pytest.mark.parametrize("aside", ["Sundays", "Berlin", "Premium"])
def test_a_name_in_brackets_after_a_predicate_says_of_what_it_holds(aside: str) -> None:
    assert ruling("Parking is free.", f"Parking is free ({aside}).") is None


@pytest.mark.parametrize("people", ["25,000", "2,100,000"])
@pytest.mark.parametrize("place", ["Texas", "USA", "Lamar County"])
def test_a_name_in_brackets_after_a_name_says_which_one_is_meant(people: str, place: str) -> None:
    told = f"The population of Paris ({place}) is 25,000."
    assert ruling(f"The population of Paris is {people}.", told) is None


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
