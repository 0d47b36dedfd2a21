"""The four stages of a turn: decompose, rank, verify, categorise. `protocols` holds a protocol for each,
and for the optional ones that tell kinds and signs.

The session passes in sentences and claims, and gets back drafts, importance, findings and categories.
`embedded` runs on this machine, `llm` at an OpenAI-compatible endpoint. `select` and `defaults` make a set
of stages.
"""

from vista_stream.claims import Draft, Finding
from vista_stream.stages.protocols import Categorise, Decompose, Discourse, Grounds, Rank, Verify
from vista_stream.stages.stages import Stages

__all__ = [
    "Categorise",
    "Decompose",
    "Discourse",
    "Draft",
    "Finding",
    "Grounds",
    "Rank",
    "Stages",
    "Verify",
]
