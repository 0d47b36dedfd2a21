"""Scores a text of any length against one document: each statement is checked, the least supported decides.

The text is split into claims as in a stream, so that a guard and this module judge the same claims. What a
text says of its speaker, questions and wishes are left out; advice and what it says of its reader count where
they are contradicted, as in a stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Finding, Scores, Span
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.judge import Thresholds, category_of
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.text.typography import plain
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.protocols import Grounds, Verify

REFUTED = 0.5
"""Weight of the contradiction score, which is subtracted from the support.

0, 0.25, 0.5 and 1 were tried with the first version. On 80 of SummEdits' training rows ROC AUC was 72, 78,
80 and 81; on 1,248 short pairs of 21 training sources, held out by document, 82.6, 82.5, 82.1 and 81.3 on
average.
"""
NOTHING = Scores(0.0, 1.0, 0.0)


class Stated(NamedTuple):
    """One thing that a text states."""

    text: str
    """The statement as decomposition words it for the stream."""
    sentence: str
    """The whole sentence as it stands in the text."""
    aside: bool = False
    """Whether it is advice or tells of the reader, beside facts: it counts only if it is contradicted."""


class Found(NamedTuple):
    """A statement of a text, and the finding about it."""

    stated: Stated
    finding: Finding

    @property
    def scores(self) -> Scores:
        """The scores of the finding; those of a fully neutral one if there was nothing to compare with."""
        return self.finding.scores or NOTHING


async def least_supported(verify: Verify, premise: Reference, text: str, *, thresholds: Thresholds) -> Found:
    """The statement of the text that is supported least, with its finding.

    `thresholds` tell which asides are contradicted. Raises VerifierError or StageError, as `verify` does.
    """
    grounds = Grounds(references=[premise])
    found = [
        Found(one, await verify.verify(_claim(number, one), grounds))
        for number, one in enumerate(stated(text))
    ]
    counting = [
        each
        for each in found
        if not each.stated.aside or category_of(each.scores, thresholds) is Category.CONTRADICTED
    ]
    return min(counting, key=lambda each: support(each.scores))


def support(scores: Scores) -> float:
    """How far a text is supported, from -REFUTED to 1; a contradicted text is below one that is left open."""
    return scores.entailment - REFUTED * scores.contradiction


def stated(text: str) -> Sequence[Stated]:
    """The statements of a text that a reference can support; the text itself if there are none.

    They are worded as decomposition words them for the stream. A sentence with one claim gives that claim. A
    sentence that also tells of the speaker ("I'm not sure, but I know it was built in 1914") gives the facts
    in it, and one that also tells of the reader ("and you have to be there at eight") this as an aside. A
    sentence with several claims, all of them facts, is taken whole. Without any fact the text is one.
    """
    discourse = Discourse(load_parse())
    told = [one for sentence in _sentences(plain(text)) for one in _statements(sentence, discourse)]
    return told if not all(one.aside for one in told) else [Stated(text, text)]


def _claim(number: int, one: Stated) -> Claim:
    return Claim(
        id=number, sentence=number, text=one.text, span=Span(0, len(one.text)), sentence_text=one.sentence
    )


def _statements(sentence: Segment, discourse: Discourse) -> list[Stated]:
    whole = sentence.text.strip()
    drafts = discourse.decompose(sentence)
    facts = [Stated(draft.text, whole) for draft in drafts if draft.kind is ClaimKind.FACT]
    if len(facts) == len(drafts) > 1:
        return [Stated(whole, whole)]
    return [*facts, *(Stated(draft.text, whole, aside=True) for draft in drafts if _is_aside(draft))]


def _is_aside(draft: Draft) -> bool:
    if draft.kind is ClaimKind.ASSISTANT:
        return "the assistant" not in draft.text.lower()
    return draft.kind is ClaimKind.RECOMMENDATION


def _sentences(text: str) -> list[Segment]:
    segmenter = Segmenter()
    return [s for s in segmenter.feed(text) + segmenter.finish() if s.kind is SegmentKind.SENTENCE]
