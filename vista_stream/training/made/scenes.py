"""Written scenes: documents with slots for numbers, and claims that are reckoned from them.

Each draw gives a scene other values, and each claim a true and a false text with the same other words. The
form of a file is told in `written/README.md`.
"""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from vista_stream.training.documents import NUMBERED, Document, WrittenClaim
from vista_stream.training.made.lexicon import DIGIT_WORDS, MONTHS
from vista_stream.training.made.offers import DAYS, minutes
from vista_stream.training.made.reckoning import checked, reckoned
from vista_stream.training.premises import cut_row
from vista_stream.training.rows import numbered_lines
from vista_stream.training.units import Unit, on_one_premise

SOURCE: Final = "scene"
_TAKEN: Final = 0.6
"""Share of a scene's claims that are taken of one draw, so that more draws are seen."""
_ALONE: Final = 0.25
"""Share of claims that are rows alone, not twins."""
_OPEN: Final = 0.5
"""Share of rows alone whose premise lacks a line that is needed."""
_IN_WORDS: Final = 0.35
"""Share of small numbers that are written in words."""
_DRAWS: Final = 500
"""Draws until the conditions of a scene must have been met."""
_LET: Final = re.compile(r"let ([a-z]\w*) = (.+)")
_HEAD: Final = re.compile(r"[VT] (\d+(?:, ?\d+)*)")
_BRACE: Final = re.compile("[{}]")
_SLOT: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A claim that tells a value; `{}` stands for it in its wordings."""

    deciding: frozenset[int]
    """Indices, from 0, of the lines that it needs."""
    wordings: Sequence[str]
    right: str
    """The value as a slot has it: an expression, and behind a colon its form."""
    wrong: Sequence[str]
    """Mistaken values: those that come out like the right one are passed over."""

    def said(self, page: Page, chance: random.Random) -> tuple[str, str | None]:
        """A true text and a false one; None where no mistaken value is another."""
        wording, seed = chance.choice(self.wordings), chance.random()
        true, *others = (
            page.filled(wording.replace("{}", f"{{{value}}}"), random.Random(seed))
            for value in (self.right, *filter(page.can_be_said, self.wrong))
        )
        false = [text for text in others if text != true]
        return true, chance.choice(false) if false else None


@dataclass(frozen=True, slots=True)
class Decided:
    """A claim that holds or does not, by a condition."""

    deciding: frozenset[int]
    condition: str
    holds: Sequence[str]
    """Its wordings where the condition holds."""
    fails: Sequence[str]
    """Its wordings where it does not, each like the one that `holds` has in its place."""

    def said(self, page: Page, chance: random.Random) -> tuple[str, str]:
        """A true text and a false one."""
        wording, seed = chance.randrange(len(self.holds)), chance.random()
        holds, fails = (page.filled(side[wording], random.Random(seed)) for side in (self.holds, self.fails))
        return (holds, fails) if reckoned(self.condition, page.values) else (fails, holds)


Frame: TypeAlias = Reckoned | Decided


@dataclass(frozen=True, slots=True)
class Scene:
    """A document with slots, and the claims about it."""

    name: str
    where: str
    """File and line of its beginning."""
    slots: Mapping[str, Sequence[int]]
    """The values that each slot may have."""
    conditions: Sequence[str]
    """What must hold of the values that are drawn."""
    lines: Sequence[str]
    frames: Sequence[Frame]


class Drawn(NamedTuple):
    """A scene with values."""

    document: Document
    """With all claims, the true and the false ones."""
    twins: Sequence[tuple[WrittenClaim, WrittenClaim | None]]
    """For each frame the true claim, and a false one where there is one."""


@dataclass(frozen=True, slots=True)
class Page:
    """Writes values into texts with slots."""

    values: Mapping[str, int]
    twice_twelve: bool
    """Whether clock times are written as "5:30 p.m.", not "17:30"."""

    def filled(self, text: str, chance: random.Random) -> str:
        """The text with a value for each slot, and a capital where one opens it.

        How one slot is written has no part in how the next is, so that twins differ in their value alone.
        """
        found = _SLOT.sub(lambda slot: self._written(slot[1], random.Random(chance.random())), text)
        found = found.replace(".m..", ".m.")  # "at 5 p.m." may end the sentence
        return found[0].upper() + found[1:] if text.startswith("{") else found

    def can_be_said(self, slot: str) -> bool:
        """Whether a mistaken value is one that somebody might name: above nothing, or one of a round."""
        expression, form = _parted(slot)
        return form in _ROUNDS or reckoned(expression, self.values) > 0

    def _written(self, slot: str, chance: random.Random) -> str:
        expression, form = _parted(slot)
        write = _twelve if form == "clock" and self.twice_twelve else _FORMS[form]
        return write(reckoned(expression, self.values), chance)


def _clock(value: int, chance: random.Random) -> str:
    hour, minute = divmod(value % (24 * 60), 60)
    return f"{hour}:{minute:02d}"


def _twelve(value: int, chance: random.Random) -> str:
    hour, minute = divmod(value % (24 * 60), 60)
    return f"{(hour - 1) % 12 + 1}{f':{minute:02d}' if minute else ''} {'ap'[hour > 11]}.m."


def _plain(value: int, chance: random.Random) -> str:
    return f"{value:,}" if value >= 10_000 else str(value)


def _number(value: int, chance: random.Random) -> str:
    written = _plain(value, chance)
    return DIGIT_WORDS.get(written, written) if chance.random() < _IN_WORDS else written


def _cents(value: int, chance: random.Random) -> str:
    whole, rest = divmod(value, 100)
    return f"{whole}.{rest:02d}" if rest or chance.random() < 0.3 else str(whole)


_FORMS: Final[Mapping[str, Callable[[int, random.Random], str]]] = {
    "": _number,
    "plain": _plain,
    "cents": _cents,
    "span": minutes,
    "clock": _clock,
    "weekday": lambda value, chance: DAYS[value % 7],
    "month": lambda value, chance: MONTHS[(value - 1) % 12],
}
_ROUNDS: Final = ("clock", "weekday", "month")
"""Forms that begin anew, in which any number is a value."""


def _parted(slot: str) -> tuple[str, str]:
    """A slot's expression and its form; a colon may also stand in a clock time."""
    expression, _, form = slot.rpartition(":")
    return (expression, form) if expression and form in _FORMS else (slot, "")


def scene_units(scene: Scene, chance: random.Random) -> list[Unit]:
    """Some of the claims of one draw as twins, or as rows alone, with other parts of the document each time.

    Where a line that is needed is left out, the label is neutral. Raises ValueError as `drawn` does.
    """
    document, twins = drawn(scene, chance)
    return [_unit(document, *both, chance) for both in twins if chance.random() < _TAKEN]


def _unit(document: Document, true: WrittenClaim, false: WrittenClaim | None, chance: random.Random) -> Unit:
    if false is not None and chance.random() >= _ALONE:
        return on_one_premise(document, true, false, chance)
    claim = chance.choice((true, false or true))
    return (cut_row(document, claim, others=(), chance=chance, open_share=_OPEN),)


def drawn(scene: Scene, chance: random.Random) -> Drawn:
    """The scene with values, none of which leads to a division by zero.

    Raises ValueError, naming file and line, if there are none for it.
    """
    for values in _draws(scene, chance):
        with suppress(ZeroDivisionError):
            return _with_values(scene, values, chance)
    raise ValueError(
        f"{scene.where}: no values in {_DRAWS} draws meet the conditions of {scene.name}, "
        "or something is divided by zero with all that do"
    )


def _draws(scene: Scene, chance: random.Random) -> Iterator[dict[str, int]]:
    """The values, of some hundred draws, that meet the scene's conditions."""
    for _ in range(_DRAWS):
        values = {name: chance.choice(pool) for name, pool in scene.slots.items()}
        if _met(scene.conditions, values):
            yield values


def _met(conditions: Sequence[str], values: Mapping[str, int]) -> bool:
    try:
        return all(reckoned(condition, values) for condition in conditions)
    except ZeroDivisionError:
        return False


def _with_values(scene: Scene, values: Mapping[str, int], chance: random.Random) -> Drawn:
    page = Page(values, twice_twelve=chance.random() < 1 / 3)
    lines = tuple(page.filled(line, chance) for line in scene.lines)
    twins = [_claims(frame, page, chance) for frame in scene.frames]
    claims = tuple(claim for both in twins for claim in both if claim is not None)
    return Drawn(Document(scene.name, SOURCE, lines, claims), twins)


def _claims(frame: Frame, page: Page, chance: random.Random) -> tuple[WrittenClaim, WrittenClaim | None]:
    true, false = frame.said(page, chance)
    return (
        WrittenClaim(true, "entailment", frame.deciding),
        WrittenClaim(false, "contradiction", frame.deciding) if false is not None else None,
    )


def read_scenes(path: Path) -> list[Scene]:
    """The scenes of a file, or of the files `part-*.txt` of a folder.

    Raises FileNotFoundError if there is none, ValueError, naming file and line, for what is not in the form.
    """
    parts = [path] if path.is_file() else sorted(path.glob("part-*.txt"))
    if not parts:
        raise FileNotFoundError(f"no part-*.txt in {path}")
    return [scene for part in parts for scene in _read_part(part)]


def _read_part(path: Path) -> Iterator[Scene]:
    draft: _Draft | None = None
    for number, raw in numbered_lines(path):
        where, line = f"{path.name}, line {number}", raw.strip()
        if line.startswith("#scene"):
            if draft is not None:
                yield draft.scene()
            draft = _Draft(line.removeprefix("#scene").strip(), where)
        elif draft is None:
            raise ValueError(f"{where}: a scene begins with '#scene name', not {line[:40]!r}")
        else:
            try:
                draft.take(line)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error
    if draft is None:
        raise ValueError(f"{path.name} has no '#scene name'")
    yield draft.scene()


@dataclass(slots=True)
class _Draft:
    """A scene that is being read."""

    name: str
    where: str
    slots: dict[str, Sequence[int]] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    def take(self, line: str) -> None:
        """Add what a line tells. Raises ValueError if it is not in the form."""
        if told := _LET.fullmatch(line):
            self.slots[told[1]] = _values(told[2])
        elif line.startswith("where "):
            self.conditions.append(checked(line.removeprefix("where "), self.slots))
        elif told := NUMBERED.fullmatch(line):
            if int(told[1]) != len(self.lines) + 1:
                raise ValueError(f"the next line has the number {len(self.lines) + 1}, not {told[1]}")
            self.lines.append(self._text(told[2]))
        elif line.startswith(("V ", "T ")):
            self.frames.append(self._frame(line))
        elif line != "#claims":
            raise ValueError(f"none of: let, where, 'N. line', #claims, V, T: {line[:40]!r}")

    def scene(self) -> Scene:
        """What has been read. Raises ValueError if it has no claims, or no values meet its conditions."""
        if not self.frames:
            raise ValueError(f"{self.where}: a scene has lines and claims")
        scene = Scene(self.name, self.where, self.slots, self.conditions, self.lines, self.frames)
        drawn(scene, random.Random(0))
        return scene

    def _frame(self, line: str) -> Frame:
        head, *parts = (part.strip() for part in line.split("|"))
        told = _HEAD.fullmatch(head)
        if told is None or len(parts) != 3:
            raise ValueError("a claim has V or T and the numbers of its lines, then three parts behind |")
        deciding = frozenset(int(number) - 1 for number in told[1].split(","))
        if not all(0 <= row < len(self.lines) for row in deciding):
            raise ValueError("there is no such line in its document")
        make = self._reckoned if head[0] == "V" else self._decided
        return make(deciding, *parts)

    def _reckoned(self, deciding: frozenset[int], wordings: str, right: str, wrong: str) -> Reckoned:
        expression, form = _parted(right)
        values = [f"{checked(each, self.slots)}:{form}" for each in (expression, *wrong.split(";"))]
        texts = wordings.split(" / ")
        if any(text.count("{}") != 1 for text in texts):
            raise ValueError("each wording of a value has one {}")
        for text in texts:
            self._text(text.replace("{}", ""))
        return Reckoned(deciding, texts, values[0], values[1:])

    def _decided(self, deciding: frozenset[int], condition: str, holds: str, fails: str) -> Decided:
        yes, no = ([self._text(text) for text in side.split(" / ")] for side in (holds, fails))
        if len(yes) != len(no):
            raise ValueError(f"the sides have {len(yes)} and {len(no)} wordings, not equally many")
        if any(map(operator.eq, yes, no)):
            raise ValueError("a wording and the one in its place on the other side are the same")
        return Decided(deciding, checked(condition, self.slots), yes, no)

    def _text(self, text: str) -> str:
        """The text, if each of its slots can be reckoned."""
        for slot in _SLOT.findall(text):
            checked(_parted(slot)[0], self.slots)
        if left := _BRACE.search(_SLOT.sub("", text)):
            raise ValueError(f"a slot is {{expression}} or {{expression:form}}, not a bare {left[0]}")
        return text


def _values(told: str) -> Sequence[int]:
    """The values of `1..9`, `16:30..19:30 step 15` or `2,3,5`."""
    if ".." not in told:
        return [_whole(each) for each in told.split(",")]
    ends, _, step = told.partition(" step ")
    low, high = map(_whole, ends.split("..", 1))
    if high < low:
        raise ValueError(f"no value from {low} to {high}")
    by = _whole(step or "1")
    if by < 1:
        raise ValueError(f"a step is 1 or more, not {by}")
    return range(low, high + 1, by)


def _whole(told: str) -> int:
    try:
        return reckoned(checked(told, ()), {})
    except ZeroDivisionError as error:
        raise ValueError(f"a value is divided by zero: {told.strip()!r}") from error
