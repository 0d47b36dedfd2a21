"""Scores finished dialogues and texts: the measures of the papers, their baselines, and agreement of raters.

Dialogues are read as JSON objects (`dialogue`). `scorer` runs the stages over their turns and gives records
(`records`, `summary`, `page`). The package uses the session's stages; the command line uses it.
"""
