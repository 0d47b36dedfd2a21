"""Scoring of finished dialogues and texts: the papers' measures, their baselines, and agreement of raters.

Dialogues come in as JSON objects (`dialogue`), `scorer` runs the stages over their turns, records go out
(`records`, `summary`, `page`). It stands above the session's stages and below the command line.
"""
