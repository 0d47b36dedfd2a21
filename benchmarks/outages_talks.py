"""Conversations about made-up mills, for `benchmarks.outages`: each speaks of one mill and no other does.

A conversation has four turns. The first and the third bring notes about the mill; the second and the fourth
bring none, so they are judged by what was said before. Each turn but the first holds a false sentence.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

_BEGINS = ("Kar", "Bel", "Tol", "Mer", "Sur", "Gan", "Pol", "Ves", "Hol", "Dar", "Nim", "Lor")
_MIDDLES = ("ve", "do", "mi", "ra", "lu", "ne", "so", "ti", "ga", "bo", "ke", "pa")
_ENDS = ("ll", "rn", "ck", "nd", "st", "mm", "rt", "sk", "ng", "lt", "pf", "rz")
NAMES = len(_BEGINS) * len(_MIDDLES) * len(_ENDS)
"""How many conversations have a mill of their own."""
_GRAINS = ("rye", "barley", "wheat", "oats")
_CRAFTS = ("weaving", "printing", "brewing", "clocks")
_MILLERS = ("Anna Moser", "Clara Weiss", "Maria Keller", "Edith Brunner")
_FLOORS = ("two", "three", "four", "five")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What is asked, and what the upstream is told to answer."""

    question: str
    answer: str
    false: str | None
    """The sentence of the answer that is false."""
    with_notes: bool
    """Whether the request brings the notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation."""

    name: str
    """The mill's name, which stands in no other conversation."""
    notes: str
    turns: tuple[Turn, ...]


def talk(number: int) -> Talk:
    """Conversation `number` of `NAMES`, from 0; raises ValueError for another number."""
    if not 0 <= number < NAMES:
        raise ValueError(f"number must be 0 to {NAMES - 1}, not {number}")
    chance = random.Random(number)
    rest, begin = divmod(number, len(_BEGINS))
    end, middle = divmod(rest, len(_MIDDLES))
    name = _BEGINS[begin] + _MIDDLES[middle] + _ENDS[end]
    year, floors = chance.randrange(1700, 1900), chance.choice(_FLOORS)
    grain, craft, miller = (chance.choice(words) for words in (_GRAINS, _CRAFTS, _MILLERS))
    wrong = (
        f"The {name} mill was built in {year - 30}.",
        f"The {name} mill was rebuilt by her daughter.",
        f"There is no museum in the {name} mill.",
    )
    return Talk(
        name=name,
        notes=(
            f"The {name} mill was built in {year}. It has {floors} floors. It ground {grain} for the villages"
            f" of the valley. It burnt down under the miller {miller} and was rebuilt by her son. Today it"
            f" houses a museum about {craft}."
        ),
        turns=(
            Turn(
                question=f"When was the {name} mill built, and what was it for?",
                answer=f"The {name} mill was built in {year}. It has {floors} floors."
                f" It ground {grain} for villages in the valley.",
                false=None,
                with_notes=True,
            ),
            Turn(
                question=f"Remind me, when was the {name} mill built?",
                answer=f"{wrong[0]} It has {floors} floors. I hope that this helps.",
                false=wrong[0],
                with_notes=False,
            ),
            Turn(
                question=f"What became of the {name} mill, and what is in it today?",
                answer=f"The {name} mill burnt down when {miller} was its miller."
                f" Today it houses a museum about {craft}. {wrong[1]}",
                false=wrong[1],
                with_notes=True,
            ),
            Turn(
                question=f"Is there a museum in the {name} mill?",
                answer=f"The {name} mill houses a museum about {craft}. {wrong[2]} It has {floors} floors.",
                false=wrong[2],
                with_notes=False,
            ),
        ),
    )
