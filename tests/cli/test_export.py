from __future__ import annotations

import argparse
import importlib.util
import sys

import pytest

from vista_stream.cli import CommandError, export


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    export.add_parser(parser.add_subparsers(dest="command"))
    return parser.parse_args(["export", *arguments])


def test_the_options_have_defaults(tmp_path):
    args = parse("google/flan-t5-base", "--to", str(tmp_path))
    assert (args.model, args.to, args.quantize) == ("google/flan-t5-base", tmp_path, "none")
    assert args.exporter == "own"


def test_a_quantization_that_is_none_is_bad_usage(tmp_path):
    with pytest.raises(SystemExit):
        parse("model", "--to", str(tmp_path), "--quantize", "int4")


def test_without_the_extra_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "vista_stream.export.flan_t5", raising=False)
    monkeypatch.delitem(sys.modules, "vista_stream.export.checkpoint", raising=False)
    with pytest.raises(CommandError, match=r'is missing: from a checkout, pip install "\.\[export\]"'):
        export.run(parse("model", "--to", str(tmp_path / "to")))


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="the extra 'export' is missing")
def test_a_folder_that_is_taken_is_one_line(tmp_path):
    (tmp_path / "kept").write_text("x")
    with pytest.raises(CommandError, match="to must be a folder that is empty or not there yet"):
        export.run(parse("model", "--to", str(tmp_path)))


def test_optimum_exports_in_fp32_alone(tmp_path):
    with pytest.raises(CommandError, match="--quantize int8 needs --with own: optimum's export keeps fp32"):
        export.run(parse("model", "--to", str(tmp_path / "to"), "--with", "optimum", "--quantize", "int8"))


def test_without_optimum_one_line_says_what_to_install(tmp_path, monkeypatch):
    transformers = type(sys)("transformers")
    monkeypatch.setitem(sys.modules, "transformers", transformers)  # it is there, and optimum is not
    monkeypatch.setitem(sys.modules, "optimum", None)
    with pytest.raises(
        CommandError, match=r'optimum is missing: from a checkout, pip install "\.\[optimum\]"'
    ):
        export.run(parse("model", "--to", str(tmp_path / "to"), "--with", "optimum"))
