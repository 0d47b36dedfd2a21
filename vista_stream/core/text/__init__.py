"""Text as it streams: deltas of any cut go in, whole sentences and blocks with their spans come out.

`segmenter` is the entrance; the other modules tell it where a sentence, a list item, a fence or a character
ends. It is the lowest room of the core: `extraction` and `rules` read it, it knows neither.
"""
