"""Finding the passages that a claim is to be compared with, without I/O.

A `Reference` is cut and indexed once; `search` and `reading` are generators that yield pairs of passage and
claim and are sent their scores. Passages and scores flow up to `stages`; nothing here knows a model.
"""
