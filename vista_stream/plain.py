"""Values as plain JSON and back: dataclasses, named tuples and enums, and mappings and sequences of them."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")


def plain(value: object) -> Any:
    """The value in dicts, lists and what JSON has beside them; a dataclass or named tuple by its fields."""
    if isinstance(value, Enum):
        return value.value
    kind: Any = type(value)
    if _has_fields(kind):
        return {name: plain(getattr(value, name)) for name in _fields(kind)}
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(entry) for entry in value]
    return value


def read(kind: type[T], value: object, *, where: str) -> T:
    """The value of a type that `plain` made this of; sequences come as tuples, mappings as dicts.

    Raises ValueError, with the place in `where`, for what is no such value: a key that is missing and has no
    default, or that there is not, a member of the wrong type.
    """
    return cast(T, _read(kind, value, where))


class _Field(NamedTuple):
    kind: Any
    required: bool


def _read(kind: Any, value: object, where: str) -> Any:
    origin = get_origin(kind)
    if origin is not None:
        return _GENERIC[origin](get_args(kind), value, where)
    if _has_fields(kind):
        return _with_fields(kind, value, where)
    if issubclass(kind, Enum):
        return _member(kind, value, where)
    if kind is float:
        return _float(value, where)
    if type(value) is not kind:
        _refuse(where, _NAMES[kind], value)
    return value


def _has_fields(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


@cache
def _fields(kind: Any) -> Mapping[str, _Field]:
    hints = get_type_hints(kind)
    if not dataclasses.is_dataclass(kind):
        return {name: _Field(hints[name], name not in kind._field_defaults) for name in kind._fields}
    missing = dataclasses.MISSING
    return {
        field.name: _Field(hints[field.name], field.default is missing and field.default_factory is missing)
        for field in dataclasses.fields(kind)
    }


def _with_fields(kind: Any, value: object, where: str) -> Any:
    table, fields = _table(value, where), _fields(kind)
    for name in table:
        if name not in fields:
            raise ValueError(f"{where} has no {name!r}; it takes {', '.join(fields)}")
    for name, field in fields.items():
        if field.required and name not in table:
            raise ValueError(f"{where} lacks {name!r}")
    return kind(**{name: _read(fields[name].kind, entry, f"{where}.{name}") for name, entry in table.items()})


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        _refuse(where, "an object", value)
    return value


def _member(kind: type[Enum], value: object, where: str) -> Enum:
    for member in kind:
        if member.value == value:
            return member
    _refuse(where, f"one of {', '.join(str(member.value) for member in kind)}", value)


def _float(value: object, where: str) -> float:
    if isinstance(value, float) or type(value) is int:
        try:
            return float(value)
        except OverflowError:
            pass
    _refuse(where, "a number", value)


def _optional(kinds: Sequence[Any], value: object, where: str) -> Any:
    (kind,) = (each for each in kinds if each is not NoneType)
    return None if value is None else _read(kind, value, where)


def _one_of(members: Sequence[object], value: object, where: str) -> object:
    if value not in members:
        _refuse(where, f"one of {', '.join(map(str, members))}", value)
    return value


def _tuple(kinds: Sequence[Any], value: object, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        _refuse(where, "a list", value)
    return tuple(_read(kinds[0], entry, f"{where}[{row}]") for row, entry in enumerate(value))


def _dict(kinds: Sequence[Any], value: object, where: str) -> Mapping[str, Any]:
    return {name: _read(kinds[1], entry, f"{where}.{name}") for name, entry in _table(value, where).items()}


def _refuse(where: str, takes: str, value: object) -> NoReturn:
    raise ValueError(f"{where} must be {takes}, not {reprlib.repr(value)}")


_NAMES = {str: "a string", int: "a whole number", bool: "true or false"}
_GENERIC: Mapping[Any, Callable[[Sequence[Any], object, str], Any]] = {
    Union: _optional,
    UnionType: _optional,
    Literal: _one_of,
    Sequence: _tuple,
    Mapping: _dict,
}
