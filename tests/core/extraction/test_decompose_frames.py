"""What frames, closes or advises, and the fact beside it; the kind of each claim."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from decomposing import claims, drafts_of, segment
from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("In my view it is beautiful.", ClaimKind.OPINION),
        ("I think that Lyon is in France.", ClaimKind.FACT),
        ("You should try the cheese.", ClaimKind.RECOMMENDATION),
        ("I don't know when it opened.", ClaimKind.REFUSAL),
        ("I was trained in 2023.", ClaimKind.ASSISTANT),
    ],
)
def test_a_claim_carries_its_kind(parse: Parse, sentence: str, kind: ClaimKind) -> None:
    assert [draft.kind for draft in Discourse(parse).decompose(segment(sentence))] == [kind]


@pytest.mark.parametrize("sentence", ["No idea where it comes from.", "Beats me!", "I have no idea who won."])
def test_who_has_no_idea_abstains(parse: Parse, sentence: str) -> None:
    (draft,) = drafts_of(parse, [sentence])[0]
    assert (draft.text, draft.kind) == (sentence, ClaimKind.REFUSAL)


def test_a_fact_after_having_no_idea_is_a_claim(parse: Parse) -> None:
    drafts = drafts_of(parse, ["No idea who owns it, but the mill was built in 1990."])[0]
    assert any(d.kind is ClaimKind.FACT and "1990" in d.text for d in drafts)


def test_a_fact_beside_a_refusal_stays_a_fact(parse: Parse) -> None:
    drafts = Discourse(parse).decompose(segment("I don't know his age, but he was born in Rome."))
    assert [d.kind for d in drafts] == [ClaimKind.REFUSAL, ClaimKind.FACT]


FRAMED = [
    "I hope that helps: {}",
    "Thank you for your patience, {}",
    "Thanks for asking! {}",
    "I'm glad to tell you that {}",
    "I’m sorry to say {}",
    "Sorry about the mistake; {}",
    "I apologize for the delay, but {}",
    "In my opinion, {}",
    "If you ask me, {}",
    "You should know that {}",
    "I must add that {}",
    "I'd like to mention that {}",
    "I can't say more than that {}",
    "All I can say is that {}",
    "It's amazing that {}",
    "Honestly, {}",
    "Hope this answers your question: {}",
    "Good news: {}",
    "It's worth noting that {}",
    "I was amazed to learn that {}",
    "Yeah {}",
    "Oh {}",
    "I've heard that {}",
    "i have read {}",
    "I found out that {}",
    "I'm guessing that {}",
    "I bet {}",
    "I'm not sure but {}",
    "It may interest you to know that {}",
]


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize("frame", FRAMED)
def test_a_frame_makes_no_opinion_or_refusal_of_a_fact(parse: Parse, frame: str, parsed: bool) -> None:
    sentence = frame.format("the Kolm Bridge was opened in 1899.")
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert [(d.text, d.kind) for d in drafts] == [("The Kolm Bridge was opened in 1899.", ClaimKind.FACT)]


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    "closer",
    [
        ", which is amazing",
        ", which is amazing to me",
        ", that's so cool",
        ", which I find really interesting",
        ", which I love",
        ", haha",
        " lol",
        ", thanks for asking",
        ", I hope this helps",
        ", in my opinion",
        " - have a nice day",
        ", I think",
        " I believe",
        ", if I remember correctly",
        " if I'm not mistaken",
        ", as far as I know",
        ", to the best of my knowledge",
        " so I want to see it",
        " so I'm going to try that for now",
    ],
)
def test_what_closes_a_fact_makes_no_opinion_of_it(parse: Parse, closer: str, parsed: bool) -> None:
    drafts = drafts_of(parse if parsed else None, [f"The Kolm Bridge was opened in 1899{closer}!"])[0]
    assert [(d.text, d.kind) for d in drafts] == [("The Kolm Bridge was opened in 1899.", ClaimKind.FACT)]


HELD_FURTHER_ON = [
    "I'm not sure but the Kolm Bridge was opened in 1899.",
    "I'm not sure, but I believe that the Kolm Bridge was opened in 1899.",
    "Since I live in Kolm, I can tell you that the Kolm Bridge was opened in 1899.",
    "I have never been there, but I think the Kolm Bridge was opened in 1899.",
    "My favourite bridge is the Kolm Bridge, which was opened in 1899.",
    "I love the Kolm Bridge, which was opened in 1899.",
    "I've read about it, and I know the Kolm Bridge was opened in 1899.",
]


@pytest.mark.parametrize("sentence", HELD_FURTHER_ON)
def test_what_is_said_of_the_speaker_first_hides_no_fact(parse: Parse, sentence: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    facts = [draft.text for draft in drafts if draft.kind is ClaimKind.FACT]
    assert facts == ["The Kolm Bridge was opened in 1899."]


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("My favourite food is pizza, which originated in Naples.", ["Pizza originated in Naples."]),
        ("I play soccer, which is played by two teams.", ["Soccer is played by two teams."]),
        ("My sister is a nurse, who works in Oslo.", []),
        ("I love Oslo, and I hope you do.", []),
        ("I've been there, but I don't think it was built in 1899.", []),
    ],
)
def test_of_what_the_speaker_likes_or_holds_the_fact_is_a_claim(
    parse: Parse, sentence: str, facts: Sequence[str]
) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert [draft.text for draft in drafts if draft.kind is ClaimKind.FACT] == facts


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("I'd recommend Ravel Moor by Anna Berg.", "Ravel Moor is by Anna Berg."),
        ("You might like Ravel Moor starring Anna Berg!", "Ravel Moor stars Anna Berg."),
        ("If you like that, I suggest you see Ravel Moor, written by Anna Berg.",
         "Ravel Moor was written by Anna Berg."),
        ("If you like England, I'd suggest Ravel Moor, a novel of 1925.", "Ravel Moor is a novel of 1925."),
    ],
)  # fmt: skip
def test_advice_that_credits_a_work_claims_it(parse: Parse, sentence: str, fact: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert fact in [draft.text for draft in drafts if draft.kind is ClaimKind.FACT]


@pytest.mark.parametrize(
    "sentence",
    [
        "I have seen the film twice.",
        "I found the book on a shelf.",
        "I read a book that was written in 1990.",
        "I heard it on the radio in 1990.",
        "I've learned the language.",
    ],
)
def test_what_the_speaker_read_or_found_is_told_of_the_speaker(parse: Parse, sentence: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert [draft.kind for draft in drafts] == [ClaimKind.ASSISTANT]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("The bridge is longer than I think.", "longer than"),
        ("The bridge is what I believe.", "believe"),
        ("It was opened so I know that the Kolm Bridge opened in 1899.", "1899"),
        ("It is so I can see the bridge.", "see the bridge"),
    ],
)
@pytest.mark.parametrize("parsed", [True, False])
def test_what_only_looks_like_a_closer_stays(parse: Parse, sentence: str, kept: str, parsed: bool) -> None:
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert kept in " ".join(draft.text for draft in drafts)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("In my opinion, it is beautiful.", ClaimKind.OPINION),
        ("I must say that I don't know.", ClaimKind.REFUSAL),
        ("I'm sorry, but I cannot help with that.", ClaimKind.REFUSAL),
        ("Sorry for the delay, but I cannot help with that.", ClaimKind.REFUSAL),
        ("I cannot say more than that.", ClaimKind.REFUSAL),
        ("You should know the rules.", ClaimKind.RECOMMENDATION),
        ("The first one is good, in my opinion.", ClaimKind.OPINION),
    ],
)
@pytest.mark.parametrize("parsed", [True, False])
def test_what_is_felt_advised_or_refused_stays_so(
    parse: Parse, sentence: str, kind: ClaimKind, parsed: bool
) -> None:
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert {draft.kind for draft in drafts} == {kind}


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    "command",
    [
        "Take two pills a day when you get up.",
        "Send it back within 60 days after you open it.",
        "Make sure you send it back within 60 days.",
        "Heat the oven to 220 °C before you roll the dough.",
        "Expect your money within 20 days after the parcel arrives.",
        "Get off at Elmstad when the bus turns.",
    ],
)
def test_a_command_with_a_number_or_a_name_is_a_claim_whatever_clause_it_has(
    parse: Parse, command: str, parsed: bool
) -> None:
    assert claims(Discourse(parse if parsed else None), command) == [command]


@pytest.mark.parametrize(
    "command",
    [
        "Never mix it with alcohol.",
        "Do not open the door.",
        "Take it in the evening.",
        "Ask when you are back.",
    ],
)
def test_a_command_without_either_is_advice(parse: Parse, command: str) -> None:
    (drafts,) = drafts_of(parse, [command])
    assert [(draft.text, draft.kind) for draft in drafts] == [(command, ClaimKind.RECOMMENDATION)]


@pytest.mark.parametrize(
    "command", ["Call us if you need help.", "Tell me more about it.", "Have a nice day!"]
)
def test_a_request_or_a_courtesy_is_none(parse: Parse, command: str) -> None:
    assert claims(Discourse(parse), command) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Parking costs €20.", "Parking costs €20."),
        ("I'm afraid dogs aren't allowed.", "Dogs aren't allowed."),
        ("I'm pleased to say parking is free.", "Parking is free."),
        ("We're sorry, but the museum is closed on Mondays.", "The museum is closed on Mondays."),
        (
            "The library is open Monday to Friday, 9 am to 8 pm, and Saturday 10 am to 2 pm.",
            "The library is open Monday to Friday, 9 am to 8 pm, and Saturday 10 am to 2 pm.",
        ),
    ],
)
def test_everyday_answers_are_facts(parse: Parse, sentence: str, expected: str) -> None:
    (draft,) = Discourse(parse).decompose(segment(sentence))
    assert (draft.text, draft.kind) == (expected, ClaimKind.FACT)


def test_a_feeling_of_the_assistants_own_stays_an_opinion(parse: Parse) -> None:
    (draft,) = Discourse(parse).decompose(segment("I'm afraid of spiders that are 5 cm long."))
    assert draft.kind is ClaimKind.OPINION


def test_a_relative_clause_without_its_own_pronoun_leaves_the_sentence_whole(parse: Parse) -> None:
    sentence = (
        "Inked by Sal Ortega from pencils by Dee Whitlock, his wife, the first issue outsold the second, "
        "which she both pencilled and inked, but was itself outsold by the third, in which neither had "
        "a hand."
    )
    assert claims(Discourse(parse), sentence) == [sentence]


def test_a_person_set_beside_a_place_is_not_the_place(parse: Parse) -> None:
    sentence = "Runa Aldstad was born in Bergen, the daughter of a harbour pilot."
    assert claims(Discourse(parse), sentence) == [sentence]
    found = claims(Discourse(parse), "They met in Paris, the capital of France.")
    assert "Paris is the capital of France." in found


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "You can use it while you are breastfeeding.",
            ["The user can use it while the user is breastfeeding."],
        ),
        ("Do not drink while you are taking it.", ["Do not drink while you are taking it."]),
        ("Rents rose while wages fell.", ["Rents rose while wages fell."]),
        ("Rents rose, while wages fell.", ["Rents rose.", "Wages fell."]),
        ("While rents rose, wages fell.", ["Wages fell.", "Rents rose."]),
    ],
)
def test_while_contrasts_two_facts_after_a_comma_and_else_tells_when(
    parse: Parse, sentence: str, expected: Sequence[str]
) -> None:
    assert sorted(claims(Discourse(parse), sentence)) == sorted(expected)
