"""Where a sentence that is still arriving has come to the end of a clause."""

from __future__ import annotations

import re

_REACH = 48
"""Code points from the end that are searched: enough for a conjunction and the three words after it."""
_FEWEST_SPACES = 3
"""A beginning with fewer spaces is hardly a statement by itself."""
_BEGUN = re.compile(
    r"""
    (?: ; \s+ | ,? \s (?:and|but|so|while|because) \s+
        (?:it|he|she|they|we|you|there|the|an?|this|that|these|those|its|his|her|their|our|your) \s+
      | , \s (?:which|who|where|while) \s+
      | ,? \s (?:and|but|then) \s (?:(?:then|later|also|never|now|therefore) \s)?
        (?: (?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|may|must) \s
          | [a-z]{3,} (?:ed|[a-rt-z]s) \s
            (?:the|an?|its|his|her|their|in|on|at|to|from|for|with|into|over) \s )
      | ,? \s (?:until|before|after|when|although|since) \s
    ) \S* \s* \Z
    """,
    re.VERBOSE,
)
"""The beginning of an English clause with a subject or a verb of its own, up to the word that is arriving. A
verb that is no auxiliary is one by what follows it: "and replaces the", not "and apartments"."""


def finished_clauses(text: str) -> str:
    """The beginning of an unfinished sentence up to a clause that has just begun; empty where none has."""
    begun = _BEGUN.search(text, max(0, len(text) - _REACH))
    if begun is None or text.count(" ", 0, begun.start()) < _FEWEST_SPACES:
        return ""
    return text[: begun.start()]
