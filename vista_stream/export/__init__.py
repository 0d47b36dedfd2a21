"""Export of Flan-T5 to a folder that `FlanT5Verifier` reads; needs the extra `export`.

A checkpoint comes in (`checkpoint`), becomes one graph (`t5_graph`, `precision`) and goes out with its
tokenizer and a manifest (`folder`). Nothing of it is needed to run what was exported.
"""
