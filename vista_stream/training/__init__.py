"""Training recipes for the shipped models, and for people's own pairs."""
