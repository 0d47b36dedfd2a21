"""Rules that decide without a model: two sentences go in; verified, contradicted or nothing comes out.

`compare` compares a claim with one sentence, `index` with all sentences of a text. `other_values` and
`near_copy` check the numbers of a claim that a model verified, and the sentence that it copies. The other
modules read quantities, dates, names and wording.
This package imports `text`, but neither `extraction` nor the turn.
"""
