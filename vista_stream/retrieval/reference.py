"""A reference text, cut into sentences and windows once, when it is added."""
