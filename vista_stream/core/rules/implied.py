"""What one sentence says besides: between its semicolons, and by the dates in brackets after a name."""

from __future__ import annotations

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]*\.?"
_DATE = rf"(?:\d{{1,2}} {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}} ?,? \d{{4}})"
_NAME = r"[^\W\d_a-z][^\s(),]*(?: (?:van|von|de|da|del|la|di|[^\W\d_a-z][^\s(),]*)){1,4}"
_OPEN = r"\s*(?:\(|-LRB-)\s*(?:[^()]{0,80}?;\s*)?"
_LIFE = re.compile(
    rf"^(?P<name>{_NAME}){_OPEN}"
    rf"(?:born\s+(?:[^()\d]{{0,60}}?[;,]\s*)?(?P<born>{_DATE})|(?P<from>{_DATE})\s*[–—-]+\s*(?P<died>{_DATE}))"
)

_REIGNS = re.compile(
    r"\b(?i:pope|king|queen|emperor|empress|sultan|tsar|duke|duchess|prince|princess|president|minister|"
    r"chancellor|governor|bishop|archbishop|patriarch|caliph)\b|\b[IVX]+\s*(?:\(|-LRB-)"
)
"""Titles, and the numerals of rulers: two dates after such a name may be a reign or a term of office."""


_FEWEST = 3
"""Words of a statement between semicolons at least."""


def implied_sentences(sentence: str) -> list[str]:
    """The statements between a sentence's semicolons, and those on a birth and a death that it implies."""
    return [*_parts(sentence), *_life(sentence)]


def _parts(sentence: str) -> list[str]:
    """The statements between semicolons; none where a colon may say of what all of them are told."""
    if ";" not in sentence or any(mark in sentence for mark in (": ", "(")):
        return []
    parts = [part.strip() for part in sentence.split(";")]
    return [part for part in parts if len(part.split()) >= _FEWEST]


def _life(sentence: str) -> list[str]:
    """Sentences on a person's birth and death that the opening of an encyclopedic entry implies.

    Only dates with a day are used; bare years in brackets may be a reign, a term or a band's years.
    """
    found = _LIFE.match(sentence)
    if not found or found["name"].startswith(("The ", "A ", "An ")):
        return []
    if not found["born"] and _REIGNS.search(sentence):
        return []
    name, born, died = found["name"], found["born"] or found["from"], found["died"]
    return [f"{name} was born on {born}."] + ([f"{name} died on {died}."] if died else [])
