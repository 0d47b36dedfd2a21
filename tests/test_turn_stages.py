import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_facts import PlainFacts
from vista_stream.claims import Category, Importance
from vista_stream.policy import Policy, withhold
from vista_stream.session import Session

pytestmark = pytest.mark.anyio
OLD, NEW = "The parcel is red.", "The parcel is blue."


async def say(session, text, query=None):
    """The verdict on a text of one sentence."""
    async with session.turn([text], query=query) as turn:
        report = await turn.drain()
    return report.verdicts[-1]


async def begun(*, reference=OLD, **settings):
    """A session in which `OLD` was verified and shown, and its reference."""
    session = Session(stages=PlainFacts().stages(), **settings)
    known = session.add_reference(reference)
    assert (await say(session, OLD)).category is Category.VERIFIED
    return session, known


def held(session):
    return [(each.text, each.category) for each in session.common_ground]


@pytest.mark.parametrize("query", [None, "Is it red?"])
async def test_a_contradiction_of_an_earlier_turn_stays_one(query):
    session, known = await begun()
    session.remove_reference(known)
    verdict = await say(session, NEW, query)
    assert (verdict.category, verdict.supersedes) == (Category.CONTRADICTED, ())
    assert held(session) == [(OLD, Category.VERIFIED)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Sorry, the parcel is blue.", None),
        ("The parcel is now blue.", None),
        ("The parcel is blue.", "Make it blue instead."),
        ("The parcel is blue, not red.", None),
    ],
)
async def test_what_nothing_verifies_supersedes_and_serves_consistency_alone(text, query):
    session, known = await begun()
    session.remove_reference(known)
    verdict = await say(session, text, query)
    assert verdict.category is Category.LACKING_EVIDENCE
    assert [(each.text, each.document) for each in verdict.supersedes] == [(OLD, "turn 1")]
    ((new, category),) = held(session)
    assert category is Category.LACKING_EVIDENCE
    (record,) = session.superseded
    assert (record.old.text, record.new.text, record.turn, record.reason) == (OLD, new, 1, "superseded")
    assert (await say(session, OLD)).category is Category.CONTRADICTED
    assert (await say(session, NEW)).category is Category.LACKING_EVIDENCE


async def test_what_a_reference_verifies_supersedes_and_is_verified():
    session, known = await begun()
    session.remove_reference(known)
    session.add_reference(NEW)
    verdict = await say(session, "Sorry, the parcel is blue.")
    assert verdict.category is Category.VERIFIED
    assert held(session) == [("Sorry, the parcel is blue.", Category.VERIFIED)]
    assert (await say(session, OLD)).category is Category.CONTRADICTED


@pytest.mark.parametrize("text", ["Sorry, the parcel is blue.", "Sorry, the parcel is blue, not red."])
async def test_what_a_reference_contradicts_stays_contradicted_and_supersedes_nothing(text):
    session, _ = await begun()
    verdict = await say(session, text)
    assert (verdict.category, verdict.supersedes) == (Category.CONTRADICTED, ())
    assert verdict.evidence.origin == "reference"
    assert verdict.claim.text == text
    assert (held(session), session.superseded) == ([(OLD, Category.VERIFIED)], ())


async def test_background_knowledge_is_not_superseded():
    session = Session(stages=PlainFacts().stages(), background=[OLD])
    assert (await say(session, "Sorry, the parcel is blue.")).category is Category.CONTRADICTED
    assert held(session) == [(OLD, Category.VERIFIED)]


async def test_a_mistake_admitted_in_the_sentence_before_is_one():
    session, known = await begun()
    session.remove_reference(known)
    verdict = await say(session, "You are right, I was wrong. The parcel is blue.")
    assert (verdict.category, len(verdict.supersedes)) == (Category.LACKING_EVIDENCE, 1)


async def test_what_was_not_shown_supersedes_nothing():
    unsupported = {(Category.LACKING_EVIDENCE, importance): withhold() for importance in Importance}
    session, known = await begun(policy=Policy(rules=unsupported))
    session.remove_reference(known)
    verdict = await say(session, "Sorry, the parcel is blue.")
    assert [each.text for each in verdict.supersedes] == [OLD]
    assert (held(session), session.superseded) == ([(OLD, Category.VERIFIED)], ())


@given(
    colours=st.lists(st.sampled_from(["red", "blue", "green"]), min_size=1, max_size=6),
    signs=st.lists(st.booleans(), min_size=6, max_size=6),
)
@settings(max_examples=40, deadline=None)
async def test_what_was_superseded_decides_nothing(colours, signs):
    session, known = await begun()
    session.remove_reference(known)
    for colour, sign in zip(colours, signs, strict=False):
        before = {each.text for each in session.common_ground}
        verdict = await say(session, f"{'Sorry, the' if sign else 'The'} parcel is {colour}.")
        gone = {(each.old.text, each.old.turn) for each in session.superseded}
        held_now = {(each.text, each.turn) for each in session.common_ground}
        assert not gone & held_now
        if verdict.evidence is not None:
            assert verdict.evidence.text in before
        assert len({text.split()[-1] for text, _ in held_now}) == 1
