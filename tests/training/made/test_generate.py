from collections import Counter, defaultdict
from pathlib import Path

import pytest

from vista_stream.training.made.edits_values import Change, twins
from vista_stream.training.made.generate import generate
from vista_stream.training.rows import LABELS, NOT_STATED, Row, write

TEXTS = (
    "Hanna Lind (born 12 March 1931) was a Swedish painter. She studied in Uppsala and moved to Norway "
    "in 1955. Her mural was destroyed after the war.",
    "The Ravel Bridge was designed by Tomas Weir in 1887. It crosses the Aller near the northern harbour.",
    "Tomas Weir was an engineer and poet from Lisbon. In 1902, he published three novels.",
    "Grelling is a village in Austria. The village had 1,204 people in 2011 and lies 14 miles from Vienna.",
    "Marta Cole defeated Ines Boyd in the final. The match lasted five hours before rain stopped play.",
    "The Aller is the longest river of Grelling. It passes 12 miles of meadows on its way.",
)
TABLE = (
    "Low Tide. The Released of Low Tide is 3 May 1990. The Genre of Low Tide is Folk. "
    "The Label of Low Tide is Pier Records."
)
OTHER = (
    "Cold Sun. The Released of Cold Sun is 9 June 2001. The Genre of Cold Sun is Jazz. "
    "The Label of Cold Sun is Attic."
)


def people() -> list[Row]:
    rows = [Row(text, "Somebody lived.", "neutral", "fever_rte_dev", "CC-BY-SA-3.0") for text in TEXTS]
    rows += [
        Row(table, "It is a record.", "entailment", "infotabs", "Apache-2.0") for table in (TABLE, OTHER)
    ]
    rows.append(
        Row(TEXTS[3], "Grelling lies in Austria and has 1,204 people.", "entailment", "fm2_dev", "MIT")
    )
    return rows


@pytest.fixture(scope="module")
def made() -> list[Row]:
    return list(generate(people(), seed=3, limit=5_000))


def test_every_family_of_edits_is_there(made: list[Row]) -> None:
    edits = {row.source.removeprefix("generated:") for row in made}
    families = {
        "number",
        "date",
        "unit",
        "name",
        "negation",
        "order",
        "antonym",
        "comparison",
        "cell",
        "talk",
        "terms_cell",
    }
    assert families <= edits, families - edits
    assert edits >= {"sentence", "resolved", "without_sentence", "cell_missing", "swap_role", "table_form"}


def test_rows_are_well_formed_and_keep_the_licence_of_their_text(made: list[Row]) -> None:
    assert {row.label for row in made} == set(LABELS)
    assert all(row.source.startswith("generated:") for row in made)
    assert {row.licence for row in made} <= {"CC-BY-SA-3.0", "Apache-2.0", "MIT"}
    assert all("Uppsala" not in row.hypothesis or row.licence == "CC-BY-SA-3.0" for row in made)
    assert len({(row.premise, row.hypothesis) for row in made}) == len(made)


def test_a_claim_of_a_twin_comes_with_both_answers(made: list[Row]) -> None:
    counts = Counter(row.label for row in made if row.source in {"generated:cell", "generated:cell_twin"})
    assert counts["entailment"] == counts["contradiction"] > 0
    change = Change("number", "1,204", "1,500")
    four = list(twins("It had 1,204 people.", "There were 1,204 people.", change))
    answers = defaultdict(list)
    for pair in four:
        answers[pair.hypothesis].append(pair.label)
    assert [sorted(labels) for labels in answers.values()] == [["contradiction", "entailment"]] * 2


def test_the_same_seed_gives_the_same_bytes_with_and_without_cache(made: list[Row], tmp_path: Path) -> None:
    write(made, tmp_path / "fresh.gz")
    for name in ("stored.gz", "read_again.gz"):
        write(generate(people(), seed=3, limit=5_000, cache=tmp_path / "parses"), tmp_path / name)
    fresh, stored, read_again = (
        (tmp_path / f"{n}.gz").read_bytes() for n in ("fresh", "stored", "read_again")
    )
    assert fresh == stored == read_again


def test_another_seed_gives_other_rows_and_the_limit_is_kept(made: list[Row]) -> None:
    other = list(generate(people(), seed=4, limit=200))
    assert 150 < len(other) <= 200
    assert other != made[:200]


def test_rows_that_must_not_be_shipped_are_refused() -> None:
    with pytest.raises(ValueError, match="licence"):
        next(generate([Row("A b c.", "A b.", "neutral", "x", NOT_STATED)], seed=0, limit=1))
    with pytest.raises(ValueError, match="limit must be 1 or more, not 0"):
        next(generate(people(), seed=0, limit=0))
