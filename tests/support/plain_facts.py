"""Stages that read "X is Y": the same X with another Y is a contradiction, references before statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.claims import Category, Claim, Evidence, Finding, Scores, Span
from vista_stream.core.common_ground import cite, only_consistency
from vista_stream.core.judge import Thresholds, decide, judge
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages
from vista_stream.testing import ScriptedStages, WholeSentences

_FACT = re.compile(r"(?:.*?[,:] )?(The \w+) is (now )?(\w+)(, not \w+)?", re.IGNORECASE)


class PlainFacts:
    """Fulfils Verify and Categorise; a fact that nothing speaks of lacks evidence."""

    def stages(self) -> Stages:
        """These parts, with whole sentences as claims."""
        return Stages(decompose=WholeSentences(), rank=ScriptedStages(), verify=self, categorise=self)

    async def prepare(self, grounds: Grounds) -> None:
        """Nothing is indexed."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """What the grounds say of the claim; what has "not" in it is understood by nobody."""
        passages = [
            Evidence(text=sentence, document=each.name, span=Span(0, 0), sentence=0)
            for each in grounds.references
            for sentence in re.findall(r"[^.]+\.", each.text)
        ]
        verified = [cite(each) for each in grounds.common_ground if not only_consistency(each)]
        others = [cite(each) for each in grounds.common_ground if only_consistency(each)]
        ground = _found(claim.text, verified, others)
        return decide(_found(claim.text, passages), ground, Thresholds())

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """By the scores."""
        return judge(claim, finding, Thresholds())


def _found(claim: str, passages: Sequence[Evidence], unverified: Sequence[Evidence] = ()) -> Finding:
    """The last passage on the claim's subject decides; what was never verified only contradicts."""
    told = _told(claim)
    found = Finding()
    for passage in (*unverified, *passages):
        other = _told(passage.text)
        if told is None or other is None or told[0] != other[0]:
            continue
        same = told[1] == other[1]
        if same and passage in unverified:
            continue
        found = Finding(scores=Scores(1, 0, 0) if same else Scores(0, 0, 1), evidence=passage, tier="model")
    return found


def _told(text: str) -> tuple[str, str] | None:
    match = _FACT.match(text.strip())
    return None if match is None or match[4] else (match[1].lower(), match[3].lower())
