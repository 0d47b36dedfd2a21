"""Pairs about terms of service: generated tables, lists and rules of offers, and claims about their values.

A company's page mostly holds rows that look alike: fees, times, sizes, who may do what. A claim about it may
be false because of another row's or column's value, a number or an exception, while all its words are in the
evidence. No public set of pairs has such pages, so they are generated from this project's own words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from vista_stream.training.made.edits import Made
from vista_stream.training.made.offers import DOMAINS, EXCEPTIONS, KINDS, ONLY, THINGS, Column, Domain
from vista_stream.training.rows import Label

_WORSE: Final[tuple[Label, ...]] = ("entailment", "neutral", "contradiction")
_JOINED: Final[dict[Label, float]] = {"entailment": 0.8, "neutral": 0.4, "contradiction": 0.15}
"""Probability of joining two claims, by the label of the joined one; chosen so that no label prevails."""


class _Page:
    """One generated page with some offers, columns and rules."""

    def __init__(self, domain: Domain, rng: random.Random) -> None:
        self._rng = rng
        self._title = rng.choice(domain.titles)
        drawn = rng.sample(domain.offers, rng.randint(3, 5))
        self._absent = drawn.pop()
        self._offers = drawn
        columns = rng.sample(domain.columns, len(domain.columns))
        self._columns, self._unwritten = columns[: rng.randint(1, len(columns) - 1)], columns[-1]
        self._cells = {
            column.heading: dict(
                zip(drawn, rng.sample(list(KINDS[column.kind].values), len(drawn)), strict=True)
            )
            for column in self._columns
        }
        rules = rng.sample(domain.rules, rng.randint(1, 3))
        self._rules = [
            (told, claim, kind, rng.choice(KINDS[kind].values)) for told, claim, kind in rules[:-1]
        ]
        self._missing_rule = rules[-1]
        self._special = rng.choice((EXCEPTIONS, ONLY))
        self._exception = rng.choice(self._special)
        self._thing = rng.choice(THINGS)
        self._special_offer = rng.choice(drawn)
        self.text = self._written()

    def claims(self) -> Iterator[tuple[str, Label, str]]:
        """Claims about this page, each with its label and the kind of claim."""
        for column in self._columns:
            yield from self._about(column)
        for told, claim, kind, value in self._rules:
            wrong = self._other(kind, value)
            yield self._fill(claim, kind, value), "entailment", "rule"
            yield self._fill(self._rng.choice((claim, told)), kind, wrong), "contradiction", "rule"
        _, claim, kind = self._missing_rule
        yield self._fill(claim, kind, self._rng.choice(KINDS[kind].values)), "neutral", "rule"
        column = self._unwritten
        if column not in self._columns:
            value = self._rng.choice(KINDS[column.kind].values)
            claim = self._rng.choice(column.claims)
            yield self._fill(claim, column.kind, value, self._rng.choice(self._offers)), "neutral", "cell"
        yield from self._special_claims()

    def joined(self) -> Iterator[tuple[str, Label, str]]:
        """Two claims in one sentence, with the worse of their labels."""
        claims = list(self.claims())
        for (first, one, _), (second, other, _) in pairwise(self._rng.sample(claims, len(claims))):
            label = max(one, other, key=_WORSE.index)
            if self._rng.random() < _JOINED[label]:
                opening = second if second.split(" ")[0] in self._names() else _lowered(second)
                yield f"{first[:-1]}{self._rng.choice((', and ', ' and ', '; '))}{opening}", label, "joined"

    def _names(self) -> set[str]:
        return {offer.split(" ")[0] for offer in (*self._offers, self._absent) if offer[:1].isupper()}

    def _about(self, column: Column) -> Iterator[tuple[str, Label, str]]:
        cells, rng, kind = self._cells[column.heading], self._rng, column.kind
        first, second = rng.sample(self._offers, 2)
        claim, other = rng.choice(column.claims), rng.choice(column.claims)
        yield self._fill(claim, kind, cells[first], first), "entailment", "cell"
        yield self._fill(other, kind, cells[second], first), "contradiction", "cell"
        if rng.random() < 0.5:
            yield self._fill(claim, kind, self._other(kind, cells[first]), first), "contradiction", "cell"
        if rng.random() < 0.35:
            yield self._fill(claim, kind, cells[second], self._absent), "neutral", "cell"
        more = cells[first] > cells[second]
        if column.above and rng.random() < 0.6:
            said_more = rng.random() < 0.5
            text = rng.choice(column.above if said_more else column.below)
            named = text.replace("{o}", first).replace("{p}", second)
            yield named, "entailment" if said_more == more else "contradiction", "compared"
        if column.bounds[0] and rng.random() < 0.6:
            bound = self._other(kind, cells[first])
            over = rng.random() < 0.5
            text = self._fill(column.bounds[0 if over else 1], kind, bound, first)
            yield text, "entailment" if over == (cells[first] > bound) else "contradiction", "bound"
        if column.most[0] and rng.random() < 0.6:
            ordered = sorted(self._offers, key=lambda offer: cells[offer])
            most = rng.random() < 0.5
            named = rng.choice((ordered[0], ordered[-1]))
            label: Label = "entailment" if named == ordered[-1 if most else 0] else "contradiction"
            yield column.most[0 if most else 1].replace("{o}", named), label, "most"

    def _special_claims(self) -> Iterator[tuple[str, Label, str]]:
        other = self._rng.choice([offer for offer in self._offers if offer != self._special_offer])
        excepted = self._special is EXCEPTIONS
        for offer in (self._special_offer, other):
            holds = (offer == self._special_offer) != excepted
            claim = self._with_thing(self._exception[1], offer)
            yield claim, "entailment" if holds else "contradiction", "exception"

    def _with_thing(self, text: str, offer: str) -> str:
        thing = self._thing
        return text.replace("{T}", _capital(thing)).replace("{t}", thing).replace("{o}", offer)

    def _other(self, kind: str, value: int) -> int:
        values = [other for other in KINDS[kind].values if other != value]
        near = sorted(values, key=lambda other: abs(other - value))[:4]
        return self._rng.choice(near if self._rng.random() < 0.5 else values)

    def _fill(self, text: str, kind: str, value: int, offer: str = "") -> str:
        return text.replace("{v}", KINDS[kind].said(value, self._rng)).replace("{o}", offer)

    # -- the page

    def _written(self) -> str:
        form = self._rng.choice((self._table, self._bars, self._items, self._sections, self._prose))
        rules = [
            told.replace("{v}", KINDS[kind].page(value, self._rng)) for told, _, kind, value in self._rules
        ]
        rules.append(self._with_thing(self._exception[0], self._special_offer))
        self._rng.shuffle(rules)
        written = " ".join(rules) if self._rng.random() < 0.6 else "\n".join(f"- {rule}" for rule in rules)
        parts = [form(), written]
        if self._rng.random() < 0.3:
            parts.reverse()
        heading = self._rng.choice((f"# {self._title}", f"## {self._title}", self._title, f"{self._title}:"))
        return "\n\n".join([heading, *parts])

    def _cell(self, column: Column, offer: str) -> str:
        return KINDS[column.kind].page(self._cells[column.heading][offer], self._rng)

    def _table(self) -> str:
        head = ["", *(column.heading for column in self._columns)]
        rows = [[_capital(_bare_offer(o)), *(self._cell(c, o) for c in self._columns)] for o in self._offers]
        if self._rng.random() < 0.3:
            head, *rows = [list(row) for row in zip(head, *rows, strict=True)]
        lines = [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]
        return "\n".join(lines)

    def _bars(self) -> str:
        """The table as a text without line ends, as retrieval may join it."""
        cells = (
            ", ".join(f"{column.heading.lower()} {self._cell(column, offer)}" for column in self._columns)
            for offer in self._offers
        )
        return (
            "; ".join(f"{_bare_offer(o)}: {text}" for o, text in zip(self._offers, cells, strict=True)) + "."
        )

    def _items(self) -> str:
        lines = (
            f"- {_capital(_bare_offer(offer))}: "
            + ", ".join(f"{column.heading.lower()} {self._cell(column, offer)}" for column in self._columns)
            for offer in self._offers
        )
        return "\n".join(lines)

    def _sections(self) -> str:
        return "\n\n".join(
            f"### {_capital(_bare_offer(offer))}\n"
            + "\n".join(f"{column.heading}: {self._cell(column, offer)}" for column in self._columns)
            for offer in self._offers
        )

    def _prose(self) -> str:
        return " ".join(
            _capital(column.told.replace("{v}", self._cell(column, offer)).replace("{o}", offer))
            for offer in self._offers
            for column in self._columns
        )


def terms(rng: random.Random, *, count: int) -> Iterator[Made]:
    """Yield `count` labelled pairs about generated pages, worded as in answers or as decomposed claims."""
    made = 0
    while made < count:
        page = _Page(rng.choice(DOMAINS), rng)
        for claim, label, kind in (*page.claims(), *page.joined()):
            made += 1
            yield Made(page.text, _spoken(_capital(claim), rng), label, f"terms_{kind}")


def _spoken(claim: str, rng: random.Random) -> str:
    """The claim as decomposition words it: "you" becomes the user."""
    return claim if rng.random() < 0.5 else _YOU.sub(_user, claim)


def _user(said: re.Match[str]) -> str:
    if said["your"]:
        return "the user's"
    subject, verb = "The user" if said["you"] == "You" else "the user", said["verb"]
    if verb is None:
        return subject
    if verb in _MODAL:
        return f"{subject} {verb}"
    return f"{subject} {_IRREGULAR.get(verb, verb + 's')}"


_YOU: Final = re.compile(
    r"\b(?P<you>[Yy]ou)(?: (?P<verb>can|cannot|may|must|pay|get|have|are|need|leave|hear|save|give))?\b"
    r"|\b(?P<your>your)\b"
)
_IRREGULAR: Final = {"have": "has", "are": "is"}
_MODAL: Final = frozenset(("can", "cannot", "may", "must"))


def _bare_offer(offer: str) -> str:
    article, _, rest = offer.partition(" ")
    return rest if article in ("the", "a", "an") else offer


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
