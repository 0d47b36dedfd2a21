import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest

pytest.importorskip("aiohttp", reason="verifier-serve needs the extra pool")

from vista_stream import Policy, Session, TextReleased
from vista_stream.cli import main
from vista_stream.verifiers.pool.remote import RemoteVerifier
from vista_stream.verifiers.pool.settings import PoolSettings

SUPPORT = Path(__file__).parents[1] / "support"
BODY = {"version": 1, "pairs": [{"premise": "premise 7", "hypothesis": "claim"}]}
ROW = '{"premise": "premise 300", "hypothesis": "The mill is red."}\n'


@contextmanager
def served_verifier():
    """`vista-stream verifier-serve` with a verifier of the working directory; its URL and its process."""
    command = [sys.executable, "-m", "vista_stream", "verifier-serve", "--port", "0"]
    command += ["--verifier", "pool_replicas:make_numbers"]
    environ = {**os.environ, "VISTA_STREAM_TOKENS": "tok"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=SUPPORT, env=environ) as served:
        told = (line for line in served.stderr if line.startswith("vista-stream serves the verifier at "))
        try:
            yield next(told).split()[-1], served
        finally:
            served.kill()


@pytest.fixture(scope="module")
def serving():
    with served_verifier() as served:
        yield served


def ask(url, *, token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(BODY).encode(), headers)) as answer:
        return json.load(answer)


def test_a_verifier_of_ones_own_is_served_to_who_shows_a_token(serving):
    url, _ = serving
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        ask(f"{url}/score")
    refused.value.close()
    assert ask(f"{url}/score", token="tok")["scores"] == [[0.007, 0.993, 0.0]]


def test_verify_asks_the_pool(serving, monkeypatch, tmp_path, capfd):
    url, _ = serving
    monkeypatch.setenv("VISTA_STREAM_POOL_TOKEN", "tok")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(ROW * 2)
    assert main(["verify", str(rows), "--scores-only", "--verifier", f"http://127.0.0.1:9,{url}"]) == 0
    out, err = capfd.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["entailment"] for line in lines] == [0.3, 0.3]
    assert "Unclosed" not in err


def test_check_asks_the_pool(serving, monkeypatch, tmp_path, capfd):
    url, _ = serving
    monkeypatch.setenv("VISTA_STREAM_POOL_TOKEN", "tok")
    reference = tmp_path / "mill.txt"
    reference.write_text("premise 900 of the mill.")
    given, writer = os.pipe()
    os.write(writer, b"The mill stands in Kew. ")
    os.close(writer)
    with os.fdopen(given) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert main(["check", "--reference", str(reference), "--json", "--verifier", url]) == 0
    out, err = capfd.readouterr()
    report = json.loads(out.splitlines()[-1])["report"]
    assert [verdict["category"] for verdict in report["verdicts"]] == ["verified"]
    assert "Unclosed" not in err


async def guarded(urls, *, between):
    """The text and the report of a turn of two sentences; `between` is called once the first is released."""
    shown = anyio.Event()

    async def deltas():
        yield "The mill stands in Kew. The crane "
        await shown.wait()
        between()
        yield "stands in Ely. "

    async with await RemoteVerifier.connect(urls, settings=PoolSettings(token="tok")) as verifier:
        session = Session(verifier=verifier, policy=replace(Policy.strict(), deadline=5.0))
        session.add_reference("premise 900 of the mill and the crane.")
        session.on(TextReleased, lambda event: shown.set())
        async with session.turn(deltas()) as turn:
            text = [each async for each in turn.text()]
    return "".join(text), turn.report


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_of_a_turn_whose_worker_dies_no_unchecked_sentence_is_shown(ending, serving):
    other, _ = serving
    with served_verifier() as (dying, worker):
        text, report = anyio.run(partial(guarded, [dying], between=lambda: worker.send_signal(ending)))
        assert text.startswith("The mill stands in Kew. ")
        assert "crane" not in text
        assert [each.claim.text for each in report.unresolved] == ["The crane stands in Ely."]
        text, report = anyio.run(partial(guarded, [dying, other], between=lambda: None))
        assert text == "The mill stands in Kew. The crane stands in Ely. "
        assert not report.unresolved


def test_sigterm_ends_it_with_status_0(serving):
    url, served = serving
    served.send_signal(signal.SIGTERM)
    assert served.wait(20) == 0
    with pytest.raises(urllib.error.URLError, match="refused"):
        ask(f"{url}/score", token="tok")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "99999"], "--port must be 0..65535"),
        (["--host", "0.0.0.0"], "give --token-file, or --open-network"),
        (["--token-file", "/there/is/none"], "No such file"),
        (["--cache", "-1"], "cache must be a number of pairs, 0 or more"),
        (["--num-gpus", "1"], "--num-gpus needs --engine ray"),
        (["--verifier", "embeded"], "--verifier takes embedded"),
        (["--verifier", "pool_replicas:none"], "no attribute 'none'"),
        (["--verifier", "json:JSONDecoder"], "must be a verifier, or give one"),
        (["--verifier", "there.is.none:such"], "No module named 'there'"),
        (
            ["--verifier", "pool_replicas:make_numbers", "--max-queue", "0"],
            "max_queue must be a number of pairs",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, told, capsys):
    assert main(["verifier-serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert told in err


def test_an_address_in_use_is_told(serving_socket, capsys):
    port = str(serving_socket)
    assert main(["verifier-serve", "--port", port, "--verifier", "pool_replicas:make_numbers"]) == 2
    assert "address already in use" in capsys.readouterr().err


@pytest.fixture
def serving_socket():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.mark.parametrize("given", ["2-", "-2", "two", ""])
def test_replicas_are_a_number_or_a_range(given, capsys):
    with pytest.raises(SystemExit):
        main(["verifier-serve", "--engine", "ray", f"--replicas={given}"])
    assert "takes a number of replicas, or MIN-MAX" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verifier-serve", "verify"])
def test_a_missing_package_is_one_line(command, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    for name in [name for name in sys.modules if name.startswith("vista_stream.verifiers.pool")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "rows.jsonl").write_text(ROW)
    arguments = ["verify", str(tmp_path / "rows.jsonl"), "--verifier", "http://127.0.0.1:9"]
    assert main([command] if command == "verifier-serve" else arguments) == 2
    assert capsys.readouterr().err.endswith('needs aiohttp: from a checkout, pip install ".[pool]"\n')


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--verifier", "http://a?b"], "urls must be base URLs"),
        (["--verifier-fallback", "embedded"], "--verifier-fallback is for a pool"),
    ],
)
def test_serve_tells_what_is_wrong_with_a_pool(arguments, told, capsys):
    assert main(["serve", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_replica_is_no_client_of_a_pool(capsys):
    assert main(["verifier-serve", "--verifier", "http://127.0.0.1:9"]) == 2
    assert "a replica of a pool is no client of one" in capsys.readouterr().err
