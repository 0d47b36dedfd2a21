import pytest

from vista_stream.training.made.reckoning import checked, reckoned

SLOTS = {"a": 7, "b": 3, "t": 17 * 60 + 30}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2*a + b", 17),
        ("(a - b) * 2", 8),
        ("-a + 10", 3),
        ("a // b", 2),
        ("a % b", 1),
        ("min(a, b) + max(a, b, 9)", 12),
        ("t + 45", 18 * 60 + 15),
        ("t <= 17:30", 1),
        ("8:05", 485),
        ("b < a <= 7", 1),
        ("b < a < 7", 0),
        ("not a == b and (a > 9 or b != 4)", 1),
        ("a > 9 or b == 4", 0),
        ("b == 3 or a // (b - 3) > 1", 1),
        ("b != 3 and a % (b - 3) == 0", 0),
        ("4 < b < a // (b - 3)", 0),
    ],
)
def test_expressions_have_the_values_that_they_have_in_arithmetic(expression: str, value: int) -> None:
    assert reckoned(checked(expression, SLOTS), SLOTS) == value


@pytest.mark.parametrize(
    "expression",
    [
        "a ** b",
        "a / b",
        "1.5 * a",
        "'a'",
        "a if b else 3",
        "abs(a)",
        "min(a)",
        "max(a, b, key=a)",
        "min",
        "(lambda: a)()",
        "a.real",
        "[a][0]",
        "~a",
        "a is b",
        "__import__('os')",
        "c + 1",
        "a b",
        "t:clok",
        "",
    ],
)
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"is none of|not an expression"):
        checked(expression, SLOTS)
