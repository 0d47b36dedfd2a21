"""A verifier pool: replicas that score pairs for other machines, and the verifier that asks them.

`server` answers over HTTP, `remote` is the Verifier that asks several such replicas. `wire` is the format
between them, `breaker` and `race` decide which replica is asked when; these three do no I/O.
"""
