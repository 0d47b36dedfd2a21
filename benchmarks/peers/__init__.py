"""Compares streaming guards on the same scripted streams: leak, integrity, latency, load and cost."""
