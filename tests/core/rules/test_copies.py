"""The part of a sentence that a claim copies."""

from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.copies import copy_of, is_opposite


def test_a_claim_copies_a_sentence_that_has_all_its_words() -> None:
    copy = copy_of(
        prepare("Yes, the desk closes at 9."), prepare("On Mondays the desk closes at 10 already.")
    )
    assert copy is not None
    assert [own.key for own in copy.own] == ["desk", "closes", "at", "9"]
    assert [other.key for other in copy.other] == ["desk", "closes", "at", "10"]
    assert copy.replaced == ()


def test_a_word_of_talk_that_describes_the_next_one_stays() -> None:
    sentence = prepare("The left lung was removed.")
    claims = (
        "Right lung was removed.",
        "Right, the left lung was removed.",
        "Please note the lung was removed.",
    )
    copies = [copy_of(prepare(claim), sentence) for claim in claims]
    assert [copy and copy.own[0].key for copy in copies] == ["right", "left", "lung"]


def test_an_opposite_stands_in_place_of_a_word_also_at_an_end() -> None:
    copy = copy_of(prepare("The tenant pays for all repairs."), prepare("The landlord pays for all repairs."))
    assert copy is not None
    assert [is_opposite(replaced) for replaced in copy.replaced] == [True]


def test_a_claim_with_another_word_or_hardly_any_copies_nothing() -> None:
    sentence = prepare("The desk closes at 10.")
    assert copy_of(prepare("The new desk closes at 10."), sentence) is None
    assert copy_of(prepare("It closes at 10."), sentence) is None
    assert copy_of(prepare("The desk closes at 10."), prepare("When does the desk close?")) is None
