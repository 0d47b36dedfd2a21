import pytest

from vista_stream.core.text.blocks import Block, BlockKind, Fence, line_end, recognise
from vista_stream.core.text.lookahead import Starved, View


@pytest.mark.parametrize(
    ("line", "kind", "end"),
    [
        ("Text. ", BlockKind.PLAIN, 0),
        ("## Head\n", BlockKind.WHOLE, 0),
        ("#tag ", BlockKind.PLAIN, 0),
        ("####### x", BlockKind.PLAIN, 0),
        ("| a |", BlockKind.WHOLE, 0),
        ("|---|\n", BlockKind.BORDER, 5),
        (":-- | --:\r\n", BlockKind.BORDER, 9),
        ("- - -\n", BlockKind.BORDER, 5),
        ("- a", BlockKind.MARKER, 1),
        ("-5 degrees", BlockKind.PLAIN, 0),
        ("**bold**", BlockKind.PLAIN, 0),
        ("12. a", BlockKind.MARKER, 3),
        ("12.", BlockKind.PLAIN, 0),
        ("12. \n\n", BlockKind.PLAIN, 0),
        ("12.\n  a", BlockKind.MARKER, 3),
        ("12.\na", BlockKind.PLAIN, 0),
        ("12)", BlockKind.MARKER, 3),
        ("(3) a", BlockKind.MARKER, 3),
        ("1990. A", BlockKind.PLAIN, 0),
        ("1.5 km", BlockKind.PLAIN, 0),
        ("b) x", BlockKind.MARKER, 2),
        ("B. x", BlockKind.PLAIN, 0),
        (">x", BlockKind.MARKER, 1),
        ("```py\nx", BlockKind.FENCE, 6),
        ("~~~ `a`\n", BlockKind.FENCE, 8),
        ("```a``` b\n", BlockKind.PLAIN, 0),
        ("``a`` b", BlockKind.PLAIN, 0),
    ],
)
def test_lines(line: str, kind: BlockKind, end: int) -> None:
    assert recognise(View(line, final=True), 0, limit=80) == Block(kind, end)


@pytest.mark.parametrize(
    "line", ["`", "``", "```py", "-", "- ", "---", "#", "##", "1", "1.", "1. ", "1.\n", "(", "(a", "a", "|-"]
)
def test_undecided_lines_wait(line: str) -> None:
    with pytest.raises(Starved):
        recognise(View(line), 0, limit=80)


def test_a_line_is_read_to_the_limit_only() -> None:
    assert recognise(View("-" * 99), 0, limit=80).kind is BlockKind.PLAIN
    assert recognise(View("```" + "x" * 99), 0, limit=80).kind is BlockKind.PLAIN
    assert line_end(View("x" * 80), 0, 80) is None
    assert line_end(View("x\ny"), 0, 80) == 2


@pytest.mark.parametrize(
    ("line", "closed"), [("```\n", True), ("  ````  ", True), ("``", False), ("``` x", False)]
)
def test_a_fence_is_closed_by_a_run_as_long(line: str, closed: bool) -> None:
    assert Fence.opened("```py\n", markers="", column=0).closed_by(line) is closed


def test_a_fence_in_a_quote_is_closed_by_a_quoted_run() -> None:
    assert Fence.opened("```\n", markers=">", column=2).closed_by("> ```\n")


@pytest.mark.parametrize(
    ("markers", "line", "left"),
    [
        (">", "> x", False),
        (">", "  > x", False),
        (">", "x", True),
        (">", "\n", True),
        ("-", "  x", False),
        ("-", "x = 1", False),
        ("-", "- x", True),
        ("-", "  - x", False),
        ("-", "\n", False),
        ("", "- x", False),
    ],
)
def test_a_fence_ends_with_its_quote_or_item(markers: str, line: str, left: bool) -> None:
    fence = Fence.opened("```\n", markers=markers, column=2)
    assert fence.left_at(View(line), 0, limit=80) is left
