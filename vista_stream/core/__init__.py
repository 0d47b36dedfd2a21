"""The guard itself, without I/O: deltas and verdicts go in, claims to verify and events come out.

`turn` is the protocol. It gives deltas to `text`, which cuts them into sentences, and holds the sentences
in `gate` until they are decided. The stages call the rest: `extraction` cuts a sentence into claims, `rules`
decides what needs no model, `importance` ranks claims, and `judge` turns scores into a category.
`common_ground` keeps what is settled.
"""
