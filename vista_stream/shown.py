"""The text of a turn that the user may see."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Self

from vista_stream.events import Event, TextReleased, TextReplaced


class ShownText:
    """The text of a turn's events. It is not a generator, which would stay open when a loop is left early."""

    def __init__(self, events: AsyncIterator[Event]) -> None:
        self._events = events

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while True:
            match await anext(self._events):
                case TextReleased(text=text, mark=mark):
                    return text + mark
                case TextReplaced(replacement=replacement) if replacement:
                    return replacement
                case _:
                    pass
