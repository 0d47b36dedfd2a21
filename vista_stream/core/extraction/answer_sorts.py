"""Tells what sort of thing an answer without a verb begins with: an amount of money, a time, a place."""

from __future__ import annotations

import re
from typing import Literal

from vista_stream.core.extraction.question_words import PREPOSITIONS
from vista_stream.core.text.units import CURRENCY_CODES, UNITS

Sort = Literal["money", "time", "span", "count", "place", "person", "polar", "thing"]
"""What a question asks for, or what an answer begins with."""

YES = r"yes|yeah|yep|yup"
NO = r"no|nope|nah"
"""The words that affirm and deny."""
_SMALL = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-[a-z]+)?"
)
_NUMBER = rf"(?:(?<![\d.,])\d++(?:[.,]\d++)*+|{_SMALL}|half|an?)"
_MONEY = (*CURRENCY_CODES, "cents")
_CURRENCY = "pounds?|" + "|".join(
    re.escape(spelt) for spelt in sorted(UNITS, key=len, reverse=True) if UNITS[spelt].dimension in _MONEY
)
"""Words for money; an answer in pounds tells a price rather than a weight."""
_UNIT = "|".join(re.escape(spelt) for spelt in sorted(UNITS, key=len, reverse=True))
_MANY = r"(?:half |quarter )?(?:dozen|hundred|thousand|million|billion|few|(?:couple|pair|handful|lot) of)"
"""What makes a number of "a"."""
_DURATION = r"(?:second|minute|min|hour|day|night|week|month|year|lesson)s?"
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
"""How a month's name begins."""
PERIOD = (
    rf"(?:{WEEKDAY}|(?:week|to)days?|weekends?|tomorrow|mornings?|evenings?|afternoons?"
    r"|nights?|noon|midnight|spring|summer|autumn|winter|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|week of)"
)
_DAY = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}[a-z]*"
    r"|(?:in )?[12]\d\d\d(?=\W*$)"
)
_CLOCK = (
    rf"\d{{1,2}}[:.]\d\d(?!\d)(?! ?(?:{_CURRENCY})\b)"
    r"|\d{1,2} ?[ap]\.?m\b|half past|(?:a )?quarter (?:to|past)"
)
_HOUR = rf"(?:\d{{1,2}}|{_SMALL})(?= (?:in|on|at|to|until|and|o['’]clock)\b|\W*$|,)"
_WHEN = (
    r"(?:(?:at|on|by|from|until|till|before|after|around|between|since|every|each|next|this|in|about|the) )"
)
_VAGUE = (
    r"only|just|shortly|about|around|up to|at least|at most|(?:(?:no|not) )?(?:more|less|\w{2,12}er) than"
    rf"|(?:over|above|under|below)(?= (?:[$€£¥₹\d]|(?:{_SMALL})\b))"
)
_HEDGES = re.compile(rf"(?:(?:{_VAGUE}|for(?= (?:{_VAGUE}|{_NUMBER})\b)) )+", re.IGNORECASE)
_LIMITING = (
    rf"(?:{'|'.join(sorted(PREPOSITIONS))}|through|via|near|behind|next to|opposite|inside|outside|above"
    r"|below|over|before|after|during|without|except|if|unless|when|whenever|while|as|provided)\b"
)
_ALSO = r"(?:(?:only|just|also|even|not|but) )*"
_LIMIT = re.compile(_ALSO + _LIMITING, re.IGNORECASE)
_ADVERBIAL = re.compile(
    rf"{_ALSO}(?:{_LIMITING}"
    r"|(?:once|twice|every|each|daily|weekly|monthly|always|usually|mostly|sometimes|online|\w+ly)\b)",
    re.IGNORECASE,
)
_SIGNS: tuple[tuple[str, Sort], ...] = (
    (
        rf"(?:{YES}|{NO}|of course|sure|certainly|gladly)(?=\W*$|[,:;.!–—-])|(?:not|without) ",
        "polar",
    ),
    (
        rf"(?:nothing|free|no charge|not a cent)\b|[$€£¥₹] ?\d|(?:another )?{_NUMBER} (?:{_CURRENCY})\b",
        "money",
    ),
    (rf"{_WHEN}*(?:{PERIOD}\b|{_DAY}|{_CLOCK})|{_WHEN}{_HOUR}", "time"),
    (rf"(?:every|each) (?:(?:other|{_NUMBER}) )?(?!lesson){_DURATION}\b", "time"),
    (rf"(?:within|in) {_NUMBER} (?:\w+ )?{_DURATION}\b", "time"),
    (rf"(?:once|twice|{_NUMBER} times)\b", "time"),
    (rf"{_NUMBER} (?:(?:to|or|and|working|more|full|a) ){{0,2}}(?:{_NUMBER} )?{_DURATION}\b", "span"),
    (r"(?:until|till|since|before|after) ", "time"),
    (rf"an? (?!(?:{_MANY}|{_UNIT})\b)", "thing"),
    (rf"{_NUMBER}\b", "count"),
    (r"(?:in|at|on|to|through|behind|under|next to|near|opposite|inside|outside|via) ", "place"),
    (rf"\A{_LIMITING}[^.!?]*, (?:yes|no)\W*$", "polar"),
)
_OF_THINGS = re.compile(rf"(?:an?|{_SMALL}) [a-z]", re.IGNORECASE)
_COUNTED = re.compile(rf"(?:(?:{_VAGUE}) )*{_NUMBER}(?: (?P<unit>[A-Za-z]+))?", re.IGNORECASE)
_SORTS = [(re.compile(sign, re.IGNORECASE), sort) for sign, sort in _SIGNS]


def sort_of_answer(answer: str) -> Sort:
    """What an answer begins with, leaving "about" and "for" aside; a thing where nothing else is found."""
    hedge = _HEDGES.match(answer)
    begins = answer[hedge.end() :] if hedge else answer
    return next((sort for sign, sort in _SORTS if sign.match(begins)), "thing")


def is_adverbial(answer: str) -> bool:
    """Whether an answer begins as what may stand behind a whole statement: "Only on holidays."."""
    return _ADVERBIAL.match(answer) is not None


def may_fit(answer: str, wanted: Sort) -> bool:
    """Whether an answer that begins with no `wanted` sort may be one: "Two brothers.", to "Who runs it?".

    What begins with "a" or a number may be a thing or an amount; a limit, "With a guide.", is also a yes.
    """
    sort = sort_of_answer(answer)
    if wanted == "polar" and sort == "thing" and _LIMIT.match(answer):
        return True
    return sort in ("thing", "count") and _OF_THINGS.match(answer) is not None


def unit_of_count(answer: str) -> str | None:
    """The unit of an answer that is only a number, or empty; None for others, and for money or time."""
    counted = _COUNTED.fullmatch(answer)
    unit = counted["unit"] if counted else None
    known = unit is None or (unit in UNITS and sort_of_answer(answer) == "count")
    return unit or "" if counted and known else None
