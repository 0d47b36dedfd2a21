"""`--engine ray` on a real Ray, killed midway; without Ray only what is said of it."""

from __future__ import annotations

import argparse
import json
import sys

import pytest

from vista_stream.cli import CommandError, main, score, verify


def parse(module, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    module.add_parser(parser.add_subparsers())
    return parser.parse_args([module.__name__.rpartition(".")[2], *arguments])


@pytest.mark.parametrize(
    ("module", "arguments", "told"),
    [
        (score, ["in", "--workers", "2"], "--workers is for --engine ray"),
        (score, ["in", "--part-rows", "2"], "--part-rows is for --engine ray"),
        (score, ["in", "--engine", "ray"], "--engine ray needs --out"),
        (score, ["in", "--engine", "ray", "--out", "o", "--json"], "--json is not for --engine ray"),
        (score, ["in", "--engine", "ray", "--out", "o", "--compare", "c"], "--compare is not for"),
        (verify, ["in", "--out", "o"], "--out is for --engine ray"),
        (verify, ["in", "--resume"], "--resume is for --engine ray"),
    ],
)
def test_options_that_do_not_fit_are_named(module, arguments, told) -> None:
    with pytest.raises(CommandError, match=told):
        module.run(parse(module, *arguments))


@pytest.mark.parametrize("command", ["score", "verify"])
def test_without_ray_one_line_names_the_extra(command, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    assert main([command, str(tmp_path), "--engine", "ray", "--out", str(tmp_path / "o.jsonl")]) == 2
    assert 'pip install ".[ray]"' in capsys.readouterr().err


@pytest.mark.timeout(1200)
def test_a_run_that_was_killed_goes_on_and_gives_the_local_lines(tmp_path) -> None:
    pytest.importorskip("ray.data", reason="needs the extra ray")
    from benchmarks.bulk import PART_ROWS, measure

    figures = measure(tmp_path, count=4 * PART_ROWS, workers=2)
    assert figures["identical"]
    assert 2 <= figures["parts at the kill"] <= figures["parts found"] <= 4
    lines = (tmp_path / "ray.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"d{n}" for n in range(4 * PART_ROWS)]


MILL = "The mill was built in 1820 by Jonas Pike. It has two floors and a brick chimney."
PAIRS = [
    {"premise": MILL, "hypothesis": hypothesis}
    for hypothesis in (
        "The mill was built in 1820.",
        "The mill was built in 1830.",
        "The miller had two daughters.",
        "It has two floors. Jonas Pike built it.",
        "Die Mühle hat zwei Stockwerke und einen Kamin aus Ziegeln.",
    )
]


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")  # of its own settings
def test_verify_on_ray_gives_the_local_lines(tmp_path, capsys) -> None:
    pytest.importorskip("ray.data", reason="needs the extra ray")
    source, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(f"{json.dumps(pair)}\n" for pair in PAIRS), encoding="utf-8")
    assert main(["verify", str(source)]) == 1  # the pair that is not English
    local = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    local[-1]["error"] = f"{source.name}, {local[-1]['error']}"  # the input may be a folder
    assert [line.get("category") for line in local] == [
        "verified", "contradicted", "lacking_evidence", "verified", None,
    ]  # fmt: skip
    on_ray = ["--engine", "ray", "--workers", "2", "--part-rows", "2"]
    assert main(["verify", str(source), "--out", str(out), *on_ray]) == 1
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == local


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")  # of its own settings
def test_parquet_goes_through_ray_from_a_url_to_a_url(tmp_path, capsys) -> None:
    pytest.importorskip("ray.data", reason="needs the extra ray")
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sound = PAIRS[:-1]
    lines, source, out = tmp_path / "pairs.jsonl", tmp_path / "pairs.parquet", tmp_path / "out.parquet"
    lines.write_text("".join(f"{json.dumps(pair)}\n" for pair in sound), encoding="utf-8")
    parquet.write_table(pyarrow.Table.from_pylist(sound), source)
    assert main(["verify", str(lines)]) == 0
    local = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    on_ray = ["--engine", "ray", "--workers", "2", "--part-rows", "2"]
    assert main(["verify", source.as_uri(), "--out", out.as_uri(), *on_ray]) == 0
    made = [{k: v for k, v in row.items() if v is not None} for row in parquet.read_table(out).to_pylist()]
    assert made == local
