"""The door, with stages that take a known time of a clock that nothing else moves."""

import random
from contextlib import nullcontext

import anyio
import anyio.lowlevel
import pytest
from trio.testing import MockClock

from vista_stream.claims import Draft, Finding, Foresight, Importance, Scores, Span
from vista_stream.core.held import claim_of
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import Overload
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.admission import Admission
from vista_stream.stages.defaults import default_stages
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Foreseeing, Grounds
from vista_stream.stages.stages import Stages, rank_ahead, verify_ahead
from vista_stream.testing import ScriptedStages, ScriptedVerifier

FOUND = Finding(scores=Scores(1, 0, 0), tier="model")
SENTENCE = Segment(index=0, text="It is red.", span=Span(0, 10), kind=SegmentKind.SENTENCE)


def on_mock_clock(main):
    return anyio.run(main, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})


class Machine:
    """Does one thing at a time: parts of a second to decompose and to rank, more to verify."""

    def __init__(self):
        self._busy = anyio.Lock()
        self.work = 0.0
        self.parsing = 0.04
        self.heard = []

    async def _do(self, seconds):
        async with self._busy:
            await anyio.sleep(seconds)
            self.work += seconds

    def begin(self):
        return self

    async def hear(self, utterance):
        self.heard.append(utterance)

    async def decompose(self, sentence):
        await self._do(self.parsing)
        return [Draft(text=sentence.text, span=sentence.span)]

    async def rank(self, drafts, query, *, position):
        await self._do(0.02)
        return [Importance.OKAY] * len(drafts)

    async def prepare(self, grounds):
        await self._do(1.0)

    async def verify(self, claim, grounds):
        await self._do(0.14)
        return FOUND


def stages_of(machine, *, door=True):
    rest = ScriptedStages().stages()
    stages = Stages(decompose=machine, rank=machine, verify=machine, categorise=rest.categorise)
    return Admission().stages(stages) if door else stages


def load(times, *, door, deadline=3.0, seconds=30.0):
    """`times` as many sentences as the machine can do, each of its own conversation; in time, shed, late."""
    told = {"in time": 0, "shed": 0, "late": 0}
    chance = random.Random(3)

    async def main():
        machine = Machine()
        stages = stages_of(machine, door=door)

        async def sentence():
            with anyio.move_on_after(deadline) as scope:
                try:
                    drafts = await stages.decompose.begin().decompose(SENTENCE)
                    await stages.rank.rank(drafts, None, position=0)
                    await stages.verify.verify(None, Grounds())
                    told["in time"] += 1
                except Overload:
                    told["shed"] += 1
            told["late"] += scope.cancelled_caught

        async with anyio.create_task_group() as tasks:
            for _ in range(int(times * seconds / 0.2)):
                tasks.start_soon(sentence)
                await anyio.sleep(chance.expovariate(times / 0.2))

    on_mock_clock(main)
    return told


def test_what_can_be_done_is_done():
    told = load(0.6, door=True)
    assert told["shed"] + told["late"] == 0


@pytest.mark.parametrize("times", [2.0, 5.0])
def test_under_overload_the_machine_finishes_what_it_takes_in(times):
    behind = load(times, door=True)
    assert behind["in time"] > 0.8 * 30 / 0.2
    assert behind["late"] < 0.05 * behind["in time"]
    assert load(times, door=False)["in time"] < 0.5 * behind["in time"]


def test_nothing_is_done_for_a_sentence_that_is_turned_away():
    async def main():
        machine = Machine()
        stages = stages_of(machine)
        discourse = stages.decompose.begin()
        for _ in range(2):  # models may load in the first, so its time does not count
            await discourse.decompose(SENTENCE)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(discourse.decompose, SENTENCE)
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(0.05), pytest.raises(Overload, match="with 1 calls under way"):
                await discourse.decompose(SENTENCE)
        assert machine.work == pytest.approx(0.12)

    on_mock_clock(main)


@pytest.mark.parametrize("at_once", [1, 4])
def test_calls_in_which_models_load_shed_no_later_sentence(at_once):
    async def main():
        admission = Admission()

        async def take(seconds):
            with admission.decomposing():
                await anyio.sleep(seconds)
            with admission.ranking(), admission.verifying():
                await anyio.sleep(seconds)

        async def take_in_time(seconds):
            with anyio.fail_after(1):  # the sentence's deadline
                await take(seconds)

        async with anyio.create_task_group() as tasks:
            for _ in range(at_once):
                tasks.start_soon(take, 4.0)
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(take_in_time, 0.1)
                await anyio.sleep(0.05)

    on_mock_clock(main)


def test_the_first_on_an_idle_machine_is_taken_and_so_is_any_without_a_deadline():
    async def main():
        stages = stages_of(Machine())
        discourse = stages.decompose.begin()
        await discourse.decompose(SENTENCE)
        with anyio.move_on_after(0.001) as scope:
            await discourse.decompose(SENTENCE)
        assert scope.cancelled_caught
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(discourse.decompose, SENTENCE)

    on_mock_clock(main)


def test_what_is_no_sentence_passes_the_door():
    async def main():
        machine = Machine()
        stages = stages_of(machine)
        await stages.verify.prepare(Grounds())
        assert machine.work == 1.0
        await stages.decompose.begin().hear("an utterance")
        assert machine.heard == ["an utterance"]

    on_mock_clock(main)


def test_a_call_that_fails_is_no_longer_under_way():
    async def main():
        admission = Admission()
        with pytest.raises(RuntimeError), admission.verifying():
            await anyio.sleep(60)
            raise RuntimeError
        with anyio.fail_after(1), admission.decomposing():
            await anyio.lowlevel.checkpoint()

    on_mock_clock(main)


@pytest.mark.anyio
async def test_the_shipped_stages_foresee_behind_the_door():
    stages = default_stages()
    discourse = stages.decompose.begin()
    assert isinstance(discourse, Foreseeing)
    drafts = await discourse.foresee(SENTENCE)
    assert [draft.text for draft in drafts] == ["It is red."]
    ranks = await rank_ahead(stages.rank, drafts, None, position=0)
    assert ranks == await stages.rank.rank(drafts, None, position=0)
    grounds = Grounds(references=[Reference("It is blue. It is old.", name="it")])
    claim = claim_of(SENTENCE, 0, drafts[0])
    found = await verify_ahead(stages.verify, claim, grounds, Foresight())
    assert found is not None
    assert found == await stages.verify.verify(claim, grounds)


def test_nothing_is_foreseen_while_there_is_enough_to_do():
    class Foreseer(Machine):
        foreseen = 0

        async def foresee(self, sentence):
            self.foreseen += 1
            return []

        async def rank_ahead(self, drafts, query, *, position):
            self.foreseen += 1
            return []

        async def verify_ahead(self, claim, grounds, foresight):
            self.foreseen += 1
            return FOUND

    async def all_ahead(stages, discourse):
        return (
            await discourse.foresee(SENTENCE),
            await rank_ahead(stages.rank, [], None, position=0),
            await verify_ahead(stages.verify, None, Grounds(), Foresight()),
        )

    async def main():
        machine = Foreseer()
        stages = stages_of(machine)
        discourse = stages.decompose.begin()
        assert await all_ahead(stages, discourse) == ([], [], FOUND)
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(stages.verify.verify, None, Grounds())
            await anyio.wait_all_tasks_blocked()
            assert await all_ahead(stages, discourse) == (None, None, None)
        assert machine.foreseen == 3

    on_mock_clock(main)


def test_stages_that_foresee_nothing_are_left_alone():
    async def main():
        stages = stages_of(Machine())
        assert await stages.decompose.begin().foresee(SENTENCE) is None
        assert await rank_ahead(stages.rank, [], None, position=0) is None
        assert await verify_ahead(stages.verify, None, Grounds(), Foresight()) is None

    on_mock_clock(main)


def test_stages_at_other_thresholds_stand_behind_the_same_door():
    class Watched(EmbeddedVerify):
        async def verify(self, claim, grounds):
            seen.append((self._thresholds.contradiction, len(door._under_way)))
            return FOUND

    seen = []
    door = Admission()
    rest = ScriptedStages().stages()
    parts = {"decompose": rest.decompose, "rank": rest.rank, "categorise": EmbeddedCategorise()}
    stages = door.stages(Stages(**parts, verify=Watched(ScriptedVerifier())))
    anyio.run(stages.at({"contradiction": 0.9}).verify.verify, None, Grounds())
    anyio.run(stages.verify.verify, None, Grounds())
    assert seen == [(0.9, 1), (0.5, 1)]
    plain = door.stages(Stages(**parts, verify=rest.verify)).at({"contradiction": 0.9})
    on_mock_clock(lambda: plain.verify.prepare(Grounds()))


@pytest.mark.parametrize(("slow", "refused"), [(1, False), (2, True)])
def test_a_loop_that_stood_still_once_is_not_taken_for_a_slow_stage(slow, refused):
    async def main():
        machine = Machine()
        discourse = stages_of(machine).decompose.begin()
        for _ in range(3):
            await discourse.decompose(SENTENCE)
        machine.parsing = 2.0
        for _ in range(slow):
            await discourse.decompose(SENTENCE)
        machine.parsing = 0.04
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(discourse.decompose, SENTENCE)
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(0.5), pytest.raises(Overload) if refused else nullcontext():
                await discourse.decompose(SENTENCE)

    on_mock_clock(main)
