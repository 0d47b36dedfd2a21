"""What can be said without a model: two sentences go in; verified, contradicted or nothing comes out.

`compare` holds a claim against a sentence, `index` against all sentences of a text; the other modules read
quantities, dates, names and wording. It knows `text`, but neither `extraction` nor the turn.
"""
