"""Scorers by their options, against a real HTTP server where an LLM is asked."""

from __future__ import annotations

import argparse
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from vista_stream.cli import CommandError, score
from vista_stream.cli.scorers import check_options, connect, describe, outlay_lines, read_prices
from vista_stream.report import StageTime
from vista_stream.scoring.outlay import Outlay, Prices
from vista_stream.stages.llm.cache import Reply, ReplyCache
from vista_stream.stages.llm.client import Spent

TURN = {"role": "assistant", "text": "Tea is hot. It is lovely.", "references": ["Tea is hot."]}


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    return parser.parse_args(["score", *arguments])


@pytest.fixture
def dialogues(tmp_path: Path) -> str:
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps({"id": "d", "turns": [{"role": "user", "text": "Is tea hot?"}, TURN]}))
    return str(path)


def reply(request: dict[str, Any]) -> str:
    """What a sensible model would say."""
    task, asked = request["messages"][0]["content"], request["messages"][-1]["content"]
    if task.startswith("You split"):
        return json.dumps({"answers": ["Tea is hot.", "Tea is lovely."]})
    if task.startswith("You order"):
        return json.dumps({"answers": ["1: vital", "2: less_important"]})
    if task.startswith("You check"):
        return json.dumps({"answers": ["VERIFIED" if "<claim>\nTea is hot." in asked else "UNVERIFIABLE"]})
    if task.startswith("A claim from"):
        return json.dumps({"answers": ["OUT_OF_SCOPE"]})
    if task.startswith("You write nuggets"):
        return json.dumps({"answers": ["Tea is hot."]})
    if task.startswith("You label"):
        return json.dumps({"answers": ["vital"]})
    if task.startswith("You say how far"):
        return json.dumps({"answers": ["partly_supported"]})
    return json.dumps({"answers": ["hallucinated: it says lovely"]})


def test_all_stages_by_llm(server: Any, dialogues: str, capsys: pytest.CaptureFixture[str]) -> None:
    server.script = reply
    llm = ("--stages", "all", "--model", "m", "--base-url", server.url, "--make-nuggets")
    assert score.run(parse(dialogues, *llm)) == 0
    out, err = capsys.readouterr()
    record = json.loads(out)
    turn = record["turns"][1]
    assert [(c["category"], c["importance"]) for c in turn["claims"]] == [
        ("verified", "vital"),
        ("out_of_scope", "less_important"),
    ]
    assert turn["nuggets"] == [{"text": "Tea is hot.", "importance": "vital", "support": "partly_supported"}]
    assert turn["vital"]["rlr"] is True
    assert record["setup"]["prompts"]["verify_two_way"] == "verify-two-way-1"
    assert "decompose (decompose-1): 1 calls" in err


def test_factscore_by_llm(server: Any, dialogues: str, capsys: pytest.CaptureFixture[str]) -> None:
    server.script = reply
    llm = ("--method", "factscore", "--stages", "all", "--model", "m", "--base-url", server.url)
    assert score.run(parse(dialogues, *llm)) == 0
    turn = json.loads(capsys.readouterr().out)["turns"][1]
    assert [c["category"] for c in turn["claims"]] == ["verified", "lacking_evidence"]
    asked = [request["messages"][-1]["content"] for request in server.requests]
    assert not any("Is tea hot?" in a for a in asked if "<passage>" in a)


def test_llm_as_judge(
    server: Any, dialogues: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = reply
    cache = str(tmp_path / "replies.db")
    llm = ("--method", "llm-judge", "--model", "m", "--base-url", server.url, "--cache", cache)
    for _ in range(2):
        assert score.run(parse(dialogues, *llm)) == 0
        turn = json.loads(capsys.readouterr().out)["turns"][1]
        assert (turn["verifiable"], turn["explanation"]) == (False, "it says lovely")
    assert len(server.requests) == 1


def test_a_model_without_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(CommandError, match="--model NAME is needed"):
        connect(parse("x", "--stages", "all"))
    with pytest.raises(CommandError, match="OPENAI_API_KEY"):
        connect(parse("x", "--stages", "all", "--model", "m"))
    assert connect(parse("x")) is None


@pytest.mark.parametrize(
    "option",
    [
        ("--model", "m"),
        ("--base-url", "http://127.0.0.1:1/v1"),
        ("--cache", "r.db"),
        ("--zero-shot",),
        ("--prices", "1,2"),
        ("--timeout", "9"),
    ],
)
def test_an_option_for_an_llm_is_refused_where_none_is_asked(option: tuple[str, ...], dialogues: str) -> None:
    with pytest.raises(CommandError, match=f"{option[0]} is for an LLM, and none is asked"):
        score.run(parse(dialogues, *option))
    with pytest.raises(CommandError, match="--stages all, or some of decompose,rank,verify, or"):
        score.run(parse(dialogues, *option, "--method", "factscore", "--stages", "judge"))
    for asked in (("--stages", "rank"), ("--method", "llm-judge"), ("--make-nuggets",)):
        check_options(parse(dialogues, *option, *asked))


@pytest.mark.parametrize(
    "option", [("--stages", "bogus"), ("--verifier", "/nonexist"), ("--make-nuggets",)], ids=lambda o: o[0]
)
def test_what_one_question_has_no_use_for_is_refused(option: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=f"{option[0]} is not for --method llm-judge"):
        check_options(parse("x", "--method", "llm-judge", "--model", "m", *option))


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://127.0.0.1:99999/v1", "127.0.0.1:8080", "ftp://x", "http://"]
)
def test_an_address_that_is_none_is_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = ("--stages", "all", "--model", "m")
    with pytest.raises(CommandError, match=r"--base-url .* is no server's address"):
        connect(parse("x", *llm, "--base-url", url))
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(CommandError, match=r"OPENAI_BASE_URL .* is no server's address"):
        connect(parse("x", *llm))


@pytest.mark.parametrize("kind", ["no database", "folder", "no folder", "damaged"])
def test_a_cache_that_is_none_is_named(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    if kind == "no database":
        path.write_text("This is a letter, and a long one at that. " * 40)
    elif kind == "folder":
        path.mkdir()
    elif kind == "no folder":
        path = tmp_path / "no" / "replies.db"
    else:
        cache = ReplyCache(path)
        for number in range(200):
            cache.put(number, Reply("x" * 400))
        cache.close()
        path.write_bytes(path.read_bytes()[:6000])
    llm = ("--stages", "all", "--model", "m", "--base-url", "http://127.0.0.1:1/v1")
    with pytest.raises(CommandError, match=f"--cache {path}: "):
        connect(parse("x", *llm, "--cache", str(path)))


def test_a_silent_server_is_not_waited_for_long(
    server: Any, dialogues: str, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = threading.Event()

    def wait(request: dict[str, Any]) -> str:
        silent.wait(30)
        return reply(request)

    server.script = wait
    llm = ("--method", "llm-judge", "--model", "m", "--base-url", server.url, "--timeout", "0.05")
    assert score.run(parse(dialogues, *llm)) == 1
    silent.set()
    assert "timed out" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--stages", "all"), ("--method", "llm-judge")])
def test_a_dead_server_is_told_and_is_no_success(
    options: tuple[str, ...], dialogues: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dead = ("--model", "m", "--base-url", "http://127.0.0.1:1/v1")
    assert score.run(parse(dialogues, *options, *dead)) == 1
    out, err = capsys.readouterr()
    (told,) = (line for line in err.splitlines() if line.startswith("vista-stream score:"))
    assert "nothing was settled; failures: 1; the first in dialogue 'd', turn 2: " in told
    assert "did not answer" in told
    assert len(out.splitlines()) == 1


def test_what_fails_in_part_is_told_and_scored(
    server: Any, dialogues: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def partly(request: dict[str, Any]) -> str:
        categorises = request["messages"][0]["content"].startswith("A claim from")
        return "{}" if categorises else reply(request)

    server.script = partly
    llm = ("--stages", "all", "--model", "m", "--base-url", server.url)
    assert score.run(parse(dialogues, *llm)) == 0
    assert "vista-stream score: failures: 1; the first in dialogue 'd', turn 2: " in capsys.readouterr().err


@pytest.mark.anyio
async def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    client = connect(parse("x", "--stages", "all", "--model", "m"))
    assert client is not None
    await client.aclose()


def test_unknown_stages_are_refused() -> None:
    with pytest.raises(CommandError, match="not 'verfy'"):
        describe(parse("x", "--stages", "rank,verfy"))


def test_the_setup_says_how() -> None:
    setup = describe(parse("x", "--stages", "verify", "--model", "m", "--zero-shot", "--no-history"))
    assert (setup["verify"], setup["categorise"]) == ("llm", "embedded")
    assert setup["prompts"] == {"verify": "verify-1"}
    assert (setup["shots"], setup["history"], setup["common_ground"]) == ("zero-shot", False, True)
    assert "model" not in describe(parse("x"))


SPENT = Spent("rank-1", calls=3, cached=1, repairs=1, prompt_tokens=30, completion_tokens=4, seconds=1.25)


def test_what_was_spent_is_told() -> None:
    outlay = Outlay(spent={"rank": SPENT}, stages={"rank": StageTime(4, 1.5)})
    assert list(outlay_lines(outlay)) == [
        "time by stage (calls): rank 1500 ms (4)",
        "rank (rank-1): 3 calls, 1 from the cache, 1 repairs, 30 + 4 tokens, 1.2 s",
    ]
    assert "cost" not in outlay.record()["prompts"]["rank"]


def test_tokens_have_their_price() -> None:
    outlay = Outlay(prices=Prices(100, 1000), spent={"rank": SPENT})
    *_, line, total = outlay_lines(outlay)
    # 30 prompt tokens at 100 and 4 reply tokens at 1000 a million.
    assert line.endswith(", cost 0.0070")
    assert total == "cost of all prompts: 0.0070"
    assert outlay.record()["prompts"]["rank"]["cost"] == pytest.approx(0.007)


def test_prices_are_two_numbers() -> None:
    assert read_prices("0.15,0.6") == (0.15, 0.6)
    for bad in ("0.15", "a,b", "1,2,3", "-1,2", "nan,1", "inf,1"):
        with pytest.raises(argparse.ArgumentTypeError, match="two prices"):
            read_prices(bad)


def test_a_run_says_what_it_took(
    server: Any, dialogues: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = reply
    llm = (
        "--stages",
        "all",
        "--model",
        "m",
        "--base-url",
        server.url,
        "--cache",
        str(tmp_path / "replies.db"),
    )
    page = tmp_path / "page.html"
    runs = []
    for _ in range(2):
        assert score.run(parse(dialogues, *llm, "--json", "--prices", "1,2", "--report", str(page))) == 0
        runs.append(json.loads(capsys.readouterr().out))
    assert runs[0]["dialogues"] == runs[1]["dialogues"]
    first, again = (run["run"] for run in runs)
    assert list(first["stages"]) == ["prepare", "decompose", "rank", "verify", "categorise"]
    assert first["stages"]["verify"]["calls"] == 2
    assert first["prompts"]["decompose"]["cost"] == pytest.approx((100 + 2 * 7) / 1e6)
    asked = again["prompts"]["decompose"]
    assert (asked["calls"], asked["cached"], asked["cost"]) == (0, 1, 0)
    assert asked["cached_seconds"] == pytest.approx(first["prompts"]["decompose"]["seconds"], abs=0.5)
    text = page.read_text()
    assert "Time by stage" in text
    assert "decompose (decompose-1)" in text


def test_the_judge_is_timed_apart(server: Any, dialogues: str, capsys: pytest.CaptureFixture[str]) -> None:
    def doubted(request: dict[str, Any]) -> str:
        task = request["messages"][0]["content"]
        if task.startswith("A claim from"):
            return json.dumps({"answers": ["CONTRADICTED"]})
        return json.dumps({"answers": ["LACKING_EVIDENCE"]}) if "last look" in task else reply(request)

    server.script = doubted
    llm = ("--stages", "all", "--model", "m", "--base-url", server.url)
    score.run(parse(dialogues, *llm, "--json"))
    whole = json.loads(capsys.readouterr().out)
    assert [c["category"] for c in whole["dialogues"][0]["turns"][1]["claims"]] == [
        "verified",
        "lacking_evidence",
    ]
    stages = whole["run"]["stages"]
    assert (stages["categorise"]["calls"], stages["judge"]["calls"]) == (2, 1)
