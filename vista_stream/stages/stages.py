"""The set of stages that a session runs."""

from __future__ import annotations

from dataclasses import dataclass

from vista_stream.stages.protocols import Categorise, Decompose, Kinds, Rank, Verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """One object for each stage; embedded and LLM stages can be mixed."""

    decompose: Decompose
    rank: Rank
    verify: Verify
    categorise: Categorise
    kinds: Kinds | None = None
    """Tells the kind of claims that the caller gives ready-made; None leaves that to the certain rules."""
