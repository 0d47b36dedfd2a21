"""Finds what was asked last, by the user with or without a question mark, or by the answer itself."""

from __future__ import annotations

import re

_ENDS = re.compile(r"(?<![.!])[.!]+ ")
_QUESTION = re.compile(r"[^.!?\n]+\?")
_UNMARKED = re.compile(
    r"(?:please |so |and |ok |okay |now |then |hi |hey )?(?:(?P<asks>(?:(?:in|on|at|of|for|from|to|by) )?"
    r"(?:what|who|whom|whose|which|when|where|why|how)|what['’]s|who['’]s|"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?! you\b))"
    r"|name|state|tell me (?!about\b|more\b|an? |some)|give (?:me )?(?:the|its|his|her|their))\b",
    re.IGNORECASE,
)
"""The beginning of a question without a question mark, or of a request that one or two words can answer."""
_LABEL = re.compile(r"Q(?:uestion)?: ")
_TO_USER = re.compile(r"\b(?:you|your|yours|the (?:user|assistant)|i|we|us)\b", re.IGNORECASE)


def asked_last(heard: str) -> str:
    """The user's last question, with or without a question mark in the text; empty where there is none."""
    questions = _QUESTION.findall(heard)
    if questions:
        return str(questions[-1]).strip()
    last = _ENDS.split(heard.strip(" .!"))[-1].strip()
    unmarked = _UNMARKED.match(last)
    if unmarked is None:
        return ""
    return last + ("?" if unmarked["asks"] else ".")


def own_question(asked: str) -> str:
    """A question that an answer asks, and may answer itself; empty for one to the user ("Would you …?")."""
    question = _LABEL.sub("", asked).strip()
    return "" if _TO_USER.search(question) else question
