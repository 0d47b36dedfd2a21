import random
from collections.abc import Callable

from vista_stream.training.made import edits_names
from vista_stream.training.made.edits_names import Names
from vista_stream.training.made.edits_values import Change
from vista_stream.training.made.passages import Parsed

TEXT = "The bridge was designed by Thomas Weaver in London."
OTHERS = "Maria Hill met Peter Stone in Vienna. Anna Brown lives in Paris."


def test_a_name_gives_way_to_another_of_its_type(parsed: Callable[[str], Parsed]) -> None:
    names = Names([parsed(TEXT), parsed(OTHERS)])
    found = {
        change.old: (change.new, label)
        for change, label in edits_names.changes(parsed(TEXT).doc, names, random.Random(2))
    }
    assert found["Thomas Weaver"][0] in {"Maria Hill", "Peter Stone", "Anna Brown"}
    assert found["Thomas Weaver"][1] == "contradiction"
    assert found["London"][0] in {"Vienna", "Paris"}


def test_names_of_no_other_are_left(parsed: Callable[[str], Parsed]) -> None:
    only = parsed(TEXT)
    assert not list(edits_names.changes(only.doc, Names([only]), random.Random(2)))


def test_a_name_whose_parts_stand_elsewhere_gives_no_twins() -> None:
    change = Change("name", "Thomas Weaver", "Maria Hill")
    claim = "Thomas Weaver designed it."
    assert not list(edits_names.twins("By Thomas Weaver. Weaver was young.", claim, change, "contradiction"))
    four = list(edits_names.twins("It is by Thomas Weaver.", claim, change, "contradiction"))
    assert [pair.label for pair in four].count("entailment") == 2
    assert len(four) == 4
