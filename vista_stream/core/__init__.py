"""The guard itself, without I/O: deltas and verdicts go in, claims to verify and events come out.

`turn` is the protocol; it hands deltas to `text`, sentences to `extraction`, and what a verifier found to
`judge` and `gate`. `rules` says what needs no model. Data flow from `text` up to `turn`; nothing below knows
`turn`.
"""
