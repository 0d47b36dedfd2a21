"""The parsers take linear time: tried briefly here, at length by `python -m benchmarks.growth`."""

import re

from benchmarks import growth


def test_no_parser_takes_more_than_linear_time_on_a_few_texts(monkeypatch):
    monkeypatch.setattr(growth, "PIECES", ("a", "`", "data:\n:\n", "<svg>", "[a](", "# a\n"))
    assert growth.steep(growth.PARSERS.items(), largest=32_000) == []


def test_what_is_quadratic_is_found(monkeypatch):
    monkeypatch.setattr(growth, "PIECES", (" ", "a"))
    pattern = re.compile(r"\s+$")

    def search(text):
        pattern.search(text + "a")

    found = growth.steep([("trailing space", search)], largest=32_000)
    assert [(each.what, each.piece) for each in found] == [("trailing space", " ")]


def test_no_expression_takes_more_than_linear_time_on_a_few_texts(monkeypatch):
    monkeypatch.setattr(growth, "PIECES", (" ", "a", "0", "A "))
    assert growth.steep(growth.patterns().items(), largest=20_000) == []


def test_the_patterns_of_the_package_are_found():
    names = growth.patterns()
    assert "vista_stream_adapters.rewrite.sse._LINE_END" in names
    assert len(names) > 100
