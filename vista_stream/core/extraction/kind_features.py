"""Features of a claim's wording that the classifier of claim kinds uses besides the claim's embedding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_SPEAKER = (
    "(?:assistant|user|wizard|apprentice|bot|chatbot|speaker|agent|customer|caller|traveller|guest|patient|"
    "student|model|ai|system)"
)
_FEELING = (
    r"\b(?:(?:love|like|enjoy|hate|think|feel|hope|glad|happy|prefer|want|wish|believe)s?"
    r"|look(?:s|ing)? forward)\b"
)
_ADVICE = r"\b(?:should|ought|recommend\w*|suggest\w*|advise\w*|better)\b"
_VALUE = (
    r"\b(?:great|good|nice|interesting|amazing|cool|beautiful|best|worst|bad|fun|fascinating|impressive|"
    r"wonderful|lovely|delicious|crazy|sad|easy|hard|worth|lot)\b"
)
_PATTERNS = (
    rf"^(?:the|an?) {_SPEAKER}\b",
    rf"^(?:the|an?) {_SPEAKER}['’]s\b",
    rf"\b{_SPEAKER}\b",
    r"\b(?:I|me|my|we|our|us)\b",
    r"\byou\b|\byour\b",
    r"^(?:I|we|my)\b",
    r"^you\b",
    _ADVICE,
    r"\d",
    r"(?-i:(?<=\w )[A-Z]\w)",
    r"\b(?:not|no|cannot|never)\b|n['’]t",
    r"\b(?:know|sure|find|determine|unsure|uncertain|unable|cannot|information|mention\w*)\b",
    _FEELING,
    r"^(?:It|That|This) is\b",
    r"\?\s*$",
    r"!\s*$",
    r"\b(?:must|may|can|will|entitled|required|allowed|need)\b",
    _VALUE,
)
_FEATURES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)
_OF_SPEAKER = re.compile(rf"(?:(?:the|an?) {_SPEAKER}|I|we|my|you|your)\b", re.IGNORECASE)
_ADVISES = re.compile(_ADVICE, re.IGNORECASE)
_FELT = re.compile(
    rf"(?:(?:the|an?) {_SPEAKER}|I|we|you) (?:(?:is|are|am|was|were|does|do|would|really|also|still|always|"
    rf"never|not|doesn['’]t|don['’]t) ){{0,2}}{_FEELING}",
    re.IGNORECASE,
)
_OURS = re.compile(r"our [\w-]+ ", re.IGNORECASE)
_VALUES = re.compile(_VALUE, re.IGNORECASE)
_FEELS = re.compile(_FEELING, re.IGNORECASE)
_NAME = re.compile(r"(?<=\s)[A-Z][\w’'-]*")
_NUMBER = re.compile(r"\d[\d.,:]*")
_WORD = re.compile(r"[\w’']+|[!?]")


def features(claim: str) -> Sequence[float]:
    """0 or 1 for each feature, in the order of the classifier's weights."""
    return found_of(_FEATURES, claim)


def found_of(patterns: Sequence[re.Pattern[str]], text: str) -> list[float]:
    """1 for each pattern that is found in a text, else 0."""
    return [float(pattern.search(text) is not None) for pattern in patterns]


def phrases_of(claim: str) -> list[str]:
    """The claim's words, and its pairs of neighbouring ones, each once; names and numbers look all alike.

    "^" stands before the first word: "^ the" begins a claim.
    """
    alike = _NUMBER.sub("0", _NAME.sub("Name", claim)).replace("’", "'")
    words = _WORD.findall(alike.lower())
    pairs = (f"{first} {second}" for first, second in pairwise(["^", *words]))
    return list(dict.fromkeys([*words, *pairs]))


def advises(claim: str) -> bool:
    """Whether the claim has a word of advice."""
    return _ADVISES.search(claim) is not None


def is_of_speaker(claim: str) -> bool:
    """Whether the claim says what a speaker, under any name, is, has or did, but not feels or advises."""
    return _OF_SPEAKER.match(claim) is not None and not (_FEELS.search(claim) or advises(claim))


def is_felt(claim: str) -> bool:
    """Whether the claim says what a speaker, under any name, feels or likes, which no reference decides."""
    return _FELT.match(claim) is not None


def is_of_firm(claim: str) -> bool:
    """Whether the claim tells of a thing of the speaker's firm and judges nothing: "Our hotline is free"."""
    judges = _FEELS.search(claim) or _VALUES.search(claim) or advises(claim)
    return _OURS.match(claim) is not None and not judges
