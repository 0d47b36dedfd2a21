"""What the page asks of the server, without a browser."""

import json
from dataclasses import replace as replaced

import pytest

from vista_stream import Category, Policy, Scores, VerifierError, release, replace
from vista_stream.claims import Importance
from vista_stream.policy import NOTICE
from vista_stream.stages import Finding
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stores import MemoryStore
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.page_routes import POLICIES

pytestmark = pytest.mark.asyncio

ANSWER = "Ünïcode 🎈 opens. It was built by elephants. The end."


async def check(proxy, answer=ANSWER, **body):
    asked = {
        "messages": [{"role": "user", "content": "What?"}],
        "conversation": "c1",
        "speed": "fast",
        "answer": answer,
    }
    async with proxy.http.post("/page/api/check", json=asked | body) as response:
        text = await response.text()
    if response.status != 200:
        return response.status, json.loads(text)["error"]["code"]
    return events_in(text)


async def ask(proxy):
    asked = {"messages": [{"role": "user", "content": "What?"}], "conversation": "c1"}
    async with proxy.http.post("/page/api/ask", json=asked) as response:
        return events_in(await response.text())


def events_in(stream):
    return [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]


def of(events, kind):
    return [event for event in events if event["type"] == kind]


async def test_events_come_in_order_and_nothing_is_released_before_it_arrived(start_proxy):
    events = await check(await start_proxy())
    assert events[0] == {"type": "references", "references": []}
    assert [event["type"] for event in events[-2:]] == ["turn.ended", "common_ground"]
    assert "".join(event["text"] for event in of(events, "delta")) == ANSWER
    arrived = 0
    for event in events:
        arrived += len(event["text"]) if event["type"] == "delta" else 0
        assert not event["type"].startswith("text.") or event["span"]["end"] <= arrived
    assert "elephants" not in "".join(event["text"] for event in of(events, "text.released"))
    assert all(event["held_back"] >= 0 for event in of(events, "text.released"))
    assert of(events, "claim.settled")[1]["verdict"]["category"] == "contradicted"


def chunk(text=None, *, finish=None, end=b"\n\n", **more):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice], **more}).encode() + end


@pytest.mark.parametrize(
    "raw",
    [
        chunk(error=None) + chunk("One is. Two is.", error=None) + b"data: [DONE]\n\n",
        chunk("One is. ") + chunk("Two is.", finish="stop", end=b"\n"),
        chunk("One is. ") + chunk("Two is.") + b"data: [DONE]",
        chunk("One is. ") + chunk("Two is.") + chunk(finish="stop"),
    ],
    ids=["an error of null", "one line end", "no line end", "no mark"],
)
async def test_an_answer_of_the_upstream_is_read_to_its_end(raw, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(raw=raw))
    events = await ask(proxy)
    assert "".join(event["text"] for event in of(events, "delta")) == "One is. Two is."
    assert [event["type"] for event in events[-2:]] == ["turn.ended", "common_ground"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (chunk("One is. ") + chunk("Two is.", end=b"\n"), "upstream_broken"),
        (chunk("One is. Two is.") + chunk("Three", end=b"")[:-4], "upstream_broken"),
        (chunk("One is. Two is.") + b'data: {"choices": 1}\n\n', "upstream_broken"),
        (chunk("One is. Two is.") + chunk(error={"message": "out of memory"}), "upstream_error"),
    ],
    ids=["no end", "a cut event", "no list", "an error"],
)
async def test_an_answer_that_breaks_off_is_no_whole_one(raw, code, start_upstream, start_proxy):
    events = await ask(await start_proxy(await start_upstream(raw=raw)))
    assert "".join(event["text"] for event in events if event.get("type") == "delta") == "One is. Two is."
    assert events[-1]["error"]["code"] == code


async def test_the_common_ground_grows_turn_by_turn(start_proxy):
    proxy = await start_proxy(background=("A fact.",))
    await check(proxy, "One is said.")
    messages = [
        {"role": "user", "content": "What?"},
        {"role": "assistant", "content": "One is said."},
        {"role": "user", "content": "And?"},
    ]
    (ground,) = of(await check(proxy, "Two is said.", messages=messages), "common_ground")
    said = [(statement["text"], statement["id"]) for statement in ground["statements"]]
    assert said == [("A fact.", "background"), ("One is said.", "turn 1"), ("Two is said.", "turn 2")]


@pytest.mark.parametrize(("policy", "goes_on"), [("raise", False), ("continue", True)])
async def test_a_store_that_fails_after_the_turn_is_an_error_in_the_stream(policy, goes_on, start_proxy):
    class Failing(MemoryStore):
        loads = 0

        async def load(self, conversation):
            self.loads += bool(conversation)
            if self.loads > 1:
                raise OSError("down")
            return await super().load(conversation)

    proxy = await start_proxy(store=Failing(), policy=Policy(on_store_error=policy))
    last = (await check(proxy))[-1]
    if goes_on:
        assert last["type"] == "turn.ended"
    else:
        assert last["error"]["code"] == "store_unavailable"


async def test_references_are_shown_up_to_a_size(start_proxy):
    proxy = await start_proxy()
    large = {"name": "large", "text": "Many words are here. " * 40_000}
    sent = [{"name": "small", "text": "Short."}, large]
    events = await check(proxy, vista={"references": sent})
    assert [shown["name"] for shown in events[0]["references"]] == ["small"]


async def test_the_policys_wording_is_what_is_shown(start_proxy):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): replace("[no]")})
    events = await check(await start_proxy(policy=policy))
    assert [event["replacement"] for event in of(events, "text.replaced")] == ["[no]"]


@pytest.mark.parametrize(
    ("policy", "importance", "shown"),
    [
        ("own", Importance.VITAL, "[own]"),
        ("own", Importance.OKAY, "elephants"),
        ("default", Importance.OKAY, NOTICE),
        ("vital", Importance.OKAY, "elephants"),
        ("observing", Importance.VITAL, "elephants"),
    ],
)
async def test_the_page_chooses_among_policies(policy, importance, shown, start_proxy):
    rules = {
        (Category.CONTRADICTED, Importance.VITAL): replace("[own]"),
        (Category.CONTRADICTED, Importance.OKAY): release(),
    }
    own = Policy(rules=rules)
    stages = ScriptedStages({"elephants": Category.CONTRADICTED}, importance=lambda text: importance)
    proxy = await start_proxy(stages=stages, policy=own)
    events = await check(proxy, policy=policy)
    released = "".join(event["text"] for event in of(events, "text.released"))
    assert shown in released + "".join(event["replacement"] for event in of(events, "text.replaced"))
    # The next turn has the proxy's own policy again.
    (again,) = of(await check(proxy, conversation="c2"), "turn.ended")
    assert (again["report"]["withheld"] > 0) is (importance is Importance.VITAL)


async def test_what_is_called_contradicted_is_the_same_under_each_policy(start_proxy):
    class Unsure(ScriptedStages):
        async def verify(self, claim, grounds):
            return Finding(scores=Scores(0.1, 0.1, 0.8), tier="model")

        def stages(self):
            return replaced(super().stages(), categorise=EmbeddedCategorise())

    proxy = await start_proxy(stages=Unsure(), policy=Policy(thresholds={"contradiction": 0.9}))
    for policy in POLICIES:
        events = await check(proxy, policy=policy, conversation=policy)
        categories = {event["verdict"]["category"] for event in of(events, "claim.settled")}
        assert categories == {"lacking_evidence"}


async def test_what_failures_do_is_the_same_under_each_policy(start_proxy):
    class Broken(ScriptedStages):
        async def verify(self, claim, grounds):
            raise VerifierError("down")

    proxy = await start_proxy(stages=Broken(), policy=Policy(on_verifier_error="raise"))
    for policy in POLICIES:
        assert (await check(proxy, policy=policy, conversation=policy))[-1]["error"]


async def test_an_error_of_the_verifier_is_named_and_not_told(start_proxy):
    class Broken(ScriptedStages):
        async def verify(self, claim, grounds):
            if "elephants" in claim.text:
                raise RuntimeError("a secret")
            return await super().verify(claim, grounds)

    events = await check(await start_proxy(stages=Broken()))
    (unresolved,) = of(events, "claim.unresolved")
    assert unresolved["reason"] == "verifier_error"
    assert "secret" not in json.dumps(events)
    # The page tells an event by its type: an error that ends the stream has none.
    assert isinstance(unresolved["error"], str)
    assert of(events, "turn.ended")


async def test_a_verdict_says_which_sentence_of_its_window_it_is_about(start_proxy):
    class Citing(ScriptedStages):
        async def verify(self, claim, grounds):
            return Finding(evidence=grounds.references[0].windows[0])

    reference = {"name": "built.txt", "text": "It has a roof. Engineers built it. It stands."}
    events = await check(await start_proxy(stages=Citing()), vista={"references": [reference]})
    evidence = [event["verdict"]["evidence"] for event in of(events, "claim.settled")]
    assert evidence[1]["span"] != evidence[1]["marked"]
    start, end = evidence[1]["marked"]["start"], evidence[1]["marked"]["end"]
    assert reference["text"][start:end] == "Engineers built it."


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"answer": " "}, "invalid_answer"),
        ({"answer": 3}, "invalid_answer"),
        ({"speed": "slow"}, "invalid_speed"),
        ({"speed": ["fast"]}, "invalid_speed"),
        ({"policy": "lax"}, "invalid_policy"),
        ({"policy": ["own"]}, "invalid_policy"),
        ({"conversation": "../x"}, "invalid_conversation"),
        ({"messages": []}, "invalid_messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "invalid_messages"),
        ({"vista": {"references": [{"text": 1}]}}, "invalid_reference"),
    ],
)
async def test_what_cannot_be_checked_is_a_400(body, code, start_proxy):
    assert await check(await start_proxy(), **body) == (400, code)


async def test_without_the_page_there_is_nothing_at_its_paths(start_proxy):
    proxy = await start_proxy(page=False)
    for path in ("/", "/page/main.js", "/page/about"):
        async with proxy.http.get(path) as response:
            assert response.status == 404


async def test_the_page_names_no_other_host_and_carries_its_headers(start_proxy):
    proxy = await start_proxy()
    for path in ("/", "/page/page.css", "/page/main.js", "/page/panels.js", "/page/turn_view.js"):
        async with proxy.http.get(path) as response:
            text = await response.text()
            assert "//" not in text.replace("// ", "") or "http" not in text
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
