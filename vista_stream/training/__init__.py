"""Recipes that train the shipped models, one command each (`python -m vista_stream.training`).

`mixture` chooses labelled rows and `fit` trains on them. `made` adds pairs made by rule, `storing` writes the
files that ship. Guarding a turn uses none of this.
"""
