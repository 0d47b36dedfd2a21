"""The door, with stages that take a known time of a clock that nothing else moves."""

import random

import anyio
import anyio.lowlevel
import pytest
from trio.testing import MockClock

from vista_stream.claims import Draft, Finding, Importance, Scores, Span
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import Overload
from vista_stream.stages.admission import Admission
from vista_stream.stages.defaults import default_stages
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Foreseeing, Grounds
from vista_stream.stages.stages import Stages
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
        await self._do(0.04)
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
        await discourse.decompose(SENTENCE)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(discourse.decompose, SENTENCE)
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(0.05), pytest.raises(Overload, match="with 1 calls under way"):
                await discourse.decompose(SENTENCE)
        assert machine.work == pytest.approx(0.08)

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
async def test_the_shipped_stages_do_not_parse_what_was_foreseen_again(monkeypatch):
    parse = load_parse()
    if parse is None:
        pytest.skip("the extra [parse] is not installed")
    text = f"The barn of number {anyio.get_current_task().id} is red."  # that no run before has seen
    discourse = default_stages().decompose.begin()
    assert isinstance(discourse, Foreseeing)
    await discourse.foresee(text)
    monkeypatch.setattr(parse._language, "pipe", None)
    sentence = Segment(index=0, text=text, span=Span(0, len(text)), kind=SegmentKind.SENTENCE)
    with anyio.fail_after(30):
        assert await discourse.decompose(sentence)


def test_nothing_is_foreseen_while_there_is_enough_to_do():
    class Foreseer(Machine):
        foreseen = 0

        async def foresee(self, text):
            self.foreseen += 1

    async def main():
        machine = Foreseer()
        stages = stages_of(machine)
        discourse = stages.decompose.begin()
        await discourse.foresee("It is red.")
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(stages.verify.verify, None, Grounds())
            await anyio.wait_all_tasks_blocked()
            await discourse.foresee("It is blue.")
        assert machine.foreseen == 1

    on_mock_clock(main)


def test_a_discourse_that_foresees_nothing_is_left_alone():
    async def main():
        await stages_of(Machine()).decompose.begin().foresee("It is red.")

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
