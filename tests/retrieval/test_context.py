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


FEES = """# Fees

## Adults
### Swimming
Entry is 6 euros.

## Children
### Swimming
Entry is 3 euros.
"""
PLANS = """# Plans
- Basic:
  - 1 user
  - by mail
- Pro:
  - 5 users
  - by phone
    and by mail
- All plans

They renew.
"""
WRAPPED = """The following are not
covered:

- Damage by water
from outside the house
- Boats worth more than
  900 euros
- Rental cars
"""
UNDERLINED = """Fees
====

Basic
-----

- 10 GB
- $5 a month

Pro
---
- 100 GB

***
- 1 TB
"""
PIPED = """Plan | Storage
--- | ---
Basic | 10 GB
Pro | 100 GB

Ask us | or him.
"""


@pytest.mark.parametrize(
    ("text", "passage", "read"),
    [
        (FEES, "Entry is 3 euros.", "Children, Swimming\nEntry is 3 euros."),
        (FEES, "### Swimming\nEntry is 6 euros.", "Adults\n### Swimming\nEntry is 6 euros."),
        ("# Adults\nIt is 6.\n# Children\nIt is 3.", "It is 6.", "Adults\nIt is 6."),
        (PLANS, "by phone", "Pro:\nby phone"),
        (PLANS, "by mail", "Basic:\nby mail"),
        (PLANS, "and by mail", "Pro:\nand by mail"),
        (PLANS, "- All plans", "- All plans"),
        (PLANS, "They renew.", "They renew."),
        (WRAPPED, "Rental cars", "The following are not covered:\nRental cars"),
        (UNDERLINED, "- $5 a month", "Basic\n- $5 a month"),
        (UNDERLINED, "- 100 GB", "Pro\n- 100 GB"),
        (UNDERLINED, "- 1 TB", "Pro\n- 1 TB"),
        (PIPED, "Pro | 100 GB", "Plan | Storage\nPro | 100 GB"),
        (PIPED, "Ask us | or him.", "Ask us | or him."),
        ("## Regions\n- Warsaw", "- Warsaw", "Regions\n- Warsaw"),
        ("Not open:\r- Monday\u2028- Friday", "- Friday", "Not open:\n- Friday"),
    ],
)
def test_what_is_around_a_passage_at_every_level_is_read_with_it(text, passage, read):
    assert reading(text, passage) == read


def test_the_headings_over_a_passage_are_cut_from_the_outside():
    text = "".join(f"{'#' * level} {letter * 50}\n" for level, letter in ((2, "a"), (3, "b"), (4, "c")))
    assert reading(f"{text}It is old.", "It is old.") == f"{'b' * 50}, {'c' * 50}\nIt is old."


def test_a_passage_after_one_of_another_list_is_read_under_its_own_introduction():
    text = "Sold:\n\n- Tents\n- Skis\n\nLent:\n\n- Boats\n- Carts\n"
    outline = Outline(text)

    def spans(*passages):
        return [Span(text.index(each), text.index(each) + len(each)) for each in passages]

    assert outline.reading(*spans("Tents", "Skis", "Carts")) == "Sold:\nTents\nSkis\nLent:\nCarts"
    assert outline.reading(*spans("Lent:", "Carts")) == "Lent:\nCarts"


def test_no_passage_reaches_from_one_list_or_section_into_the_next():
    for text in (PLANS, UNDERLINED):
        reference = Reference(text, name="plans")
        for passage in (*reference.windows, *reference.joined(reference.windows)):
            assert not ("1 user" in passage.text and "Pro" in passage.text)
            assert not ("by phone" in passage.text and "renew" in passage.text)
            assert not ("$5" in passage.text and "Pro" in passage.text)


def test_sentences_that_state_nothing_are_told():
    reference = Reference(f"{UNDERLINED}\n{PIPED}\nNot covered:\n\n- Skis\n", name="plans")
    sentences = [reference.passage(row, row + 1) for row in range(len(reference.sentences))]
    opening = [each.text for each in sentences if reference.opens(each)]
    assert opening == ["Fees", "Basic", "Pro", "Plan | Storage", "Not covered:"]


CODED = """# Manual

## Model A
1. Stop it:
   ```sh
   # Removed in version 3
kill 1
   ```

It lasts 12 hours.

```
# Starts again

- Options:
```

- On mains

## Model B
It lasts 6 hours.
"""


def read_of(text, passage):
    """How a passage of the sentences of a reference is read."""
    reference = Reference(text, name="manual")
    start = text.index(passage)
    rows = [row for row, span in enumerate(reference.sentences) if start <= span.start < start + len(passage)]
    return reference.reading(reference.passage(rows[0], rows[-1] + 1))


@pytest.mark.parametrize(
    ("passage", "read"),
    [
        ("# Removed in version 3", "Model A\nStop it:\n# Removed in version 3"),
        ("kill 1", "Model A\nStop it:\nkill 1"),
        ("It lasts 12 hours.", "Model A\nIt lasts 12 hours."),
        ("On mains", "Model A\nOn mains"),
        ("It lasts 6 hours.", "Model B\nIt lasts 6 hours."),
        (
            "It lasts 12 hours.\n\n```\n# Starts again",
            "Model A\nIt lasts 12 hours.\n\n```\n# Starts again",
        ),
    ],
)
def test_a_line_of_code_is_no_heading_and_introduces_nothing(passage, read):
    assert read_of(CODED, passage) == read


def test_a_line_of_code_opens_no_part():
    reference = Reference(CODED, name="manual")
    sentences = [reference.passage(row, row + 1) for row in range(len(reference.sentences))]
    opening = [each.text for each in sentences if reference.opens(each)]
    assert opening == ["# Manual", "## Model A", "Stop it:", "## Model B"]


def test_headings_after_a_fence_without_another_one_count():
    cut_from_a_block = "kill 1\n```\n\n## Model B\nIt lasts 6 hours.\n"
    assert read_of(cut_from_a_block, "It lasts 6 hours.") == "Model B\nIt lasts 6 hours."


@pytest.mark.parametrize(
    ("text", "passage", "read"),
    [
        ("It opens at 9.\n\n**Pets stay outside.**", "It opens at 9.\n\n**Pets stay outside.**", None),
        ("It opens at 9.\n\nPets stay outside:\n", "It opens at 9.\n\nPets stay outside:", None),
        ("It opens.\n\n**Pets pay.**\n\n**Cats pay.**\n\nA.", "It opens.\n\n**Pets pay.**", None),
        ("It opens.\n\n**Fees**\n\nNone.", "It opens.\n\n**Fees**", "It opens."),
        ("It opens.\n\n## Fees\n### Adults\n10.", "It opens.\n\n## Fees\n### Adults", "It opens."),
        ("It opens.\n\nNote this:\n\nPets pay.", "It opens.\n\nNote this:", "It opens."),
    ],
)
def test_an_opening_that_nothing_of_its_own_follows_stays_in_its_passage(text, passage, read):
    assert reading(text, passage) == (read or passage)
