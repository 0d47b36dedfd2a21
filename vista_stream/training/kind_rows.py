"""Reads labelled claims of written conversations, each with the words it came from."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

from vista_stream.claims import ClaimKind, Span
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.kinds import kind_of
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.llm.locate import locate
from vista_stream.training.claim_type import TYPES, ClaimType, Row
from vista_stream.training.conversations import read_conversations
from vista_stream.training.documents import read_documents
from vista_stream.training.rows import OWN, load

_BY_LABEL: dict[str, ClaimType] = {**dict.fromkeys("VLX", TYPES[0]), "O": TYPES[1], "B": TYPES[2]}
_PLAIN = (
    OWN,
    "cad_nli",
    "factcheck_gpt_stance",
    "fm2_dev",
    "infotabs",
    "mnli_dev_matched",
    "scifact_rte",
    "snli_dev_test",
    "summedits_evalsplit",
    "tabfact_val",
    "wikisplit_pairs",
)
"""Sources whose hypotheses people wrote as plain statements. Not FEVER and BEGIN: statements that the head is
measured on are hypotheses there."""
_MOST = 300
"""Hypotheses taken of one source."""
_ADDRESSING, _FRAGMENTS, _OTHER = 900, 900, 900
"""Claims about written documents that are taken: with "you", without a full stop, and others."""
_FRAGMENT = re.compile(r"[^.!?]+|[^.!?:]{2,60}: \S.*")
"""An item of a list: "Closed: Tuesdays", "Rebuilt in 1674"."""
_OF_SPEAKERS = "turns_talk"
"""In the names of folders whose claims tell of the assistant and the user."""
PLAIN = "pairs"
"""Before a colon, the source of rows that are hypotheses or claims of pairs."""
_YOU = re.compile(r"\byou(?:rs?|['’]\w+)?\b", re.IGNORECASE)
_NO_FACT = (ClaimKind.OPINION, ClaimKind.RECOMMENDATION, ClaimKind.REFUSAL)


class KindRow(NamedTuple):
    """A claim as it stands alone, and whether it is a fact, out of scope or an abstention."""

    claim: str
    words: str
    label: ClaimType
    conversation: str
    """Key of its conversation: a conversation's claims are all fitted on, or all held out."""
    source: str


def statements(rows: list[Row]) -> list[KindRow]:
    """Labelled statements as rows; the words that each came from are its own text."""
    return [
        KindRow(row.text, row.text, row.label, f"{row.source}/{number}", row.source)
        for number, row in enumerate(rows)
    ]


def plain_facts(path: Path) -> list[KindRow]:
    """Hypotheses of labelled pairs as facts, at most 300 a source; `path` as `rows.load` takes it.

    Without them a head that knows conversations takes blunt statements ("His dance is tired") for opinions.
    Left out are hypotheses that the rules take for anything but a fact. Raises as `rows.load` does.
    """
    by_source: dict[str, set[str]] = {source: set() for source in _PLAIN}
    for pair in load(path):
        if pair.source in by_source:
            by_source[pair.source].add(pair.hypothesis)
    drawn, rows = random.Random(0), []
    for source, texts in by_source.items():
        plain = [text for text in sorted(texts) if "?" not in text and kind_of(text) is ClaimKind.FACT]
        for text in drawn.sample(plain, min(_MOST, len(plain))):
            rows.append(KindRow(text, text, TYPES[0], f"{source}/{text}", f"{PLAIN}: {source}"))
    return rows


def written_facts(path: Path) -> list[KindRow]:
    """Claims about written documents as facts, worded as decomposition words them: "the user" for "you".

    A document decides them, so they are facts whomever they address ("Your dog may come along"). Left out is
    what decomposition splits, what the rules take for an opinion, advice or a refusal, and what is said of
    the speakers of a conversation. Raises as `read_documents` does.
    """
    parse, drawn, rows = load_parse(), random.Random(0), []
    documents = [each for each in read_documents(path) if _OF_SPEAKERS not in each.source]
    told = [(document.id, claim.text) for document in documents for claim in document.claims]
    drawn.shuffle(told)
    addressing = [each for each in told if _YOU.search(each[1])][:_ADDRESSING]
    silent = [each for each in told if not _YOU.search(each[1])]
    fragments = [each for each in silent if _FRAGMENT.fullmatch(each[1])][:_FRAGMENTS]
    others = [each for each in silent if not _FRAGMENT.fullmatch(each[1])][:_OTHER]
    items = {text for _, text in fragments}
    for document, text in (*addressing, *fragments, *others):
        drafts = Discourse(parse).decompose(_sentence(f"- {text}" if text in items else text))
        if len(drafts) == 1 and drafts[0].kind not in _NO_FACT:
            rows.append(KindRow(drafts[0].text, text, TYPES[0], document, f"{PLAIN}: written"))
    return rows


def conversations(path: Path) -> list[KindRow]:
    """Claims of a file or folder of conversations, as `read_conversations` takes it; raises as it does."""
    return [
        KindRow(claim, _words(claim, reply.text), _BY_LABEL[label], each.key, each.source)
        for each in read_conversations(path)
        for reply in each.replies
        for claim, label in reply.claims
    ]


def _words(claim: str, answer: str) -> str:
    span = locate(claim, _sentence(answer))
    return answer[span.start : span.end].strip() or claim


def _sentence(text: str) -> Segment:
    return Segment(index=0, text=text, span=Span(0, len(text)), kind=SegmentKind.SENTENCE)
