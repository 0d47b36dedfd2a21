import pytest

from vista_stream.claims import Pair, Scores
from vista_stream.core.rules.compare import prepare
from vista_stream.stages.embedded.value_check import held_to_values

ENTAILED, NEUTRAL, REFUTED = Scores(0.8, 0.15, 0.05), Scores(0.1, 0.8, 0.1), Scores(0.05, 0.15, 0.8)
OPENED = "The Panama Canal opened in 1914."
LENGTH = "The canal is 82 km long."


async def held(claim, *found):
    pairs = [Pair(premise, claim) for premise, _ in found]
    return list(await held_to_values(prepare(claim), pairs, [scores for _, scores in found]))


@pytest.mark.anyio
async def test_entailment_by_another_year_contradicts_and_by_a_passage_without_one_is_open():
    scores = await held("The canal was opened in 1915.", (OPENED, ENTAILED), (LENGTH, ENTAILED))
    assert scores == [pytest.approx((0.0, 0.05, 0.95)), Scores(0.15, 0.8, 0.05)]


@pytest.mark.anyio
async def test_a_passage_is_compared_as_it_is_seen():
    passage = "<p>The garden isn&#39;t lit.</p>"
    assert await held("The garden isn't lit.", (passage, ENTAILED)) == [ENTAILED]
    assert await held("The garden is lit.", (passage, ENTAILED)) != [ENTAILED]


@pytest.mark.anyio
async def test_the_number_in_another_unit_contradicts_in_whatever_words():
    dose = "The usual dose is 50 mcg, half an hour before breakfast."
    (scores,) = await held("You should take one 50 mg tablet a day.", (dose, ENTAILED))
    assert scores == pytest.approx((0.0, 0.15, 0.85))


@pytest.mark.anyio
async def test_what_may_hold_twice_is_open():
    (scores,) = await held("The club won in 1990.", ("In 1988 the club won at home.", ENTAILED))
    assert scores == Scores(0.15, 0.8, 0.05)


@pytest.mark.anyio
async def test_what_the_model_leaves_open_stays_open():
    assert await held("The canal was opened in 1915.", (OPENED, NEUTRAL)) == [NEUTRAL]


@pytest.mark.anyio
async def test_a_near_copy_with_another_value_is_surely_contradicted_by_what_it_copies():
    unsure = Scores(0.1, 0.4, 0.5)
    scores = await held("The Panama Canal opened in 1915.", (OPENED, unsure), (LENGTH, unsure))
    assert scores == [pytest.approx((0.0, 0.05, 0.95)), unsure]
    assert await held("The Panama Canal opened in 1914.", (OPENED, REFUTED)) == [REFUTED]


@pytest.mark.anyio
async def test_a_copy_that_is_only_turned_is_open_where_the_model_is_convinced_of_it():
    valve = "Turn the valve clockwise to close it and anticlockwise to open it."
    opened = "To open the valve, turn it anticlockwise."
    (open_,) = await held(opened, (valve, ENTAILED))
    assert open_ == Scores(0.15, 0.8, 0.05)
    (unsure,) = await held(opened, (valve, Scores(0.6, 0.2, 0.2)))
    assert unsure == pytest.approx((0.0, 0.05, 0.95))
    (another_value,) = await held("The Panama Canal opened in 1915.", (OPENED, ENTAILED))
    assert another_value == pytest.approx((0.0, 0.05, 0.95))


@pytest.mark.anyio
async def test_the_least_for_the_most_is_surely_contradicted_where_it_is_about_the_same_thing():
    rule, claim = (
        "Study rooms can be booked for up to three hours.",
        "You must book for three hours at least.",
    )
    about, beside = Scores(0.9, 0.05, 0.05), Scores(0.6, 0.3, 0.1)
    surely, left_open = await held(claim, (rule, about), (rule, beside))
    assert surely == pytest.approx((0.0, 0.05, 0.95))
    assert left_open == Scores(0.3, 0.6, 0.1)


@pytest.mark.anyio
async def test_a_contradiction_stays_as_it_is_where_the_claim_may_have_reckoned_its_value():
    unsure = Scores(0.3, 0.2, 0.5)
    share = "They pay 6 per cent of their turnover for the name."
    claim = "A holder with a turnover of 500,000 euros pays 30,000 for the name."
    assert await held(claim, (share, unsure)) == [unsure]


@pytest.mark.anyio
async def test_an_entailed_value_that_no_passage_has_is_open_in_whatever_words():
    (scores,) = await held("You will pay $35 for it.", ("The price of the pass is $25.", ENTAILED))
    assert scores == Scores(0.15, 0.8, 0.05)


@pytest.mark.anyio
async def test_a_year_that_another_passage_has_stays_entailed():
    found = [(OPENED, ENTAILED), ("Others say that it opened in 1915.", NEUTRAL)]
    assert await held("The canal was opened in 1915.", *found) == [ENTAILED, NEUTRAL]


@pytest.mark.anyio
@pytest.mark.parametrize("claim", ["The canal was opened.", "The canal was opened in 1914."])
async def test_claims_without_a_strange_value_stay(claim):
    assert await held(claim, (OPENED, ENTAILED), (LENGTH, NEUTRAL)) == [ENTAILED, NEUTRAL]


@pytest.mark.anyio
async def test_markup_alone_holds_no_value():
    assert await held("The canal was opened in 1915.", ("***", ENTAILED)) == [ENTAILED]
