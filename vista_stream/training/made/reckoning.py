"""Reckons the expressions of written scenes: whole numbers, clock times and slots. No code is run."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Final

_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_JOINED: Final[Mapping[type[ast.AST], Callable[[Iterable[int]], int]]] = {ast.And: all, ast.Or: any}
_FUNCTIONS: Final[Mapping[str, Callable[[Iterable[int]], int]]] = {"min": min, "max": max}
_KNOWN: Final = "whole numbers, clock times, + - * // % < <= > >= == != and or not min(…, …) max(…, …)"
_CLOCK: Final = re.compile(r"\b(\d{1,2}):(\d\d)\b")


def checked(expression: str, slots: Collection[str]) -> str:
    """The expression, blanks around it removed. Raises ValueError if these slots do not give its value."""
    values = dict.fromkeys(slots, 0)
    parts = [_parsed(expression)]
    for part in parts:
        parts += _apart(part, values)[0]
    return expression.strip()


def reckoned(expression: str, slots: Mapping[str, int]) -> int:
    """Its value with these values of its slots: a number, minutes since midnight, or whether it holds.

    Raises ValueError as `checked` does, and ZeroDivisionError.
    """
    return _value(_parsed(expression), slots)


@cache  # the same are reckoned with other values again and again
def _parsed(expression: str) -> ast.expr:
    text = _CLOCK.sub(lambda found: str(60 * int(found[1]) + int(found[2])), expression.strip())
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"not an expression: {expression.strip()!r}") from error


def _value(node: ast.expr, slots: Mapping[str, int]) -> int:
    parts, reckon = _apart(node, slots)
    return reckon(_value(part, slots) for part in parts)


def _apart(
    node: ast.expr, slots: Mapping[str, int]
) -> tuple[Sequence[ast.expr], Callable[[Iterable[int]], int]]:
    """The expressions that an expression is made of, and how its value follows from theirs.

    Values behind those that decide are not asked for: "b == 0 or a // b > 1" holds where b is 0.
    """
    match node:
        case ast.Constant(value=int(number)):
            return [], lambda values: number
        case ast.Name(id=name) if name in slots:
            return [], lambda values: slots[name]
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return [left, right], partial(_of_all, sign)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _OPERATORS:
            return [operand], partial(_of_all, sign)
        case ast.BoolOp(op=sign, values=values):
            return values, _JOINED[type(sign)]
        case ast.Compare(left=left, ops=signs, comparators=others) if all(
            type(s) in _OPERATORS for s in signs
        ):
            return [left, *others], partial(_all_hold, signs)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, _, *_] as values, keywords=[]):
            return values, _FUNCTIONS[name]
    raise ValueError(f"{ast.unparse(node)!r} is none of: {_KNOWN}, or a slot of {', '.join(slots) or 'none'}")


def _of_all(sign: ast.operator | ast.unaryop | ast.cmpop, values: Iterable[int]) -> int:
    return _OPERATORS[type(sign)](*values)


def _all_hold(signs: Iterable[ast.cmpop], values: Iterable[int]) -> bool:
    return all(_of_all(sign, both) for sign, both in zip(signs, pairwise(values), strict=True))
