"""Flan-T5 to a folder that `FlanT5Verifier` reads; `vista_stream.export.flan_t5` needs the extra `export`."""
