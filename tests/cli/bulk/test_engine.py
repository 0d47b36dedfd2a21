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
