"""Takes parentheses out before parsing; dates of birth and death become claims, the rest is put back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, Clause, Piece, pieces_of
from vista_stream.core.text.plaintext import PlainText
from vista_stream.core.text.stems import word_set

_PARENTHESIS = re.compile(r"(?<=\S)\s*\(([^()]{1,200})\)(?=[\s.,;:!?)\]'’]|$)")
_DATE = (
    r"(?:c(?:a|irca)?\.?\s*)?(?:[\w.]+\s+\d{1,2},?\s+|\d{1,2}(?:st|nd|rd|th)?\s+[A-Z]\w+,?\s+|"
    r"[A-Z]\w+\s+)?\d{3,4}(?:\s?(?:BCE?|AD|CE))?"
)
_BORN = re.compile(
    rf"(?:born|b\.)(?:\s+(?:on|in))?\s+(?P<when>{_DATE})(?P<rest>(?:,)?\s+in\s+[^;]+)?", re.IGNORECASE
)
_DIED = re.compile(rf"(?:died|d\.|†)(?:\s+(?:on|in))?\s*(?P<when>{_DATE})", re.IGNORECASE)
_LIFE = re.compile(rf"(?:born\s+)?(?P<born>{_DATE})\s*(?:[–—-]|to|until)\s*(?:died\s+)?(?P<died>{_DATE})")

_SHORTEST_LIFE = 15
"""Years. A shorter time between two years is taken for a term of office."""
_MONARCHS = word_set("pope king queen emperor empress sultan tsar pharaoh caliph duke duchess")


@dataclass(frozen=True, slots=True)
class Aside:
    """A parenthesis and its place in the wording."""

    text: str
    """The text inside the brackets."""
    at: int
    """Code point of its place in the wording without parentheses."""


def take_out(plain: PlainText) -> tuple[PlainText, list[Aside]]:
    """The wording without its parentheses, and the parentheses."""
    holes, asides, removed = [], [], 0
    for found in _PARENTHESIS.finditer(plain.text):
        asides.append(Aside(found.group(1).strip(), found.start() - removed))
        holes.append(found.span())
        removed += found.end() - found.start()
    return (plain.without(holes) if holes else plain), asides


def unfold_asides(tree: Tree, clauses: Sequence[Clause], asides: Sequence[Aside]) -> list[Clause]:
    """The clauses with each parenthesis put back, or as a clause of its own if it dates a birth or death."""
    kept, told = list(clauses), list[Clause]()
    for aside in asides:
        anchor = _anchor(tree, aside)
        if anchor is None:
            continue
        parts = [part.strip() for part in aside.text.split(";")]
        dated = [_life(tree, anchor, part) for part in parts]
        told += [clause for found in dated for clause in found]
        rest = "; ".join(part for part, found in zip(parts, dated, strict=True) if not found)
        kept = _put_back(tree, kept, aside, rest) if rest else kept
    return [*kept, *told]


def _life(tree: Tree, anchor: Word, text: str) -> list[Clause]:
    noun = _noun(tree, anchor)
    if noun is None:
        return []
    subject = pieces_of(w for w in tree.region(noun) if w.index <= anchor.index)
    born, life, died = _BORN.fullmatch(text), _LIFE.fullmatch(text), _DIED.fullmatch(text)
    person = any(p.word is not None and p.word.entity == "PERSON" for p in subject)
    if life and (text.lower().startswith("born") or (person and not _may_be_a_term(tree, life))):
        return [_event(subject, "born", life["born"]), _event(subject, "died", life["died"])]
    if born:
        return [_event(subject, "born", born["when"] + (born["rest"] or ""))]
    return [_event(subject, "died", died["when"])] if died else []


def _may_be_a_term(tree: Tree, life: re.Match[str]) -> bool:
    """Whether bare years may be a reign or term: 'George Washington (1789–1797) was the first president'."""
    years = [int(re.findall(r"\d{3,4}", life[end])[-1]) for end in ("born", "died")]
    if any(re.search(r"\b\d{1,2}\b", life[end]) for end in ("born", "died")):
        return False
    reigned = any(word.lower in _MONARCHS for word in tree.words)
    return abs(years[1] - years[0]) < _SHORTEST_LIFE or reigned


def _event(subject: tuple[Piece, ...], what: str, when: str) -> Clause:
    preposition = "on" if re.search(r"\b\d{1,2}\b", when) else "in"
    verb = "was born" if what == "born" else "died"
    return Clause((*subject, Piece(f"{verb} {preposition} {when}")))


def _noun(tree: Tree, anchor: Word) -> Word | None:
    """The head of the noun phrase that ends with the anchor."""
    noun = anchor
    while (
        noun.dep in ("compound", "pobj", "prep", "nummod", "appos") and tree.head(noun).index < anchor.index
    ):
        noun = tree.head(noun)
    return noun if noun.tag in NOUN_TAGS or noun.tag == "PRP" else None


def _anchor(tree: Tree, aside: Aside) -> Word | None:
    """The word before the parenthesis."""
    return next((w for w in reversed(tree.words) if w.start < aside.at), None)


def _put_back(tree: Tree, clauses: list[Clause], aside: Aside, text: str) -> list[Clause]:
    """The clauses with a parenthesis behind its anchor; a full stop read as the anchor's goes behind it.

    Behind what no clause has, as an "and" between two, it goes before the next word.
    """
    anchor = _anchor(tree, aside)
    said = [w for w in tree.words if any(w in clause.words for clause in clauses)]
    if said and anchor not in said:
        anchor = next((w for w in said if w.start >= aside.at), said[-1])
    for position, clause in enumerate(clauses):
        if anchor in clause.words:
            pieces = tuple(q for p in clause.pieces for q in _beside(p, anchor, aside, Piece(f"({text})")))
            return [*clauses[:position], Clause(pieces), *clauses[position + 1 :]]
    return clauses


def _beside(piece: Piece, anchor: Word | None, aside: Aside, told: Piece) -> tuple[Piece, ...]:
    """The piece; if it is the anchor, with what is told in brackets before or behind it."""
    if anchor is None or piece.word is not anchor:
        return (piece,)
    if anchor.start >= aside.at:
        return told, piece
    return Piece(anchor.text[: aside.at - anchor.start], anchor), told
