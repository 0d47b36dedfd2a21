from pathlib import Path

from vista_stream.training.made.passages import Passage, gather, parse
from vista_stream.training.rows import Row


def row(premise: str, source: str = "fever_rte_dev") -> Row:
    return Row(premise, "Somebody lived.", "neutral", source, "MIT")


def test_passages_are_cleaned_different_and_of_a_fit_length() -> None:
    text = "The mill -LRB- a ruin -RRB- stands in Leeds ."
    rows = [row(text), row(text), row("Too short ."), row(text, "infotabs"), row("word " * 200)]
    assert gather(rows) == [Passage("The mill (a ruin) stands in Leeds.", "fever_rte_dev", "MIT")]


def test_titles_are_cut_off() -> None:
    (passage,) = gather([row("Old mill -- The mill of Oda stands in the town.", "boolq_dev")])
    assert passage.text == "The mill of Oda stands in the town."


def test_parses_are_kept_and_read_again_the_same(tmp_path: Path) -> None:
    passages = [Passage("The mill stands in Leeds. Is it old? A ruin.", "x", "MIT")]
    first, second = (list(parse(passages, cache=tmp_path)) for _ in range(2))
    assert len(list(tmp_path.iterdir())) == 1
    assert [s.text for s in first[0].sentences] == ["The mill stands in Leeds."]
    assert [(t.dep_, t.tag_, t.ent_type_) for t in first[0].doc] == [
        (t.dep_, t.tag_, t.ent_type_) for t in second[0].doc
    ]
