"""Turns a sentence into claims: a segment, its parse and its context go in, standalone claims come out.

`decompose` is the entry point. A sentence is cut into clauses, pronouns are resolved, phrases such as "I
think that" are dropped, and each claim gets its kind (fact, opinion, refusal, …). This package imports
`text`, but neither `rules` nor the turn.
"""
