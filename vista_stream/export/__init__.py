"""Exports Flan-T5 to a folder that `FlanT5Verifier` reads; needs the extra `export`.

`checkpoint` reads the published model, `t5_graph` and `precision` write it as one graph, and `folder` saves
the graph with its tokenizer and a manifest. The extra is not needed to run the exported model.
"""
