import math
import threading
from dataclasses import replace

import anyio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vista_stream.claims import Category, Claim, ClaimKind, Finding, Foresight, Importance, Scores, Span
from vista_stream.core.common_ground import Statement
from vista_stream.core.judge import Thresholds, judge
from vista_stream.errors import InferenceError, LanguageUnsupported, Overload
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.rule_tier import RuleTier
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Grounds
from vista_stream.verifiers.batching import BatchingVerifier

NEUTRAL = Scores(0.05, 0.9, 0.05)
FACTS = [
    ("The harbour of Elmstad was opened by the queen.", "The queen opened the harbour."),
    ("Its crane lifts ninety tonnes.", "The crane can lift ninety tonnes."),
    ("Fishing boats are moored on the east quay.", "Fishing boats lie at the east quay."),
    ("The customs house burned down long ago.", "The customs house was lost to a fire."),
    ("A tunnel joins the two banks of the river.", "The river banks are joined by a tunnel."),
    ("Children learn to sail behind the breakwater.", "Behind the breakwater children learn sailing."),
    ("The pilot station is manned at night.", "The pilot station has staff at night."),
    ("A bronze seal stands before the museum.", "Before the museum stands a seal of bronze."),
    ("The tide rises by four metres.", "The tide is four metres high."),
    ("Ferries cross to the island every hour.", "Every hour a ferry goes to the island."),
]
HARBOUR = Reference(" ".join(fact for fact, _ in FACTS), name="harbour")
BACKGROUND = [
    Statement(text="The assistant is called Pia.", origin="background", turn=-1),
    Statement(text="The user travels with two dogs.", origin="claim", turn=0),
    Statement(text="The weather is mild.", origin="claim", turn=0),
    Statement(text="The user speaks Danish.", origin="claim", turn=1),
]


class Scripted:
    """Scores by a piece of the premise; NEUTRAL otherwise."""

    def __init__(self, script):
        self.script = script
        self.calls = []

    async def score(self, pairs):
        self.calls.append(list(pairs))
        await anyio.lowlevel.checkpoint()
        return [self.lookup(pair.premise) for pair in pairs]

    def lookup(self, premise):
        return next((scores for key, scores in self.script.items() if key in premise), NEUTRAL)


class WordEmbedder:
    """Counts of letters: enough to make texts with the same words alike."""

    def __init__(self):
        self.calls = []

    def embed(self, texts):
        self.calls.append(list(texts))
        counts = np.array([[text.count(chr(c)) for c in range(97, 123)] for text in texts], np.float32) + 0.01
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def claim(text, **options):
    return Claim(id=0, sentence=0, text=text, span=Span(0, len(text)), **options)


def grounds(*references, statements=()):
    return Grounds(references=references, common_ground=statements)


@pytest.mark.anyio
@pytest.mark.parametrize("embedder", [None, WordEmbedder()])
async def test_the_passage_that_supports_a_claim_is_its_evidence(embedder):
    verifier = Scripted({"ninety tonnes": Scores(0.9, 0.05, 0.05)})
    stage = EmbeddedVerify(verifier, embedder=embedder, k=2)
    found = await stage.verify(claim("The crane can lift ninety tonnes."), grounds(HARBOUR))
    assert found.tier == "model"
    assert found.scores.entailment == 0.9
    assert "ninety tonnes" in found.evidence.text
    assert HARBOUR.text[found.evidence.span.start : found.evidence.span.end] == found.evidence.text
    assert len(verifier.calls) == 1
    assert len(verifier.calls[0]) <= 2


@pytest.mark.anyio
async def test_statements_go_with_the_nearest_window_and_every_pair_has_importance_and_deadline():
    verifier = Scripted({})
    stage = EmbeddedVerify(verifier)
    vital = claim("The user travels with two dogs to the east quay.", importance=Importance.VITAL)
    with anyio.move_on_after(60) as scope:
        await stage.verify(vital, grounds(HARBOUR, HARBOUR, statements=BACKGROUND))
    first, *_ = verifier.calls
    passage, statement = [pair.premise for pair in first]
    assert "east quay" in passage
    assert statement == "The user travels with two dogs."
    pairs = [pair for call in verifier.calls for pair in call]
    assert {pair.importance for pair in pairs} == {Importance.VITAL}
    assert {pair.deadline for pair in pairs} == {scope.deadline}


@pytest.mark.anyio
async def test_without_grounds_nothing_is_asked():
    verifier = Scripted({})
    assert await EmbeddedVerify(verifier).verify(claim("The crane is red."), grounds()) == Finding()
    refusal = claim("I cannot say.", kind=ClaimKind.REFUSAL)
    assert await EmbeddedVerify(verifier).verify(refusal, grounds(HARBOUR)) == Finding()
    assert verifier.calls == []


@pytest.mark.anyio
async def test_statements_about_something_else_are_not_asked_about():
    verifier = Scripted({})
    found = await EmbeddedVerify(verifier).verify(
        claim("Bronze was cast in Elmstad."), grounds(statements=BACKGROUND)
    )
    assert found == Finding()
    assert verifier.calls == []


@pytest.mark.anyio
async def test_a_ruling_on_the_references_ends_it():
    verifier = Scripted({})
    found = await EmbeddedVerify(verifier).verify(
        claim("The tide rises by five metres."), grounds(HARBOUR, statements=BACKGROUND)
    )
    assert (found.tier, found.scores) == ("deterministic", Scores(0, 0, 1))
    assert found.evidence.text == "The tide rises by four metres."
    assert verifier.calls == []


TERMS = Reference(
    "You cannot change your seat by phone. You do not need a stamp. You have 30 days to appeal.", name="terms"
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("sentence", "text", "entailed"),
    [
        ("You can change your seat by phone.", "The user can change the user's seat by phone.", False),
        ("You need a stamp.", "The user needs a stamp.", False),
        ("You have 60 days to appeal, and tea is free.", "The user has 60 days to appeal.", False),
        ("You don’t need a stamp, and tea is free.", "The user doesn’t need a stamp.", True),
    ],
)
async def test_rules_reach_a_reference_that_says_you(sentence, text, entailed):
    verifier = Scripted({})
    told = claim(text, sentence_text=sentence, kind=ClaimKind.ASSISTANT)
    found = await EmbeddedVerify(verifier).verify(told, grounds(TERMS))
    assert found.tier == "deterministic"
    assert found.scores == (Scores(1, 0, 0) if entailed else Scores(0, 0, 1))
    assert judge(told, found, Thresholds()) is (Category.VERIFIED if entailed else Category.CONTRADICTED)
    assert verifier.calls == []


@pytest.mark.anyio
async def test_a_sentence_about_users_is_not_said_to_you():
    users = claim("The user can change the user's seat by phone.", sentence_text="The user can change it.")
    found = await EmbeddedVerify(Scripted({})).verify(users, grounds(TERMS))
    assert found.tier == "model"


@pytest.mark.anyio
async def test_a_ruling_on_the_common_ground_yields_to_the_reference_where_that_decides():
    same = claim("The user travels with three dogs.")
    silent = Scripted({})
    found = await EmbeddedVerify(silent).verify(same, grounds(HARBOUR, statements=BACKGROUND))
    assert (found.tier, found.evidence.document) == ("deterministic", "turn 1")
    assert all(pair.premise in HARBOUR.text for pair in silent.calls[0])
    sure = Scripted({"crane": Scores(0.9, 0.1, 0.0)})
    found = await EmbeddedVerify(sure).verify(same, grounds(HARBOUR, statements=BACKGROUND))
    assert (found.tier, found.evidence.document) == ("model", "harbour")


@pytest.mark.anyio
async def test_the_common_ground_decides_where_the_reference_leaves_it_open():
    verifier = Scripted({"two dogs": Scores(0.0, 0.1, 0.9)})
    about = claim("The user with two dogs has no dogs.")
    found = await EmbeddedVerify(verifier).verify(about, grounds(HARBOUR, statements=BACKGROUND))
    assert found.evidence.origin == "common_ground"
    assert found.scores.contradiction == 0.9
    strict = EmbeddedVerify(verifier, thresholds=Thresholds(contradiction=0.95))
    found = await strict.verify(about, grounds(HARBOUR, statements=BACKGROUND))
    assert found.evidence.origin == "reference"
    lenient = strict.at({"contradiction": 0.5})
    found = await lenient.verify(about, grounds(HARBOUR, statements=BACKGROUND))
    assert found.evidence.origin == "common_ground"


@pytest.mark.anyio
async def test_another_language_is_not_judged():
    with pytest.raises(LanguageUnsupported, match="not in English"):
        await EmbeddedVerify(Scripted({})).verify(
            claim("Der Hafen wurde von der Königin eröffnet."), grounds(HARBOUR)
        )


@pytest.mark.anyio
async def test_a_claim_that_hardly_tells_its_language_has_its_sentence_s():
    stage = EmbeddedVerify(Scripted({}))
    sentence = "The last line of the play, which she wrote herself, is: Er war Zorro."
    assert await stage.verify(claim("Er war Zorro.", sentence_text=sentence), grounds(HARBOUR))
    with pytest.raises(LanguageUnsupported):
        await stage.verify(claim("Er war Zorro.", sentence_text="Er war Zorro."), grounds(HARBOUR))


@pytest.mark.anyio
async def test_a_claim_that_tells_no_language_has_that_of_the_turn_so_far():
    stage = EmbeddedVerify(Scripted({}))
    english, french = "The harbour is old.", "Le port est très vieux."
    short = claim("Moulin bleu.", sentence_text="Moulin bleu.")
    for before in ([], [english], [english, french]):
        assert await stage.verify(short, replace(grounds(HARBOUR), before=before))
    for before in ([french], [french, english], ["Quai.", french]):
        with pytest.raises(LanguageUnsupported):
            await stage.verify(short, replace(grounds(HARBOUR), before=before))


@pytest.mark.anyio
@pytest.mark.parametrize("strategy", ["bst", "linear", "preselect", "auto"])
async def test_every_strategy_finds_the_evidence(strategy):
    verifier = Scripted({"bronze seal": Scores(0.0, 0.2, 0.8)})
    stage = EmbeddedVerify(verifier, strategy=strategy)
    found = await stage.verify(claim("The seal before the museum is of wood."), grounds(HARBOUR))
    assert found.scores.contradiction == pytest.approx(0.8, abs=0.3)
    assert "bronze seal" in found.evidence.text


@pytest.mark.anyio
async def test_bst_asks_a_level_of_all_references_in_one_call():
    verifier = Scripted({"bronze seal": Scores(0.0, 0.2, 0.8)})
    other = Reference("Seals swim. Seals sleep. Seals eat. Seals bark.", name="zoo")
    stage = EmbeddedVerify(verifier, strategy="bst")
    found = await stage.verify(claim("The seal before the museum is of wood."), grounds(other, HARBOUR))
    assert found.evidence.document == "harbour"
    assert [len(pairs) for pairs in verifier.calls] == [4, 5, 2]


@pytest.mark.anyio
async def test_bst_asks_a_level_of_all_claims_in_flight_in_one_batch():
    inner = Scripted({"bronze seal": Scores(0.0, 0.2, 0.8)})
    shared = BatchingVerifier(inner, max_tokens=100_000, max_wait=0.2)
    stage = EmbeddedVerify(shared, strategy="bst")
    about = grounds(HARBOUR)
    await stage.prepare(about)
    async with anyio.create_task_group() as tasks:
        for text in ("The seal before the museum is of wood.", "A seal of stone stands there."):
            tasks.start_soon(stage.verify, claim(text), about)
    # Ten sentences: 5 + 5, then 2 + 2 + 1 of the half, then 1 + 1, for two claims each time.
    assert [len(pairs) for pairs in inner.calls] == [4, 6, 4]


class Flat:
    """An embedder of its own width, to which all texts mean the same."""

    def __init__(self, width):
        self.row = np.full(width, width**-0.5, dtype=np.float32)

    def embed(self, texts):
        return np.tile(self.row, (len(texts), 1))


@pytest.mark.anyio
async def test_stages_with_different_embedders_share_a_reference():
    reference = Reference("The tower was built in 1889 by an engineer. It stands in Paris.", name="tower")
    asked = claim("Visitors of the tower are mostly from abroad.")
    for width in (8, 16, 8):
        stage = EmbeddedVerify(Scripted({}), embedder=Flat(width))
        found = await stage.verify(asked, Grounds(references=[reference]))
        assert found.evidence.document == "tower"


@pytest.mark.anyio
async def test_references_are_indexed_once():
    embedder = WordEmbedder()
    stage = EmbeddedVerify(Scripted({}), embedder=embedder)
    mine = Reference(HARBOUR.text, name="mine")
    await stage.prepare(grounds(mine))
    windows = [window.text for window in mine.windows]
    await stage.prepare(grounds(mine))
    await stage.verify(claim("The crane is a red one."), grounds(mine))
    assert embedder.calls == [windows, ["The crane is a red one."]]


@pytest.mark.anyio
@pytest.mark.parametrize("others", [0, 80])
@pytest.mark.parametrize("strategy", ["bst", "auto"])
async def test_many_sentences_are_looked_through_in_a_thread(others, strategy, monkeypatch):
    threads = []
    rule = RuleTier.by_references

    def by_references(tier, claim, references, **options):
        threads.append(threading.current_thread())
        return rule(tier, claim, references, **options)

    monkeypatch.setattr(RuleTier, "by_references", by_references)
    verifier = Scripted({"bronze seal": Scores(0.0, 0.2, 0.8)})
    stage = EmbeddedVerify(verifier, strategy=strategy)
    boats = [f"Boat {number} is moored. It is red. It has oars." for number in range(others)]
    many = [
        Reference(text, name=text) for text in (boats if strategy == "bst" else [" ".join(boats)]) if text
    ]
    about = grounds(*many, HARBOUR)
    found = await stage.verify(claim("The seal before the museum is of wood."), about)
    assert "bronze seal" in found.evidence.text
    ruled = await stage.verify(claim("Its crane lifts 90 tonnes."), about)
    assert ruled.scores == Scores(1.0, 0.0, 0.0)
    assert {thread is threading.current_thread() for thread in threads} == {not others}


class Nonsense:
    def __init__(self, answer):
        self.answer = answer

    async def score(self, pairs):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "yes",
        [(0.5, 0.5)],
        [NEUTRAL] * 99,
        [Scores(math.nan, 0.0, 1.0)] * 4,
        [Scores(0.9, 0.9, 0.9)] * 4,
        [Scores("a", "b", "c")] * 4,
        RuntimeError("broken"),
        StopIteration(),
    ],
    ids=repr,
)
async def test_what_is_not_a_score_triple_a_pair_is_an_inference_error(answer):
    with pytest.raises(InferenceError, match="the verifier"):
        await EmbeddedVerify(Nonsense(answer)).verify(claim("The crane is red."), grounds(HARBOUR))


@pytest.mark.anyio
async def test_errors_of_a_verifier_that_say_what_they_are_pass():
    with pytest.raises(Overload, match="full"):
        await EmbeddedVerify(Nonsense(Overload("full"))).verify(claim("The crane is red."), grounds(HARBOUR))


@pytest.mark.anyio
async def test_a_broken_embedder_is_an_inference_error():
    class Broken:
        def embed(self, texts):
            raise RuntimeError("no memory")

    with pytest.raises(InferenceError, match="embedder raised RuntimeError: no memory"):
        await EmbeddedVerify(Scripted({}), embedder=Broken()).verify(
            claim("The crane is red."), grounds(Reference(HARBOUR.text, name="fresh"))
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [("strategy", "guess"), ("k", 0), ("k", None), ("k", 2.5), ("thresholds", {"entailment": 0.9})],
)
def test_an_argument_that_cannot_be_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        EmbeddedVerify(Scripted({}), **{name: value})


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from([fact for fact, _ in FACTS]), min_size=1, max_size=12),
    st.sampled_from([text for _, text in FACTS] + [fact for fact, _ in FACTS]),
    st.sampled_from([" ", "\n\n", "  \r\n"]),
    st.sampled_from(["bst", "linear", "preselect"]),
    st.sampled_from([Scores(0.8, 0.1, 0.1), Scores(0.1, 0.1, 0.8), NEUTRAL]),
)
def test_evidence_is_what_stands_at_its_span(sentences, text, gap, strategy, scores):
    document = Reference(gap.join(sentences), name="any")
    stage = EmbeddedVerify(Scripted({"museum": scores}), strategy=strategy)
    found = anyio.run(stage.verify, claim(text), grounds(document))
    span = found.evidence.span
    assert document.text[span.start : span.end] == found.evidence.text
    assert document.sentences[found.evidence.sentence].start == span.start


@pytest.mark.anyio
async def test_a_year_that_the_reference_gives_otherwise_is_contradicted_though_the_model_agrees():
    canal = Reference("After ten years of work the Panama Canal opened in 1914.", name="canal")
    stage = EmbeddedVerify(Scripted({"1914": Scores(0.9, 0.06, 0.04)}))
    told = claim("The canal was opened in 1915.")
    finding = await stage.verify(told, grounds(canal))
    assert finding.scores == pytest.approx((0.0, 0.05, 0.95))
    assert judge(told, finding, Thresholds()) is Category.CONTRADICTED


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("scores", "category"),
    [
        (Scores(0.9, 0.1, 0.0), Category.LACKING_EVIDENCE),
        (Scores(0.0, 0.1, 0.9), Category.CONTRADICTED),
    ],
)
async def test_what_was_out_of_scope_may_contradict_a_claim_and_never_verify_it(scores, category):
    said = Statement(text="The mayor plays chess.", origin="claim", turn=0, category=Category.OUT_OF_SCOPE)
    stage, told = EmbeddedVerify(Scripted({"mayor": scores})), claim("The mayor often plays chess.")
    finding = await stage.verify(told, grounds(statements=[said]))
    assert judge(told, finding, Thresholds()) is category


@pytest.mark.anyio
async def test_a_claim_that_leaves_open_what_it_speaks_of_does_not_meet_what_was_verified():
    stage = EmbeddedVerify(Scripted({"plays chess": Scores(0.0, 0.1, 0.9)}))
    said = Statement(text="The mayor plays chess.", origin="claim", turn=0)
    assert (await stage.verify(claim("He plays chess."), grounds(statements=[said]))).scores is None
    for met in (replace(said, origin="background"), replace(said, category=Category.LACKING_EVIDENCE)):
        assert (await stage.verify(claim("He plays chess."), grounds(statements=[met]))).scores is not None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("category", "origin"), [(Category.VERIFIED, "reference"), (Category.LACKING_EVIDENCE, "common_ground")]
)
async def test_a_part_that_was_verified_does_not_contradict_what_the_reference_rather_says(category, origin):
    stage = EmbeddedVerify(Scripted({"dogs": Scores(0.0, 0.1, 0.9), "crane": Scores(0.4, 0.3, 0.3)}))
    said = Statement(text="The user sees dogs under the crane.", origin="claim", turn=0, category=category)
    about = claim("The user sees dogs and birds under the crane.")
    found = await stage.verify(about, grounds(HARBOUR, statements=[said]))
    assert found.evidence.origin == origin


WELCOME = Reference("Visitors may come into the museum, dogs are welcome.", name="old")
SENT_AWAY = Reference("Visitors who come into the museum with their dogs are sent away.", name="new")
DOGS = {"welcome": Scores(0.9, 0.1, 0.0), "sent away": Scores(0.0, 0.1, 0.9)}


@pytest.mark.anyio
@pytest.mark.parametrize("strategy", ["preselect", "bst", "linear", "together"])
@pytest.mark.parametrize(
    ("documents", "which", "counts", "opposes"),
    [
        ((WELCOME, SENT_AWAY), "later", "new", "old"),
        ((WELCOME, SENT_AWAY), "earlier", "old", "new"),
        ((SENT_AWAY, WELCOME), "later", "old", "new"),
        ((SENT_AWAY, WELCOME), "contradicted", "new", "old"),
    ],
)
async def test_of_two_references_that_disagree_one_counts_and_the_other_opposes(
    documents, which, counts, opposes, strategy
):
    verifier = Scripted({"\n": NEUTRAL, **DOGS})
    stage = EmbeddedVerify(verifier, strategy=strategy)
    about = Grounds(references=documents, on_disagreement=which)
    found = await stage.verify(claim("Visitors may come into the museum with their dogs."), about)
    assert (found.evidence.document, found.opposing.document) == (counts, opposes)
    assert found.scores == pytest.approx(DOGS["welcome"] if counts == "old" else DOGS["sent away"])
    asked = [pair.premise for call in verifier.calls for pair in call]
    assert len(asked) == len(set(asked))


@pytest.mark.anyio
@pytest.mark.parametrize("strategy", ["preselect", "bst", "linear", "together"])
async def test_passages_of_one_reference_do_not_oppose_each_other(strategy):
    both = Reference(f"{WELCOME.text}\n\n# Rules\n\n{SENT_AWAY.text}", name="both")
    stage = EmbeddedVerify(Scripted(DOGS), strategy=strategy)
    for references in ((both,), (both, both), (both, Reference(both.text, name="copy"))):
        found = await stage.verify(
            claim("Visitors may come into the museum with their dogs."), grounds(*references)
        )
        assert found.opposing is None


@pytest.mark.anyio
async def test_thresholds_above_the_scores_leave_no_disagreement():
    stage = EmbeddedVerify(Scripted(DOGS)).at({"contradiction": 0.95})
    found = await stage.verify(
        claim("Visitors may come into the museum with their dogs."), grounds(WELCOME, SENT_AWAY)
    )
    assert (found.evidence.document, found.opposing) == ("old", None)


@pytest.mark.anyio
@pytest.mark.parametrize(("rules", "told"), [(True, "three hours"), (False, "180 minutes")])
async def test_the_model_reads_a_measure_in_the_words_of_its_evidence(rules, told):
    asked = []

    class Noting:
        async def score(self, pairs):
            asked.extend(pair.hypothesis for pair in pairs)
            return [Scores(0.1, 0.8, 0.1)] * len(pairs)

    bags = Reference("Bags are taken until three hours before the ship has left its berth.", name="bags")
    stage = EmbeddedVerify(Noting(), rules=rules)
    await stage.verify(claim("Luggage is taken until 180 minutes ahead of departure."), grounds(bags))
    assert asked == [f"Luggage is taken until {told} ahead of departure."]


@pytest.mark.anyio
async def test_a_pair_that_is_being_scored_ahead_of_time_is_not_asked_again():
    class Slow(Scripted):
        def __init__(self):
            super().__init__({})
            self.gate = anyio.Event()

        async def score(self, pairs):
            scores = await super().score(pairs)
            await self.gate.wait()
            return scores

    verifier = Slow()
    stage, about, foreseen = EmbeddedVerify(verifier, rules=False), grounds(HARBOUR), anyio.CancelScope()
    found, foresight = [], Foresight()
    await stage.prepare(about)  # in threads, for which wait_all_tasks_blocked does not wait

    async def ahead():
        with foreseen:
            await stage.verify_ahead(claim(FACTS[1][1]), about, foresight)

    async def certain():
        found.append(await stage.verify(claim(FACTS[1][1]), about))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ahead)
        await anyio.wait_all_tasks_blocked()
        foresight.certain = True
        tasks.start_soon(certain)
        await anyio.wait_all_tasks_blocked()
        assert len(verifier.calls) == 1
        foreseen.cancel()  # who waits asks for itself
        await anyio.wait_all_tasks_blocked()
        verifier.gate.set()
    assert found[0].scores == NEUTRAL
    first, second, *_ = verifier.calls
    assert first == second
    assert [each.foresight for each in second] == [None] * len(second)
