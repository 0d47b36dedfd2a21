"""A streaming factuality guardrail."""
