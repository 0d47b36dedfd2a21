"""The files of `vista-stream score`: one use each, one writer at a time, whole after whatever happens."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import pytest

from vista_stream.cli import CommandError
from vista_stream.cli.score_files import RecordsFile, check_paths, read_records


def record(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "turns": [{"role": "user", "text": "Café?"}], **fields}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def write(path: Path, *records: dict[str, Any]) -> None:
    with RecordsFile(str(path)) as file:
        for each in records:
            file.write(each)


def test_what_is_written_is_read(out: Path) -> None:
    write(out, record("a"), record("b"))
    with RecordsFile(str(out)) as file:
        assert file.records() == [record("a"), record("b")]
        file.replace([record("b")])
        file.write(record("c"))
    assert read_records(str(out)) == [record("b"), record("c")]
    assert os.listdir(out.parent) == ["out.jsonl"]


def test_no_other_file_is_touched_and_the_permissions_stay(out: Path) -> None:
    other = out.with_name("out.jsonl.tmp")
    other.write_text("a user's own")
    write(out, record("a"))
    out.chmod(0o640)
    with RecordsFile(str(out)) as file:
        file.replace([record("b")])
    assert other.read_text() == "a user's own"
    assert out.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(out.parent)) == ["out.jsonl", "out.jsonl.tmp"]


def test_what_cannot_be_replaced_stays(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(out, record("a"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with RecordsFile(str(out)) as file:
        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(CommandError, match=r"out\.jsonl: No space left on device"):
            file.replace([record("b")])
    assert read_records(str(out)) == [record("a")]
    assert os.listdir(out.parent) == ["out.jsonl"]


def test_the_last_record_of_an_id_counts(out: Path) -> None:
    write(out, record("a", round=1), record("b"), record("a", round=2))
    with RecordsFile(str(out)) as file:
        assert file.records() == [record("a", round=2), record("b")]


@pytest.mark.parametrize("torn", [b'{"id": "b", "tur', '{"id": "caf\u00e9'.encode()[:-1], b"\xff"])
def test_a_last_line_that_broke_off_is_left_out(out: Path, torn: bytes) -> None:
    write(out, record("a"))
    with out.open("ab") as file:
        file.write(torn)
    with RecordsFile(str(out)) as records:
        assert records.records() == [record("a")]


def test_bytes_that_are_not_utf8_before_it_are_named(out: Path) -> None:
    out.write_bytes(b"\xff\n{")
    with RecordsFile(str(out)) as file, pytest.raises(CommandError, match=r"out\.jsonl is not UTF-8: byte 1"):
        file.records()


def test_a_byte_order_mark_is_left_out(out: Path) -> None:
    write(out, record("a"))
    out.write_bytes(b"\xef\xbb\xbf" + out.read_bytes().replace(b"\n", b"\r\n"))
    with RecordsFile(str(out)) as file:
        assert file.records() == [record("a")] == read_records(str(out))


def test_one_run_writes_at_a_time(out: Path) -> None:
    with RecordsFile(str(out)) as first:
        with pytest.raises(CommandError, match="is being written by another run"):
            RecordsFile(str(out))
        first.replace([record("a")])
        with pytest.raises(CommandError, match="is being written by another run"):
            RecordsFile(str(out))
    write(out, record("b"))
    assert [each["id"] for each in read_records(str(out))] == ["a", "b"]


def test_a_link_stays_a_link(out: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(out)
    with RecordsFile(str(link)) as file:
        file.replace([record("a")])
    assert link.is_symlink()
    assert read_records(str(out)) == [record("a")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_line(out: Path) -> None:
    full = RecordsFile("/dev/full")
    with pytest.raises(CommandError, match="/dev/full: No space left"), full:
        full.write(record("a"))
    with RecordsFile(os.devnull) as device:
        assert device.records() == []


def test_half_a_surrogate_pair_becomes_a_question_mark(out: Path) -> None:
    write(out, record("a", note="\ud800"))
    assert read_records(str(out)) == [record("a", note="?")]


BAD = [
    ("[]", "line 1: must be a JSON object"),
    ('{"id": "a"}', "line 1: is no scored dialogue"),
    ('{"id": 1, "turns": []}', "line 1: is no scored dialogue"),
    ('{"id": "a", "turns": [null]}', r"line 1: turns\[0\] is no turn"),
    ('{"id": "a", "turns": [{"text": "x", "verifiable": true}]}', r"line 1: turns\[0\] is no turn"),
    ('{"id": "a", "turns": [{"role": "assistant"}]}', r"line 1: turns\[0\] is no turn"),
    ('{"summary": {}, "run": {}, "dialogues": []}', "line 1: is the whole of a --json"),
    pytest.param('{"a":' * 100_000, "line 1: not JSON", id="nested deep"),
]


@pytest.mark.parametrize(("line", "complaint"), BAD)
def test_a_line_that_is_no_record_is_named(out: Path, line: str, complaint: str) -> None:
    out.write_text(f"{line}\n")
    with pytest.raises(CommandError, match=complaint):
        read_records(str(out))
    with RecordsFile(str(out)) as file, pytest.raises(CommandError, match=complaint):
        file.records()


def options(**paths: str) -> argparse.Namespace:
    return argparse.Namespace(
        **{"dialogues": "-", "compare": None, "cache": None, "report": None, "out": None, **paths}
    )


def test_no_file_is_used_twice(tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.write_text("")
    hard, soft = tmp_path / "hard", tmp_path / "soft"
    os.link(given, hard)
    soft.symlink_to(given)
    for other in (str(given), f"{tmp_path}/x/../in", str(hard), str(soft)):
        (tmp_path / "x").mkdir(exist_ok=True)
        for option in ("out", "report", "cache", "compare"):
            with pytest.raises(CommandError, match=f"--{option} and the input are one file"):
                check_paths(options(dialogues=str(given), **{option: other}))
    new = str(tmp_path / "new")
    with pytest.raises(CommandError, match="--out and --report are one file"):
        check_paths(options(out=new, report=new))
    with pytest.raises(CommandError, match="--out and --compare are one file"):
        check_paths(options(out=str(hard), compare=str(given)))
    check_paths(options(dialogues=str(given), out=new, report=f"{new}.html", cache=f"{new}.db"))
    check_paths(options(dialogues="-", out=os.devnull, report=os.devnull))


def test_a_report_that_cannot_be_written_is_told_at_the_start(tmp_path: Path) -> None:
    for report in (tmp_path, tmp_path / "no" / "page.html"):
        with pytest.raises(CommandError, match=str(report)):
            check_paths(options(report=str(report)))
