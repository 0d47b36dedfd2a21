"""How the input of a bulk run is cut and read again."""

from __future__ import annotations

import datetime
import decimal
import json
from pathlib import Path

import pytest

pytest.importorskip("fsspec", reason="needs the extra ray")

from vista_stream.cli import CommandError, verify
from vista_stream.cli.bulk.rows import Row, _of_table, cut, read


def accept(row: Row) -> None:
    json.loads(row.text)


def cut_and_read(path: Path | str, rows: int) -> list[list[Row]]:
    parts = list(cut(str(path), rows=rows, check=accept))
    assert [part.number for part in parts] == list(range(len(parts)))
    return [read(part) for part in parts]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_each_row_is_read_once_in_order_with_its_line_number(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(
        '\ufeff{"a": 1}\n\n{"a": "\u2028ü"}\r\n{"a": 3}\r \n{"a": 4}\r\r{"a": 5}',
        encoding="utf-8",
        newline="",
    )
    parts = cut_and_read(path, rows)
    found = [row for part in parts for row in part]
    assert [json.loads(row.text)["a"] for row in found] == [1, "\u2028ü", 3, 4, 5]
    assert [row.number for row in found] == [1, 3, 4, 6, 8]
    assert found[0].place == "in.jsonl, line 1"
    assert max(map(len, parts)) <= rows
    assert len(parts) == -(-5 // rows)


def test_a_folder_is_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "_c.jsonl", ".d.jsonl", "e.txt"):
        (tmp_path / name).write_text(json.dumps({"a": name}) + "\n")
    found = [row for part in cut_and_read(tmp_path, 10) for row in part]
    assert [json.loads(row.text)["a"] for row in found] == ["a.jsonl", "b.jsonl"]


def test_an_fsspec_url_is_read() -> None:
    import fsspec

    with fsspec.open("memory://bulk/in.jsonl", "wb") as file:
        file.write(b'{"a": 1}\n{"a": 2}\n')
    found = cut_and_read("memory://bulk/in.jsonl", 1)
    assert [[json.loads(row.text)["a"] for row in part] for part in found] == [[1], [2]]


def test_the_digest_is_of_the_rows_of_the_part(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"

    def digests(text: str) -> list[str]:
        path.write_text(text)
        return [part.digest for part in cut(str(path), rows=1, check=accept)]

    before, after = digests('{"a": 1}\n{"a": 2}\n'), digests('{"a": 1}\n{"a": 3}\n')
    assert before[0] == after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (lambda path: path.write_bytes(b"\n \n"), "holds nothing"),
        (lambda path: path.write_bytes(b'{"a": 1}\n\xff\n'), "in.jsonl, line 2: not UTF-8"),
        (lambda path: path.mkdir(), "folder without files"),
        (lambda path: None, "in.jsonl: "),
    ],
)
def test_bad_input_is_named(tmp_path: Path, write, told: str) -> None:
    path = tmp_path / "in.jsonl"
    write(path)
    with pytest.raises(CommandError, match=told):
        list(cut(str(path), rows=5, check=accept))


@pytest.mark.parametrize("rows", [1, 3, 4, 100])
def test_rows_of_parquet_across_row_groups_and_without_nulls(tmp_path: Path, rows: int) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra ray")
    from pyarrow import parquet

    path = tmp_path / "in.parquet"
    told = [{"id": f"d{n}", "turns": [{"role": "user", "text": "x"}], "background": None} for n in range(10)]
    told[3]["background"] = ["b"]
    parquet.write_table(pyarrow.Table.from_pylist(told), path, row_group_size=4)
    found = [row for part in cut_and_read(path, rows) for row in part]
    assert [row.number for row in found] == list(range(1, 11))
    without = [{key: value for key, value in row.items() if value is not None} for row in told]
    assert [json.loads(row.text) for row in found] == without


@pytest.mark.parametrize("value", [datetime.datetime(2024, 1, 1), b"\xff", decimal.Decimal("1.5")])
def test_a_value_that_json_lacks_is_ignored_but_is_no_text(value: object) -> None:
    told = {"premise": "The roof is red.", "hypothesis": "The roof is red."}
    for also in ({"made": value}, {"made": {"at": [value]}}):
        verify._check(_of_table("x.parquet", 1, [told | also])[0])
    with pytest.raises(CommandError, match=r"x\.parquet, line 1: takes "):
        verify._check(_of_table("x.parquet", 1, [told | {"premise": value}])[0])
