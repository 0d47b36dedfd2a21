"""One file a guard; each is run in that guard's own environment, and never imported by the harness."""
