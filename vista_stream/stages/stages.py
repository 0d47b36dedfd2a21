"""The set of stages that a session runs."""

from __future__ import annotations

from dataclasses import dataclass

from vista_stream.stages.protocols import Categorise, Decompose, Kinds, Rank, Verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """One part for each stage; local parts and LLM parts mix at will."""

    decompose: Decompose
    rank: Rank
    verify: Verify
    categorise: Categorise
    kinds: Kinds | None = None
    """Tells kinds of claims that come ready-made; None leaves that to the certain rules."""
