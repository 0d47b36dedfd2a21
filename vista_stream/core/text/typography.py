"""Text as a verifier reads it: the same sentence scores alike however it was typeset."""

from __future__ import annotations

import re
from typing import Final

_BRACKETS: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":"}
_BRACKET: Final = re.compile("|".join(_BRACKETS))
_LETTERS: Final = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "‑": "-", "\u00a0": " ", "\u200b": None}
)
_STEPS: Final = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"(\*{2,3}|__)(?=\S)(.+?)(?<=\S)\1", r"\2"),  # Markdown's emphasis
        (r"(?<!\w)\*(?=\S)(.+?)(?<=\S)\*(?!\w)", r"\1"),  # not of "2*3*4"
        (r"(?m)^#{1,6} +", ""),
        (r"(?<=\S)[ \t]*\n(?:[ \t]*>)+ ?", " "),  # a quote's mark before its next line
        (r"`([^`]+)`(?!`)", r"\1"),
        (r"(?:``|'')", '"'),
        (r"\s+", " "),
        (r"(?i)\b([a-z]*n) ' t\b", r"\1't"),  # treebank tokens of contractions and numbers
        (r"(?i)(?<=[a-z]) ' (s|re|ve|ll|d|m)\b", r"'\1"),
        (r"(?<=\d) , (?=\d{3}\b)", ","),
        (r"(?<=\d) \. (?=\d)", "."),
        (r" (?=[,.;:!?)\]%](?:\s|$|[)\"',;]))", ""),
        (r"(?<=[(\[]) ", ""),
        (r" (?='(?:s|S|re|ve|ll|d|m)\b)", ""),
        (r" (?=n't\b)", ""),
        (r"(?<=[a-z][a-z)])\.(?=[A-Z][a-z])", ". "),  # sentences glued together
    )
)
_QUOTED: Final = re.compile(r'" ([^"]{1,200}?) "')
_STOPPED: Final = re.compile(r"[.!?…。！？][\"'”’)\]*_]*$")
_SPEAKER: Final = re.compile(r"(?i)^\s*(?:assistant|user|human|ai|bot|chatbot)\s?:\s+")


def plain(text: str) -> str:
    """`text` without markup and treebank tokens, with straight quotes and single spaces."""
    text = _BRACKET.sub(lambda match: _BRACKETS[match.group()], text.translate(_LETTERS))
    for pattern, new in _STEPS:
        text = pattern.sub(new, text)
    return _QUOTED.sub(r'"\1"', text).strip()


def said(text: str, *, beside: str = "") -> str:
    """The same of a claim, which is not about who says it: without a speaker's name before it.

    A claim beside a premise without a full stop, a row of a table say, ends in one: the verifiers read two
    texts without one as no statements at all, and say of all such pairs the same. On 34 development pairs
    of that sort they are right 82 times in a hundred with it, 26 without.
    """
    claim = plain(_SPEAKER.sub("", text))
    open_ended = claim and beside and not (_STOPPED.search(claim) or _STOPPED.search(beside))
    return f"{claim}." if open_ended else claim
