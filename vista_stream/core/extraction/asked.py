"""Finds what was asked last, by the user with or without a question mark, or by the answer itself."""

from __future__ import annotations

import re
from typing import NamedTuple

from vista_stream.core.extraction.questions import asks_again

_ENDS = re.compile(r"(?<![.!])[.!]+ ")
_QUESTION = re.compile(r"(?<![^.!?\n])[^.!?\n]+\?")
_UNMARKED = re.compile(
    r"(?:please |so |and |ok |okay |now |then |hi |hey )?(?:(?P<asks>(?:(?:in|on|at|of|for|from|to|by) )?"
    r"(?:what|who|whom|whose|which|when|where|why|how)|what['’]s|who['’]s|"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?! you\b))"
    r"|name|state|tell me (?!about\b|more\b|an? |some)|give (?:me )?(?:the|its|his|her|their)|remind me"
    r"|i(?:['’]d like| would like| want| need) to know (?!about\b|more\b)|the [\w ]{1,60},? please)\b",
    re.IGNORECASE,
)
"""The beginning of a question without a question mark, or of a request that one or two words can answer."""
_LABEL = re.compile(r"(?:FAQ|Q(?:uestion)?) ?\d{0,2}[:.] ")
_ANSWER = re.compile(r"(?:(?:\w+ )?[Aa]nswer|TL;?DR): ")
"""The label of an answer: "Short answer: no", "TL;DR: no"."""
_LABELLED = re.compile(r"A ?\d{0,2}[:.] ")
"""The label of the answer to a question that had one: "Q: … A: …"."""
_TO_USER = re.compile(r"\b(?:you|your|yours|we|the (?:user|assistant)(?:'s)?)\b", re.IGNORECASE)
_OF_USER = re.compile(r"\b(?:I|me|my|mine)\b")
_ASKING = re.compile(
    r"(?:(?:what|who|how|why)(?:['’]s|['’]re)?|whom|whose|which|(?:when|where)(?!.*,))\b.*", re.IGNORECASE
)
"""A heading that asks without a question mark ("What's new"); "When it rains, it stops" states something."""


class Own(NamedTuple):
    """A question that an answer asks."""

    text: str
    """Empty for one to the user ("Would you like …?")."""
    labelled: bool
    """Whether "Q:" stands before it."""


def asked_last(heard: str) -> str:
    """The user's last question, with or without a question mark in the text; empty where there is none.

    One that only doubts the answer before it is none.
    """
    questions = [str(each).strip() for each in _QUESTION.findall(heard)]
    if questions:
        return next((each for each in reversed(questions) if not asks_again(each)), "")
    last = _ENDS.split(heard.strip(" .!"))[-1].strip()
    unmarked = _UNMARKED.match(last)
    if unmarked is None:
        return ""
    return last + ("?" if unmarked["asks"] else ".")


def own_question(asked: str, said: str, *, heading: bool) -> Own:
    """A question that an answer asks, and may answer itself; `asked` is what is `said` with its names.

    Behind "Q:", and in a heading, "I" is the user: "Q: Can I bring a dog?".
    """
    label = _LABEL.match(said)
    of_user = label is not None or (heading and _OF_USER.search(said) is not None)
    if _TO_USER.search(asked):
        question = said[label.end() if label else 0 :] if of_user else ""
    else:
        question = _LABEL.sub("", asked, count=1) if label else asked
    return Own(question.strip(), labelled=label is not None)


def answer_label(text: str, *, labelled: bool) -> re.Match[str] | None:
    """The label at the beginning of an answer, "A:" only where the question was `labelled`."""
    return _ANSWER.match(text) or (_LABELLED.match(text) if labelled else None)


def asks_in_heading(text: str) -> bool:
    """Whether a heading asks something without a question mark, and so states nothing."""
    return _ASKING.fullmatch(text) is not None
