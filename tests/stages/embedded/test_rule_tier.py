import pytest

from vista_stream.claims import Category, Scores, Span
from vista_stream.core.common_ground import Statement, cite
from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.index import RuleIndex
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.rule_tier import RuleTier

MILL = Reference("The village has a mill. The mill was built in 1820. It ground rye.", name="leaflet")
OTHER = Reference("The mill was built in 1825.", name="rumour")
RUMOUR = Reference("In the village is a mill. The mill was built in 1825.", name="rumour")
STATEMENTS = [
    Statement(text="The ferry leaves at noon.", origin="background", turn=-1),
    Statement(text="The ferry takes 40 cars.", origin="claim", turn=2),
]


def tier(*references):
    rules = RuleTier()
    for reference in references:
        reference.index_rules()
    return rules


def test_a_sentence_of_a_reference_verifies():
    found = tier(MILL).by_references(prepare("The mill was built in 1820."), [MILL])
    assert found.scores == Scores(1, 0, 0)
    assert found.tier == "deterministic"
    assert found.evidence.text == "The mill was built in 1820."
    assert found.evidence.document == "leaflet"
    assert found.evidence.sentence == 1
    assert MILL.text[found.evidence.span.start : found.evidence.span.end] == found.evidence.text


def test_a_sentence_of_a_reference_contradicts():
    found = tier(MILL).by_references(prepare("The mill was built in 1830."), [MILL])
    assert found.scores == Scores(0, 0, 1)
    assert found.evidence.text == "The mill was built in 1820."


@pytest.mark.parametrize(
    ("documents", "which", "counts", "opposes"),
    [
        ([MILL, RUMOUR], "later", "rumour", "leaflet"),
        ([RUMOUR, MILL], "later", "leaflet", "rumour"),
        ([MILL, RUMOUR], "earlier", "leaflet", "rumour"),
        ([RUMOUR, MILL], "earlier", "rumour", "leaflet"),
        ([MILL, RUMOUR], "contradicted", "rumour", "leaflet"),
        ([RUMOUR, MILL], "contradicted", "rumour", "leaflet"),
    ],
)
def test_of_two_documents_that_disagree_one_counts_and_the_other_opposes(documents, which, counts, opposes):
    claim = prepare("The mill was built in 1820.")
    found = tier(MILL, RUMOUR).by_references(claim, documents, on_disagreement=which)
    assert found.scores == (Scores(1, 0, 0) if counts == "leaflet" else Scores(0, 0, 1))
    assert (found.evidence.document, found.opposing.document) == (counts, opposes)


@pytest.mark.parametrize(("which", "counts"), [("later", "leaflet"), ("contradicted", "rumour")])
def test_a_document_that_may_speak_of_another_thing_opposes_and_does_not_count(which, counts):
    elsewhere = Reference("Kew has a mill. The mill was built in 1825.", name="rumour")
    rules = tier(MILL, elsewhere)
    claim = prepare("The mill was built in 1820.")
    found = rules.by_references(claim, [MILL, elsewhere], on_disagreement=which)
    assert {found.evidence.document, found.opposing.document} == {"leaflet", "rumour"}
    assert found.evidence.document == counts


def test_where_documents_agree_or_one_stands_alone_nothing_opposes():
    rules = tier(MILL, OTHER)
    both = prepare("The mill was built in 1830.")
    assert rules.by_references(both, [MILL, OTHER]).evidence.document == "leaflet"
    assert rules.by_references(both, [MILL, OTHER]).opposing is None
    assert rules.by_references(prepare("The mill was built in 1820."), [MILL, MILL]).opposing is None


def test_a_whole_sentence_counts_where_a_later_document_contradicts_another_part_of_it():
    said = "The mill was built in 1820."
    found = tier(MILL, OTHER).by_whole_sentence(said, said, [MILL, OTHER])
    assert (found.evidence.document, found.opposing) == ("leaflet", None)


def test_other_wording_is_left_to_the_model():
    assert tier(MILL).by_references(prepare("Rye was ground in the village."), [MILL]) is None
    assert tier().by_references(prepare("The mill was built in 1820."), []) is None


def test_statements_that_join_later_rule_too_and_conversations_that_begin_alike_stay_apart():
    rules, claim = tier(), prepare("The mill was built in 1830.")
    joined = [*STATEMENTS, Statement(text="The mill was built in 1820.", origin="claim", turn=3)]
    other = [STATEMENTS[0], Statement(text="The mill was built in 1830.", origin="claim", turn=1)]
    assert rules.by_statements(claim, STATEMENTS) is None
    assert rules.by_statements(claim, joined).scores == Scores(0, 0, 1)
    assert rules.by_statements(claim, other).scores == Scores(1, 0, 0)
    assert rules.by_statements(claim, STATEMENTS) is None


def test_statements_rule_as_well():
    rules = tier()
    found = rules.by_statements(prepare("The ferry takes 50 cars."), STATEMENTS)
    assert found.scores == Scores(0, 0, 1)
    assert (found.evidence.document, found.evidence.origin) == ("turn 3", "common_ground")
    assert rules.by_statements(prepare("The ferry is white."), STATEMENTS) is None


def test_what_the_assistant_did_once_does_not_contradict_what_it_did_again():
    found = Statement(text="The assistant found 3 ferries.", origin="claim", turn=1)
    told = Statement(text="The assistant found 3 ferries.", origin="background", turn=-1)
    again = prepare("The assistant found 5 ferries.")
    assert tier().by_statements(again, [found]) is None
    assert tier().by_statements(again, [told]).scores == Scores(0, 0, 1)
    assert tier().by_statements(prepare(found.text), [found]).scores == Scores(1, 0, 0)


def test_a_statement_is_cited_whole():
    evidence = cite(STATEMENTS[0])
    assert evidence.document == "background"
    assert evidence.span == Span(0, len(STATEMENTS[0].text))


def test_a_whole_sentence_that_a_reference_says_verifies_unless_a_pronoun_makes_it_another():
    plans = Reference(
        "The Basic plan is for individuals. It costs $20 a month. The Pro plan is for teams.", name="plans"
    )
    rules = tier(plans)
    said = "The Pro plan is for teams."
    assert rules.by_whole_sentence(said, said, [plans]).scores.entailment == 1
    assert rules.by_whole_sentence("The Pro plan costs $20.", "It costs $20 a month.", [plans]) is None
    assert rules.by_whole_sentence(said, "", [plans]) is None


def test_a_fragment_that_a_reference_has_too_verifies_no_claim_that_its_question_completes():
    shop = Reference("Booking: Online or by phone. You keep your seat for an hour.", name="shop")
    rules = tier(shop)
    assert (
        rules.by_whole_sentence("The user cancels online or by phone.", "Online or by phone.", [shop]) is None
    )
    told = rules.by_whole_sentence(
        "The user keeps the user's seat for an hour.", "You keep your seat for an hour.", [shop]
    )
    assert told.scores.entailment == 1


def test_what_was_out_of_scope_contradicts_and_verifies_nothing():
    said = Statement(text="The ferry takes 40 cars.", origin="claim", turn=0, category=Category.OUT_OF_SCOPE)
    assert tier().by_statements(prepare("The ferry takes 40 cars."), [said]) is None
    assert tier().by_statements(prepare("The ferry takes 50 cars."), [said]).scores == Scores(0, 0, 1)


def test_conversations_with_the_same_background_keep_their_indexes(monkeypatch):
    added = []
    add = RuleIndex.add
    monkeypatch.setattr(RuleIndex, "add", lambda index, each: added.append(each.text) or add(index, each))
    rules, claim = tier(), prepare("The harbour is deep.")
    one, other = (
        [*STATEMENTS, Statement(text=f"The {what} opens at ten.", origin="claim", turn=3)]
        for what in ("pool", "gym")
    )
    for statements in (one, other, one, other, [*one, STATEMENTS[0]]):
        rules.by_statements(claim, statements)
    assert len(added) == len(one) + len(other) + 1


@pytest.mark.parametrize("kept", [4096, 1])
def test_statements_are_prepared_ahead_bit_by_bit_however_many_they_are(kept, monkeypatch):
    monkeypatch.setattr("vista_stream.stages.embedded.rule_tier._STATEMENTS", kept)
    rules = tier()
    for count in (1, 2):
        rules.prepare_statements(STATEMENTS, count)
    monkeypatch.setattr("vista_stream.stages.embedded.rule_tier.prepare", None)
    for count in (1, 2):
        rules.prepare_statements(STATEMENTS, count)
    assert rules.by_statements(prepare("The ferry takes 50 cars."), STATEMENTS).scores == Scores(0, 0, 1)
