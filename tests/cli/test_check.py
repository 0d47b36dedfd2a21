import json
import os
import sys
import threading
from functools import partial

import pytest

from slow_index import SlowIndex
from vista_stream.claims import Category
from vista_stream.cli import main
from vista_stream.cli.check import run
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages

TRUE = "The canal opened in 1914. "
FALSE = "It was built by elephants. "
REFERENCE = "The canal opened in 1914. It was built by engineers."


@pytest.fixture
def reference(tmp_path):
    path = tmp_path / "canal.txt"
    path.write_text(REFERENCE)
    return str(path)


@pytest.fixture
def stdin(monkeypatch):
    """Standard input as a pipe; returns its writing end's descriptor."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as file:
        monkeypatch.setattr("sys.stdin", file)
        yield writer


@pytest.fixture
def check(monkeypatch, stdin):
    """Run `vista-stream check` with scripted stages on an answer."""
    stages = ScriptedStages({"elephants": Category.CONTRADICTED})
    sessions, opened = [], []

    def session(**arguments):
        sessions.append(arguments)
        opened.append(Session(stages=stages.stages(), **arguments))
        return opened[-1]

    def call(answer, *arguments):
        monkeypatch.setattr("vista_stream.cli.check.run", partial(run, session=session))
        os.write(stdin, answer)
        os.close(stdin)
        return main(["check", *arguments])

    call.sessions, call.opened = sessions, opened
    return call


def test_a_true_answer_passes_unchanged_with_status_0(check, reference, capfdbinary):
    answer = (TRUE + "\r\nTschüß!\n").encode()
    assert check(answer, "--reference", reference) == 0
    out, err = capfdbinary.readouterr()
    assert out == answer
    assert b"2 claims (2 verified); 0 sentences blocked" in err


def test_a_dash_is_standard_input(check, reference, capfdbinary):
    assert check(TRUE.encode(), "-", "--reference", reference) == 0
    assert capfdbinary.readouterr()[0] == TRUE.encode()


def test_indexing_takes_nothing_of_the_claims_deadline(monkeypatch, stdin, reference, tmp_path, capfdbinary):
    policy = tmp_path / "policy.toml"
    policy.write_text("deadline = 0.3")
    stages = SlowIndex({}).stages()
    monkeypatch.setattr("vista_stream.cli.check.run", partial(run, session=partial(Session, stages=stages)))
    os.write(stdin, TRUE.encode())
    os.close(stdin)
    assert main(["check", "--reference", reference, "--policy", str(policy)]) == 0
    out, err = capfdbinary.readouterr()
    assert out == TRUE.encode()
    assert b"unresolved" not in err
    assert b"indexing" not in err  # no terminal


def test_a_false_sentence_is_replaced_with_status_1_and_told_on_stderr(check, reference, capfdbinary):
    assert check((TRUE + FALSE + TRUE).encode(), "--reference", reference, "--query", "Who built it?") == 1
    out, err = capfdbinary.readouterr()
    assert b"elephants" not in out
    assert out.count(TRUE.strip().encode()) == 2
    assert b"withheld" in out
    assert b"contradicted (vital): It was built by elephants." in err


@pytest.mark.parametrize("chunk", ["1", "3", "1000"])
def test_the_chunk_size_changes_nothing(chunk, check, reference, capfdbinary):
    assert check((TRUE + FALSE).encode(), "--reference", reference, "--chunk", chunk) == 1
    out, _ = capfdbinary.readouterr()
    assert out.startswith(TRUE.encode())
    assert b"elephants" not in out


def test_json_is_one_event_a_line_and_ends_with_the_report(check, reference, capfdbinary):
    assert check((TRUE + FALSE).encode(), "--reference", reference, "--json") == 1
    out, _ = capfdbinary.readouterr()
    events = [json.loads(line) for line in out.splitlines()]
    types = [event["type"] for event in events]
    assert types[-1] == "turn.ended"
    assert types.index("claim.vital_contradiction") < types.index("text.replaced")
    assert "".join(event["text"] for event in events if event["type"].startswith("text.")) == TRUE + FALSE


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_name_that_is_not_utf8_breaks_no_event(check, tmp_path, capfdbinary):
    path = tmp_path / os.fsdecode(b"canal\xe9.txt")
    path.write_text(REFERENCE)
    assert check(FALSE.encode(), "--reference", str(path), "--json") == 1
    events = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert events[-1]["type"] == "turn.ended"


def test_references_and_backgrounds_add_up(check, reference, tmp_path):
    second, facts = tmp_path / "second.txt", tmp_path / "facts.txt"
    second.write_text("The lock has three gates.")
    facts.write_text("It rains.\nIt pours.\n")
    assert (
        check(
            TRUE.encode(),
            "--reference", reference,
            "--reference", str(second),
            "--background", str(facts),
            "--background", str(facts),
        )
        == 0
    )  # fmt: skip
    (session,) = check.opened
    assert [each.name for each in session.references] == [os.path.basename(reference), "second.txt"]
    assert check.sessions[0]["background"] == ["It rains.", "It pours."] * 2


def test_the_answer_may_be_a_file_and_then_has_a_minute_a_claim(check, reference, tmp_path, capfdbinary):
    answer, named, policy = tmp_path / "answer.txt", tmp_path / "none.txt", tmp_path / "policy.toml"
    answer.write_text(TRUE + FALSE)
    policy.write_text("deadline = 3")
    assert check(b"", str(answer), "--reference", reference) == 1
    out, _ = capfdbinary.readouterr()
    assert out.startswith(TRUE.encode())
    assert b"elephants" not in out
    assert main(["check", str(answer), "--reference", reference, "--policy", str(policy)]) == 1
    assert main(["check", str(answer), "--reference", reference, "--policy", "vital", "--deadline", "9"]) == 1
    assert [each["policy"].deadline for each in check.sessions] == [60, 3, 9]
    capfdbinary.readouterr()
    for wrong, told in ((named, "No such file or directory"), (tmp_path, "Is a directory")):
        assert main(["check", str(wrong), "--reference", reference]) == 2
        assert capfdbinary.readouterr().err.decode() == f"vista-stream check: {wrong}: {told}\n"
    assert main(["check", str(answer), "--reference", reference, "--deadline", "0"]) == 2
    assert b"check: --deadline: deadline must be" in capfdbinary.readouterr().err


def test_a_stream_keeps_the_deadline_of_its_policy(check, reference):
    assert check(TRUE.encode(), "--reference", reference) == 0
    assert check.sessions[0]["policy"].deadline == Policy().deadline < 60


@pytest.mark.parametrize("answer", [b"", b" \n\n"])
def test_an_answer_without_text_is_an_error(answer, check, reference, capfdbinary):
    assert check(answer, "--reference", reference) == 2
    told = capfdbinary.readouterr().err
    assert told == b"vista-stream check: the answer is empty: standard input holds no text\n"


def test_a_claim_without_end_is_cut_in_the_summary(check, reference, capfdbinary):
    assert check(f"elephants {'and ' * 700}elephants.".encode(), "--reference", reference) == 1
    lines = capfdbinary.readouterr().err.decode().splitlines()
    assert any(line.endswith("…") for line in lines)
    assert max(map(len, lines)) < 400


def test_text_is_released_while_the_answer_goes_on(monkeypatch, stdin, reference):
    shown, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as out:
        monkeypatch.setattr("sys.stdout", out)
        stages = ScriptedStages().stages()
        monkeypatch.setattr(
            "vista_stream.cli.check.run", partial(run, session=partial(Session, stages=stages))
        )
        statuses = []
        running = threading.Thread(target=lambda: statuses.append(main(["check", "--reference", reference])))
        running.start()
        os.write(stdin, b"The canal opened in 1914. It was")
        seen = os.read(shown, 100)
        os.write(stdin, b" built by engineers.")
        os.close(stdin)
        running.join(timeout=20)
    os.close(shown)
    assert seen.startswith(b"The canal opened in 1914.")
    assert statuses == [0]


def test_the_policy_file_decides(check, reference, tmp_path, capfdbinary):
    policy = tmp_path / "policy.toml"
    policy.write_text('[contradicted]\nvital = { action = "annotate", text = " [disputed]" }\n')
    assert check(FALSE.encode(), "--reference", reference, "--policy", str(policy)) == 0
    assert b"elephants. [disputed]" in capfdbinary.readouterr().out


@pytest.mark.parametrize("action", ['{ action = "stop", text = "…" }', '"raise"', '"withhold"'])
@pytest.mark.parametrize("mode", ["verify_first", "optimistic"])
@pytest.mark.parametrize(
    ("answer", "told"),
    [(f"{FALSE}\n", b"; 1 sentence blocked"), (f"{FALSE}{FALSE}\n\n- {FALSE * 2}", b"; 4 sentences blocked")],
)
def test_all_that_is_blocked_is_counted_in_sentences(
    action, mode, answer, told, check, reference, tmp_path, capfdbinary
):
    policy = tmp_path / "policy.toml"
    policy.write_text(f'mode = "{mode}"\n[contradicted]\nvital = {action}\n')
    assert check(answer.encode(), "--reference", reference, "--policy", str(policy), "--json") == 1
    assert told in capfdbinary.readouterr().err


def test_a_policy_may_be_named(check, reference, capfdbinary):
    assert check(FALSE.encode(), "--reference", reference, "--policy", "observing") == 0
    assert capfdbinary.readouterr().out == FALSE.encode()


def test_optimistic_mode_shows_retractions_as_events(check, reference, tmp_path, capfdbinary):
    policy = tmp_path / "policy.toml"
    policy.write_text('mode = "optimistic"\n')
    answer = ((FALSE + TRUE) * 3).encode()
    assert check(answer, "--reference", reference, "--policy", str(policy), "--json") == 1
    assert b'"text.retracted"' in capfdbinary.readouterr().out


def test_optimistic_mode_is_refused_for_text(check, reference, tmp_path, capfdbinary):
    policy = tmp_path / "policy.toml"
    policy.write_text('mode = "optimistic"\n')
    assert check(FALSE.encode(), "--reference", reference, "--policy", str(policy)) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.decode() == (
        f"vista-stream check: {policy}: mode 'optimistic' needs --json: printed text cannot be taken back\n"
    )


def test_a_raising_policy_ends_with_status_1(check, reference, tmp_path, capfdbinary):
    policy = tmp_path / "policy.toml"
    policy.write_text('[contradicted]\nvital = "raise"\n')
    assert check((TRUE + FALSE + TRUE).encode(), "--reference", reference, "--policy", str(policy)) == 1
    out, err = capfdbinary.readouterr()
    assert out.startswith(TRUE.encode())
    assert b"elephants" not in out
    assert b"elephants" in err


def test_history_and_background_reach_the_session(check, tmp_path):
    history, facts = tmp_path / "history.jsonl", tmp_path / "facts.txt"
    history.write_text('{"role": "user", "text": "Hello?"}\n')
    facts.write_text("The museum opens at nine.\n")
    assert check(b"Good.", "--history", str(history), "--background", str(facts)) == 0
    (arguments,) = check.sessions
    assert [utterance.text for utterance in arguments["history"]] == ["Hello?"]
    assert arguments["background"] == ["The museum opens at nine."]


def test_bytes_that_are_not_utf8_end_with_status_2_and_one_line(check, reference, capfdbinary):
    assert check(TRUE.encode() + b"It \xff was", "--reference", reference) == 2
    out, err = capfdbinary.readouterr()
    assert out.startswith(TRUE.strip().encode())
    assert err == b"vista-stream check: standard input is not UTF-8: byte 30 is not part of a character\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "nothing to check against"),
        (["--reference", "nowhere.txt"], "nowhere.txt: No such file or directory"),
        (["--reference", "{empty}"], "empty.txt"),
        (["--reference", "{good}", "--policy", "nowhere.toml"], "nowhere.toml: No such file"),
        (["--reference", "{good}", "--policy", "{bad}"], "policy key 'colour' is unknown"),
        (["--reference", "{good}", "--history", "{bad}"], "bad.toml, line 1"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, told, check, reference, tmp_path, capfdbinary):
    (tmp_path / "empty.txt").write_text(" ")
    (tmp_path / "bad.toml").write_text("colour = 1\n")
    paths = {"good": reference, "bad": str(tmp_path / "bad.toml"), "empty": str(tmp_path / "empty.txt")}
    assert check(b"", *(argument.format(**paths) for argument in arguments)) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.count(b"\n") == 1
    assert told in err.decode()
