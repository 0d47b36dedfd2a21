"""Categories from scores and thresholds, without an LLM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from vista_stream.claims import Category, Claim, Finding
from vista_stream.core.judge import Thresholds, checked_thresholds, judge


class EmbeddedCategorise:
    """Implements the Categorise stage with the thresholds of `core.judge`.

    Raises ValueError for thresholds that are neither Thresholds nor None.
    """

    def __init__(self, thresholds: Thresholds | None = None) -> None:
        self._thresholds = checked_thresholds(thresholds)

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The category that the thresholds give."""
        return judge(claim, finding, self._thresholds)

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage at other thresholds; those that are not named stay."""
        return type(self)(replace(self._thresholds, **thresholds))
