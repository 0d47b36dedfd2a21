"""Finding the passages that a claim is to be compared with."""
