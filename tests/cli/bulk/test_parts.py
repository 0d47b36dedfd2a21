"""The files of a bulk run's parts: what is kept, what is made again, what they become."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fsspec", reason="needs the extra ray")

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.parts import PartFiles
from vista_stream.cli.bulk.rows import Part

PARTS = [Part(n, "in.jsonl", n + 1, 10 * n, 10, f"digest{n}") for n in range(3)]


def files(out: Path | str, setup: str = "setup") -> PartFiles:
    return PartFiles(str(out), setup, {"id": "string", "record": "string"}, lambda line: json.loads(line))


def line(part: Part) -> str:
    return json.dumps({"id": f"d{part.number}", "record": "é"}, ensure_ascii=False)


def write(out: PartFiles, *parts: Part, failed: bool = False) -> None:
    for part in parts:
        out.write(part, [line(part)], failed=failed)


def test_parts_become_one_file_in_their_order_and_are_gone(tmp_path: Path) -> None:
    out = files(tmp_path / "out.jsonl")
    assert out.prepare(PARTS, resume=False) == PARTS
    write(out, PARTS[2], PARTS[0], PARTS[1])
    out.merge(PARTS)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines() == list(map(line, PARTS))
    assert not list((tmp_path / "out.jsonl.parts").glob("part-*"))
    assert out.prepare(PARTS, resume=True) == []
    out.merge(PARTS)
    assert out.prepare(PARTS, resume=False) == PARTS


def test_resuming_makes_what_is_missing_failed_or_of_other_rows(tmp_path: Path) -> None:
    out = files(tmp_path / "out.jsonl")
    out.prepare(PARTS, resume=False)
    write(out, PARTS[0])
    write(out, PARTS[1], failed=True)
    changed = [PARTS[0], PARTS[1], PARTS[2]._replace(digest="other")]
    write(out, PARTS[2])
    assert out.prepare(changed, resume=True) == changed[1:]
    assert len(list((tmp_path / "out.jsonl.parts").iterdir())) == 1


def test_a_part_that_failed_is_part_of_the_output_all_the_same(tmp_path: Path) -> None:
    out = files(tmp_path / "out.jsonl")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS[:2])
    write(out, PARTS[2], failed=True)
    out.merge(PARTS)
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_a_part_that_failed_is_made_again_after_the_output_was_made(tmp_path: Path) -> None:
    out = files(tmp_path / "out.jsonl")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS[:2])
    out.write(PARTS[2], ['{"error": "down"}'], failed=True)
    out.merge(PARTS)
    assert out.prepare(PARTS, resume=True) == PARTS[2:]
    write(out, PARTS[2])
    out.merge(PARTS)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines() == list(map(line, PARTS))
    assert out.prepare(PARTS, resume=True) == []
    assert not list((tmp_path / "out.jsonl.parts").glob("part-*"))


def test_another_setup_makes_all_parts_again(tmp_path: Path) -> None:
    out = files(tmp_path / "out.jsonl")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS)
    assert files(tmp_path / "out.jsonl", "other").prepare(PARTS, resume=True) == PARTS


def test_a_slash_keeps_the_parts_and_no_other_file_is_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    out = files(f"{tmp_path}/")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS)
    out.merge(PARTS)
    found = sorted(tmp_path.glob("part-*.jsonl"))
    assert [path.read_text(encoding="utf-8").strip() for path in found] == list(map(line, PARTS))
    out.prepare(PARTS, resume=False)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["part-00000.jsonl", "part-00000-3f2a-c000.snappy.parquet", "whole-a.txt"])
def test_a_file_that_others_named_alike_is_not_touched(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    files(f"{tmp_path}/").prepare(PARTS, resume=False)
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize(
    ("source", "out"),
    [
        ("fold/in.jsonl", "fold/in.jsonl"),
        ("fold/in.jsonl", "fold/"),
        ("fold/in.jsonl", "link/"),
        ("fold", "x/../fold/"),
        ("fold/", "fold/out.jsonl"),
        ("fold", "fold/out.parquet/"),
        ("fold.parts", "fold"),
        ("fold.parts/part.jsonl", "fold"),
    ],
)
def test_an_output_that_is_not_apart_from_the_input_is_refused(tmp_path: Path, source: str, out: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "fold")
    for given in (f"{tmp_path}/{out}", f"{tmp_path.as_uri()}/{out}"):
        with pytest.raises(CommandError, match="are not apart"):
            files(given).check(f"{tmp_path}/{source}")


def test_an_output_at_the_url_of_the_input_is_refused() -> None:
    for source in ("memory://fold/in.jsonl", "memory:///fold/"):
        with pytest.raises(CommandError, match="are not apart"):
            files("memory://fold/").check(source)


@pytest.mark.parametrize(
    "out", ["in.jsonl.out", "fold/out/", "fold/_out.jsonl", "out.jsonl", "memory://fold/"]
)
def test_an_output_beside_the_input_is_taken(tmp_path: Path, out: str) -> None:
    files(out if ":" in out else f"{tmp_path}/{out}").check(f"{tmp_path}/fold")


def test_a_folder_without_its_slash_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(CommandError, match="out is a folder: end it with a slash"):
        files(tmp_path / "out").check(f"{tmp_path}/in.jsonl")
    files(f"{tmp_path}/out/").check(f"{tmp_path}/in.jsonl")


def test_an_output_at_an_unknown_url_is_named() -> None:
    with pytest.raises(CommandError, match="nowhere:"):
        files("nowhere://out.jsonl").check("in.jsonl")


def test_an_unfinished_part_is_removed(tmp_path: Path) -> None:
    out = files(f"{tmp_path}/")
    (tmp_path / f".part-{32 * 'a'}").write_text("{")
    assert out.prepare(PARTS, resume=True) == PARTS
    assert not list(tmp_path.iterdir())


def test_an_fsspec_url_is_written() -> None:
    import fsspec

    out = files("memory://bulk/out.jsonl")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS)
    out.merge(PARTS)
    with fsspec.open("memory://bulk/out.jsonl", "rb") as file:
        assert file.read().decode().splitlines() == list(map(line, PARTS))


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match=r"--out .*file"):
        files(tmp_path / "file" / "out.jsonl").prepare(PARTS, resume=False)


def test_parquet_has_the_columns_and_one_row_a_line(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra ray")
    out = files(tmp_path / "out.parquet")
    out.prepare(PARTS, resume=False)
    write(out, *PARTS)
    out.merge(PARTS)
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == [json.loads(line(p)) for p in PARTS]
