import argparse
import errno
import io
import json
import os
import select
from functools import partial
from unittest.mock import Mock

import pytest

from vista_stream.claims import Scores
from vista_stream.cli import main
from vista_stream.cli.verify import run
from vista_stream.errors import InferenceError
from vista_stream.testing import CONTRADICTED, ENTAILED, NEUTRAL

LONG = " ".join(f"Room {number} holds {number} pictures of the sea." for number in range(1, 40))


class WordVerifier:
    """Entails where the hypothesis stands in the premise; contradicts where only its last word differs.

    Cannot read a hypothesis with "unreadable" in it.
    """

    def __init__(self):
        self.calls = 0
        self.fail_at = None

    async def score(self, pairs):
        self.calls += 1
        if self.calls == self.fail_at:
            raise KeyboardInterrupt
        if any("unreadable" in pair.hypothesis for pair in pairs):
            raise InferenceError("the hypothesis has 800 tokens")
        return [self._one(pair) for pair in pairs]

    def _one(self, pair) -> Scores:
        if pair.hypothesis.rstrip(".") in pair.premise:
            return ENTAILED
        return CONTRADICTED if pair.hypothesis.rsplit(" ", 1)[0] in pair.premise else NEUTRAL


@pytest.fixture
def verify(monkeypatch, tmp_path, capfdbinary):
    """Run `vista-stream verify` on lines; returns its status, its rows and standard error."""

    def call(lines, *, verifier=None, name="pairs.jsonl", options=("--scores-only",)):
        loaded = partial(run, load=lambda named: verifier or WordVerifier())
        monkeypatch.setattr("vista_stream.cli.verify.run", loaded)
        path = tmp_path / name
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        status = main(["verify", *options, str(path)])
        out, err = capfdbinary.readouterr()
        return status, [json.loads(line) for line in out.splitlines()], err.decode()

    return call


def pair(premise, hypothesis):
    return json.dumps({"premise": premise, "hypothesis": hypothesis}).encode()


def test_one_line_of_scores_and_evidence_a_pair_in_the_same_order(verify):
    premise = "The hall is old. The roof is red. The door is wide."
    lines = [pair(premise, h) for h in ("The roof is red.", "The door is narrow.", "Bells ring.")] * 7
    status, rows, err = verify(lines)
    assert status == 0
    assert err.startswith("time by stage (calls): verify ")
    assert err.endswith(" ms (21)\n")
    assert list(rows[0]) == ["entailment", "neutral", "contradiction", "category", "evidence"]
    assert [(row["entailment"], row["contradiction"], row["evidence"]) for row in rows[:2]] == [
        (ENTAILED.entailment, ENTAILED.contradiction, "The roof is red."),
        (CONTRADICTED.entailment, CONTRADICTED.contradiction, "The door is wide."),
    ]
    assert rows[2]["neutral"] == NEUTRAL.neutral
    assert rows[:3] * 7 == rows


@pytest.mark.parametrize(("hypothesis", "scores"), [("29 pictures", ENTAILED), ("29 statues", CONTRADICTED)])
def test_a_long_premise_is_searched(hypothesis, scores, verify):
    _, (row,), _ = verify([pair(LONG, f"Room 29 holds {hypothesis}")])
    assert row["entailment"] == pytest.approx(scores.entailment)
    assert row["evidence"] == "Room 29 holds 29 pictures of the sea."


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[" * 200_000,
        b"[]",
        b'{"premise": "x"}',
        b'{"premise": 1, "hypothesis": "y"}',
        b'{"premise": "", "hypothesis": "y"}',
        b'{"premise": "x", "hypothesis": " "}',
        b'{"premise": "notes.txt", "hypothesis": "y"}',
        b'{"premise": "x", "hypothesis": "\xff"}',
    ],
)
def test_a_bad_line_is_named_and_what_stood_before_it_is_kept(line, verify):
    status, rows, err = verify([pair("x y.", "x y."), b"", line, pair("x", "y")])
    assert status == 2
    assert len(rows) == 1
    assert err.startswith("vista-stream verify: line 3: ")
    assert err.count("\n") == 1


def test_lines_may_end_as_on_any_system(verify):
    status, rows, _ = verify(
        [pair("x y.", "x y.") + b"\r" + pair("x", "y") + b"\r\n" + pair("x", "x") + b"\r"]
    )
    assert status == 0
    assert len(rows) == 3
    assert verify([pair("x", "x") + b"\r{}"])[2].startswith("vista-stream verify: line 2: takes ")


@pytest.mark.parametrize("lines", [[], [b"", b"  "]])
def test_a_file_without_a_pair_is_no_success(lines, verify):
    status, rows, err = verify(lines)
    assert (status, rows) == (2, [])
    assert err.endswith("pairs.jsonl holds nothing to score\n")


def test_a_pair_that_cannot_be_scored_is_told_and_the_run_goes_on(verify):
    good = pair("The roof is red.", "The roof is red.")
    status, rows, err = verify([good] * 5 + [pair("The x.", "It is unreadable.")] + [good] * 5)
    assert (status, len(rows)) == (1, 11)
    assert rows[5] == {"error": "line 6: the hypothesis has 800 tokens"}
    assert rows[10]["category"] == "verified"
    assert err.endswith("vista-stream verify: 1 of 11 pairs could not be scored\n")


@pytest.mark.parametrize(
    ("then", "told"), [([], "the verifier gave 0 scores for 2 pairs"), (None, "RuntimeError: down")]
)
def test_a_verifier_that_fails_at_the_evidences_sentences_is_told_and_the_run_goes_on(then, told, verify):
    class Failing(WordVerifier):
        async def score(self, pairs):
            if self.calls == 1:
                self.calls += 1
                if then is None:
                    raise RuntimeError("down")
                return then
            return await super().score(pairs)

    row = pair("The roof is red. It stands in Kew.", "The roof is red.")
    status, rows, _ = verify([row, row], verifier=Failing())
    assert (status, len(rows)) == (1, 2)
    assert rows[0]["error"].startswith("line 1: ")
    assert told in rows[0]["error"]
    assert rows[1]["evidence"] == "The roof is red."


def test_of_an_answer_of_several_sentences_the_least_supported_decides(verify):
    premise = "The hall is old. The roof is red. The door is wide."
    answer = "Gladly! The hall is old. The door is narrow. The roof is red."
    _, (row,), _ = verify([pair(premise, answer)])
    assert (row["category"], row["evidence"]) == ("contradicted", "The door is wide.")


def test_the_guards_rules_decide_before_the_model(verify):
    premise, claim = "The bridge was opened in 1868.", "The bridge was opened in 1886."
    _, (row,), _ = verify([pair(premise, claim)], options=())
    assert row["category"] == "contradicted"


def test_half_a_surrogate_pair_is_told_as_a_question_mark(verify):
    status, rows, _ = verify([pair("The \ud83d roof is red.", "The \ud83d roof is red.")])
    assert status == 0
    assert rows[0]["evidence"] == "The ? roof is red."


def test_a_pipe_is_read_once(monkeypatch, capfdbinary):
    reader, writer = os.pipe()
    os.write(writer, pair("The roof is red.", "The roof is red.") + b"\n")
    os.close(writer)
    monkeypatch.setattr("vista_stream.cli.verify.run", partial(run, load=lambda name: WordVerifier()))
    assert main(["verify", "--scores-only", f"/dev/fd/{reader}"]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") == 1


def test_what_cannot_be_written_is_not_blamed_on_the_input(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(pair("The roof is red.", "The roof is red."))
    arguments = argparse.Namespace(
        pairs=str(path),
        verifier="embedded",
        scores_only=True,
        engine="local",
        out=None,
        resume=False,
        workers=None,
        part_rows=None,
    )
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="No space left"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("vista_stream.cli.verify.encodable", Mock(side_effect=full))
        run(arguments, load=lambda name: WordVerifier())


def test_closed_standard_input_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("vista_stream.cli.verify.run", partial(run, load=lambda name: WordVerifier()))
    monkeypatch.setattr("sys.stdin", None)
    assert main(["verify", "-"]) == 2
    assert capsys.readouterr().err == "vista-stream verify: standard input is closed\n"


def test_an_interrupt_keeps_what_is_done_and_ends_with_130(verify):
    verifier = WordVerifier()
    verifier.fail_at = 2
    roofs = [f"The roof of house {number} is red." for number in range(20)]  # none is scored twice
    status, rows, _ = verify([pair(roof, roof) for roof in roofs], verifier=verifier)
    assert status == 130
    assert len(rows) == 1


def test_a_missing_file_is_one_line(capsys):
    assert main(["verify", "nowhere.jsonl"]) == 2
    assert capsys.readouterr().err == "vista-stream verify: nowhere.jsonl: No such file or directory\n"


def test_standard_input_is_answered_line_by_line(monkeypatch, capfdbinary):
    verifier = WordVerifier()
    monkeypatch.setattr("vista_stream.cli.verify.run", partial(run, load=lambda name: verifier))
    lines = [pair(roof, roof) for roof in ("The roof is red.", "The roof is old.", "The roof is new.")]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines))))
    assert main(["verify", "--scores-only", "-"]) == 0
    assert verifier.calls == 3
    assert capfdbinary.readouterr().out.count(b"\n") == 3


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_terminal_gets_a_progress_bar_and_whole_lines(encoding, monkeypatch, tmp_path):
    leader, follower = os.openpty()
    path = tmp_path / "pairs.jsonl"
    roof = "The :house: roof in Łódź is red."
    path.write_bytes(b"\n".join([pair(roof, roof)] * 3))
    monkeypatch.setattr("vista_stream.cli.verify.run", partial(run, load=lambda name: WordVerifier()))
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(follower, "w", encoding=encoding) as terminal:
        monkeypatch.setattr("sys.stdout", terminal)
        assert main(["verify", str(path)]) == 0
        terminal.flush()
        seen = b""
        while select.select([leader], [], [], 0.5)[0]:  # a terminal hands over what was written in pieces
            seen += os.read(leader, 65536)
    os.close(leader)
    assert b"3/3" in seen
    assert seen.count(f'"evidence": "{roof}"}}'.encode()) == 3
