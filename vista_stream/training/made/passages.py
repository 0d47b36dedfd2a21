"""The texts that pairs are generated from: passages whose licence allows it, parsed once and kept on disk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vista_stream.core.text.typography import plain
from vista_stream.stages.embedded.pipeline import SHIPPED, load_pipeline
from vista_stream.training.rows import Row

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

ENCYCLOPEDIC: Final = ("fever_rte_dev", "halueval_qa", "wikisplit_pairs", "fm2_dev", "boolq_dev", "drop_nli")
"""Sources whose premises are encyclopedic prose."""
OTHER_PROSE: Final = (
    "factcheck_gpt_stance",
    "scifact_rte",
    "wice_dev",
    "taxinli",
    "cad_nli",
    "snli_dev_test",
)

_TITLE: Final = re.compile(r"^[^.?!]{1,60} -- ")


@dataclass(frozen=True, slots=True)
class Passage:
    """A cleaned text and where it came from."""

    text: str
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A passage with its parse; `sentences` holds only those fit for edits."""

    passage: Passage
    doc: Doc
    sentences: tuple[Span, ...]


def gather(rows: Iterable[Row], *, words: tuple[int, int] = (6, 110)) -> list[Passage]:
    """Return the distinct prose premises of `rows` with a length in words within `words`."""
    found: dict[str, Passage] = {}
    for row in rows:
        if row.source in ENCYCLOPEDIC or row.source in OTHER_PROSE:
            text = _TITLE.sub("", plain(row.premise))
            if words[0] <= len(text.split()) <= words[1]:
                found.setdefault(text, Passage(text, row.source, row.licence))
    return list(found.values())


def parse(passages: Sequence[Passage], *, cache: Path | None = None) -> Iterator[Parsed]:
    """Yield each passage parsed, in order; with `cache` (a folder) parses are kept there and read again."""
    from spacy.tokens import DocBin

    model = load_pipeline()
    kept = cache / f"parsed-{_digest(passages)}.spacy" if cache else None
    if kept and kept.is_file():
        docs: Iterable[Doc] = DocBin().from_disk(kept).get_docs(model.vocab)
    else:
        docs = model.pipe((passage.text for passage in passages), batch_size=128)
        if kept:
            docs = list(docs)
            kept.parent.mkdir(parents=True, exist_ok=True)
            DocBin(attrs=_ATTRIBUTES, docs=docs).to_disk(kept)
    for passage, doc in zip(passages, docs, strict=True):
        yield Parsed(passage, doc, tuple(sentence for sentence in doc.sents if _fit(sentence)))


_ATTRIBUTES: Final = (
    "ORTH", "SPACY", "TAG", "POS", "LEMMA", "DEP", "HEAD", "ENT_TYPE", "ENT_IOB", "SENT_START", "MORPH",
)  # fmt: skip


def _digest(passages: Sequence[Passage]) -> str:
    digest = hashlib.sha256((SHIPPED / "manifest.json").read_bytes())
    for passage in passages:
        digest.update(passage.text.encode() + b"\0")
    return digest.hexdigest()[:16]


def _fit(sentence: Span) -> bool:
    """Whether it is one whole statement: a capital, a finite root, a full stop; no question, no quotation."""
    text = sentence.text.strip()
    return (
        5 <= len(sentence) <= 48
        and text[:1].isupper()
        and text.endswith(".")
        and text.count("(") == text.count(")")
        and not any(mark in text for mark in '"?!;')
        and sentence.root.tag_ in {"VBD", "VBZ", "VBP", "VBN", "VB", "VBG"}
        and any(token.dep_ in {"nsubj", "nsubjpass"} and token.head == sentence.root for token in sentence)
    )
