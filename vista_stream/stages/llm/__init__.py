"""Stages that ask a language model at an OpenAI-compatible endpoint.

A stage fills a prompt (`prompt`, texts in `prompts/`), `client` sends it with a deadline, retries and a
cache, and `form` reads the answer; an answer that cannot be used is a StageError, never a guess.
"""
