"""Whether a stop ends a sentence or an abbreviation: sentencex's word lists, asked about two words at a time.

The library judges a finished text. Asked about the sentence so far at every stop, it costs 50 µs for 1,300
characters and changes its mind as text arrives; asked about the word before the stop and the word after, it
costs under 1 µs and its answer is final. What it gets wrong in the English of chat answers is put right here.
"""

from __future__ import annotations

import sentencex  # type: ignore[import-untyped]

from vista_stream.core.text.stems import word_set
from vista_stream.core.text.surrogates import encodable

TOKEN_REACH = 24
"""Longest word, in code points, that is looked up; a longer one is no abbreviation."""


_NEEDS_MORE = word_set(
    "dr mr mrs ms mx messrs mme mlle prof rev hon gen gov sen rep col capt cmdr lt sgt cpl maj adm brig "
    "e.g eg i.e ie cf vs viz approx a.k.a incl excl"
)
"""Never the last word of a sentence, whatever comes next ("Dr. Will Smith")."""

_NEEDS_NUMBER = word_set(
    "no nos nr fig figs eq eqs vol vols ch chap sec sect art para pp p pt pop ed est max min ver tab ex op"
)
"""An abbreviation before a number, else an ordinary word or left to the library."""

_ORDINARY = word_set("No May Fed Ok art con fed fig id ill la may me miss no ok ore re")
"""Words that the library takes for abbreviations (of states, months, titles), however they are written."""


_AFTER_TIME = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun "
    "january february march april may june july august september october november december "
    "et est edt ct cst cdt mt mst mdt pt pst pdt gmt utc bst cet cest eet eest ist jst aest"
)
"""What may follow "6 p.m." in its own sentence, with a capital."""


def goes_on_after_time(word: str) -> bool:
    """Whether `word` after a time of day belongs to it: a day, a month, a time zone."""
    return word.casefold() in _AFTER_TIME


def needs_more(token: str) -> bool:
    """Whether `token`, a word without its stop, calls for another word after it, as a title does."""
    return token.casefold() in _NEEDS_MORE


def ends_before_number(token: str, digit: str, *, language: str) -> bool:
    """Whether "token." ends a sentence where a number follows that begins with `digit`."""
    return token.casefold() not in _NEEDS_NUMBER and library_ends(f"{token}.", digit, language=language)


def is_plain(token: str) -> bool:
    """Whether `token` is no abbreviation where a capital letter follows: an address, an acronym, a word."""
    acronym = len(token) > 1 and token.isalpha() and token.isupper()
    return acronym or token in _ORDINARY or "/" in token or "@" in token


def library_ends(token: str, following: str, *, language: str) -> bool:
    """Whether sentencex sees a sentence end between `token`, with its stop, and the word `following`."""
    pieces = sentencex.segment(language, f"{encodable(token)} {encodable(following)}")
    return bool(pieces) and len(pieces[-1]) == len(following)
