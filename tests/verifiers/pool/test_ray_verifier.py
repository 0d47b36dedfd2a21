import anyio
import pytest

pytest.importorskip("ray.serve", reason="needs the extra ray")

from ray.serve.exceptions import RayServeException

from pool_replicas import Numbers, pair, triple
from ray_pool import UNCLOSED, local_handle, within_a_replica  # noqa: F401 - a fixture
from vista_stream.core.judge import Thresholds
from vista_stream.errors import InferenceError, Overload, VerifierUnreachable
from vista_stream.verifiers.pool.ray_verifier import RayVerifier
from vista_stream.verifiers.pool.settings import PoolSettings

pytestmark = [pytest.mark.anyio, UNCLOSED, pytest.mark.usefixtures("within_a_replica")]
HASTY = PoolSettings(patience=0)


@pytest.fixture
def anyio_backend():
    return "asyncio"


def gone():
    raise RayServeException("Application 'vista_stream' does not exist.\nLook at the logs.")


async def test_it_scores_by_handle_as_the_replicas_verifier_does():
    handle = local_handle(Numbers())
    async with await RayVerifier.connect(lambda: handle) as remote:
        assert (remote.name, remote.kind, remote.thresholds) == ("numbers", "Numbers", Thresholds())
        assert await remote.score([pair(3), pair(1)]) == [triple(3), triple(1)]


async def test_what_the_replicas_verifier_raises_is_raised_here():
    for raised in (InferenceError("poison"), Overload("late")):
        handle = local_handle(Numbers(error=raised))
        remote = await RayVerifier.connect(lambda handle=handle: handle)
        with pytest.raises(type(raised), match=str(raised)):
            await remote.score([pair()])


async def test_a_deadline_travels_along():
    handle = local_handle(Numbers(delay=30))
    remote = await RayVerifier.connect(lambda: handle)
    with anyio.fail_after(10), pytest.raises(Overload, match="deadline"):
        await remote.score([pair(deadline=anyio.current_time() + 0.3)])


async def test_without_the_application_the_fallback_scores_or_it_is_told():
    with pytest.raises(VerifierUnreachable, match=r"'vista_stream' does not exist\.$"):
        await RayVerifier.connect(gone, settings=HASTY)
    remote = await RayVerifier.connect(gone, settings=HASTY, fallback=Numbers())
    assert await remote.score([pair(2)]) == [triple(2)]


async def test_an_error_without_a_message_goes_by_its_kind():
    def silent():
        raise RayServeException

    with pytest.raises(VerifierUnreachable, match="RayServeException"):
        await RayVerifier.connect(silent, settings=HASTY)


@pytest.mark.parametrize("url", ["http://a", "ray://", "ray:///app", "ray://auto/app?x"])
async def test_a_url_that_names_no_application_is_refused(url):
    with pytest.raises(ValueError, match="application must be ray://auto/APP"):
        await RayVerifier.connect(url)
