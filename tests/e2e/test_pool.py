import anyio
import pytest

pytest.importorskip("aiohttp", reason="needs the extra pool")
pytest.importorskip("onnxruntime", reason="needs the extra cpu")

from pool_replicas import replica
from vista_stream import Policy, Session
from vista_stream.cli.material import load_scenes
from vista_stream.testing import replay
from vista_stream.verifiers import Pair
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.pool.remote import RemoteVerifier
from vista_stream.verifiers.pool.settings import PoolSettings


@pytest.fixture
def anyio_backend():
    return "asyncio"


def fifty_pairs():
    """Sentences of the shipped answers beside the passages of their documents."""
    pairs = []
    for scene in load_scenes():
        if scene.document is not None:
            passages = [line for line in scene.document[1].split("\n") if line.strip()]
            sentences = [part for part in "".join(scene.tokens).split(". ") if part.strip()]
            pairs += [Pair(passage[:600], sentence) for passage in passages[:6] for sentence in sentences[:6]]
    assert len(pairs) >= 50
    return pairs[:50]


@pytest.mark.anyio
async def test_fifty_pairs_get_the_same_scores_through_the_pool_as_here():
    local = EmbeddedVerifier.from_pretrained()
    pairs = fifty_pairs()
    patient = PoolSettings(attempt=100)  # on a slow machine too
    async with (
        replica(local) as one,
        replica(local) as two,
        await RemoteVerifier.connect([one, two], settings=patient) as pool,
    ):
        assert (pool.name, pool.thresholds) == (local.name, local.thresholds)
        scored = {}

        async def ask(start):
            for number in range(start, 50, 5):
                scored[number] = (await pool.score([pairs[number]]))[0]

        async with anyio.create_task_group() as tasks:
            for start in range(5):
                tasks.start_soon(ask, start)
        assert [scored[number] for number in range(50)] == await local.score(pairs)


@pytest.mark.anyio
async def test_a_guarded_turn_has_the_same_verdicts_through_the_pool_and_without_it():
    scene = next(scene for scene in load_scenes() if scene.document and scene.alteration)

    async def verdicts(verifier):
        session = Session(verifier, policy=Policy.observing(deadline=3600))
        session.add_reference(scene.document[1])
        await session.prepare()
        async with session.turn(replay("".join(scene.tokens), size=40), query=scene.query) as turn:
            report = await turn.drain()
        assert not report.unresolved
        return {each.claim.id: (each.claim.text, each.category, each.scores) for each in report.verdicts}

    local = EmbeddedVerifier.from_pretrained()
    async with replica(local) as url:
        async with await RemoteVerifier.connect([url], fallback=local) as pool:
            expected = await verdicts(None)
            assert await verdicts(pool) == expected
        gone = await RemoteVerifier.connect([url], fallback=local)
    async with gone:  # its replica has ended
        assert await verdicts(gone) == expected
    assert expected
