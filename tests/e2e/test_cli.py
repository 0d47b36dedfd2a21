"""The command line with the shipped model: real pipes and a process of its own where those matter."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files

import pytest

from vista_stream.cli import main

pytestmark = pytest.mark.skipif(
    not files("vista_stream").joinpath("models/verifier/manifest.json").is_file(),
    reason="the shipped model is not in this checkout",
)

COMMAND = [sys.executable, "-m", "vista_stream"]
REFERENCE = """\
The Panama Canal was opened in August 1914. The US Army Corps of Engineers had built it in ten years.
The canal was handed over to Panama at the end of 1999.
"""
TRUE = "The Panama Canal was opened in August 1914. "
FALSE = "The Panama Canal was opened in August 1941. "


@pytest.fixture
def reference(tmp_path):
    path = tmp_path / "canal.txt"
    path.write_text(REFERENCE)
    return str(path)


def check(answer, *arguments):
    return subprocess.run([*COMMAND, "check", *arguments], input=answer, capture_output=True, text=True)


def test_a_falsified_answer_is_blocked_and_the_evidence_told(reference):
    run = check(TRUE + FALSE, "--reference", reference, "--query", "When was the canal opened?")
    assert run.returncode == 1
    assert run.stdout.startswith(TRUE)
    assert "1941" not in run.stdout
    assert "canal.txt, sentence 1: The Panama Canal was opened" in run.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_true_answer_passes_and_a_terminal_is_told_that_the_references_are_indexed(reference):
    master, terminal = os.openpty()
    with os.fdopen(master, "rb", buffering=0) as told:
        command = [*COMMAND, "check", "--reference", reference, "--query", "When was the canal opened?"]
        with os.fdopen(terminal, "wb") as stderr:
            ran = subprocess.run(command, input=TRUE.encode(), stdout=subprocess.PIPE, stderr=stderr)
        first = told.read(4096).decode().splitlines()[0]
    assert (ran.returncode, ran.stdout) == (0, TRUE.encode())
    assert first == f"indexing {len(REFERENCE)} characters of reference text"


def test_a_sentence_is_released_before_the_answer_ends(reference):
    with subprocess.Popen(
        [*COMMAND, "check", "--reference", reference],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    ) as running:  # fmt: skip
        running.stdin.write(f"{TRUE}It was handed".encode())
        assert running.stdout.read(len(TRUE) - 1) == TRUE.strip().encode()
        running.stdin.write(b" over to Panama at the end of 1999.")
        running.stdin.close()
        assert running.wait(60) == 0
        assert running.stdout.read() == b" It was handed over to Panama at the end of 1999."


def test_what_an_earlier_turn_settled_counts_as_background(tmp_path):
    facts, answer = tmp_path / "facts.txt", tmp_path / "answer.txt"
    facts.write_text("The museum has 12 rooms.\n")
    answer.write_text("The museum has 15 rooms.")
    assert main(["check", str(answer), "--background", str(facts)]) == 1


def test_a_closed_pipe_ends_quietly(reference):
    with subprocess.Popen(
        [*COMMAND, "check", "--reference", reference],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        running.stdout.close()
        running.stdin.write((TRUE * 5).encode())
        running.stdin.close()
        assert running.wait(60) == 141
        assert b"Traceback" not in running.stderr.read()


def test_interrupt_ends_at_once_with_what_was_shown_kept(reference):
    with subprocess.Popen(
        [*COMMAND, "check", "--reference", reference],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
        # A shell starts what it runs in the background with interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:  # fmt: skip
        running.stdin.write(f"{TRUE}It was".encode())
        assert running.stdout.read(len(TRUE) - 1) == TRUE.strip().encode()
        running.send_signal(signal.SIGINT)
        started = time.monotonic()
        assert running.wait(10) == 130
        assert time.monotonic() - started < 5
        assert b"Traceback" not in running.stderr.read()


def test_verify_scores_in_order(tmp_path, capfd):
    pairs = tmp_path / "pairs.jsonl"
    premise = "The canal is owned by Panama. Ships pay a toll."
    rows = [
        {"premise": premise, "hypothesis": "The canal is owned by Panama."},
        {"premise": premise, "hypothesis": "The canal is not owned by Panama."},
    ]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["verify", str(pairs)]) == 0
    true, false = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert true["entailment"] > true["contradiction"]
    assert false["contradiction"] > false["entailment"]
    assert sum(true[label] for label in ("entailment", "neutral", "contradiction")) == pytest.approx(1)
    assert true["evidence"] == false["evidence"] == "The canal is owned by Panama."


def test_the_demo_blocks_every_altered_fact(capfd):
    assert main(["demo", "--speed", "fast"]) == 0
    assert "Facts altered by hand: 3, blocked: 3" in capfd.readouterr().out
