"""Finds the passages that a claim is compared with.

A `Reference` is cut and indexed once; it can read a file, and its index asks the embedder that it is given.
`search` and `reading` are generators without I/O: they yield pairs of passage and claim, and the caller sends
back the scores of the model.
"""
