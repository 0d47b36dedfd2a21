"""The guard itself, without I/O: text and verdicts in, work and events out."""
