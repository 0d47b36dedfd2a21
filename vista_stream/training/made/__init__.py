"""Pairs made by rule: passages and labelled rows go in, rows with a known label come out (`generate`).

Each `edits_*` module makes one kind of change to a sentence, and its twin, so that a claim alone gives
nothing away.
"""
