"""Recipes for the shipped models, one command each (`python -m vista_stream.training`); no turn runs them.

Labelled rows go through `mixture` into `fit`; `made` adds pairs made by rule, `storing` writes what ships.
"""
