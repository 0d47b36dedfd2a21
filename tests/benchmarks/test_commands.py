"""Benchmarks as commands, on a machine without the packages that they measure or simulate with."""

import runpy
import sys

import pytest

NEEDS = {"flan_t5": ("torch", "transformers"), "scale": ("simpy",)}


@pytest.fixture
def run(monkeypatch):
    """Run a benchmark without the packages that it needs; its exit status."""

    def call(name, *options):
        for module in [
            each for each in sys.modules if each.startswith(("benchmarks.", "vista_stream.export"))
        ]:
            monkeypatch.delitem(sys.modules, module)
        for package in NEEDS[name]:
            monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.setattr(sys, "argv", [name, *options])
        with pytest.raises(SystemExit) as left:
            runpy.run_module(f"benchmarks.{name}", run_name="__main__")
        return left.value.code

    return call


@pytest.mark.parametrize("name", NEEDS)
def test_help_needs_no_package(run, name, capsys):
    assert run(name, "--help") == 0
    assert f"python -m benchmarks.{name}" in capsys.readouterr().out


def test_the_simulation_names_what_it_lacks(run, tmp_path, capsys):
    out = tmp_path / "scale.json"
    assert run("scale", "--out", str(out)) == 2
    assert capsys.readouterr().err == "simpy is missing: pip install --group simulation\n"
    assert not out.exists()
