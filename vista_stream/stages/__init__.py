"""The stages of verification: local parts, and parts over any OpenAI-compatible LLM."""
