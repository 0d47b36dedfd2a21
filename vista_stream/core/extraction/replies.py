"""The statement that a question and an answer without one make: "When do you open?" and "At nine."

"We open at nine." The question's words are put in the order of a statement, and the answer where it belongs.
So are those of an answer that only affirms or denies: "Is it free?" and "No, it isn't."
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vista_stream.core.extraction.answer_sorts import (
    MONTH,
    NO,
    WEEKDAY,
    YES,
    is_adverbial,
    sort_of_answer,
    unit_of_count,
)
from vista_stream.core.extraction.answers import AUXILIARIES, denies, is_polar
from vista_stream.core.extraction.choices import chosen
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.extraction.predicates import ALONE, BE, Predicate, predicate_of, subject_of
from vista_stream.core.extraction.question_words import DO, HAPPENED, PREPOSITIONS, asked_words, written
from vista_stream.core.extraction.statement_order import as_stated, without_not
from vista_stream.core.text.stems import word_set

_AUXILIARIES = AUXILIARIES | BE | word_set("might 'd ’d 'll ’ll")
_UNSURE = {
    "anything": "something",
    "anyone": "someone",
    "anybody": "somebody",
    "any": "some",
    "anywhere": "somewhere",
}
_ALLOWING = word_set("can could may might")
_OPENS_LOW = PREPOSITIONS | word_set(
    """
    a an the one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty half around
    only up just exactly about approximately roughly nothing free every each either another less more no not
    through behind next near opposite
    inside outside above below over before after during without because if unless even when as all both none
    most some online via except whenever while provided once twice daily weekly monthly always usually
    normally mostly sometimes anywhere everywhere nowhere somewhere anything everything something anyone
    everyone someone nobody anytime
    """
)
"""First words of an answer that lose their capital behind the question's words."""
_STATES = word_set(
    """open closed shut included extra free full empty available unavailable required optional mandatory"""
)
"""Words for states of which an answer names one where the question asks for another."""
_INDIRECT = word_set("me us you him her them it")
"""What stands right behind the verb, before what is asked for: "What does it cost me?"."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|(?:noon|midnight)\b", re.IGNORECASE)
_DAY = re.compile(rf"{WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)? {MONTH}", re.IGNORECASE)
_YEAR = re.compile(rf"(?:{MONTH}[a-z]* )?[12]\d\d\d\b", re.IGNORECASE)
_ASSENT = re.compile(rf"(?:{YES}|{NO}|sure|certainly|of course|gladly)[,:;.!–—-]+ ?", re.IGNORECASE)
_ASSENT_BEHIND = re.compile(rf",? (?:{YES}|(?P<no>{NO}))[.!]*$", re.IGNORECASE)
_DENIES = re.compile(rf"(?:{NO}|not)\b", re.IGNORECASE)
_DENIED = re.compile(rf"(?:{NO})\b[,:;.!–—-]", re.IGNORECASE)
_TO_USER = re.compile(r"\byou(?P<has>r)?\b", re.IGNORECASE)
_CONDITIONS = word_set("if when while because since as before after")
_JOINED = word_set("for per till until with in on at")
_TIMES = word_set("time times day days evening evenings morning mornings date hours year month week")
_HAVE = {"has", "have", "had"}
_OBJECTS = word_set("what which who whom whose")
_REASONS = word_set("because to out due since so owing thanks")
"""First words of a reason."""
_MOVING = word_set("go goes went move moves moved travel travels travelled traveled")
_RATE = dict.fromkeys(("per", "an", "each", "every"), "a")
"""Words that tell a rate as "a" does: "per year"."""
_LIMITING = ("only", "just", "also", "even", "not", "but")
_AMOUNTING = word_set("about under between of")
"""Prepositions that also begin an amount: "About 300 people.", "Under 18s."."""
_BARE = 2
"""Words of a question, from its first on, that leave no room for a subject: "How much?", "Which days?"."""
_LONGEST = 14
"""Most words of a question that is put in another order."""


class _Told(NamedTuple):
    said: str
    """What an answer says besides its yes or no."""
    denied: bool
    assented: bool
    """Whether it begins with its yes or no, or is nothing else."""
    apart: bool
    """Whether what it says besides stands behind a comma."""


def stated(tree: Tree, answer: str, said: Tree | None = None) -> str:
    """The statement of a question, by its parse, and an answer that is none; empty where they have none.

    The answer's "yes" or "no" goes into the statement, and what it adds stands at the end. An answer for one
    of two things makes a statement for that one: "Are dogs and cats allowed?" and "Dogs, yes." The parse of
    what is `said` tells whether it names a place; without it none does.
    """
    words = asked_words(tree)
    if not words or len(words) > _LONGEST or any(word.lower == "or" for word in words):
        return ""
    if words[0].lower in _AUXILIARIES and (parts := chosen(tree, words, answer)):
        each = [_polar(tree, part.words, part.answer) for part in parts]
        return " ".join(each) if all(each) else ""
    at = next(
        (k for k, word in enumerate(words[:2]) if word.tag.startswith("W") or word.lower == "how"), None
    )
    if at is None and is_polar(answer, asked="is") and (kept := as_stated(tree, words, answer)):
        return _sentence(written(kept))
    if at is None:
        return _polar(tree, without_not(tree, words), answer)
    supposes = [word.lower for word in words[at + 1 : at + 2]] == ["if"]  # "What if it rains?"
    if supposes or is_polar(answer) or _DENIED.match(answer):
        return ""  # it answers another question than this one
    told = _to_user(answer)
    assent = _ASSENT.match(told)
    told = told[assent.end() :] if assent else told
    return _wanted(tree, words[:at], words[at:], told, named=_is_name(said)) if told else ""


def _to_user(answer: str) -> str:
    return _TO_USER.sub(lambda found: "the user's" if found["has"] else "the user", answer)


def _polar(tree: Tree, words: Sequence[Word], answer: str) -> str:
    """The statement of a question that asks for yes or no: "We deliver, for 20 euros."."""
    told, denied, assented, apart = _told(answer, words[0].lower)
    subject = subject_of(tree, words[0], words[1:], polar=True) if words[0].lower in _AUXILIARIES else []
    asked = words[1 + len(subject) :]
    state = _other_state(asked, told) if words[0].lower in BE else ""
    predicate = predicate_of(words[0], subject, [] if state else asked, denial=answer if denied else "")
    if predicate is None or subject[0].lower in _UNSURE:
        return ""  # nor is there a statement of "is anyone in?" and "No."
    if state:
        return _sentence(written(subject), predicate.verbs, state)
    if not assented and not is_adverbial(told):
        return ""
    rest = predicate.rest if denied else _with_some(words[0], predicate.rest, more=apart)
    said = f"{predicate.verbs} {written(rest)}".strip()
    return _sentence(written(subject), said + ("," if apart else ""), _lowered(told))


def _with_some(verb: Word, rest: Sequence[Word], *, more: bool) -> list[Word]:
    """The words behind the verb of a question as a yes says them: "any rooms" is "some rooms".

    "Any printer" and "anywhere" are each whatever it is, where what one may do is asked; so is one thing
    behind a preposition, but not of what has happened. Where the yes tells `more`, "any" asks for that:
    "Yes, in red."
    """
    may = verb.lower in _ALLOWING and not more
    is_so = verb.lower not in HAPPENED and not more
    rest = [w for k, w in enumerate(rest) if "at all" not in (_two(rest, k), _two(rest, k - 1))]
    said = list(rest)
    for k, word in enumerate(rest):
        noun = next((each for each in rest[k:] if each.tag in NOUN_TAGS), None)
        one = word.lower == "any" and noun is not None and noun.tag not in PLURAL_TAGS
        behind = k > 0 and rest[k - 1].tag == "IN"
        if not ((one and (may or (behind and is_so))) or (word.lower == "anywhere" and may)):
            said[k] = replace(word, text=_UNSURE.get(word.lower, word.text))
    return said


def _two(words: Sequence[Word], k: int) -> str:
    return " ".join(word.lower for word in words[k : k + 2]) if k >= 0 else ""


def _told(answer: str, verb: str) -> _Told:
    """What an answer to a question that begins with this verb says: "No, never.", "If it rains, no."."""
    if is_polar(answer, asked=verb):
        return _Told("", denies(answer), assented=True, apart=False)
    if assent := _ASSENT.match(answer):
        said = _to_user(answer[assent.end() :])
        return _Told(said, _DENIES.match(answer) is not None, assented=True, apart=bool(said))
    if behind := _ASSENT_BEHIND.search(answer):
        return _Told(
            _to_user(answer[: behind.start()]), behind["no"] is not None, assented=False, apart=False
        )
    denial = _DENIES.match(answer)
    limited = denial is not None and is_adverbial(answer[denial.end() + 1 :])
    said = answer[denial.end() + 1 :] if denial and limited else answer
    return _Told(_to_user(said), denial is not None, assented=False, apart=False)


def _other_state(asked: Sequence[Word], told: str) -> str:
    """What is said of the subject by an answer that names a state: "Closed.", of "open on Sundays"."""
    first, _, more = told.rstrip(".!").partition(" ")
    if not asked or not {asked[0].lower, first.lower()} <= _STATES:
        return ""
    return f"{first.lower()} {more or written(asked[1:])}".rstrip()


def _wanted(tree: Tree, before: Sequence[Word], words: Sequence[Word], told: str, *, named: bool) -> str:
    """The statement of a question from its what, when or how on, with a preposition `before` it or none."""
    asks = words[0]
    verb = next((k for k, word in enumerate(words) if k and _leads(word)), None)
    if verb is None or (len(words) <= _BARE and asks.lower in ("how", "which", "what")):
        return _without_a_verb(words[1:], told)
    asked, (first, *rest) = words[1:verb], without_not(tree, words[verb:])
    denial = "must not" if len(rest) < len(words) - verb - 1 else ""
    told = _of_owner(asked, told) if asks.lower == "whose" else _with_counted(asked, told)
    if not told or (asks.lower == "why" and not _gives_reason(told)):
        return ""
    if not before and _asks_for_the_subject(words[:verb], first, rest):
        if _is_adjunct(told):
            return ""  # of another question: "Which bus goes there?" and "At nine."
        head, comma, more = told.rstrip(".!").partition(", ")
        some = asked[:1] and asked[0].lower == "many" and any(word.tag == "IN" for word in asked)
        of_them = written(asked[1:]) if some and unit_of_count(head) == "" else ""  # "Two of the basses"
        return _sentence(head, of_them, written(words[verb:]) + comma.strip(), more)
    of_thing = asks.lower in _OBJECTS and verb == 1 and not before
    subject = subject_of(tree, first, rest, adverbial=not of_thing)
    predicate = predicate_of(first, subject, rest[len(subject) :], denial=denial)
    if predicate is None:
        return ""
    if asks.lower == "how" and verb == 1 and words[1].lower not in BE and not is_adverbial(told):
        return ""  # "How do I get there?" "Bus 12."
    timed = asks.lower == "when" or any(word.lower in _TIMES for word in asked)
    placed = _with_preposition(told, before, timed=timed)
    if asks.lower == "where":
        placed = _at_place(placed, predicate, named=named)
    if not timed and (
        asks.lower in ("what", "which", "who", "whom", "whose")
        or any(w.lower in ("much", "many") for w in asked)
    ):
        return _with_object(subject, predicate, placed)
    return _with_adverbial(subject, predicate, placed)


def _of_owner(asked: Sequence[Word], told: str) -> str:
    """An owner with the noun that "whose" asks for: "Emil's." as an answer to "whose son" is "Emil's son.".

    Empty where there is a noun and the answer is no owner: "Emil" need not be one.
    """
    head, comma, more = told.rstrip(".!").partition(", ")
    if not asked or not head.endswith(("'s", "’s", "s'", "s’")):
        return "" if asked else told
    return f"{head} {written(asked)}{comma}{more}."


def _gives_reason(told: str) -> bool:
    """Whether an answer to "why" may stand behind the statement: "Because …", "To get married."."""
    first = told.partition(" ")[0].lower()
    return first in _REASONS or is_adverbial(told)


def _is_name(said: Tree | None) -> bool:
    return said is not None and bool(said.words) and said.words[0].tag in PROPER_TAGS


def _at_place(told: str, predicate: Predicate, *, named: bool) -> str:
    """The answer to "where" with a preposition, for a name or an article: "in Bern", "at the desk"."""
    article = told.partition(" ")[0] in ("the", "a", "an", "our")
    if not (named or article) or any(word.lower == "from" for word in predicate.rest):
        return told
    if predicate.verbs.partition(" ")[0] in _MOVING:
        return f"to {told}"
    return f"{'at' if article else 'in'} {told}"


def _with_counted(asked: Sequence[Word], told: str) -> str:
    """A number with the noun that "how many" or "how much" asks for: "Two, signed." and "50 GB.".

    That gives "Two references, signed." and "50 GB of storage."; an amount of money or time needs no noun.
    """
    head = told.rstrip(".!").partition(", ")[0]
    unit = unit_of_count(head)
    nouns = (
        asked[-1:] and asked[-1].tag in NOUN_TAGS and {word.tag for word in asked[1:]} <= NOUN_TAGS | {"JJ"}
    )
    if unit is None or len(asked) < _BARE or not nouns:
        return told
    mass = unit and asked[-1].tag == "NN"  # "How many butter", after "How many eggs do I need?"
    if head.casefold() in ("one", "1") or (asked[0].lower != ("much" if unit else "many") and not mass):
        return told
    return f"{head}{' of' if unit else ''} {written(asked[1:])}{told[len(head) :]}"


def _without_a_verb(rest: Sequence[Word], told: str) -> str:
    """The statement of "How much for two?" and "20 euros.": "It is 20 euros for two."."""
    if any(word.tag == "TO" or word.lower == "about" for word in rest):
        return ""
    start = next((k for k, word in enumerate(rest) if word.lower in _JOINED), len(rest))
    counted = _with_counted(rest[:start], told)
    many = [word.lower for word in rest[:1]] == ["many"] and start > 1
    if many and counted == told:
        return ""  # "How many eggs?" "Seven or eight."
    said, more = _lowered(counted).rstrip(".!"), written(rest[start:])
    opening = "There are" if many else "It is"
    return _sentence(opening, said, "" if more.casefold() in said.casefold() else more)


def _with_object(subject: Sequence[Word], predicate: Predicate, told: str) -> str:
    """The answer behind the verb: "What do I need the first time?" and "A towel, for the sauna.".

    Behind what follows the verb closely, too: "What does it cost me?", "Who do you work with?".
    """
    verbs, rest = predicate
    if rest and rest[0].lower in _INDIRECT:
        verbs, rest = f"{verbs} {written(rest[:1])}", rest[1:]
    if rest and rest[0].tag == "IN" and (not rest[1:] or rest[1].tag == "IN"):
        told = told.removeprefix(f"{rest[0].lower} ")
        verbs, rest = f"{verbs} {written(rest[:1])}", rest[1:]
    head, comma, more = told.rstrip(".!").partition(", ") if rest else (told, "", "")
    behind = written(rest[_said_again(head, rest) :])
    head, behind = (head, behind + comma.strip()) if behind else (head + comma.strip(), "")
    return _sentence(written(subject), verbs, head, behind, more)


def _said_again(head: str, rest: Sequence[Word]) -> int:
    """How many of the words behind the verb the answer ends with: "270 euros a year" for "is it a year"."""
    told = [_RATE.get(word, word) for word in head.casefold().split()]
    asked = [_RATE.get(word.lower, word.lower) for word in rest]
    return next((k for k in range(len(asked), 0, -1) if told[-k:] == asked[:k]), 0)


def _with_adverbial(subject: Sequence[Word], predicate: Predicate, told: str) -> str:
    """The answer behind the statement and before its condition, without a preposition that both have."""
    rest = predicate.rest
    if rest and rest[-1].lower == told.partition(" ")[0]:
        rest = rest[:-1]
    at = next((k for k, word in enumerate(rest) if word.lower in _CONDITIONS), len(rest))
    said = told.rstrip(".!") if rest[at:] else told
    kept = rest[_said_again(told.rstrip(".!").partition(", ")[0], rest[:at]) : at]
    return _sentence(written(subject), predicate.verbs, written(kept), said, written(rest[at:]))


def _leads(word: Word) -> bool:
    return word.lower in _AUXILIARIES or word.tag in FINITE_TAGS


def _asks_for_the_subject(asked: Sequence[Word], verb: Word, rest: Sequence[Word]) -> bool:
    """Whether what is asked for is the subject: "Who trains the beginners?", "Which plan has no limit?"."""
    if verb.lower not in _AUXILIARIES:
        return True
    if not rest or rest[0].lower in ALONE:
        return False
    if rest[0].tag in VERB_TAGS and verb.lower not in DO:
        return rest[0].dep not in SUBJECTS
    many = any(word.lower == "many" for word in asked) and verb.lower != "has"  # "How many beds has it?"
    if asked[0].lower not in _OBJECTS and not many:
        return False
    verbless = all(word.tag not in VERB_TAGS for word in rest)
    if (
        verb.lower in DO
    ):  # "Who did the music?", but not "Who does the clinic charge?", "What did most die of?"
        one = sum(word.tag in NOUN_TAGS for word in rest) == 1
        return verbless and one and asked[0].lower != "what"
    return (verb.lower in _HAVE and verbless) or (verb.lower in BE and _is_predicative(rest))


def _is_predicative(rest: Sequence[Word]) -> bool:
    """Whether the words begin with what only a predicate begins with: "with her", "free on Sundays"."""
    noun_follows = len(rest) > 1 and rest[1].tag in (*NOUN_TAGS, "JJ")
    return rest[0].tag == "IN" or (rest[0].tag.startswith("JJ") and not noun_follows)


def _is_adjunct(told: str) -> bool:
    """Whether an answer is a phrase of a time or place, and so no subject: "Only on Sundays."."""
    words = [word for word in told.casefold().split(" ") if word not in _LIMITING]
    if words[:1] and words[0] in ("every", "each"):
        return sort_of_answer(" ".join(words)) == "time"
    return words[:1] != [] and words[0] in PREPOSITIONS - _AMOUNTING


def _with_preposition(told: str, before: Sequence[Word], *, timed: bool) -> str:
    """The answer with the preposition of the question, or with the one that its time needs."""
    first = told.partition(" ")[0].lower()
    if before and first not in PREPOSITIONS:
        return f"{before[0].lower} {_lowered(told)}"
    if timed and (_CLOCK.match(told) or _DAY.match(told)):
        return f"{'at' if _CLOCK.match(told) else 'on'} {told}"
    if timed and _YEAR.match(told):
        return f"in {told}"
    return _lowered(told)


def _lowered(told: str) -> str:
    word = told.partition(" ")[0].strip(",.;:")
    low = word.lower() in _OPENS_LOW and not word[1:].isupper()  # not "IN SUMMER"
    return told[:1].lower() + told[1:] if low else told


def _sentence(*parts: str) -> str:
    text = " ".join(filter(None, parts)).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
