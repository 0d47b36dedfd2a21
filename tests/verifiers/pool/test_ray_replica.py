import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("ray.serve", reason="needs the extra ray")

from starlette.requests import Request

from pool_replicas import Numbers, triple
from ray_pool import UNCLOSED, local_handle, within_a_replica  # noqa: F401 - a fixture
from vista_stream.verifiers.pool.ray_replica import RayOptions, VerifierReplica
from vista_stream.verifiers.pool.service import ReplicaSettings

pytestmark = [UNCLOSED, pytest.mark.usefixtures("within_a_replica")]
SUPPORT = Path(__file__).parents[2] / "support"


def body(*numbers, **options):
    pairs = [{"premise": f"premise {number}", "hypothesis": "claim", **options} for number in numbers]
    return {"version": 1, "pairs": pairs}


def replica(verifier, *, options=None, **settings):
    return VerifierReplica(
        lambda: verifier, ReplicaSettings(**({"cache": 0} | settings)), options or RayOptions()
    )


def asked(path, *, content=b"", method="POST", token=None):
    """A request as Ray Serve hands it over."""
    headers = [] if token is None else [(b"authorization", token.encode())]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": b""}

    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    return Request(scope, receive)


async def over_http(deployed, path, **options):
    answer = await deployed(asked(path, **options))
    return answer.status_code, json.loads(answer.body)


def test_a_handle_of_the_deployed_class_scores():
    handle = local_handle(Numbers())

    async def ask():
        return await handle.ask.remote("/score", body(3, 1))

    status, answer = asyncio.run(ask())
    assert (status, answer["scores"]) == (200, [list(triple(3)), list(triple(1))])


def test_serve_gathers_requests_and_the_failure_of_one_is_its_own():
    class Choosy(Numbers):
        async def score(self, pairs):
            got = await super().score(pairs)
            if any(each.premise == "premise 666" for each in pairs):
                raise RuntimeError("poison")
            return got

    verifier = Choosy(delay=0.05)

    async def ask():
        deployed = replica(verifier, options=RayOptions(batch=10, batch_wait=0.2))
        asks = [deployed.ask("/score", body(number)) for number in (1, 2, 666, 3)]
        return await asyncio.gather(*asks)

    answers = asyncio.run(ask())
    assert [status for status, _ in answers] == [200, 200, 500, 200]
    assert answers[3][1]["scores"] == [list(triple(3))]
    assert "poison" in answers[2][1]["error"]["message"]


def test_a_full_batch_of_requests_does_not_wait():
    verifier = Numbers()

    async def ask():
        deployed = replica(verifier, options=RayOptions(batch=3, batch_wait=60.0))
        async with asyncio.timeout(50):
            await asyncio.gather(*(deployed.ask("/score", body(number)) for number in range(6)))

    asyncio.run(ask())
    assert len(verifier.seen) == 6


def test_the_deadline_counts_from_the_requests_arrival():
    async def ask():
        deployed = replica(Numbers(), options=RayOptions(batch=10, batch_wait=0.6))
        return await deployed.ask("/score", body(1, remaining_ms=100))

    status, answer = asyncio.run(ask())
    assert (status, answer["error"]["code"]) == (504, "deadline")


def test_over_http_it_answers_as_the_plain_server_does():
    async def ask():
        deployed = replica(Numbers(), tokens=frozenset({"right"}), max_body=200)
        content = json.dumps(body(7)).encode()
        return [
            await over_http(deployed, "/score", content=content, token="Bearer right"),
            await over_http(deployed, "/score", content=content),
            await over_http(deployed, "/score", content=b"{", token="Bearer right"),
            await over_http(deployed, "/score", content=b" " * 201, token="Bearer right"),
            await over_http(deployed, "/readyz", method="GET"),
        ]

    scored, unauthorized, broken, large, ready = asyncio.run(ask())
    assert (scored[0], scored[1]["scores"]) == (200, [list(triple(7))])
    assert [each[0] for each in (unauthorized, broken, large)] == [401, 400, 413]
    assert ready == (200, {"status": "ready"})


def test_the_health_check_fails_while_the_verifier_raises_whatever_it_is_asked():
    async def ask():
        deployed = replica(Numbers(error=RuntimeError("out of memory")))
        await deployed.check_health()
        await deployed.ask("/score", body(1))
        with pytest.raises(RuntimeError, match="out of memory"):
            await deployed.check_health()

    asyncio.run(ask())


@pytest.mark.parametrize(
    "change",
    [
        *({"least": 0}, {"least": 3, "most": 2}, {"ongoing": 0}, {"num_cpus": 0}, {"batch": 0}),
        *({"num_gpus": -1}, {"batch_wait": -1}),
    ],
)
def test_options_that_are_too_small_are_refused(change):
    told = "replicas" if "least" in change else next(iter(change))
    with pytest.raises(ValueError, match=told):
        RayOptions(**change)


@pytest.mark.skipif("VISTA_STREAM_RAY" not in os.environ, reason="starts a Ray: VISTA_STREAM_RAY=1 runs it")
@pytest.mark.timeout(900)
def test_the_command_deploys_the_pool_in_a_ray_of_its_own_and_lets_a_call_end_after_sigterm():
    command = [sys.executable, "-m", "vista_stream", "verifier-serve", "--engine", "ray", "--port", "8817"]
    command += ["--verifier", "pool_replicas:make_slow_numbers", "--replicas", "1-2", "--num-cpus", "0.5"]
    environ = os.environ | {"PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{SUPPORT}"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as served:
        try:
            url = next(line for line in served.stderr if line.startswith("vista-stream serves")).split()[-1]

            def ask(number):
                with urllib.request.urlopen(f"{url}/score", json.dumps(body(number)).encode()) as answer:
                    return json.load(answer)["scores"]

            assert ask(7) == [list(triple(7))]
            with ThreadPoolExecutor() as threads:
                under_way = threads.submit(ask, 8)
                time.sleep(2)
                served.send_signal(signal.SIGTERM)
                assert under_way.result() == [list(triple(8))]
            assert served.wait(300) == 0
        finally:
            served.kill()
