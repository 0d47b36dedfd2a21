"""What `benchmarks.outages` holds against what its clients saw: the same conversations, guarded here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from benchmarks.outages_talks import Talk
from vista_stream import Policy, Reference, Statement
from vista_stream_adapters.guard import BoundedStore, Guard, Message
from vista_stream_adapters.shell.text import guarded_pieces

Row = dict[str, Any]
"""A claim with its verdict, as the field `vista` of a chunk has it, without the time that it took."""
DOCUMENTED = {
    "connection": "proxy",
    "store_unavailable": "redis",
    "upstream_unreachable": "upstream",
    "upstream_broken": "upstream",
}
"""What a client is documented to see, by the part that is down: its code, or that its connection broke."""
GRACE = 2.0
"""Seconds after a part answers again in which a call that it failed may still end."""
_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one chunk of an answer brought."""

    text: str
    verdicts: Sequence[Row]
    unresolved: Sequence[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One request for an answer, as its client saw it. Times are seconds from the begin of the load."""

    talk: Talk
    turn: int
    proxy: str
    """The name of the replica that was asked."""
    begun: float
    over: float
    pieces: Sequence[Piece]
    error: str | None
    """A code of the proxy, or "connection"; None for a whole answer."""

    @property
    def text(self) -> str:
        """All text that came."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def unresolved(self) -> Sequence[Row]:
        """The claims without a verdict, each with its reason."""
        return [row for piece in self.pieces for row in piece.unresolved]

    @property
    def judged_whole(self) -> Sequence[Piece]:
        """The pieces of sentences that were judged as a whole.

        Where the upstream broke off, the last sentence with claims may be a part of one, judged as it stood.
        """
        with_claims = [place for place, piece in enumerate(self.pieces) if piece.verdicts or piece.unresolved]
        cut = self.error == "upstream_broken" and with_claims
        return self.pieces[: with_claims[-1]] if cut else self.pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """When a part was killed, and when it answered again, in seconds from the begin of the load."""

    part: str
    killed: float
    ready: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An answer as it is guarded in this process."""

    text: str
    verdicts: Mapping[str, Row]
    """By the claim's id."""


@dataclass
class Findings:
    """Counts of what must not be, and some examples of each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, kind: str, told: str) -> None:
        """Count one case of a kind."""
        self.counts[kind] += 1
        if len(kept := self.examples.setdefault(kind, [])) < _EXAMPLES:
            kept.append(told)


async def guarded_here(talk: Talk, turns: int, policy: Policy) -> tuple[list[Expected], list[Statement]]:
    """The first `turns` answers of a conversation with the embedded verifier, and its common ground."""
    store, messages, answers = BoundedStore(), list[Message](), []
    for turn in talk.turns[:turns]:
        messages.append({"role": "user", "content": turn.question})
        references = [Reference(talk.notes, name="notes")] if turn.with_notes else []
        guard = Guard(policy=policy, store=store, references=references)
        text, rows = "", list[Row]()
        given = guarded_pieces([turn.answer], guard=guard, messages=messages, conversation=talk.name)
        async with aclosing(given) as pieces:
            async for piece in pieces:
                text += piece.text
                rows += piece.vista.get("verdicts", ())
        answers.append(Expected(text=text, verdicts={row["id"]: untimed(row) for row in rows}))
        messages.append({"role": "assistant", "content": text})
    return answers, list(await store.load(talk.name))


def untimed(row: Mapping[str, Any]) -> Row:
    """A verdict without the time that it took."""
    return {name: value for name, value in row.items() if name != "elapsed"}


def check_answer(attempt: Attempt, expected: Expected, findings: Findings, *, names: Sequence[str]) -> None:
    """Compare what a client saw of an answer with the answer that is due; `names` are those of all mills.

    Where a claim has no verdict, the policy decides about its sentence, and only the names are checked.
    """
    where = f"{attempt.talk.name}, turn {attempt.turn + 1}, by {attempt.proxy}"
    if any(name in attempt.text for name in names if name != attempt.talk.name):
        findings.note("mixed", f"{where}: {attempt.text}")
    if attempt.unresolved:
        return
    false = attempt.talk.turns[attempt.turn].false
    if false is not None and false in attempt.text and false not in expected.text:
        findings.note("contradiction shown", f"{where}: {false}")
    pieces, whole = attempt.judged_whole, attempt.error is None
    text = "".join(piece.text for piece in pieces)
    if text != expected.text if whole else not expected.text.startswith(text):
        findings.note("other text", f"{where}: {text!r}, not {expected.text!r}")
    seen = {row["id"]: untimed(row) for piece in pieces for row in piece.verdicts}
    differing = [row for name, row in seen.items() if row != expected.verdicts.get(name)]
    missing = set(expected.verdicts) - set(seen) if whole else set()
    if differing or missing:
        findings.note("other verdicts", f"{where}: {differing[:1]}, missing {sorted(missing)}")


def check_ground(talk: Talk, kept: Sequence[Statement], due: Sequence[Statement], findings: Findings) -> None:
    """Compare the common ground in the store with the one that is due."""
    if list(kept) != list(due):
        gone = [each.text for each in due if each not in kept]
        more = [each.text for each in kept if each not in due]
        findings.note("other common ground", f"{talk.name}: lacks {gone}, has besides {more}")


def check_errors(attempts: Sequence[Attempt], outages: Sequence[Outage], findings: Findings) -> None:
    """Note each failed attempt that no outage explains, and each claim that the pool failed without one.

    What is late or too much for the machine ("deadline", "overload") is documented at all times.
    """
    for attempt in attempts:
        told = f"by {attempt.proxy} at {attempt.over:.1f} s"
        if attempt.error is not None and not any(_explains(outage, attempt) for outage in outages):
            findings.note("undocumented error", f"{attempt.error} {told}")
        reasons = {row["reason"] for row in attempt.unresolved} - {"deadline", "overload"}
        if any(each.part.startswith("verifier-") and _meets(each, attempt) for each in outages):
            reasons -= {"verifier_error"}
        if reasons:
            findings.note("undocumented error", f"{sorted(reasons)} {told}")


def _meets(outage: Outage, attempt: Attempt) -> bool:
    """Whether an answer was under way while a part was down."""
    return outage.killed <= attempt.over and attempt.begun <= outage.ready + GRACE


def _explains(outage: Outage, attempt: Attempt) -> bool:
    part = DOCUMENTED.get(attempt.error or "")
    part = attempt.proxy if part == "proxy" else part
    return outage.part == part and outage.killed <= attempt.over <= outage.ready + GRACE


def errors_of(attempts: Sequence[Attempt], outage: Outage) -> dict[str, int]:
    """How many attempts ended with which error because a part was down."""
    return dict(Counter(each.error for each in attempts if each.error and _explains(outage, each)))
