"""Values to JSON and back, apart from any report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

import pytest

from vista_stream.plain import plain, read


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int = 7


@dataclass(frozen=True)
class Drawing:
    points: Sequence[Point]
    colours: Mapping[str, Colour]
    scale: float = 1.0
    frame: Point | None = None
    unit: Literal["mm", "cm"] = "mm"


DRAWING = Drawing(points=(Point(1, 2), Point(3)), colours={"line": Colour.RED}, frame=Point(0, 0))
TABLE = {
    "points": [{"x": 1, "y": 2}, {"x": 3, "y": 7}],
    "colours": {"line": "red"},
    "scale": 1.0,
    "frame": {"x": 0, "y": 0},
    "unit": "mm",
}


def test_enums_named_tuples_and_dataclasses_are_plain():
    assert plain(DRAWING) == TABLE
    assert type(plain(Colour.RED)) is str
    assert plain({"a": (Point(1, 2), None, True)}) == {"a": [{"x": 1, "y": 2}, None, True]}


def test_what_was_plain_is_read_again():
    assert read(Drawing, TABLE, where="drawing") == DRAWING


def test_defaults_stand_for_what_is_missing_and_a_whole_number_may_be_a_float():
    drawing = read(Drawing, {"points": [{"x": 1}], "colours": {}, "scale": 2}, where="drawing")
    assert drawing == Drawing(points=(Point(1, 7),), colours={}, scale=2.0)
    assert type(drawing.scale) is float


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": [{"y": 2}]}, r"drawing.points\[0\] lacks 'x'"),
        ({"points": {"x": 1}}, "drawing.points must be a list"),
        ({"points": [{"x": 1, "z": 1}]}, r"drawing.points\[0\] has no 'z'; it takes x, y"),
        ({"colours": {"line": "pink"}}, "drawing.colours.line must be one of red, blue, not 'pink'"),
        ({"unit": "m"}, "drawing.unit must be one of mm, cm, not 'm'"),
        ({"frame": 3}, "drawing.frame must be an object, not 3"),
        ({"scale": True}, "drawing.scale must be a number, not True"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(changes, message):
    with pytest.raises(ValueError, match=message):
        read(Drawing, TABLE | changes, where="drawing")


def test_a_value_nested_deep_is_told_in_short():
    deep = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(ValueError, match=r"scale must be a number, not \[\[\["):
        read(Drawing, TABLE | {"scale": deep}, where="drawing")
