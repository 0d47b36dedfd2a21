"""`--second`: from the command line through a guarded turn to a real server, and wrong options."""

import argparse
import os

import pytest

from vista_stream.cli import CommandError, main
from vista_stream.cli.second import add_second, second_stages
from vista_stream.stages.escalate import Budget, Escalate, Unsure
from vista_stream.stages.stages import Stages
from vista_stream.testing import ScriptedStages, ScriptedVerifier, WholeSentences


def parsed(*options):
    parser = argparse.ArgumentParser()
    add_second(parser)
    return parser.parse_args(options)


@pytest.fixture
def stages(monkeypatch):
    """The default stages are scripted ones that are unsure of nothing, unless a test says otherwise."""
    scripted = ScriptedStages()
    made = Stages(decompose=WholeSentences(), rank=scripted, verify=scripted, categorise=scripted)
    monkeypatch.setattr("vista_stream.stages.defaults.default_stages", lambda verifier=None: made)
    return made


def test_without_the_option_the_stages_are_the_sessions_own(stages):
    assert second_stages(parsed()).stages is None


def test_limits_and_budget_are_read():
    args = parsed("--second-when", "0.1,0.95", "--second-budget", "3,20")
    assert args.second_when == Unsure(low=0.1, high=0.95)
    assert args.second_budget == Budget(turn=3, minute=20)


def test_a_folders_verifier_is_the_second(stages, monkeypatch):
    given = []
    verifier = ScriptedVerifier()
    monkeypatch.setattr(
        "vista_stream.cli.second.load_verifier", lambda name, *, option: given.append(name) or verifier
    )
    made = second_stages(parsed("--second", "models/flan"))
    assert isinstance(made.stages.verify, Escalate)
    assert given == ["models/flan"]


def test_a_guarded_text_is_judged_by_the_server_and_the_summary_tells_the_cost(
    server, tmp_path, monkeypatch, capfdbinary
):
    server.script = lambda request: "1. CONTRADICTED"
    (tmp_path / "mill.txt").write_text("The mill by the brook belongs to an old family of bakers.")
    (tmp_path / "policy.toml").write_text("deadline = 60.0\n")
    reader, writer = os.pipe()
    os.write(writer, b"The mill by the brook was sold to a baker last year.")
    os.close(writer)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")  # --second-url counts
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with os.fdopen(reader, "rb") as file:
        monkeypatch.setattr("sys.stdin", file)
        options = ["--second", "llm", "--second-model", "m", "--second-url", server.url]
        rest = ["--reference", str(tmp_path / "mill.txt"), "--policy", str(tmp_path / "policy.toml")]
        status = main(["check", *rest, *options, "--second-when", "0,1"])
    err = capfdbinary.readouterr().err.decode()
    assert status == 1
    assert "second verifier: due for 1 claim, decided 1;" in err
    assert "100 + 7 tokens" in err
    assert "contradicted (vital)" in err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--second-when", "0.2,0.9"], "--second-when needs --second"),
        (["--second-budget", "1,1"], "--second-budget needs --second"),
        (["--second-model", "m"], "--second-model needs --second llm"),
        (["--second", "folder", "--second-url", "http://x"], "--second-url needs --second llm"),
        (["--second", "llm"], "--second llm needs --second-model NAME"),
        (["--second", "/there/is/none"], "--second takes embedded, the default, the folder"),
        (["--second", "llm", "--second-model", "m", "--second-url", "nowhere"], "--second-url 'nowhere'"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(options, told, stages):
    with pytest.raises(CommandError, match=told):
        second_stages(parsed(*options))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--second-when", "0.2"], "takes two numbers with a comma, not '0.2'"),
        (["--second-when", "0.9,0.2"], "0 <= low < high <= 1"),
        (["--second-budget", "1.5,2"], "takes two numbers with a comma"),
        (["--second-budget", "1,-2"], "minute must be a number of questions"),
    ],
)
def test_bad_numbers_are_one_line_and_status_2(options, told, capsys):
    with pytest.raises(SystemExit) as left:
        main(["check", *options])
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


def test_serve_gives_the_stages_to_the_proxy(stages, monkeypatch):
    proxy = pytest.importorskip("vista_stream_adapters.proxy", reason="serve needs the extra proxy")
    given = []

    async def serve(app, *, announce):
        given.append(app)

    monkeypatch.setattr(proxy, "make_app", lambda settings, **parts: parts)
    monkeypatch.setattr(proxy, "serve", serve)
    options = ["--second", "llm", "--second-model", "m", "--second-url", "http://127.0.0.1:1/v1"]
    assert main(["serve", *options]) == 0
    assert main(["serve"]) == 0
    escalating, plain = given
    assert isinstance(escalating["stages"].verify, Escalate)
    assert "verifier" not in escalating
    assert "stages" not in plain
