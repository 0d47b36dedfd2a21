"""Every example runs, with the shipped models, against an endpoint that speaks the real protocol."""

import importlib
import importlib.util
import json
import sys
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
FALSE = "It was opened in August 1941."
TEXT = f"The Panama Canal was opened in August 1914. {FALSE}"

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(
        not files("vista_stream").joinpath("models/verifier/manifest.json").is_file(),
        reason="the shipped model is not in this checkout",
    ),
]


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(autouse=True)
def endpoint(upstream, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", upstream.url)
    monkeypatch.setenv("OPENAI_API_BASE", upstream.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", upstream.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(shown):
    assert "opened in August 1914" in shown
    assert "1941" not in shown


@pytest.mark.parametrize("name", ["openai_client", "litellm_guardrail", "pydantic_ai_agent"])
async def test_an_example_that_asks_for_chat_completions(upstream, chat, answer, name, capsys):
    if name == "litellm_guardrail":
        pytest.importorskip("litellm", reason="needs the dependency group integrations")
    upstream.will(answer(chat.stream(TEXT)))
    await load(name).main()
    if name == "litellm_guardrail":
        await importlib.import_module("litellm").close_litellm_async_clients()
    check(capsys.readouterr().out)


async def test_the_agents_example(upstream, responses, answer, capsys):
    upstream.will(answer(responses.stream(TEXT)))
    await load("agents_run").main()
    check(capsys.readouterr().out)


async def test_the_starlette_example(upstream, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    transport = httpx.ASGITransport(load("starlette_app").app)
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        response = await client.get("/answer", params={"q": "When was the Panama Canal opened?"})
    check(response.text)


@pytest.mark.parametrize("params", [{}, {"q": " "}])
async def test_the_starlette_example_says_what_is_missing(params):
    transport = httpx.ASGITransport(load("starlette_app").app)
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        response = await client.get("/answer", params=params)
    assert (response.status_code, response.json()) == (400, {"error": "q is missing: ask as /answer?q=..."})


def test_the_anthropic_example(upstream, answer, capsys):
    frames = [
        {
            "type": "message_start",
            "message": {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [],
                "stop_reason": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    upstream.will(answer([f"event: {f['type']}\ndata: {json.dumps(f)}\n\n".encode() for f in frames]))
    load("anthropic_client").main()
    check(capsys.readouterr().out)


def test_the_langchain_example(capsys):
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    load("langchain_chain").main(GenericFakeChatModel(messages=iter([AIMessage(TEXT)])))
    check(capsys.readouterr().out)


NOTICE = "[A statement here was withheld: it contradicts the reference.]"


async def test_the_terminal_chat(capsys):
    await load("terminal_chat").main()
    shown = capsys.readouterr().out
    assert "[flagged: The Skerry lighthouse was built in 1845.] " + NOTICE in shown
    assert "Common ground:\n  The Skerry lighthouse is 31 metres high.\n" in shown


async def test_the_retrieval_loop(capsys):
    await load("rag_loop").main()
    shown = capsys.readouterr().out
    assert shown.startswith(NOTICE + " Children under six are free.")
    assert "contradicted by prices: The ticket costs 15 euros." in shown


@pytest.mark.parametrize("name", ["terminal_chat", "rag_loop"])
async def test_the_complete_examples_ask_a_service(upstream, chat, answer, name, capsys):
    upstream.will(answer(chat.stream(TEXT)))
    await load(name).main("m")
    assert upstream.requests[0]["model"] == "m"
    assert "The Panama Canal was opened in August 1914." in capsys.readouterr().out


@pytest.mark.parametrize("model", [None, "m"])
async def test_the_fastapi_example(upstream, chat, answer, model):
    upstream.will(answer(chat.stream(TEXT)))
    example = load("fastapi_stream")
    example.app.state.model = model
    transport = httpx.ASGITransport(example.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        response = await client.get("/answer", params={"q": "When was the Panama Canal opened?"})
        assert (await client.get("/answer")).status_code == 422
    assert NOTICE in response.text
    assert "1989" not in response.text
    check(response.text)


async def test_the_fastapi_example_without_a_server(capsys):
    await load("fastapi_stream").once()
    shown = capsys.readouterr().out
    assert NOTICE in shown
    assert "1989" not in shown


def test_the_langgraph_example(capsys):
    pytest.importorskip("langgraph", reason="needs the dependency group integrations")
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    example = load("langgraph_chat")
    example.main(GenericFakeChatModel(messages=iter([AIMessage(text) for text in example.SCRIPT])))
    first, second = capsys.readouterr().out.splitlines()[1::2]
    assert first == example.SCRIPT[0]
    assert second == "[A statement here was withheld: it contradicts what was said before.]"


@pytest.mark.parametrize(
    ("name", "package"), [("fastapi_stream", "fastapi"), ("langgraph_chat", "langgraph")]
)
def test_an_example_says_what_is_missing(name, package, monkeypatch):
    for module in [each for each in sys.modules if each.split(".")[0] == package] or [package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit, match=rf"^{package}[\w.]* is missing: pip install"):
        load(name)


@pytest.mark.parametrize("name", ["terminal_chat", "rag_loop"])
async def test_an_example_that_asks_a_service_says_what_is_missing(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    example = load(name)
    with pytest.raises(SystemExit, match="openai is missing"):
        await example.main("m")


COMPLETE = ("terminal_chat", "rag_loop", "fastapi_stream", "langgraph_chat")
"""Programs that run offline and with a service: as long as sixty lines."""


def test_no_example_is_longer_than_forty_lines_or_sixty_for_complete_programs():
    for example in EXAMPLES.glob("*.py"):
        longest = 60 if example.stem in COMPLETE else 40
        assert len(example.read_text().splitlines()) <= longest, example.name
