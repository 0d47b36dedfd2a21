"""From a sentence to its claims: a segment, its parse and the turn so far go in, standalone claims come out.

`decompose` is the entrance. A sentence is cut into clauses, pronouns are resolved, asides and attributions
are dropped, and each claim is told fact, opinion or abstention. It knows `text`, but neither `rules` nor the
turn.
"""
