"""The four stages of a turn: decompose, rank, verify, categorise, each behind a protocol (`protocols`).

Sentences and claims come from the session, drafts, importance and findings go back to it. `embedded` runs on
this machine, `llm` at an OpenAI-compatible endpoint; `select` and `defaults` put them together.
"""
