"""What a scoring run cost: time by stage, tokens and their price.

These figures differ from run to run, so they are kept apart from the records, which do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from vista_stream.report import StageTime, total_times
from vista_stream.scoring.records import Record
from vista_stream.scoring.scorer import DialogueScore

if TYPE_CHECKING:
    from vista_stream.stages.llm.client import Spent


class Prices(NamedTuple):
    """The prices of an LLM, in any currency."""

    prompt: float
    """Price of a million prompt tokens."""
    completion: float
    """Price of a million tokens of replies."""


@dataclass(kw_only=True)
class Outlay:
    """What one run has cost so far; the clock starts when the object is made."""

    prices: Prices | None = None
    spent: Mapping[str, Spent] = field(default_factory=dict)
    """Spending by prompt name; this is the client's own mapping, which the client updates."""
    dialogues: int = 0
    stages: dict[str, StageTime] = field(default_factory=dict)
    began: float = field(default_factory=monotonic)

    def add(self, score: DialogueScore) -> None:
        """Add the stage times of a dialogue that this run scored."""
        self.dialogues += 1
        self.stages = total_times([self.stages, score.report.stage_times])

    def cost(self, spent: Spent) -> float | None:
        """The price of a prompt's tokens; None where no prices were given."""
        return None if self.prices is None else spent.cost(*self.prices)

    def record(self) -> Record:
        """As JSON: dialogues and seconds; calls and seconds by stage; calls, tokens and cost by prompt."""
        priced = {name: (spent, self.cost(spent)) for name, spent in self.spent.items()}
        return {
            "dialogues": self.dialogues,
            "seconds": round(monotonic() - self.began, 3),
            "stages": {
                stage: {"calls": took.calls, "seconds": round(took.seconds, 3)}
                for stage, took in self.stages.items()
            },
            "prompts": {
                name: asdict(spent) | ({} if cost is None else {"cost": cost})
                for name, (spent, cost) in priced.items()
            },
        }
