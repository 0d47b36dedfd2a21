"""Stages that ask a language model at an OpenAI-compatible endpoint.

A stage fills in a prompt (`prompt`, texts in `prompts/`). `client` sends it with retries, a time-out and a
cache. `form` reads the answer; an unusable answer raises StageError and is never guessed at.
"""
