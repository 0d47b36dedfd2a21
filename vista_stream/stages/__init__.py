"""The four stages of a turn: decompose, rank, verify, categorise. `protocols` holds a protocol for each.

The session passes in sentences and claims, and gets back drafts, importance, findings and categories.
`embedded` runs on this machine, `llm` at an OpenAI-compatible endpoint. `select` and `defaults` make a set
of stages.
"""
