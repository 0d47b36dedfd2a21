"""The error where an adapter's package is missing."""

from __future__ import annotations


def not_installed(package: str, extra: str) -> str:
    """A message: what is missing, and how to install it from a checkout."""
    return f'{package} is not installed: from a checkout, pip install ".[{extra}]"'
