"""Completes a question that is only a part of one: "And on weekends?", after "When is the pool open?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from vista_stream.core.extraction.agreement import SPOKEN_OF
from vista_stream.core.extraction.answer_sorts import WEEKDAY, sort_of_answer
from vista_stream.core.extraction.answers import AUXILIARIES
from vista_stream.core.extraction.choices import OF_ONE
from vista_stream.core.extraction.parsing import Parse, Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PLURAL_TAGS, PROPER_TAGS
from vista_stream.core.extraction.question_words import PREPOSITIONS, asked_words
from vista_stream.core.extraction.questions import is_bare, is_whole
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.text.stems import stem, word_set

_LED = re.compile(r"(?:[^\w]|(?:ok|okay|great|thanks|thank you|good|so)\b)*and\b", re.IGNORECASE)
_ABOUT = re.compile(r"(?:what|how) about ", re.IGNORECASE)
_LONGEST = 6
"""Most words of a part of a question."""
_NAMING_TAGS = NOUN_TAGS | {"CD"}
"""Tags of the last word of a thing or a time: "rooms", "2019"."""
_PHRASE_TAGS = _NAMING_TAGS | {"DT", "PRP$", "JJ", "POS"}
_PERSON_OR_PLACE = {"PERSON", "GPE"}
_DAY = re.compile(
    rf"{WEEKDAY}|today|tonight|tomorrow|yesterday|weekdays|weekends|(?:morning|afternoon|evening|night)s",
    re.IGNORECASE,
)
"""A word that tells when without a preposition: "open Tuesdays"."""
_BEFORE_DAY = word_set("every each next last this")
_OF_SEVERAL = {one: several for several, one in OF_ONE.items() if several != "am"}
"""The verbs before one thing, in the form before several."""


class _Phrase(NamedTuple):
    """A thing or a time in a question."""

    words: Sequence[Word]
    before: str
    """The preposition before it, in lower case, or empty."""

    @property
    def is_time(self) -> bool:
        return sort_of_answer(f"{self.before} {_text(self.words)}".strip()) == "time"

    @property
    def is_day(self) -> bool:
        """Whether it is a time without a preposition: "Tuesdays", "every Sunday"."""
        return not self.before and _days_at_end(self.words) == len(self.words)

    def stands_as(self, new: _Phrase) -> bool:
        """Whether the new one may stand here by its preposition, or is of the same noun.

        A day without one stands as with "on".
        """
        same = self.before == new.before or self.words[-1].lower == new.words[-1].lower
        return same or (self.is_day and new.before == "on")

    @property
    def is_bare(self) -> bool:
        """Whether it is no name and has no determiner: "tigers"."""
        return not any(self.shape[:3])

    @property
    def is_certain_one(self) -> bool:
        """Whether it is a name, a pronoun or has "the" or the like: "the zoo", not "a zoo" or "zoos"."""
        name, determined, indefinite, _ = self.shape
        return name or (determined and not indefinite) or self.words[0].lower in SPOKEN_OF

    @property
    def is_plural(self) -> bool:
        last = self.words[-1]  # a parser may take a rare word such as "paracetamol" for a plural
        return last.tag in PLURAL_TAGS and stem(last.lower) != last.lower

    @property
    def shape(self) -> tuple[bool, bool, bool, bool]:
        """Whether it is a name, has a determiner, has "a", and is plural."""
        first = self.words[0]
        name = self.words[-1].tag in PROPER_TAGS or first.text[0].isupper()
        return name, first.tag in ("DT", "PRP$"), first.lower in ("a", "an"), self.is_plural

    def may_be_replaced(self, new: _Phrase) -> bool:
        """Whether the new one is no time where this is none, nor a place where this is a person."""
        entities = {self.words[-1].entity, new.words[-1].entity} - {""}
        return self.is_time == new.is_time and not entities >= _PERSON_OR_PLACE


def part_asked(message: str, question: str) -> str:
    """What a message asks by its first question, "on weekends"; empty where that is a whole one."""
    about = _ABOUT.match(question)
    part = question[about.end() if about else 0 : -1]
    led = about or _LED.match(message) or depends(part)
    asks = is_bare(question) or (is_whole(question) and not about)
    return part if led and not asks and len(part.split()) <= _LONGEST else ""


def depends(part: str, topic: str = "") -> bool:
    """Whether a part says nothing without its question, the topic: a time, or what begins with a preposition.

    So does any part of a question for yes or no.
    """
    begins, polar = part.partition(" ")[0].casefold(), topic.partition(" ")[0].casefold() in AUXILIARIES
    return polar or begins in PREPOSITIONS or sort_of_answer(part) == "time"


def completed(parse: Parse, question: str, part: str) -> str:
    """The question with the part in the place of its like, or at its end; empty where that is not clear.

    "When is the pool open on weekdays?" and "on weekends" give "When is the pool open on weekends?".
    """
    asked = asked_words(Tree(repaired(parse(question))))
    said = _without_asking_again(parse(part), asked)
    part = part[: said[-1].end] if said else ""
    first = part.partition(" ")[0].casefold()
    part = part[:1].lower() + part[1:] if first in PREPOSITIONS else part
    there = _phrases(asked)
    new = _Phrase(said[1:], first) if first in PREPOSITIONS else _Phrase(said, "")
    if not asked or not new.words or not _is_one(new):
        return ""
    if new.before:
        alike = [each for each in there if (each.before or each.is_day) and each.is_time == new.is_time]
        same = [each for each in alike if each.stands_as(new)]
        if not (alike if new.is_time else same):
            return f"{question[: asked[-1].end]} {part}?"
        return _replaced(question, asked, same, new)
    counted = _counted(asked, new)
    if counted and all(each.is_certain_one for each in there):
        of_user = any(word.lower in ("i", "we") for word in asked)  # "And kids?" may stand for either
        return "" if of_user else _replaced(question, asked, counted, new)
    polar = asked[0].lower in AUXILIARIES
    return _replaced(question, asked, _in_place(there, new, polar=polar), new)


def _without_asking_again(part: Sequence[Word], asked: Sequence[Word]) -> Sequence[Word]:
    """The part without the question word of the question: "on Saturdays until when"."""
    if part[-1].lower not in {word.lower for word in asked[:2] if word.tag.startswith("W")}:
        return part
    end = len(part) - 1
    while end and part[end - 1].lower in PREPOSITIONS:
        end -= 1
    return part[:end]


def _in_place(there: Sequence[_Phrase], new: _Phrase, *, polar: bool) -> list[_Phrase]:
    """Those in the place of which a new thing may be asked about; the like one goes before others.

    In a question for yes or no that is the first, where several are: "Is ibuprofen taken with food?".
    """
    alike = [each for each in there if each.may_be_replaced(new)]
    nouns = [each for each in alike if each.words[-1].lower == new.words[-1].lower]
    shaped = [each for each in alike if each.shape == new.shape]
    if nouns or len(alike) < 2 or len(shaped) == 1:
        return nouns or (shaped if len(alike) > 1 else alike)
    first = [each for each in shaped or alike if not each.before][:1]
    return first if polar else shaped


def _replaced(question: str, asked: Sequence[Word], found: Sequence[_Phrase], new: _Phrase) -> str:
    """The question with the new phrase in the place of the only one found; empty for none or several."""
    if len(found) != 1:
        return ""
    old = found[0].words
    if all(word.tag == "CD" for word in new.words):  # "for 3", in the place of "for 2 people"
        old = list(takewhile(lambda word: word.tag == "CD", old)) or old
    at = next(k for k, word in enumerate(asked) if word.index == old[0].index)
    lead = question[: old[0].start]
    if new.before and not found[0].before:
        lead += f"{new.before} "
    elif at and not any(word.lower in AUXILIARIES for word in asked[: at - 1]):  # right behind its verb
        numbers = _OF_SEVERAL if new.is_plural else OF_ONE
        verb = asked[at - 1]
        lead = question[: verb.start] + _cased(numbers.get(verb.lower, verb.text), verb) + " "
    return f"{lead}{_text(new.words)}{question[old[-1].end : asked[-1].end]}?"


def _cased(text: str, word: Word) -> str:
    return text[:1].upper() + text[1:] if word.text[0].isupper() else text


def _is_one(phrase: _Phrase) -> bool:
    """Whether the words are one phrase: "the pool", not "the pool on Sundays" or "until when"."""
    if any(word.tag.startswith("W") for word in phrase.words):
        return False
    names = [word.text[0].isupper() for word in phrase.words]
    nominal = all(word.tag in _PHRASE_TAGS or name for word, name in zip(phrase.words, names, strict=True))
    return phrase.is_time or (nominal and (names[-1] or phrase.words[-1].tag in _NAMING_TAGS))


def _phrases(asked: Sequence[Word]) -> list[_Phrase]:
    """The things and times in a question, without what stands right behind its "how" or "which"."""
    found: list[_Phrase] = []
    k = 0
    while k < len(asked):
        end = k
        while end < len(asked) and (asked[end].tag in _PHRASE_TAGS or _is_name(asked[end])):
            end += 1
        words = _trimmed(list(asked[k:end]))
        before = asked[k - 1] if k else None
        preposition = before.lower if before is not None and before.lower in PREPOSITIONS else ""
        words, day = (words, []) if preposition else _without_day(words)
        if not words and asked[k].lower in SPOKEN_OF:
            words = [asked[k]]
        if words and not (before is not None and before.tag.startswith("W")):
            found.append(_Phrase(words, preposition))
        if day:
            found.append(_Phrase(day, ""))
        k = max(end, k + 1)
    return found


def _without_day(words: list[Word]) -> tuple[list[Word], list[Word]]:
    """A phrase, and the time without a preposition that ends it: "the rink", of "the rink open Sundays"."""
    at = len(words) - _days_at_end(words)
    if at and words[at - 1].tag in ("DT", "PRP$"):
        return words, []  # "the Sunday"
    return _trimmed(words[:at]), words[at:]


def _days_at_end(words: Sequence[Word]) -> int:
    """How many words at the end tell when: two of "the rink open every Sunday"."""
    days = sum(1 for _ in takewhile(lambda word: _DAY.fullmatch(word.text), reversed(words)))
    return days + (0 < days < len(words) and words[-days - 1].lower in _BEFORE_DAY)


def _trimmed(words: list[Word]) -> list[Word]:
    """The words up to the last noun, name or number."""
    nouns = [k for k, word in enumerate(words) if word.tag in _NAMING_TAGS or _is_name(word)]
    return words[: nouns[-1] + 1] if nouns else []


def _counted(asked: Sequence[Word], new: _Phrase) -> list[_Phrase]:
    """What stands right behind "how many" or "which", where the new thing may stand there too, else empty.

    "Tigers", after "How many lions does the zoo have?".
    """
    asks = next((k for k, word in enumerate(asked[:2]) if word.tag.startswith("W")), len(asked))
    start = asks + 1 + any(word.lower in ("many", "much") for word in asked[asks + 1 : asks + 2])
    nouns = list(takewhile(lambda word: word.tag in NOUN_TAGS, asked[start:]))
    if not nouns or not new.is_bare:
        return []
    old = _Phrase(nouns, "")
    many = asked[start - 1].lower == "many"  # also of "fish" and "sheep"
    return [old] if new.is_plural == old.is_plural or (many and old.is_plural) else []


def _is_name(word: Word) -> bool:
    """Whether a word inside a question is part of a name, whatever its tag: "Does Plus include it?"."""
    return word.index > 0 and word.text[0].isupper() and word.tag != "PRP"


def _text(words: Sequence[Word]) -> str:
    text = ""
    for before, word in zip((None, *words), words, strict=False):
        text += ("" if before is None or before.end == word.start else " ") + word.text
    return text
