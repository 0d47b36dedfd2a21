"""Whether a full stop ends a sentence or an abbreviation, by the word lists of the library sentencex.

sentencex segments a finished text. Called with the sentence so far at every stop, it takes 50 µs for 1,300
characters, and its answers change as text arrives. So it is called with two words only, the one before the
stop and the one after: that takes under 1 µs, and the answer is final. The lists below correct what it gets
wrong in the English of chat answers.
"""

from __future__ import annotations

import sentencex  # type: ignore[import-untyped]

from vista_stream.core.text.stems import word_set
from vista_stream.core.text.surrogates import encodable

TOKEN_REACH = 24
"""Code points. A word of this length or more is not an abbreviation and is not looked up."""


_NEEDS_MORE = word_set(
    "dr mr mrs ms mx messrs mme mlle prof rev hon gen gov sen rep col capt cmdr lt sgt cpl maj adm brig "
    "e.g eg i.e ie cf vs viz approx a.k.a incl excl"
)
"""Abbreviations that never end a sentence, whatever follows ("Dr. Will Smith")."""

_NEEDS_NUMBER = word_set(
    "no nos nr fig figs eq eqs vol vols ch chap sec sect art para pp p pt pop ed est max min ver tab ex op"
)
"""Abbreviations where a number follows ("No. 5"); elsewhere ordinary words, or left to sentencex."""

_LIMITS = word_set("max min est")
"""Abbreviations before an amount: "max. €30"."""

_ORDINARY = word_set("No May Fed Ok art con fed fig id ill la may me miss no ok ore re")
"""Ordinary words that sentencex takes for abbreviations (of states, months, titles)."""

_LETTERED = word_set(
    "hall gate room block plan vitamin hepatitis group class section platform terminal wing type grade "
    "appendix annex exhibit zone area part option figure table building unit route line bay dock pier stage "
    "pool team tower stairwell staircase entrance exit deck level schedule column row step phase"
)
"""Nouns, here in lower case, before a letter that names one of several: "Hall B" ends a sentence."""

_AFTER_TIME = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun "
    "january february march april may june july august september october november december "
    "et est edt ct cst cdt mt mst mdt pt pst pdt gmt utc bst cet cest eet eest ist jst aest"
)
"""Words, here in lower case, that are capitalised and may follow "6 p.m." in the same sentence."""


def goes_on_after_time(word: str) -> bool:
    """Whether `word` after a time of day belongs to it: a day, a month, a time zone."""
    return word.casefold() in _AFTER_TIME


def needs_more(token: str) -> bool:
    """Whether `token`, a word without its stop, needs another word after it, as a title does."""
    return token.casefold() in _NEEDS_MORE


def ends_before_number(token: str, digit: str, *, language: str) -> bool:
    """Whether "token." ends a sentence if a number that begins with `digit` follows."""
    return token.casefold() not in _NEEDS_NUMBER and library_ends(f"{token}.", digit, language=language)


def limits(token: str) -> bool:
    """Whether `token` goes on where an amount of money follows."""
    return token.casefold() in _LIMITS


def names_one(noun: str, token: str) -> bool:
    """Whether `token` is a letter that names one of several things, after their noun: "B" in "Hall B"."""
    return len(token) == 1 and token.isupper() and noun.casefold() in _LETTERED


def is_plain(token: str) -> bool:
    """Whether `token`, before a capital letter, is an address, an acronym or an ordinary word."""
    acronym = len(token) > 1 and token.isalpha() and token.isupper()
    return acronym or token in _ORDINARY or "/" in token or "@" in token


def library_ends(token: str, following: str, *, language: str) -> bool:
    """Whether sentencex ends a sentence between `token`, with its stop, and the word `following`."""
    pieces = sentencex.segment(language, f"{encodable(token)} {encodable(following)}")
    return bool(pieces) and len(pieces[-1]) == len(following)
