"""One file for each guard; it runs in that guard's own environment and is never imported by the harness."""
