"""Makes training pairs by rule: `generate` turns passages and labelled rows into rows with a known label.

Each `edits_*` module makes one kind of change to a sentence. Most changes are also made in the premise of a
second pair, the twin. The same claim then occurs with both labels, so that it does not reveal its label.

`scenes` draws values for written documents with slots, and reckons the claims about them.
"""
