"""Finds the passages that a claim is compared with, without I/O.

A `Reference` is cut and indexed once. `search` and `reading` are generators: they yield pairs of passage and
claim, and the caller sends back the scores. No module here calls a model.
"""
