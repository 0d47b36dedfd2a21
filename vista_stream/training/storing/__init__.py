"""From a fitted model to the folder that ships: int8 products, weights in four bits, a manifest with digests.

`exporting` is the entrance; torch weights go in, `model.onnx`, tokenizer and manifest come out.
"""
