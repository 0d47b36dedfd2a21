"""Work ahead of certainty: used where the sentence came, dropped where not, and seen in nothing but times."""

from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripted_turns import slowly
from vista_stream.claims import Draft, Finding, Foresight, Importance, Scores
from vista_stream.core.text.segmenter import SegmentKind
from vista_stream.errors import Overload, VerifierError
from vista_stream.events import ClaimFound, ClaimSettled, ClaimUnresolved, TurnEnded
from vista_stream.policy import Policy
from vista_stream.report import TurnReport, WorkAhead
from vista_stream.session import Session
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.testing import CONTRADICTED, ENTAILED, ScriptedStages, ScriptedVerifier

pytestmark = pytest.mark.anyio
TEXT = "One is true. Two met Dr. Lund at 3.5. Three is FALSE. Four"
FOUND = Finding(scores=Scores(1, 0, 0), tier="model")


class Counting:
    """Each sentence is one claim, which tells how many came before it: what is foreseen depends on state."""

    def __init__(self):
        self.count = 0

    def begin(self):
        return Counting()

    async def hear(self, utterance):
        """Nothing is remembered of it."""

    async def foresee(self, sentence):
        await anyio.lowlevel.checkpoint()
        return self._drafts(sentence)

    async def decompose(self, sentence):
        await anyio.lowlevel.checkpoint()
        drafts = self._drafts(sentence)
        self.count += len(drafts)
        return drafts

    def _drafts(self, sentence):
        if sentence.kind is not SegmentKind.SENTENCE:
            return []
        return [Draft(text=f"{self.count}: {sentence.text}", span=sentence.span)]


class Looking:
    """A Verify stage that finds everything true, at a pace; it writes down what it was asked, and how."""

    def __init__(self, seconds=0.0, ahead=None):
        self.seconds = seconds
        self.foreseen, self.asked, self.foresights = [], [], []
        self.ahead = ahead

    async def prepare(self, grounds):
        """There is nothing to index."""

    async def verify(self, claim, grounds):
        self.asked.append(claim.sentence_text)
        await anyio.sleep(self.seconds)
        return FOUND

    async def verify_ahead(self, claim, grounds, foresight):
        self.foreseen.append(claim.sentence_text)
        self.foresights.append(foresight)
        await anyio.sleep(self.seconds)
        if isinstance(self.ahead, Exception):
            raise self.ahead
        return FOUND


def stages(verify):
    return replace(ScriptedStages().stages(), decompose=Counting(), rank=EmbeddedRank(), verify=verify)


async def told(verify, deltas, *, policy=None):
    """The report on a turn."""
    session = Session(policy=policy, stages=stages(verify))
    async with session.turn(deltas) as turn:
        return await turn.drain()


async def test_the_finding_of_a_foreseen_sentence_is_used():
    verify = Looking()
    report = await told(verify, slowly(*"One is true. Two is true. "))
    assert verify.foreseen == ["One is true.", "Two is true."]
    assert verify.asked == []
    assert report.ahead == WorkAhead(foreseen=2, used=2, wasted=0)
    assert len(report.verdicts) == 2
    assert report.stage_times["verify"].calls == 2


async def test_what_does_not_come_is_dropped_and_counted():
    verify = Looking()
    report = await told(verify, slowly(*"Two met Dr. Lund at 3.5. Now"))
    assert verify.foreseen == ["Two met Dr.", "Two met Dr. Lund at 3.", "Two met Dr. Lund at 3.5."]
    assert verify.asked == ["Now"]
    assert report.ahead == WorkAhead(foreseen=3, used=1, wasted=2)
    assert [each.claim.text for each in report.verdicts] == ["0: Two met Dr. Lund at 3.5.", "1: Now"]


async def test_work_for_a_sentence_that_does_not_come_is_cancelled():
    cancelled = []

    class Hanging(Looking):
        async def verify_ahead(self, claim, grounds, foresight):
            try:
                await anyio.sleep_forever()
            finally:
                cancelled.append((claim.sentence_text, foresight.certain))

    async def deltas():
        yield "She met Dr."
        await anyio.wait_all_tasks_blocked()
        yield " Lund"
        await anyio.wait_all_tasks_blocked()
        assert cancelled == [("She met Dr.", False)]
        yield " there"

    report = await told(Hanging(), deltas())
    assert report.ahead == WorkAhead(foreseen=1, used=0, wasted=1)
    assert len(report.verdicts) == 1


class Asked(ScriptedVerifier):
    """Tells when it is asked for the first time."""

    def __init__(self):
        super().__init__()
        self.asked = anyio.Event()

    async def score(self, pairs):
        self.asked.set()
        return await super().score(pairs)


async def test_a_clause_is_verified_while_its_sentence_goes_on():
    load_parse()  # takes longer than a deadline
    verifier = Asked()
    parts = replace(
        stages(EmbeddedVerify(verifier, rules=False)), decompose=EmbeddedDecompose(), rank=EmbeddedRank()
    )
    session = Session(stages=parts, policy=Policy(deadline=60))
    session.add_reference("Nothing is known of it.")
    hypotheses = []

    async def deltas():
        yield "The tower of Linz was painted white, and "
        yield "it was "
        with anyio.move_on_after(30):
            await verifier.asked.wait()
        await anyio.lowlevel.checkpoint()
        hypotheses.extend(pair.hypothesis for call in verifier.calls for pair in call)
        yield "sold by the town. "

    async with session.turn(deltas()) as turn:
        report = await turn.drain()
    assert hypotheses == ["The tower of Linz was painted white."]
    assert report.verdicts[0].claim.text == hypotheses[0]
    asked = [pair.hypothesis for call in verifier.calls for pair in call]
    assert len(asked) == len(set(asked)) == len(report.verdicts) == 2
    assert report.ahead.foreseen >= report.ahead.used >= 1


async def test_a_text_that_comes_at_once_foresees_nothing():
    verify = Looking()
    report = await told(verify, ["One is true. Two is true. "])
    assert verify.foreseen == []
    assert report.ahead == WorkAhead()


async def test_a_finding_that_is_under_way_when_the_sentence_ends_is_waited_for():
    verify = Looking(seconds=0.05)
    with anyio.fail_after(30):
        report = await told(verify, slowly(*"One is true. Now"))
    assert report.ahead.used == 1
    assert verify.asked == ["Now"]
    assert [each.certain for each in verify.foresights] == [True]


async def test_the_deadline_holds_for_work_that_began_ahead_of_it():
    verify = Looking(seconds=30)
    with anyio.fail_after(20):
        report = await told(verify, slowly(*"One is true. "), policy=Policy(deadline=0.05))
    assert [each.reason.value for each in report.unresolved] == ["deadline"]
    assert report.ahead == WorkAhead(foreseen=1, used=0, wasted=1)


async def test_an_error_ahead_of_time_is_the_claims_own():
    verify = Looking(ahead=VerifierError("down"))
    report = await told(verify, slowly(*"One is true. "))
    assert [each.error for each in report.unresolved] == ["down"]
    assert verify.asked == []


async def test_where_there_was_no_room_ahead_of_time_the_claim_is_verified_when_it_comes():
    verify = Looking(ahead=Overload("full"))
    report = await told(verify, slowly(*"One is true. "))
    assert (len(report.verdicts), verify.asked) == (1, ["One is true."])
    assert report.ahead == WorkAhead(foreseen=1, used=0, wasted=1)


async def test_other_grounds_than_those_foreseen_are_asked_anew():
    verify = Looking()
    session = Session(stages=stages(verify))

    async def deltas():
        yield "One is true."
        await anyio.wait_all_tasks_blocked()
        session.add_reference("Two is true.")
        yield " "

    async with session.turn(deltas()) as turn:
        report = await turn.drain()
    assert (verify.foreseen, verify.asked) == (["One is true."], ["One is true."])
    assert report.ahead == WorkAhead(foreseen=1, used=0, wasted=1)


async def test_a_rank_stage_that_cannot_work_ahead_ends_it():
    verify = Looking()
    parts = replace(stages(verify), rank=ScriptedStages())
    async with Session(stages=parts).turn(slowly(*"One is true. ")) as turn:
        report = await turn.drain()
    assert (verify.foreseen, verify.asked) == ([], ["One is true."])
    assert report.ahead == WorkAhead()


async def test_a_foreseen_sentence_is_ranked_by_the_query():
    asked, ranked = [], anyio.Event()

    class Ranking(EmbeddedRank):
        async def rank_ahead(self, drafts, query, *, position):
            asked.append((drafts[0].text, query, position))
            ranked.set()
            return await super().rank_ahead(drafts, query, position=position)

    async def deltas():
        yield "One is true."
        with anyio.move_on_after(5):
            await ranked.wait()
        yield " "

    parts = replace(stages(Looking()), rank=Ranking())
    async with Session(stages=parts).turn(deltas(), query="Is one true?") as turn:
        await turn.drain()
    assert asked == [("0: One is true.", "Is one true?", 0)]


async def test_pairs_say_that_their_claim_may_not_come():
    verifier = Asked()
    session = Session(stages=stages(EmbeddedVerify(verifier, rules=False)))
    session.add_reference("Nothing is known of it.")

    async def deltas():
        yield "One is true."
        with anyio.move_on_after(30):
            await verifier.asked.wait()
        yield " Now"

    async with session.turn(deltas()) as turn:
        await turn.drain()
    foreseen, certain = (call[0].foresight for call in verifier.calls)
    assert isinstance(foreseen, Foresight)
    assert foreseen.certain
    assert certain is None


def fixed(event):
    """An event without its times and what depends on the pace of the source."""
    match event:
        case ClaimSettled(verdict=verdict):
            return replace(event, verdict=replace(verdict, elapsed=0.0))
        case TurnEnded(report=report):
            verdicts = tuple(replace(each, elapsed=0.0) for each in report.verdicts)
            return replace(
                event,
                report=replace(report, verdicts=verdicts, hold_backs=(), stage_times={}, ahead=WorkAhead()),
            )
    return event


def by_place(events):
    """The events about claims by claim, and the others in their order: verdicts come in any order."""
    about = (ClaimFound, ClaimSettled, ClaimUnresolved)
    claims = [each for each in events if isinstance(each, about)]
    return sorted(map(repr, claims)), [each for each in events if not isinstance(each, about)]


async def events_of(deltas):
    verifier = ScriptedVerifier({"FALSE": CONTRADICTED, "3.5": ENTAILED}, default=Scores(0, 1, 0))
    parts = stages(EmbeddedVerify(verifier))
    session = Session(stages=replace(parts, categorise=ScriptedStages({"FALSE": CONTRADICTED})))
    session.add_reference("Nobody met Dr. Lund. Three was there at 3.5.")
    async with session.turn(deltas, query="Who was there?") as turn:
        return by_place([fixed(event) async for event in turn])


PIECES = st.lists(
    st.sampled_from(
        [
            "One is true.",
            " ",
            "\n",
            " Dr. ",
            "Two is FALSE!",
            "3.",
            "5",
            " e.g. ",
            "Ann was at home then, and it was warm there",
            "- ",
            'He said "no."',
            "why",
        ]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=30, deadline=None)
@given(text=PIECES, sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), pause=st.booleans())
def test_however_a_text_is_cut_and_paced_its_events_are_the_same(text, sizes, pause):
    async def cut():
        start = turn = 0
        while start < len(text):
            size = sizes[turn % len(sizes)]
            if pause:
                await anyio.wait_all_tasks_blocked()
            yield text[start : start + size]
            start, turn = start + size, turn + 1

    async def both():
        return await events_of([text]), await events_of(cut())

    whole, pieces = anyio.run(both)
    assert pieces == whole


def test_reports_of_turns_add_up():
    assert WorkAhead(3, 2, 1) + WorkAhead(1, 0, 1) == WorkAhead(4, 2, 2)
    report = TurnReport(ahead=WorkAhead(3, 2, 1))
    assert TurnReport.from_dict(report.to_dict()) == report


def test_a_rank_is_the_same_ahead_of_time():
    async def main():
        drafts = [Draft(text="One is true.", span=(0, 12))]
        ahead = await EmbeddedRank().rank_ahead(drafts, None, position=0)
        assert ahead == await EmbeddedRank().rank(drafts, None, position=0) == [Importance.VITAL]

    anyio.run(main)
