import pytest

from vista_stream.claims import Span
from vista_stream.retrieval.context import Outline, opens
from vista_stream.retrieval.reference import Reference

POLICY = """# Insurance

## Household
The following are not covered:
- Water damage
- Rental cars

What is covered:

1. Theft
2. Legal assistance

| Zone | Fee |
|---|---|
| A | €30 |
| D | €60 |

It ends on 31 May.
"""


def reading(text, passage):
    start = text.index(passage)
    return Outline(text).reading(Span(start, start + len(passage)))


@pytest.mark.parametrize(
    ("passage", "read"),
    [
        ("- Rental cars", "Household\nThe following are not covered:\n- Rental cars"),
        ("Rental cars", "Household\nThe following are not covered:\nRental cars"),
        ("1. Theft\n2. Legal assistance", "Household\nWhat is covered:\n1. Theft\n2. Legal assistance"),
        ("| D | €60 |", "Household\n| Zone | Fee |\n| D | €60 |"),
        ("| Zone | Fee |", "Household\n| Zone | Fee |"),
        ("It ends on 31 May.", "Household\nIt ends on 31 May."),
        ("## Household", "## Household"),
        ("- Rental cars\n\nWhat is covered:", "Household\nThe following are not covered:\n- Rental cars"),
    ],
)
def test_a_passage_is_read_under_its_heading_and_introduction(passage, read):
    assert reading(POLICY, passage) == read


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("The mill is old.\n- It was built in 1820.", "- It was built in 1820."),
        ("# The mill\nIt was built in 1820.", "It was built in 1820."),
        ("It was built in 1820. It burnt.", "It burnt."),
    ],
)
def test_a_sentence_before_a_list_and_the_title_of_the_text_introduce_nothing(text, passage):
    assert reading(text, passage) == passage


@pytest.mark.parametrize("line", ["# Fees", "**Fees**", "**Fees**:", "Not covered:", "Fees:  "])
def test_headings_and_introductions_open_a_part(line):
    assert opens(line)


@pytest.mark.parametrize("line", ["Fees are due.", "- **Fees** are due", "#1 of all", ""])
def test_other_lines_open_none(line):
    assert not opens(line)


def test_no_window_reaches_from_one_part_into_the_next():
    windows = [window.text for window in Reference(POLICY, name="policy").windows]
    assert not any("Rental cars" in window and "Theft" in window for window in windows)
    assert all(
        any(part in window for window in windows) for part in ("Water damage", "Theft", "€60", "31 May")
    )
