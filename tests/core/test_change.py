import pytest

from vista_stream.core.change import (
    Said,
    Sign,
    affirmed,
    as_lasting,
    certain_sign,
    grants,
    may_replace,
    nearest,
    replaces,
    tells_a_deed,
)

OLD = "The guarantee lasts three years."


@pytest.mark.parametrize(
    "sentence",
    [
        "Sorry, it lasts two years.",
        "It lasts two years, sorry.",
        "I was wrong, it lasts two years.",
        "Correction: it lasts two years.",
        "I misspoke: it lasts two years.",
        "Actually, it lasts two years.",
        "I mixed that up, it lasts two years.",
        "My apologies, it lasts two years.",
        "We must apologise: it lasts two years.",
        "Sorry for the confusion, it lasts two years.",
        "Contrary to what I said, it lasts two years.",
        "No, wait, it lasts two years.",
        "Update: it lasts two years.",
        "Since 1 May, it lasts two years.",
        "Since last month it lasts two years.",
        "It now lasts two years.",
        "As of today it lasts two years.",
        "It has been changed to two years.",
    ],
)
def test_a_correction_or_change_says_so(sentence):
    said = Said(sentence=sentence)
    assert may_replace(said)
    assert replaces("The guarantee lasts two years.", OLD, said)


@pytest.mark.parametrize(
    "sentence",
    [
        "It lasts two years.",
        "I'm sorry that it broke; it lasts two years.",
        "I'm so sorry about your bike.",
        "We apologize for the inconvenience.",
        "My apologies for the delay.",
        "You are correct that there is a fee.",
        "You're right to be upset.",
        "You are right-handed.",
        "I'm so sorry.",
        "Since 1957 it lasts two years.",
        "Since 1 May 1957, it lasts two years.",
        "Wait until it has cooled.",
        "Nothing has changed: it lasts two years.",
        "None of this has been changed.",
        "No fee has been changed.",
    ],
)
def test_what_feels_with_the_user_or_says_nothing_of_a_change_is_none(sentence):
    assert not may_replace(Said(sentence=sentence))
    assert not replaces("The guarantee lasts two years.", OLD, Said(sentence=sentence))


def test_a_mistake_may_be_admitted_in_the_sentence_before():
    assert replaces("It is two years.", OLD, Said(sentence="It is two years.", before="You are right."))


@pytest.mark.parametrize(
    ("before", "tied"),
    [
        ("Sorry.", True),
        ("My mistake about the tickets.", True),
        ("The guarantee has changed.", True),
        ("Sorry, no.", False),
        ("Sorry, no tickets are left.", False),
        ("The café has moved.", False),
        ("The café has moved it.", False),
        ("I have changed it.", True),
        ("The guarantee has not been changed.", False),
        ("Nothing about the guarantee has changed.", False),
        ("The guarantee was no longer good, so we have changed it.", True),
        ("Apologies for the wait.", False),
        ("No, wait.", True),
        ("Correct.", False),
    ],
)
def test_the_sentence_before_counts_where_it_is_about_the_claim_or_admits_a_mistake(before, tied):
    claim = "The guarantee lasts two years."
    assert replaces(claim, OLD, Said(sentence=claim, before=before)) is tied


def test_a_denial_counts_where_the_earlier_statement_has_what_it_denies():
    claim = "The guarantee lasts two years, not three."
    assert replaces(claim, OLD, Said(sentence=claim))
    assert not replaces(claim, "The guarantee lasts five months.", Said(sentence=claim))


@pytest.mark.parametrize(
    ("query", "claim", "earlier", "replaced"),
    [
        ("Send it to Aarau instead.", "The parcel goes to Aarau.", "The parcel goes to Bern.", True),
        ("Send it to Aarau instead.", "The parcel weighs 3 kg.", "The parcel weighs 5 kg.", False),
        ("Could we move it to the 14th?", "You travel on 14 May.", "You travel on 12 May.", True),
        ("Where does it go? To Aarau?", "The parcel goes to Aarau.", "The parcel goes to Bern.", False),
        ("Can I send it to Aarau?", "The parcel goes to Aarau.", "The parcel goes to Bern.", False),
        ("Can I send it to Aarau?", "The user's parcel goes to Aarau.", "It goes to Bern.", True),
        ("Is it possible to move it to 14 May?", "The user travels on 14 May.", "It is on 12 May.", True),
        ("Could we book yoga for 15 euros?", "Yoga costs 15 euros.", "Yoga costs 10 euros.", False),
        ("Change my gift to 15 euros.", "The user's gift is 15 euros.", "It is 10 euros.", True),
        ("If I cancel for 5 people, what is it?", "It takes 5 days.", "It takes 9 days.", False),
        ("I want to know if you send it to Aarau.", "It goes to Aarau.", "It goes to Bern.", False),
        ("Tell me if I can cancel for 5 days.", "It takes 5 days.", "It takes 9 days.", False),
        ("Does it cost 5 to cancel?", "It takes 5 days.", "It takes 9 days.", False),
    ],
)
def test_a_request_counts_for_what_it_speaks_of(query, claim, earlier, replaced):
    assert replaces(claim, earlier, Said(sentence=claim, query=query)) is replaced


def test_a_question_gives_no_reason_to_look_for_what_it_replaces():
    assert not may_replace(Said(sentence="It costs 5 euros.", query="How much is it to cancel for 5?"))


@pytest.mark.parametrize(
    ("claim", "plain"),
    [
        ("It lasts two years, not three.", "It lasts two years."),
        ("The visit is on the 26th and not on the 19th any more.", "The visit is on the 26th."),
        ("It comes on Friday instead of Thursday.", "It comes on Friday."),
        ("It is not open.", "It is not open."),
        ("It is red, not blue, and big.", "It is red, not blue, and big."),
    ],
)
def test_what_is_taken_back_at_the_end_is_left_out(claim, plain):
    assert affirmed(claim) == plain


def test_a_state_is_compared_as_if_told_of_any_time():
    assert as_lasting("The parcel now goes to Aarau.") == "The parcel goes to Aarau."
    assert as_lasting("The room is 415 from now on, not 207.") == "The room is 415."
    assert as_lasting("Knowles is known.") == "Knowles is known."


@pytest.mark.parametrize(
    ("query", "claim", "granted"),
    [
        ("Book me in for Monday at ten.", "The user has an appointment on Monday at ten.", True),
        ("Set a timer for 12 minutes.", "The user's timer is set for 12 minutes.", True),
        ("Set a timer for 12 minutes.", "The user's timer is set for 15 minutes.", False),
        ("Book me in for Monday at ten.", "The user has an appointment on Monday at 10:00.", True),
        ("Move it to the 4th, please.", "The user's move is on 4 October at 19:30.", False),
        ("Move it to the 4th, half past seven.", "The user's move is on 4 October at 7:30.", True),
        ("Book me at 7 am.", "The user is booked at 19:00.", False),
        ("Book me for two.", "The user is booked for 2 people at 14:00.", False),
        ("Please book a room from 4 to 7 June.", "The user's room is booked from 4 to 9 June.", False),
        ("Please book a room from 4 to 7 June.", "The user's room is booked from 4 to 7 June.", True),
        ("How has climate change affected corals?", "Corals have moved north.", False),
        ("Which book did Orwell write first?", "Orwell moved to Paris.", False),
        ("I'd take plot 14. Please reserve it.", "Plot 14 is reserved for the user.", True),
        ("I'd take plot 14. Please reserve it.", "Plot 14b is reserved for the user.", False),
        ("Is Monday at ten free?", "Monday at ten is free.", False),
        ("Can I book yoga for 15 euros?", "The yoga class costs 15 euros.", False),
        ("Book me in for Monday.", "The old passport costs a fee.", False),
        ("I'd rather go at 18:00. Change that, please.", "The booking is now for 18:00, so go then.", True),
        ("I'd rather go at 18:00. Change that, please.", "The small booking of ferries is for 18:00.", False),
    ],
)
def test_a_claim_grants_what_the_user_asked_for_in_its_words(query, claim, granted):
    assert grants(claim, Said(sentence=claim, query=query)) is granted


@pytest.mark.parametrize(
    ("claim", "deed"),
    [
        ("The user is booked for Monday.", True),
        ("The user's table is for eight.", True),
        ("We have kept the table.", True),
        ("The booking is now for eight.", True),
        ("Two places on 12 May are reserved for the user.", True),
        ("The sofa and both chairs are on the list.", True),
        ("Guests may bring a dog.", False),
        ("Vaccines cause illness.", False),
        ("The US economy grew.", False),
        ("The mine is closed.", False),
        ("The user can cancel the ticket without a fee.", False),
    ],
)
def test_a_deed_is_told_of_people_or_as_a_change_or_as_done(claim, deed):
    assert tells_a_deed(claim) is deed


@pytest.mark.parametrize(
    ("earlier", "claim"),
    [
        ("Apocalypse Now runs for 153 minutes.", "Apocalypse Now runs for 170 minutes."),
        ("Parents must now pay 20 euros.", "Parents must now pay 30 euros."),
        ("The law was changed in 2004.", "The law was changed in 2014."),
        ("The correct dose is 200 mg.", "The correct dose is 500 mg."),
        ("A cancelled order is refunded in 14 days.", "A cancelled order is refunded in 30 days."),
        ("The trip takes no longer than 3 hours.", "The trip takes no longer than 5 hours."),
        ("The shop is in Bern, not in Basel.", "The shop is in Thun, not in Basel."),
        ("Use butter instead of oil for 20 minutes.", "Use butter instead of oil for 40 minutes."),
    ],
)
@pytest.mark.parametrize("sign", [Sign.CHANGE, None])
def test_a_sign_that_the_earlier_statement_has_too_is_none(earlier, claim, sign):
    assert not replaces(claim, earlier, Said(sentence=claim, signs={claim: sign} if sign else {}))


@pytest.mark.parametrize(
    ("signs", "replaced"),
    [
        ({"It is two years these days.": Sign.CHANGE}, True),
        ({"It is two years these days.": Sign.CHANGE, OLD: Sign.CHANGE}, False),
        ({}, False),
    ],
)
def test_a_sign_that_a_model_finds_counts_unless_the_earlier_statement_has_it(signs, replaced):
    said = Said(sentence="It is two years these days.", signs=signs)
    assert replaces("The guarantee is two years.", OLD, said) is replaced


@pytest.mark.parametrize(
    ("before", "sign", "replaced"),
    [
        ("That was nonsense.", Sign.CORRECTION, True),
        ("The guarantee is longer these days.", Sign.CHANGE, True),
        ("There was a change.", Sign.CHANGE, True),
        ("We've just lowered it for you.", Sign.CHANGE, True),
        ("I have shortened it.", Sign.CHANGE, True),
        ("The guarantee is unchanged.", Sign.CHANGE, False),
        ("The café is elsewhere these days.", Sign.CHANGE, False),
    ],
)
def test_what_a_model_finds_in_the_sentence_before_counts_as_certain_words_do(before, sign, replaced):
    claim = "The guarantee lasts two years."
    assert replaces(claim, OLD, Said(sentence=claim, before=before, signs={before: sign})) is replaced


@pytest.mark.parametrize(
    ("query", "claim", "earlier", "replaced"),
    [
        ("We are five now.", "The table is for five people.", "The table is for four people.", True),
        ("I moved to Graz.", "The parcel goes to Graz.", "The parcel goes to Bern.", True),
        ("I'd like three nights.", "It is booked for three nights.", "It is booked for two nights.", True),
        ("I have two children.", "The guarantee lasts two years.", OLD, False),
        ("I moved to Graz.", "The guarantee lasts two years.", OLD, False),
        ("My budget is 50 euros.", "The room costs 50 euros.", "The room costs 70 euros.", False),
        ("I'd prefer June.", "The fee is due in June.", "The fee is due in March.", True),
        ("I'd prefer June.", "The fee is due in July.", "The fee is due in March.", False),
        ("I was born on 5 June.", "The fee is due in June.", "The fee is due in March.", False),
    ],
)
def test_what_the_user_tells_counts_for_what_it_speaks_of(query, claim, earlier, replaced):
    said = Said(sentence=claim, query=query, signs={query: Sign.REQUEST})
    assert replaces(claim, earlier, said) is replaced
    assert not replaces(claim, earlier, Said(sentence=claim, query=query))


@pytest.mark.parametrize(
    ("query", "claim", "earlier"),
    [
        ("No, at ten please.", "The alarm is set for 10 am.", "The alarm is set for 9 am."),
        ("Three actually.", "The room gets three coffees.", "The room gets two coffees."),
        ("Three, please, not two.", "The room gets three coffees.", "The room gets two coffees."),
        ("10:30 suits better.", "The taxi is booked for 10:30 am.", "The taxi is booked for 9 am."),
        ("No, for Wednesday.", "The taxi comes on Wednesday.", "The taxi comes on Tuesday."),
        ("No, the US one at ten.", "The US call is at 10 am.", "The US call is at 9 am."),
    ],
)
def test_a_request_in_short_counts_unless_the_earlier_statement_was_verified(query, claim, earlier):
    said = Said(sentence=claim, query=query, signs={query: Sign.REQUEST})
    assert replaces(claim, earlier, said)
    assert not replaces(claim, earlier, said, verified=True)
    assert not replaces(claim, earlier, Said(sentence=claim, query=query))


def test_a_request_in_short_asks_for_no_other_number():
    claim, query = "The room gets four coffees.", "Three, please."
    said = Said(sentence=claim, query=query, signs={query: Sign.REQUEST})
    assert not replaces(claim, "The room gets two coffees.", said)


def test_what_the_user_tells_of_a_time_of_day_counts():
    claim, query = "The booking is for the 9:15 train.", "The 9:15 is better for me."
    said = Said(sentence=claim, query=query, signs={query: Sign.REQUEST})
    assert replaces(claim, "The booking is for the 8:15 train.", said, verified=True)


def test_a_sign_of_the_same_words_of_another_person_is_none():
    sentence, earlier = "I've ordered four coffees.", "The assistant has ordered two coffees."
    said = Said(sentence=sentence, signs={sentence: Sign.CHANGE})
    assert not replaces("The assistant has ordered four coffees.", earlier, said)


@pytest.mark.parametrize(
    ("claim", "earlier", "replaced"),
    [
        ("The order has two items.", "The order has three items.", True),
        ("The item has a guarantee of two years.", "The item has a guarantee of three years.", False),
    ],
)
def test_a_request_counts_for_what_it_leaves_of_the_things_it_names(claim, earlier, replaced):
    assert replaces(claim, earlier, Said(sentence=claim, query="Cancel the second item.")) is replaced


def test_a_question_with_its_answer_asks_for_no_change():
    claim = "The guarantee lasts two years."
    assert not replaces(claim, OLD, Said(sentence=claim, query="Add it up: it is two years, isn't it?"))


@pytest.mark.parametrize(
    ("claim", "texts", "near"),
    [
        ("The visit is on Friday.", ["The trip is on Friday.", "The visit to Bern is on Monday."], [1]),
        (
            "The dose is 9 mg.",
            ["The dose is 4 mg.", "The dose for adults is 4 mg.", "It costs 4 euros."],
            [0, 1],
        ),
        ("The daily dose is 9 mg.", ["The daily dose is 4 mg.", "The dose for adults is 4 mg."], [0]),
        ("You leave on 3 May.", ["The trip starts on 5 May."], [0]),
    ],
)
def test_what_shares_most_of_a_claim_besides_values_is_nearest(claim, texts, near):
    assert nearest(claim, texts) == [texts[place] for place in near]


def test_an_apology_for_confusion_is_certainly_a_correction():
    assert certain_sign("I'm sorry for the confusion.") is Sign.CORRECTION
    assert certain_sign("I'm sorry for the delay.") is None
