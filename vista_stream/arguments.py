"""Checks of what a session is given: a ValueError names the argument and what would be right."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import get_args

from vista_stream.claims import Role, Utterance
from vista_stream.errors import kind_of
from vista_stream.events import Event
from vista_stream.members import members
from vista_stream.policy import Policy
from vista_stream.stages.stages import Stages, does
from vista_stream.verifiers.protocol import check_verifier


def check_parts(
    verifier: object, policy: object, stages: object, store: object, conversation: object
) -> None:
    """Raise ValueError for a part of the wrong type now, and not only when a turn uses it.

    Each may be None. A verifier and stages cannot be given together.
    """
    if verifier is not None and stages is not None:
        raise ValueError("give verifier or stages, not both: stages hold their own verifier")
    if verifier is not None:
        check_verifier("verifier", verifier, "; all else is given by name, as in Session(policy=...)")
    if policy is not None:
        check_policy(policy)
    if stages is not None and not isinstance(stages, Stages):
        raise ValueError(f"stages must be Stages, not {kind_of(stages)}")
    if store is not None:
        check_store(store)
    if not isinstance(conversation, str | None):
        raise ValueError(f"conversation must be a str or None, not {kind_of(conversation)}")


def check_policy(policy: object) -> None:
    """Raise ValueError unless it is a Policy."""
    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be a Policy, not {kind_of(policy)}")


def check_store(store: object) -> None:
    """Raise ValueError unless it has the methods of a CommonGroundStore."""
    if not (does(store, "load") and does(store, "append")):
        raise ValueError(f"store must have the async methods load and append, not {kind_of(store)}")


def checked_history(history: Iterable[Utterance]) -> list[Utterance]:
    """The utterances as a list; raises ValueError for one whose role or text cannot be."""
    told = members("history", history, Utterance)
    for each in told:
        if each.role not in get_args(Role):
            raise ValueError(f"history must hold the roles 'user' and 'assistant' only, not {each.role!r}")
        if not isinstance(each.text, str):
            raise ValueError(f"history must hold a str as the text of an Utterance, not {kind_of(each.text)}")
    return told


def check_deltas(deltas: object) -> None:
    """Raise ValueError unless the deltas can be iterated."""
    iterable = hasattr(deltas, "__aiter__") or hasattr(deltas, "__iter__")
    if iterable and not isinstance(deltas, type):
        return
    hint = ""
    if inspect.iscoroutine(deltas):
        hint = ": await it first"
        deltas.close()  # or Python warns that nobody awaited it
    elif callable(deltas):
        hint = ": call it, and give what it returns"
    raise ValueError(f"deltas must be an async or sync iterable of str, not {kind_of(deltas)}{hint}")


def check_callback(event: object, callback: object) -> None:
    """Raise ValueError unless `event` is an event class and the callback can be called with one event."""
    if event not in get_args(Event):
        raise ValueError(f"event must be one of the Event classes, not {event!r}")
    if not callable(callback):
        raise ValueError(f"callback must be callable, with an event, not {kind_of(callback)}")
    _check_takes_event(callback)


def _check_takes_event(callback: Callable[..., object]) -> None:
    """Raise ValueError for a callback that does not take one argument, where its signature is readable."""
    try:
        signature = inspect.signature(callback)
    except (TypeError, ValueError):  # some builtins have no readable signature
        return
    try:
        signature.bind(None)
    except TypeError as error:
        name = getattr(callback, "__name__", type(callback).__name__)
        raise ValueError(
            f"callback must take one argument, the event; {name}{signature} does not: {error}"
        ) from None
