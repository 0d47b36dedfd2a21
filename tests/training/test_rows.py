import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from vista_stream.training.rows import NOT_STATED, Row, load, numbered_lines, write

GOOD = {"premise": "The harbour froze in 1893.", "hypothesis": "The harbour froze.", "label": "entailment"}


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_rows_without_a_stated_licence_never_pass(tmp_path: Path) -> None:
    stated = GOOD | {"source": "a", "licence": "MIT"}
    hidden = GOOD | {"source": "b", "licence": NOT_STATED}
    with gzip.open(tmp_path / "nli.jsonl.gz", "wt") as packed:
        packed.write(f"{json.dumps(stated)}\n{json.dumps(hidden)}\n")
    lines(tmp_path / "nli_extra.jsonl", hidden, stated)
    rows = load(tmp_path)
    assert [row.source for row in rows] == ["a", "a"]
    assert all(row.licence == "MIT" for row in rows)


def test_own_pairs_need_only_premise_hypothesis_and_label(tmp_path: Path) -> None:
    path = lines(tmp_path / "mine.jsonl", GOOD, "")
    assert load(path) == [Row(GOOD["premise"], GOOD["hypothesis"], "entailment", "own", "own")]
    assert load(tmp_path, names=("mine",)) == load(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        pytest.param("[" * 100_000, "not JSON", id="nested deep"),
        ("[1]", "must be an object, not list"),
        (GOOD | {"label": "maybe"}, "label must be one of entailment"),
        (GOOD | {"premise": "  "}, "premise must be a string that is not empty"),
        (GOOD | {"hypothesis": 3}, "hypothesis must be"),
        (GOOD | {"licence": None}, "licence must be"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: object, said: str) -> None:
    path = lines(tmp_path / "mine.jsonl", GOOD, line)
    with pytest.raises(ValueError, match=rf"mine\.jsonl, line 2: .*{said}"):
        load(path)


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("mine.jsonl", b"\xff\xfe", "is not UTF-8"),
        ("mine.jsonl", gzip.compress(b"{}"), "is not UTF-8"),
        ("mine.jsonl.gz", b"{}", "is not gzipped"),
        ("mine.jsonl.gz", gzip.compress(b"{}" * 99)[:-9], "is not gzipped, or not whole"),
        ("mine.jsonl.gz", gzip.compress(b"\xff"), "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, held: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(held)
    with pytest.raises(ValueError, match=f"{name} {said}"):
        list(numbered_lines(path))


def test_a_line_separator_stands_inside_a_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\ufeffa\u2028b\x85c\n\nd", encoding="utf-8")
    assert list(numbered_lines(path)) == [(1, "a\u2028b\x85c\n"), (3, "d")]


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no nli\.jsonl"):
        load(tmp_path)


def test_written_rows_are_read_again_and_the_bytes_depend_on_rows_alone(tmp_path: Path) -> None:
    rows = [Row("Žofie owns a mill.", "A mill is owned.", "neutral", "generated:x", "MIT")]
    one, two = tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"
    assert write(rows, one) == write(iter(rows), two) == 1
    assert one.read_bytes() == two.read_bytes()
    assert load(one) == rows


def test_the_shared_sets_give_the_rows_that_may_be_shipped() -> None:
    folder = os.environ.get("VISTA_TRAINING_DATA")
    if not folder:
        pytest.skip("set VISTA_TRAINING_DATA to the folder of nli.jsonl.gz and nli_extra.jsonl.gz")
    assert len(load(Path(folder), ("nli",))) == 78_663
    rows = load(Path(folder), ("nli_extra",))
    assert len(rows) == 67_819
    assert Counter(row.licence for row in rows)[NOT_STATED] == 0
