"""`vista-stream score` from file to file, with small whole stages in the place of models."""

from __future__ import annotations

import argparse
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from vista_stream.cli import CommandError, score
from vista_stream.scoring.dialogue import Dialogue
from vista_stream.scoring.scorer import DialogueScore, VistaScorer
from word_stages import word_stages


def build(args: argparse.Namespace, client: object) -> VistaScorer:
    return VistaScorer(word_stages())


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    return parser.parse_args(["score", *arguments])


def dialogue(number: int, text: str = "The mill was built in 1820.") -> str:
    turn = {
        "role": "assistant",
        "text": text,
        "references": ["The mill was built in 1820."],
        "label": "verifiable",
    }
    return json.dumps({"id": f"d{number}", "turns": [turn]})


@pytest.fixture
def dialogues(tmp_path: Path) -> Path:
    path = tmp_path / "dialogues.jsonl"
    wrong = "The mill was built in 1830."
    path.write_text("\n".join(dialogue(n, wrong) if n == 2 else dialogue(n) for n in range(5)) + "\n")
    return path


def test_lines_and_summary(dialogues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score.run(parse(str(dialogues)), build=build) == 0
    out, err = capsys.readouterr()
    records = [json.loads(line) for line in out.splitlines()]
    assert [r["id"] for r in records] == [f"d{n}" for n in range(5)]
    assert [r["turns"][0]["verifiable"] for r in records] == [True, True, False, True, True]
    assert records[0]["setup"]["method"] == "vista"
    assert "turn accuracy" in err
    assert "0.8000" in err


def test_the_same_input_gives_the_same_output(dialogues: Path, tmp_path: Path) -> None:
    for name, concurrency in (("a", "1"), ("b", "8")):
        arguments = (str(dialogues), "--out", str(tmp_path / name), "--concurrency", concurrency)
        score.run(parse(*arguments), build=build)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_json_is_one_object(dialogues: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score.run(parse(str(dialogues), "--json"), build=build)
    whole = json.loads(capsys.readouterr().out)
    assert whole["summary"]["dialogues"] == len(whole["dialogues"]) == 5


class Breaking:
    """Works until it has scored some, then is interrupted."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.scored: list[str] = []
        self.inner = build(argparse.Namespace(), None)

    def __call__(self, args: argparse.Namespace, client: object) -> Breaking:
        return self

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.scored.append(dialogue.id)
        return await self.inner.score(dialogue)


def test_resume_goes_on_where_it_was_interrupted(dialogues: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    score.run(parse(str(dialogues), "--out", str(whole)), build=build)
    arguments = parse(str(dialogues), "--out", str(out), "--resume", "--concurrency", "1")
    with pytest.raises(KeyboardInterrupt):
        score.run(arguments, build=Breaking(3))
    assert len(out.read_text().splitlines()) == 3
    with out.open("a") as file:
        file.write('{"id": "d3", "tur')
    rest = Breaking(9)
    score.run(arguments, build=rest)
    assert rest.scored == ["d3", "d4"]
    assert out.read_bytes() == whole.read_bytes()


class Failing(Breaking):
    """Cannot judge one dialogue's claims."""

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        scored = await super().score(dialogue)
        return replace(scored, turns=[replace(turn, errors=["down"]) for turn in scored.turns])


def test_resume_tries_again_what_failed(
    dialogues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    score.run(parse(str(dialogues), "--out", str(whole)), build=build)
    lines = whole.read_text().splitlines(keepends=True)
    first = tmp_path / "first.jsonl"
    first.write_text(dialogues.read_text().splitlines(keepends=True)[0])
    score.run(parse(str(first), "--out", str(out)), build=Failing(1))
    assert "failures: " in capsys.readouterr().err
    with out.open("a") as file:
        file.writelines(lines[1:4])
    rest = Breaking(9)
    score.run(parse(str(dialogues), "--out", str(out), "--resume"), build=rest)
    assert rest.scored == ["d0", "d4"]
    assert "failures: " not in capsys.readouterr().err
    assert out.read_bytes() == whole.read_bytes()


def test_the_example_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[2] / "examples" / "dialogues.jsonl"
    assert score.run(parse(str(example)), build=build) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_line_ends_of_unicode_stand_inside_texts(tmp_path: Path) -> None:
    path, out = tmp_path / "d.jsonl", tmp_path / "out"
    text = "The mill was built in 1820.\u2028It is old.\x85Rye is ground.\x0b"
    turn = {"role": "assistant", "text": text, "references": ["The mill was built in 1820."]}
    path.write_text(json.dumps({"id": "d", "turns": [turn]}, ensure_ascii=False) + "\n", encoding="utf-8")
    score.run(parse(str(path), "--out", str(out)), build=build)
    again = Breaking(9)
    score.run(parse(str(path), "--out", str(out), "--resume"), build=again)
    assert again.scored == []


def test_resume_refuses_what_was_made_otherwise(dialogues: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    score.run(parse(str(dialogues), "--out", out), build=build)
    made = Path(out).read_bytes()
    with pytest.raises(CommandError, match="another run: dialogue 'd0' was scored with another setup: hist"):
        score.run(parse(str(dialogues), "--out", out, "--resume", "--no-history"), build=build)
    lines = dialogues.read_text().splitlines(keepends=True)
    dialogues.write_text("".join([*lines[:4], dialogue(4, "Other.")]))
    with pytest.raises(CommandError, match="another run: dialogue 'd4' has other texts in the input; "):
        score.run(parse(str(dialogues), "--out", out, "--resume"), build=build)
    dialogues.write_text("".join(lines[1:]))
    with pytest.raises(CommandError, match="another run: dialogue 'd0' is not in the input"):
        score.run(parse(str(dialogues), "--out", out, "--resume"), build=build)
    assert Path(out).read_bytes() == made
    with pytest.raises(CommandError, match="--resume needs --out"):
        score.run(parse(str(dialogues), "--resume"), build=build)


def test_a_file_compared_with_an_earlier_one(
    dialogues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    score.run(parse(str(dialogues), "--out", out), build=build)
    score.run(parse(str(dialogues), "--json", "--compare", out), build=build)
    comparison = json.loads(capsys.readouterr().out)["summary"]["comparison"]
    assert (comparison["turns"], comparison["p_value"]) == (5, 1)


def test_the_report_is_written(dialogues: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    score.run(parse(str(dialogues), "--out", str(tmp_path / "out"), "--report", str(path)), build=build)
    text = path.read_text()
    assert "The mill was built in 1830." in text
    assert "method: vista" in text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no dialogue"),
        ('{"id": "d"}', "line 1: turns must be a list"),
        (f"{dialogue(1)}\n\n{dialogue(1)}", "line 3: id 'd1' stands there twice"),
        pytest.param('{"id": "d", "turns": ' + "[" * 100_000, "line 1: not JSON", id="nested deep"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(CommandError, match=complaint):
        score.run(parse(str(path)), build=build)


def test_missing_files_are_named(dialogues: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        score.run(parse(str(tmp_path / "none")), build=build)
    with pytest.raises(CommandError, match="No such file"):
        score.run(parse(str(dialogues), "--out", str(tmp_path / "no" / "out")), build=build)


CHANGES = {
    "reference": {"references": ["The mill was built in 1820.", "It is old."]},
    "label": {"label": "unverifiable"},
    "query": {"query": "When?"},
    "claims": {"claims": [{"text": "The mill was built in 1820.", "importance": "vital"}]},
    "nuggets": {"nuggets": ["The mill was built in 1820."]},
}


@pytest.mark.parametrize("change", [*CHANGES, "background"])
def test_resume_scores_again_what_has_other_input(dialogues: Path, tmp_path: Path, change: str) -> None:
    out, whole = str(tmp_path / "out"), str(tmp_path / "whole")
    score.run(parse(str(dialogues), "--out", out), build=build)
    lines = [json.loads(line) for line in dialogues.read_text().splitlines()]
    if change == "background":
        lines[3]["background"] = ["It rains."]
    else:
        lines[3]["turns"][0] |= CHANGES[change]
    dialogues.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = Breaking(9)
    score.run(parse(str(dialogues), "--out", out, "--resume"), build=again)
    assert again.scored == ["d3"]
    score.run(parse(str(dialogues), "--out", whole), build=build)
    assert Path(out).read_bytes() == Path(whole).read_bytes()


def test_resume_counts_a_dialogue_once(
    dialogues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    score.run(parse(str(dialogues), "--out", str(out)), build=build)
    once = out.read_bytes()
    out.write_bytes(once + once)
    capsys.readouterr()
    score.run(parse(str(dialogues), "--out", str(out), "--resume", "--json"), build=Breaking(0))
    assert json.loads(capsys.readouterr().out)["summary"]["dialogues"] == 5
    assert out.read_bytes() == once


def test_no_output_is_written_over_the_input(dialogues: Path) -> None:
    before = dialogues.read_bytes()
    with pytest.raises(CommandError, match="--out and the input are one file"):
        score.run(parse(str(dialogues), "--out", str(dialogues)), build=build)
    assert dialogues.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "text", "complaint"),
    [
        ("--compare", '{"id": "a"}', "is no scored dialogue"),
        ("--compare", '{"id": "d1", "turns": [{"text": "The mill."}]}', "shares no scored turn"),
        ("--report", None, "Is a directory"),
    ],
)
def test_nothing_is_scored_where_the_end_would_fail(
    dialogues: Path, tmp_path: Path, option: str, text: str | None, complaint: str
) -> None:
    other = tmp_path / "other"
    if text is None:
        other.mkdir()
    else:
        other.write_text(text)
    never = Breaking(0)
    with pytest.raises(CommandError, match=complaint):
        score.run(parse(str(dialogues), option, str(other)), build=never)
    assert never.scored == []


def test_the_scores_are_written_though_the_comparison_fails(
    dialogues: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "out")
    score.run(parse(str(dialogues), "--out", out), build=build)

    def broken(*files: object, embedder: object) -> None:
        raise ValueError("not to be compared")

    monkeypatch.setattr(score, "compare", broken)
    capsys.readouterr()
    with pytest.raises(CommandError, match="not to be compared"):
        score.run(parse(str(dialogues), "--json", "--compare", out), build=build)
    assert len(json.loads(capsys.readouterr().out)["dialogues"]) == 5


def test_half_a_surrogate_pair_passes_through_as_a_question_mark(tmp_path: Path) -> None:
    path, out, report = tmp_path / "d.jsonl", tmp_path / "out", tmp_path / "out.html"
    text = "The mill \ud800 was built in 1820."
    turn = {"role": "assistant", "text": text, "references": [text], "claims": [{"text": text}]}
    path.write_text(json.dumps({"id": "d\udc00", "background": [text], "turns": [turn]}))
    arguments = (str(path), "--out", str(out), "--report", str(report))
    score.run(parse(*arguments), build=build)
    (record,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert (record["id"], record["turns"][0]["claims"][0]["text"]) == ("d?", text.replace("\ud800", "?"))
    score.run(parse(*arguments, "--resume"), build=Breaking(0))


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_standard_output_is_utf8_whatever_the_terminals_encoding(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(dialogue(0, "The caf\u00e9 was built in 1820."))
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert score.run(parse(str(path), *options), build=build) == 0
    sys.stdout.flush()
    assert "The caf\u00e9 was built in 1820." in written.getvalue().decode()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (b"\xff", "standard input is not UTF-8: byte 1"),
        (b"", "standard input holds no dialogue"),
        (b"\xef\xbb\xbf" + dialogue(0).encode(), None),
    ],
)
def test_standard_input_is_read_as_a_file_is(
    given: bytes,
    complaint: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="ascii"))
    if complaint is None:
        assert score.run(parse("-"), build=build) == 0
        return
    with pytest.raises(CommandError, match=complaint):
        score.run(parse("-"), build=build)


def test_seconds_are_above_nothing() -> None:
    assert parse("x", "--timeout", "2.5").timeout == 2.5
    for bad in ("0", "-1", "nan", "inf", "soon"):
        with pytest.raises(SystemExit):
            parse("x", "--timeout", bad)
