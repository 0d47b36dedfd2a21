"""The main promises, with the shipped models: same result for every cut, nothing of a blocked sentence."""

import asyncio
import random

import pytest

from vista_stream import Category, Session, TextReleased, TextReplaced, VitalContradiction
from vista_stream.cli.material import load_scenes
from vista_stream.policy import NOTICE
from vista_stream.verifiers import Pair
from vista_stream.verifiers.embedded import EmbeddedVerifier

pytestmark = pytest.mark.usefixtures("no_blocking_calls")

REFERENCE = (
    "The Rhine lighthouse was built in 1874 by Clara Voss. It is 41 metres high and stands on the island "
    "of Norra. "
    "The keeper lived there until 1962. Today it is a museum, which is open from May to September."
)
QUERY = "Who built the lighthouse on Norra, and when?"
TEXTS = [
    "The Rhine lighthouse was built in 1874 by Clara Voss. It is a museum today.",
    "The Rhine lighthouse was built in 1784 by Clara Voss. It is a museum today, isn't it?",
    "Sure! The lighthouse was built by Clara Voss.\n\n- It is 14 metres high.\n- It stands on Norra.\n",
    "**Clara Voss** built it in 1874 😀. Dr. E. Voss said so… I think it is lovely.\r\n\r\nDo you want more?",
    "I don't know. The keeper lived there until 1926! `x = 1.0` It is open from May to September",
]


def outcome(text: str, deltas: list[str]) -> tuple:
    """Released text, claims with verdicts, and whether the spans make up the text."""

    session = Session()  # loads the models the first time, so not on the event loop
    session.add_reference(REFERENCE)

    async def run() -> tuple:
        async with session.turn(deltas, query=QUERY) as turn:
            events = [event async for event in turn]
        released = [e for e in events if isinstance(e, TextReleased)]
        replaced = [e for e in events if isinstance(e, TextReplaced)]
        spans = sorted(e.span for e in released + replaced)
        assert "".join(text[a:b] for a, b in spans) == text
        for event in replaced:
            if event.verdict is not None and event.verdict.category is Category.CONTRADICTED:
                flags = [e for e in events if isinstance(e, VitalContradiction)]
                assert event.verdict in [flag.verdict for flag in flags]
                assert events.index(flags[0]) < events.index(event)
        shown = "".join(
            e.text if isinstance(e, TextReleased) else e.replacement
            for e in events
            if isinstance(e, TextReleased | TextReplaced)
        )
        verdicts = [(v.claim, v.category, v.scores, v.evidence) for v in turn.report.verdicts]
        return shown, verdicts, turn.report.unresolved

    return asyncio.run(run())


@pytest.mark.parametrize("text", TEXTS)
def test_every_cut_gives_the_same_claims_verdicts_and_text(text):
    whole = outcome(text, [text])
    assert outcome(text, list(text)) == whole
    for seed in range(60):
        chance = random.Random(seed)
        cuts = sorted(chance.sample(range(len(text)), chance.randint(1, 12)))
        deltas = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert outcome(text, deltas) == whole


def test_the_falsified_year_never_reaches_the_user_and_the_true_one_does():
    shown, verdicts, _ = outcome(TEXTS[1], list(TEXTS[1]))
    assert "1784" not in shown
    assert NOTICE in shown
    assert verdicts[0][1] is Category.CONTRADICTED
    assert verdicts[0][3].text.startswith("The Rhine lighthouse was built in 1874")
    shown, _, _ = outcome(TEXTS[0], list(TEXTS[0]))
    assert shown == TEXTS[0]


@pytest.mark.parametrize("scene", [s for s in load_scenes() if s.document], ids=lambda s: s.title)
def test_the_demos_altered_facts_are_blocked_and_its_true_answers_pass(scene):
    session = Session()
    session.add_reference(scene.document[1], name=scene.document[0])
    shown = "".join(session.turn_sync(list(scene.answer), query=scene.query))
    if scene.alteration is None:
        assert shown == scene.answer
    else:
        assert scene.alteration.now not in shown
        assert NOTICE in shown


def test_a_later_turn_that_contradicts_an_earlier_verified_claim_is_caught():
    session = Session()
    session.add_reference(REFERENCE)
    assert list(session.turn_sync(["The Rhine lighthouse is 41 metres high."], query="How high is it?"))
    later = Session(background=[statement.text for statement in session.common_ground])
    text = "".join(later.turn_sync(["The Rhine lighthouse is 14 metres high."], query="How high is it?"))
    assert text == NOTICE


def test_a_pairs_scores_do_not_depend_on_its_neighbours():
    verifier = EmbeddedVerifier.from_pretrained()
    pairs = [
        Pair(REFERENCE, claim) for claim in ("It is high.", "It was built in 1874 by Clara Voss.", "No.")
    ]
    together = verifier.score_sync(pairs)
    assert together == [verifier.score_sync([pair])[0] for pair in pairs]


def test_a_correction_that_only_its_own_wording_shows_to_be_one_supersedes():
    session = Session()
    reference = session.add_reference("The meeting is on Monday.")
    assert [*session.turn_sync(["The meeting is on Monday."])]
    session.remove_reference(reference)
    for text in ("Update: the meeting is now on Tuesday.", "Sorry, the meeting is on Thursday, not Tuesday."):
        assert "".join(session.turn_sync([text])) == text
    assert [each.old.text for each in session.superseded] == [
        "The meeting is on Monday.",
        "The meeting is on Tuesday.",
    ]
