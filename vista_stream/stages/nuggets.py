"""Nuggets: the facts that an answer to a query should contain (VITAL, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vista_stream.claims import Importance


class Support(StrEnum):
    """How far an answer contains a nugget (AutoNuggetizer's three grades)."""

    SUPPORTED = "supported"
    PARTLY_SUPPORTED = "partly_supported"
    NOT_SUPPORTED = "not_supported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nugget:
    """A piece of information that an answer to the query should contain, made from the references."""

    text: str
    importance: Importance = Importance.VITAL
    """VITAL: needed; OKAY: good to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedNugget:
    """A nugget and how far the answer contains it."""

    nugget: Nugget
    support: Support
