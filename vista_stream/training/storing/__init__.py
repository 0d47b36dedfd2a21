"""Writes a fitted model as a folder to ship: int8 products, weights in four bits, a manifest with digests.

Begin with `exporting`: it turns torch weights into `model.onnx`, a tokenizer and a manifest.
"""
