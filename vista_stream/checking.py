"""One finished text against references, without a stream: a session of a single turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from vista_stream.policy import Policy
from vista_stream.portal import blocking_portal, call_through
from vista_stream.report import TurnReport
from vista_stream.retrieval.reference import Reference
from vista_stream.session import Session
from vista_stream.stages.stages import Stages
from vista_stream.verifiers.offload import offload_long
from vista_stream.verifiers.protocol import Verifier

ReferenceText: TypeAlias = str | Path | Reference
"""What `Session.add_reference` takes."""

CHECK_DEADLINE = 60.0
"""Seconds a claim: nobody reads along, and up to 32 sentences of a finished text are under way at once."""


async def check(
    text: str,
    *,
    references: ReferenceText | Iterable[ReferenceText],
    query: str | None = None,
    policy: Policy | None = None,
    verifier: Verifier | None = None,
    stages: Stages | None = None,
) -> TurnReport:
    """Judge a finished text, such as a whole answer: what it claims, and what was found of each claim.

    The references are indexed before any deadline counts.

    Args:
        text: the text, of any length.
        references: one text or several: a str is the text itself, a Path names a UTF-8 file, a Reference
            that was built before is not indexed again. With none, no claim is verified or contradicted.
        query: what the text answers; it decides which claims are vital.
        policy: decides what the report counts as released or withheld, and where a text is stopped: what
            comes after is not judged. None is the default policy with a deadline of 60 seconds a claim.
        verifier: what scores claims against evidence; None takes the embedded verifier.
        stages: replaces whole stages; excludes `verifier`.

    Raises ValueError, naming the argument, for what one cannot be, OSError for a file that cannot be read,
    ModelLoadError as `Session` does, and VerifierError and TurnWithheld where the policy raises them.
    """
    if not isinstance(text, str):
        raise ValueError(
            f"text must be a str, not {type(text).__name__}: a stream of deltas is for Session.turn"
        )
    given = _given(references)
    policy = Policy(deadline=CHECK_DEADLINE) if policy is None else policy
    session = await Session.create(verifier, policy=policy, stages=stages)
    await offload_long(_add, session, given)
    with suppress(Exception):  # the turn meets it again, and the policy says what becomes of it
        await session.prepare()
    async with session.turn([text], query=query) as turn:
        return await turn.drain()


def check_sync(
    text: str,
    *,
    references: ReferenceText | Iterable[ReferenceText],
    query: str | None = None,
    policy: Policy | None = None,
    verifier: Verifier | None = None,
    stages: Stages | None = None,
) -> TurnReport:
    """The same as `check` for scripts without an event loop, which it would block."""
    call = partial(check, references=references, query=query, policy=policy, verifier=verifier, stages=stages)
    with blocking_portal() as portal:
        return call_through(portal, call, text)


def _given(references: object) -> Iterable[ReferenceText]:
    if isinstance(references, str | Path | Reference):
        return (references,)
    if isinstance(references, bytes | Mapping) or not isinstance(references, Iterable):
        raise ValueError(
            "references must be a str, Path or Reference, or an iterable of them, "
            f"not {type(references).__name__}"
        )
    return references


def _add(session: Session, references: Iterable[ReferenceText]) -> None:
    """Read and cut the references; blocking."""
    for reference in references:
        session.add_reference(reference)
