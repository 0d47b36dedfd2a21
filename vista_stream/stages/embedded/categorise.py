"""Categories from scores and thresholds, without an LLM."""

from __future__ import annotations

from vista_stream.claims import Category, Claim, Finding
from vista_stream.core.judge import Thresholds, judge


class EmbeddedCategorise:
    """Implements the Categorise stage with the thresholds of `core.judge`."""

    def __init__(self, thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds or Thresholds()

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The category that the thresholds give."""
        return judge(claim, finding, self._thresholds)
