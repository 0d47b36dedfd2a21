"""Claims of sentences, of a text and of an answer."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.claims import Draft, Span, Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.turn import DECOMPOSED


def segment(text: str, start: int = 0, kind: SegmentKind = SegmentKind.SENTENCE, line: int = 0) -> Segment:
    return Segment(index=0, text=text, span=Span(start, start + len(text)), kind=kind, line=line)


def claims(discourse: Discourse, *sentences: str) -> list[str]:
    return [draft.text for sentence in sentences for draft in discourse.decompose(segment(sentence))]


def drafts_of(parse: Parse | None, sentences: Sequence[str]) -> list[list[Draft]]:
    discourse = Discourse(parse)
    return [discourse.decompose(segment(s)) for s in sentences]


def told(parse: Parse, text: str, question: str = "") -> list[str]:
    discourse, segmenter = Discourse(parse), Segmenter()
    if question:
        discourse.hear(Utterance(role="user", text=question))
    segments = [*segmenter.feed(text), *segmenter.finish()]
    return [d.text for each in segments if each.kind in DECOMPOSED for d in discourse.decompose(each)]
