import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from vista_stream import Category, Importance, Policy, TurnReport, UnresolvedReason, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Outcome
from vista_stream_adapters.proxy.metrics import Metrics
from vista_stream_adapters.proxy.record import AnswerRecord, log_answer


def samples(text):
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text, name, **labels):
    return samples(text).get((name, *sorted(labels.items())))


async def told_of(proxy, end):
    """The metrics, as soon as one answer is counted under this end."""
    while True:
        async with proxy.http.get("/metrics") as told:
            text = await told.text()
        if value(text, "vista_answers_total", api="chat", end=end):
            return text


def record(**traits):
    return AnswerRecord(api="chat", model="m", streamed=True, conversation=False, **traits)


def test_an_unresolved_claim_is_counted_by_reason_and_never_as_verified():
    metrics = Metrics()
    metrics.observe(
        record(
            verdicts=[(Category.VERIFIED, Importance.VITAL), (Category.LACKING_EVIDENCE, Importance.OKAY)],
            unresolved=[(UnresolvedReason.DEADLINE, Importance.VITAL)] * 3,
        )
    )
    text = metrics.expose().decode()
    assert value(text, "vista_claims_total", category="verified", importance="vital") == 1
    assert value(text, "vista_claims_unresolved_total", reason="deadline", importance="vital") == 3
    claims = [v for (name, *_), v in samples(text).items() if name == "vista_claims_total"]
    assert sum(claims) == 2


def test_hold_backs_characters_tokens_and_added_latency_are_counted():
    report = TurnReport(received=30, released=20, withheld=10, stopped=True, hold_backs=(0.2, 3.0))
    outcome = Outcome(conversation=None, report=report, tokens_received=8, tokens_saved=12)
    metrics = Metrics()
    metrics.observe(record(outcomes=[outcome], upstream_ended=10.0, ended=10.5))
    text = metrics.expose().decode()
    assert value(text, "vista_characters_total", fate="released") == 20
    assert value(text, "vista_characters_total", fate="withheld") == 10
    assert value(text, "vista_tokens_saved_total") == 12
    assert value(text, "vista_hold_back_seconds_count") == 2
    assert value(text, "vista_hold_back_seconds_sum") == pytest.approx(3.2)
    assert value(text, "vista_added_latency_seconds_sum", api="chat") == pytest.approx(0.5)
    assert value(text, "vista_answers_total", api="chat", end="stopped") == 1


@pytest.mark.asyncio
async def test_the_proxy_serves_what_its_answers_added(start_upstream, start_proxy):
    stages = ScriptedStages({"elephants": Category.CONTRADICTED}, delay=lambda text: 9 * ("long" in text))
    policy = Policy(deadline=1.5)
    proxy = await start_proxy(await start_upstream(), stages=stages, policy=policy)
    await proxy.ask()
    async with proxy.http.get("/metrics") as response:
        assert response.content_type == "text/plain"
        text = await response.text()
    assert value(text, "vista_claims_total", category="verified", importance="vital") == 1
    assert value(text, "vista_claims_total", category="contradicted", importance="vital") == 1
    assert value(text, "vista_claims_unresolved_total", reason="deadline", importance="vital") == 1
    assert value(text, "vista_answers_total", api="chat", end="complete") == 1
    assert value(text, "vista_hold_back_seconds_count") == 3
    assert value(text, "vista_added_latency_seconds_sum", api="chat") > 0.2
    assert value(text, "vista_queue_depth") == value(text, "vista_answers_running") == 0


@pytest.mark.asyncio
async def test_the_queue_is_seen_while_it_waits_and_a_client_that_left_is_no_error(
    start_upstream, start_proxy
):
    stages = ScriptedStages(delay=lambda text: 9 * ("canal" in text))
    upstream = await start_upstream()
    proxy = await start_proxy(upstream, stages=stages)
    body = {"model": "m", "messages": [], "stream": True}
    async with proxy.http.post(
        "/v1/chat/completions", json=body | {"messages": [{"role": "user", "content": "When?"}]}
    ) as response:
        await response.content.readany()
        depth = 0
        while not depth:
            async with proxy.http.get("/metrics") as told:
                depth = value(await told.text(), "vista_queue_depth")
        response.close()
    text = await told_of(proxy, "client_left")
    assert value(text, "vista_queue_depth") == 0


@pytest.mark.asyncio
async def test_what_a_client_got_before_it_left_is_counted(start_upstream, start_proxy):
    upstream = await start_upstream(stall_after=12)
    proxy = await start_proxy(upstream)
    body = {"model": "m", "messages": [{"role": "user", "content": "When?"}], "stream": True}
    async with proxy.http.post("/v1/chat/completions", json=body) as response:
        read = b""
        while b"1914" not in read:
            read += await response.content.readany()
        response.close()
    text = await told_of(proxy, "client_left")
    assert value(text, "vista_characters_total", fate="released") >= len("The canal opened in 1914.")
    assert value(text, "vista_claims_total", category="verified", importance="vital") == 1


@pytest.mark.asyncio
async def test_an_error_of_the_upstream_in_its_stream_is_no_complete_answer(
    start_upstream, start_proxy, caplog
):
    caplog.set_level("INFO", logger="vista_stream.proxy")
    proxy = await start_proxy(await start_upstream(fail_after=6))
    _, stream = await proxy.ask()
    assert "out of memory" in stream
    text = await told_of(proxy, "upstream_error")
    assert value(text, "vista_answers_total", api="chat", end="complete") in (None, 0)
    assert any("error=upstream_error" in line for line in caplog.messages)


@pytest.mark.asyncio
async def test_an_error_in_place_of_an_answer_is_no_complete_answer(start_upstream, start_proxy):
    whole = {"error": {"message": "out of memory"}}
    proxy = await start_proxy(await start_upstream(whole=whole))
    status, told = await proxy.ask(stream=False)
    assert (status, json.loads(told)) == (200, whole)
    text = await told_of(proxy, "upstream_error")
    assert value(text, "vista_answers_total", api="chat", end="complete") in (None, 0)


@pytest.mark.asyncio
async def test_the_upstream_does_not_choose_names_of_metrics(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(status=429, told="org-17"))
    _, told = await proxy.ask()
    assert "org-17" in told
    assert "org-17" not in await told_of(proxy, "upstream_error")


@pytest.mark.asyncio
async def test_a_stop_saves_tokens_once_the_usual_length_is_known(start_upstream, start_proxy):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop()})
    upstream = await start_upstream(answer="All of this is true and it is long enough. " * 20)
    proxy = await start_proxy(upstream, policy=policy)
    await proxy.ask()
    upstream.answer = "It was built by elephants. " + upstream.answer
    await proxy.ask()
    async with proxy.http.get("/metrics") as response:
        text = await response.text()
    assert value(text, "vista_answers_total", api="chat", end="stopped") == 1
    assert value(text, "vista_tokens_saved_total") > 100


def test_a_log_line_is_one_line_whatever_the_request_says(caplog):
    caplog.set_level("INFO", logger="vista_stream.proxy")
    one = AnswerRecord(api="chat", model="gpt\nERROR forged \x1b[31m", streamed=True, conversation=False)
    one.error = "broken\r\nERROR forged"
    log_answer(one)
    (line,) = caplog.messages
    assert "gpt�ERROR forged" in line
    assert line.isprintable()
