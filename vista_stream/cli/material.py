"""The shipped conversations that the demo plays; vista_stream/demo/ABOUT.md says where they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """A vital fact that was changed by hand in a copy of an answer."""

    was: str
    """What the model wrote; it occurs once in the answer."""
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One turn of a shipped conversation."""

    title: str
    conversation: str
    """Scenes of one conversation share their common ground."""
    query: str
    answer: str
    """The answer as it is streamed, with the alteration if there is one."""
    document: tuple[str, str] | None = None
    """Name and text of the reference; None where claims are checked against the common ground alone."""
    alteration: Alteration | None = None

    @property
    def tokens(self) -> Sequence[str]:
        """The answer in pieces about as long as a language model's tokens; joined, they are the answer."""
        return re.findall(r"\s*\S{1,6}|\s+$", self.answer)


def load_scenes() -> list[Scene]:
    """The shipped scenes, in the order in which the demo plays them."""
    return [_scene(row) for row in json.loads(_read("turns.json"))]


def _scene(row: dict[str, str | dict[str, str]]) -> Scene:
    altered = row.get("altered")
    answer, document = str(row["answer"]), row.get("document")
    alteration = None
    if isinstance(altered, dict):
        alteration = Alteration(was=altered["was"], now=altered["is"])
        answer = answer.replace(alteration.was, alteration.now, 1)
    return Scene(
        title=str(row["title"]),
        conversation=str(row["conversation"]),
        query=str(row["query"]),
        answer=answer,
        document=None if document is None else (str(document), _read("documents", str(document))),
        alteration=alteration,
    )


def _read(*path: str) -> str:
    return files("vista_stream").joinpath("demo", *path).read_text(encoding="utf-8")
