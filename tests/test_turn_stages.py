from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_facts import PlainFacts, _found
from vista_stream.claims import Category, Finding, Importance, Scores, Utterance
from vista_stream.core.change import Sign, as_lasting
from vista_stream.core.common_ground import Statement, cite
from vista_stream.policy import Policy, stop, withhold
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages, WholeSentences
from vista_stream.turn_stages import told_before

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


async def test_what_the_user_asked_for_serves_consistency_where_nothing_was_said_before():
    session = Session(stages=PlainFacts().stages())
    verdict = await say(session, NEW, "Paint the parcel blue instead.")
    assert (verdict.category, verdict.granted, verdict.supersedes) == (Category.LACKING_EVIDENCE, True, ())
    assert held(session) == [(NEW, Category.LACKING_EVIDENCE)]
    assert (await say(session, OLD)).category is Category.CONTRADICTED
    assert (await say(session, NEW)).category is Category.LACKING_EVIDENCE


async def test_what_the_assistant_did_as_the_user_asked_is_out_of_scope_and_serves_consistency():
    session = Session(stages=PlainFacts().stages())
    verdict = await say(session, "The parcel is now blue.", "Paint the parcel blue instead.")
    assert (verdict.category, verdict.granted) == (Category.OUT_OF_SCOPE, True)
    assert held(session) == [(NEW, Category.OUT_OF_SCOPE)]
    assert (await say(session, OLD)).category is Category.CONTRADICTED
    assert (await say(session, NEW)).category is Category.LACKING_EVIDENCE


@pytest.mark.parametrize(
    ("reference", "text", "query"),
    [
        (NEW, NEW, "Paint the parcel blue instead."),
        ("The mill is old.", "Sorry, the parcel is blue.", "Which colour?"),
    ],
)
async def test_what_is_verified_or_was_not_asked_for_is_not_granted(reference, text, query):
    session = Session(stages=PlainFacts().stages())
    session.add_reference(reference)
    assert not (await say(session, text, query)).granted


async def test_what_nobody_asked_for_does_not_join():
    session = Session(stages=PlainFacts().stages())
    verdict = await say(session, NEW, "Is the parcel blue?")
    assert (verdict.category, verdict.granted) == (Category.LACKING_EVIDENCE, False)
    assert held(session) == []


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


class Partly(PlainFacts):
    """Contradicts earlier statements where a claim has one word, and understands no other claim on them."""

    def __init__(self, word):
        self._word = word

    async def verify(self, claim, grounds):
        if grounds.references or self._word not in claim.text:
            return await super().verify(claim, replace(grounds, common_ground=()))
        told = [each for each in grounds.common_ground if "red" in each.text]
        return Finding(scores=Scores(0, 0, 1), evidence=cite(told[0])) if told else Finding()


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("now", "The parcel is now blue."),
        ("not", "Sorry, the parcel is blue, not red."),
        ("now", "The parcel is now blue, not red."),
    ],
)
async def test_what_only_another_wording_of_a_correction_contradicts_is_superseded_too(word, text):
    session = Session(stages=Partly(word).stages())
    known = session.add_reference(OLD)
    await say(session, OLD)
    session.remove_reference(known)
    verdict = await say(session, text)
    assert verdict.category is Category.LACKING_EVIDENCE
    assert [each.text for each in verdict.supersedes] == [OLD]
    assert [text for text, _ in held(session)] == [as_lasting(text)]


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


class Watching(PlainFacts):
    """Remembers what was asked of it."""

    def __init__(self):
        self.asked = []

    async def verify(self, claim, grounds):
        self.asked.append((claim.text, grounds))
        return await super().verify(claim, grounds)


async def test_a_claim_is_verified_with_the_last_sentences_before_it_and_the_query():
    facts = Watching()
    sentences = [f"The number{place} is odd." for place in range(12)]
    async with Session(stages=facts.stages()).turn([" ".join(sentences)], query="Which?") as turn:
        await turn.drain()
    before = {claim: grounds.before for claim, grounds in facts.asked}
    assert before[sentences[0]] == ("Which?",)
    assert before[sentences[2]] == (f"{sentences[0]} {sentences[1]}", "Which?")
    assert before[sentences[11]] == (" ".join(sentences[3:11]), "Which?")


def spoken(facts, claim):
    ((_, grounds),) = (each for each in facts.asked if each[0] == claim)
    return [(line.turn, line.role, line.text) for line in grounds.talk]


async def test_a_claim_is_verified_with_what_was_said_and_shown_before_it():
    facts = Watching()
    history = [Utterance(role="user", text="Hello."), Utterance(role="assistant", text="Hi. I am Pia.")]
    session = Session(stages=facts.stages(), history=history)
    session.add_reference("The shed is red.")
    first = ["The number12 is odd.", "The number13 is odd.", "The shed is green."]
    async with session.turn([" ".join(first)], query="Which is it?") as turn:
        await turn.drain()
    async with session.turn(["The number14 is odd. The number15 is odd."], query="And then?") as turn:
        await turn.drain()
    before = [(-1, "user", "Hello."), (-1, "assistant", "Hi."), (-1, "assistant", "I am Pia.")]
    assert spoken(facts, first[0]) == [*before, (0, "user", "Which is it?")]
    assert spoken(facts, first[1]) == spoken(
        facts, first[0]
    )  # whether the first is shown may not be known yet
    assert spoken(facts, "The number15 is odd.") == [
        *before,
        (0, "user", "Which is it?"),
        *((0, "assistant", each) for each in first[:2]),
        (1, "user", "And then?"),
    ]


async def test_what_the_reader_of_a_turn_that_was_left_did_not_get_was_not_said():
    facts = Watching()
    session = Session(stages=facts.stages())
    async with session.turn(["The number12 is odd. ", "The number13 is odd. "], query="Which?") as turn:
        async for piece in turn.text():
            assert piece.startswith("The number12")
            break
    async with session.turn(["The number14 is odd."], query="And then?") as turn:
        await turn.drain()
    assert spoken(facts, "The number14 is odd.") == [
        (0, "user", "Which?"),
        (0, "assistant", "The number12 is odd."),
        (1, "user", "And then?"),
    ]


async def test_what_stands_behind_a_stop_was_not_said():
    facts = Watching()
    rules = {(Category.CONTRADICTED, importance): stop("[stopped]") for importance in Importance}
    session = Session(stages=facts.stages(), policy=Policy(rules=rules))
    session.add_reference("The shed is red.")
    text = "The number12 is odd. The shed is green. The number13 is odd. The number14 is odd."
    async with session.turn([text], query="Which?") as turn:
        assert "".join([piece async for piece in turn.text()]).endswith("[stopped]")
    async with session.turn(["The number15 is odd."], query="And then?") as turn:
        await turn.drain()
    assert [text for _, _, text in spoken(facts, "The number15 is odd.")] == [
        "Which?",
        "The number12 is odd.",
        "And then?",
    ]


class Listening(PlainFacts):
    """What the assistant said in another way before contradicts a claim, and so does what the user said."""

    async def verify(self, claim, grounds):
        lines = [cite(Statement(text=line.text, origin="claim", turn=0)) for line in grounds.talk]
        found = _found(claim.text, lines)
        if not (found.scores and found.scores.contradiction):
            return await super().verify(claim, grounds)
        line = next(each for each in grounds.talk if each.text == found.evidence.text)
        return replace(found, evidence=line.cited())


@pytest.mark.parametrize(
    ("said", "blocked"),
    [
        ("The shed is green.", True),
        ("Sorry, the shed is green.", False),
        ("Sorry, the shed is green, not red.", False),
        ("The shed is now green.", False),
    ],
)
async def test_a_correction_or_change_is_not_held_against_the_line_that_it_replaces(said, blocked):
    session = Session(stages=Listening().stages())
    async with session.turn(["The shed is red."], query="What colour?") as turn:
        await turn.drain()
    async with session.turn([said], query="Are you sure?") as turn:
        report = await turn.drain()
    found = {verdict.category for verdict in report.verdicts}
    assert (Category.CONTRADICTED in found) == blocked


async def test_what_the_user_said_is_evidence_of_what_was_said_and_no_inconsistency_of_the_assistant():
    session = Session(stages=Listening().stages())
    async with session.turn(["Hello."], query="The shed is red.") as turn:
        await turn.drain()
    async with session.turn(["The shed is green."], query="What colour is it?") as turn:
        (verdict,) = (await turn.drain()).verdicts
    assert verdict.category is Category.CONTRADICTED
    assert (verdict.evidence.origin, verdict.evidence.document) == ("talk", "turn 1")
    assert not session.report.inconsistencies


async def test_a_retracted_statement_is_not_held_against_a_claim_as_a_line_either():
    facts = Listening()
    session = Session(stages=facts.stages())
    house = session.add_reference("The shed is red.")
    async with session.turn(["The shed is red."], query="What colour?") as turn:
        await turn.drain()
    session.remove_reference(house)
    await session.retract("The shed is red.")
    async with session.turn(["The shed is green."], query="What colour?") as turn:
        (verdict,) = (await turn.drain()).verdicts
    assert verdict.category is Category.LACKING_EVIDENCE


async def test_each_sentence_with_claims_is_ranked_by_the_query_and_its_place():
    ranked = []

    class Ranking(ScriptedStages):
        async def rank(self, drafts, query, *, position):
            ranked.append((drafts[0].text, query, position))
            return await super().rank(drafts, query, position=position)

    class Stating(WholeSentences):
        async def decompose(self, sentence):
            return [] if sentence.text.endswith("?") else await super().decompose(sentence)

    stages = replace(Ranking().stages(), decompose=Stating())
    async with Session(stages=stages).turn(["One. Two? Three. Four."], query="Which?") as turn:
        await turn.drain()
    assert ranked == [("One.", "Which?", 0), ("Three.", "Which?", 1), ("Four.", "Which?", 2)]


class Admitting:
    """A stage that takes one sentence for a correction, and remembers what it is asked."""

    def __init__(self):
        self.asked = []

    async def signs(self, told, asked):
        self.asked.append((told, asked))
        return {text: Sign.CORRECTION for text in told if text == "That was nonsense."}


async def test_a_model_tells_a_correction_only_of_what_contradicts_an_earlier_turn():
    signs = Admitting()
    session = Session(stages=replace(PlainFacts().stages(), signs=signs))
    known = session.add_reference(OLD)
    await say(session, OLD, "Which colour?")
    session.remove_reference(known)
    assert (await say(session, NEW)).category is Category.CONTRADICTED
    verdict = await say(session, f"That was nonsense. {NEW}", "Sure? Really?")
    assert (verdict.category, [each.text for each in verdict.supersedes]) == (
        Category.LACKING_EVIDENCE,
        [OLD],
    )
    assert session.report.stage_times["signs"].calls == 2
    assert signs.asked == [([NEW, OLD], []), ([NEW, "That was nonsense.", OLD], ["Sure?", "Really?"])]


class Asking:
    async def signs(self, told, asked):
        return dict.fromkeys(asked, Sign.REQUEST)


@pytest.mark.parametrize("scope", ["verified", "granted"])
async def test_a_request_in_short_replaces_what_nothing_verified(scope):
    session = Session(stages=replace(PlainFacts().stages(), signs=Asking()))
    known = session.add_reference(OLD if scope == "verified" else "The mill is old.")
    await say(session, OLD, "Paint the parcel red instead.")
    session.remove_reference(known)
    verdict = await say(session, NEW, "No, blue.")
    assert [each.text for each in verdict.supersedes] == ([] if scope == "verified" else [OLD])


class Abstaining(Watching):
    async def categorise(self, claim, finding):
        return Category.ABSTENTION if "Sorry" in claim.text else await super().categorise(claim, finding)


@pytest.mark.parametrize(("made", "text"), [(Watching, NEW), (Abstaining, "Sorry, the parcel is blue.")])
async def test_what_cannot_replace_anything_is_verified_once(made, text):
    facts = made()
    session = Session(stages=facts.stages())
    known = session.add_reference(OLD)
    await say(session, OLD)
    session.remove_reference(known)
    facts.asked.clear()
    await say(session, text)
    assert [asked for asked, _ in facts.asked] == [text]


async def test_a_sign_of_a_correction_replaces_nothing_that_the_claim_agrees_with():
    session, _ = await begun()
    verdict = await say(session, "Sorry, the parcel is red.")
    assert (verdict.category, verdict.supersedes) == (Category.VERIFIED, ())


class Opposing(Watching):
    """What is called wrong contradicts the first statement that is left; all else is verified."""

    def __init__(self, *, cites=True):
        super().__init__()
        self._cites = cites

    async def verify(self, claim, grounds):
        await super().verify(claim, grounds)
        if "wrong" not in claim.text:
            return Finding(scores=Scores(1, 0, 0))
        if not grounds.common_ground:
            return Finding()
        evidence = cite(grounds.common_ground[0]) if self._cites else None
        return Finding(scores=Scores(0, 0, 1), evidence=evidence)


@pytest.mark.parametrize(("said", "replaced"), [(2, 2), (8, 8), (9, 0)])
async def test_a_claim_supersedes_all_that_it_contradicts_or_stays_contradicted(said, replaced):
    facts = Opposing()
    session = Session(stages=facts.stages())
    statements = [f"The number{place} is odd." for place in range(said)]
    await say(session, " ".join(statements))
    facts.asked.clear()
    verdict = await say(session, "Sorry, that was wrong.", "Which?")
    assert [each.text for each in verdict.supersedes] == statements[:replaced]
    assert verdict.category is (Category.LACKING_EVIDENCE if replaced else Category.CONTRADICTED)
    assert {grounds.before for _, grounds in facts.asked} == {("Which?",)}


async def test_a_contradiction_that_cites_nothing_supersedes_nothing():
    session = Session(stages=Opposing(cites=False).stages())
    await say(session, OLD)
    verdict = await say(session, "Sorry, that was wrong.")
    assert (verdict.category, verdict.supersedes) == (Category.CONTRADICTED, ())


async def test_a_claim_supersedes_of_what_it_contradicts_only_what_is_about_the_same():
    session = Session(stages=Opposing().stages())
    await say(session, "The trip is odd. The visit is odd.")
    verdict = await say(session, "Sorry, the visit was wrong.")
    assert verdict.category is Category.LACKING_EVIDENCE
    assert [each.text for each in verdict.supersedes] == ["The visit is odd."]
    assert ("The trip is odd.", Category.VERIFIED) in held(session)


def test_of_a_long_query_the_question_at_its_end_is_read():
    before = told_before(["It is red."], "A document. " * 1_000 + "What colour is it?")
    assert before[0] == "It is red."
    assert before[1].endswith("What colour is it?")
    assert len(before[1]) == 2_000
