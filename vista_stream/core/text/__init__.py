"""Text as it streams: deltas, cut anywhere, go in; whole sentences and blocks with their spans come out.

`segmenter` is the entry point; other modules tell it where a sentence, a list item, a fence or a character
ends. `language`, `legible`, `plaintext`, `stems`, `typography` and `units` hold what `extraction`, `rules`
and the verifiers need of text. This package imports neither `extraction` nor `rules`.
"""
