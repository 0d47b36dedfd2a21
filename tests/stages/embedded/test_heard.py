"""A claim read with what was said before it; `benchmarks/scripted.py` tells how well."""

from dataclasses import replace

import pytest

from vista_stream.claims import Claim, ClaimKind, Scores, Span
from vista_stream.core.common_ground import Statement
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.core.talk import lines_of_turn
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Grounds

ENTAILED, NEUTRAL, REFUTED = Scores(0.96, 0.02, 0.02), Scores(0.05, 0.9, 0.05), Scores(0.02, 0.02, 0.96)
WINDOWS = (1, 0, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0, 0)
HEARING = Pooling(
    entailment=WINDOWS[0],
    contradiction=WINDOWS[1],
    talk_entailment=(0, 0, 1, 0, 0),
    talk_contradiction=(0, 0, 0, 1, 0),
)
DEAF = replace(HEARING, talk_entailment=(), talk_contradiction=())
ROOM = Reference("Mr Tanaka stays in the room by the lift. Breakfast is served from seven.", name="hotel")
EARLIER = lines_of_turn("Could we move to another room?", ["You are in the garden room from now on."], turn=0)
NOW = lines_of_turn("Which key should he ask for?", [], turn=1)
CLAIM = "Mr Tanaka lives beside the lift."


class Scripted:
    """Scores by a piece of the premise; NEUTRAL otherwise."""

    thresholds = Thresholds(entailment=0.8, contradiction=0.8)

    def __init__(self, script, pooling=HEARING):
        self.script = script
        self.pooling = pooling
        self.asked = []

    async def score(self, pairs):
        self.asked += [pair.premise for pair in pairs]
        return [next((s for key, s in self.script.items() if key in pair.premise), NEUTRAL) for pair in pairs]


def claim(text=CLAIM, **options):
    return Claim(id=0, sentence=0, text=text, span=Span(0, len(text)), **options)


async def found(verifier, *, talk=(*EARLIER, *NOW), references=(ROOM,), asked=CLAIM, ground=()):
    grounds = Grounds(references=references, common_ground=ground, talk=talk)
    return await EmbeddedVerify(verifier).verify(claim(asked), grounds)


@pytest.mark.anyio
async def test_a_claim_is_read_with_the_reference_and_what_was_said():
    verifier = Scripted({})
    await found(verifier)
    (read,) = (premise for premise in verifier.asked if "User: " in premise)
    assert read.startswith("Mr Tanaka stays")
    assert read.endswith(
        "User: Could we move to another room?\nAssistant: You are in the garden room from now on.\n"
        "User: Which key should he ask for?"
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("pooling", "talk"), [(DEAF, (*EARLIER, *NOW)), (HEARING, NOW), (HEARING, ()), (None, EARLIER)]
)
async def test_nothing_is_heard_in_the_first_turn_or_by_a_verifier_that_has_not_learnt_it(pooling, talk):
    verifier = Scripted({}, pooling)
    await found(verifier, talk=talk)
    assert not [premise for premise in verifier.asked if "User: " in premise]


@pytest.mark.anyio
async def test_what_was_said_refutes_what_the_reference_supports_and_is_the_evidence():
    verifier = Scripted({"User: ": REFUTED, "garden room": REFUTED, "lift": ENTAILED})
    finding = await found(verifier)
    assert finding.scores.contradiction > 0.8
    assert (finding.evidence.text, finding.evidence.document) == (EARLIER[1].text, "turn 1")
    assert finding.evidence.origin == "talk"


@pytest.mark.anyio
async def test_what_a_reference_refutes_too_keeps_its_evidence():
    finding = await found(Scripted({"User: ": REFUTED, "lift": REFUTED}))
    assert finding.scores.contradiction > 0.8
    assert finding.evidence.document == "hotel"


@pytest.mark.anyio
async def test_what_was_said_excuses_a_claim_and_verifies_none():
    verifier = Scripted({"User: ": ENTAILED, "lift": REFUTED})
    finding = await found(verifier)
    assert finding.scores.contradiction < 0.1
    assert finding.scores.entailment < 0.1
    assert (await found(Scripted({"User: ": ENTAILED}))).scores.entailment < 0.1


@pytest.mark.anyio
async def test_without_references_a_turn_is_still_held_to_what_was_said():
    verifier = Scripted({"User: ": REFUTED})
    finding = await found(verifier, references=())
    assert finding.scores.contradiction > 0.8
    assert finding.evidence.document in ("turn 1", "turn 2")


@pytest.mark.anyio
async def test_what_a_rule_decides_is_not_asked():
    verifier = Scripted({"User: ": REFUTED})
    finding = await found(verifier, asked="Breakfast is served from seven.")
    assert finding.tier == "deterministic"
    assert not verifier.asked


@pytest.mark.anyio
async def test_a_refusal_is_not_asked():
    grounds = Grounds(talk=(*EARLIER, *NOW))
    verifier = Scripted({})
    finding = await EmbeddedVerify(verifier).verify(claim("I can't tell.", kind=ClaimKind.REFUSAL), grounds)
    assert finding.scores is None
    assert not verifier.asked


@pytest.mark.anyio
async def test_what_was_said_twice_is_not_true():
    verifier = Scripted({"User: ": ENTAILED, "lift": Scores(0.45, 0.35, 0.2)})
    alone = await found(Scripted(verifier.script, DEAF))
    assert (await found(verifier)).scores.entailment <= alone.scores.entailment < 0.8


@pytest.mark.anyio
async def test_a_statement_of_the_common_ground_and_the_talk_are_read_side_by_side():
    ground = [Statement(text="Mr Tanaka lives by the lift.", origin="claim", turn=0)]
    finding = await found(Scripted({"User: ": ENTAILED, "lives by": ENTAILED}), references=(), ground=ground)
    assert finding.scores.entailment > 0.8
