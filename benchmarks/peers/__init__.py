"""Every guard side by side: leak, integrity, latency, load and cost on the same scripted streams."""
