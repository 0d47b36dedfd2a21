"""The statement that a question and an answer without one make: "When do you open?" and "At nine."

"We open at nine." The question's words are put in the order of a statement, and the answer where it belongs.
So are those of an answer that only affirms or denies: "Is it free?" and "No, it isn't."
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vista_stream.core.extraction.answer_sorts import MONTH, WEEKDAY, sort_of_answer, unit_of_count
from vista_stream.core.extraction.answers import AUXILIARIES, denies, is_polar
from vista_stream.core.extraction.choices import OF_ONE, chosen
from vista_stream.core.extraction.inflection import third_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.extraction.question_words import DO, EXPANDED, PREPOSITIONS, asked_words, written
from vista_stream.core.text.stems import word_set

_BE = {"is", "are", "was", "were", "am", "'s", "’s"}
_AUXILIARIES = AUXILIARIES | _BE | word_set("might 'd ’d 'll ’ll")
_ALONE = word_set("i we you u he she it they this that these those there")
_UNSURE = {"anything": "something", "anyone": "someone", "anybody": "somebody", "any": "some"}
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
_ADVERBIAL = re.compile(
    rf"(?:(?:only|just|also|even|not|but) )*(?:{'|'.join(sorted(PREPOSITIONS))}|through|via|near|behind"
    r"|next to|opposite|inside|outside|above|below|over|before|after|during|without|except|if|unless|when"
    r"|whenever|while|as|provided|once|twice|every|each|daily|weekly|monthly|always|usually|mostly|sometimes|online|\w+ly)\b",
    re.IGNORECASE,
)
"""The beginning of an answer that may stand behind a whole statement: "Only on holidays."."""
_STATES = word_set(
    """open closed shut included extra free full empty available unavailable required optional mandatory"""
)
"""Words for states of which an answer names one where the question asks for another."""
_INDIRECT = word_set("me us you him her them it")
"""What stands right behind the verb, before what is asked for: "What does it cost me?"."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|(?:noon|midnight)\b", re.IGNORECASE)
_DAY = re.compile(rf"{WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)? {MONTH}", re.IGNORECASE)
_ASSENT = re.compile(r"(?:yes|yeah|yep|sure|certainly|of course|gladly|no|nope)[,:;.!–—-]+ ?", re.IGNORECASE)
_ASSENT_BEHIND = re.compile(r",? (?:yes|yeah|yep|(?P<no>no|nope))[.!]*$", re.IGNORECASE)
_DENIES = re.compile(r"(?:no|nope|not)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:no|nope)\b[,:;.!–—-]", re.IGNORECASE)
_TO_USER = re.compile(r"\byou(?P<has>r)?\b", re.IGNORECASE)
_CONDITIONS = word_set("if when while because since as before after")
_JOINED = word_set("for per till until with in on at")
_TIMES = word_set("time times day days evening evenings morning mornings date hours year month week")
_LEADING = word_set("have has had need needs want like get got going")
"""Verbs whose "to" leads to the verb that matters."""
_OPEN = word_set("do think like love prefer recommend suggest feel")
"""Verbs of questions whose answers are no object of theirs."""
_LIMITING = ("only", "just", "also", "even", "not", "but")
_AMOUNTING = word_set("about under between of")
"""Prepositions that also begin an amount: "About 300 people.", "Under 18s."."""
_BARE = 2
"""Words of a question, from its first on, that leave no room for a subject: "How much?", "Which days?"."""
_LONGEST = 14
"""Most words of a question that is put in another order."""


class _Predicate(NamedTuple):
    verbs: str
    """In the form that their subject asks for."""
    rest: list[Word]
    """What follows them in the question."""


class _Told(NamedTuple):
    said: str
    """What an answer says besides its yes or no."""
    denied: bool
    assented: bool
    """Whether it begins with its yes or no, or is nothing else."""
    apart: bool
    """Whether what it says besides stands behind a comma."""


def stated(tree: Tree, answer: str) -> str:
    """The statement of a question, by its parse, and an answer that is none; empty where they have none.

    The answer's "yes" or "no" goes into the statement, and what it adds stands at the end. An answer for one
    of two things makes a statement for that one: "Are dogs and cats allowed?" and "Dogs, yes."
    """
    words = asked_words(tree)
    if not words or len(words) > _LONGEST or any(word.lower == "or" for word in words):
        return ""
    if words[0].lower in _AUXILIARIES and (parts := chosen(tree, words, answer)):
        said = [_polar(tree, part.words, part.answer) for part in parts]
        return " ".join(said) if all(said) else ""
    at = next(
        (k for k, word in enumerate(words[:2]) if word.tag.startswith("W") or word.lower == "how"), None
    )
    if at is None and is_polar(answer) and not denies(answer) and _is_stated(tree):
        return _sentence(written(words))
    if at is None:
        return _polar(tree, words, answer)
    if is_polar(answer) or _DENIED.match(answer):
        return ""  # it answers another question than this one
    told = _to_user(answer)
    assent = _ASSENT.match(told)
    told = told[assent.end() :] if assent else told
    return _wanted(tree, words[:at], words[at:], told) if told else ""


def _is_stated(tree: Tree) -> bool:
    """Whether a question has the word order of a statement: "The pass costs 12 euros?"."""
    root = tree.roots[0]
    subject = tree.child(root, *SUBJECTS)
    verbs = (root, *tree.children(root, "aux", "auxpass"))
    first = min((word.index for word in verbs if word.tag in FINITE_TAGS), default=0)
    return subject is not None and subject.index < first


def _to_user(answer: str) -> str:
    return _TO_USER.sub(lambda found: "the user's" if found["has"] else "the user", answer)


def _polar(tree: Tree, words: Sequence[Word], answer: str) -> str:
    """The statement of a question that asks for yes or no: "We deliver, for 20 euros."."""
    told, denied, assented, apart = _told(answer, words[0].lower)
    subject = _subject(tree, words[0], words[1:], polar=True) if words[0].lower in _AUXILIARIES else []
    asked = words[1 + len(subject) :]
    state = _other_state(asked, told) if words[0].lower in _BE else ""
    predicate = _predicate(words[0], subject, [] if state else asked, denial=answer if denied else "")
    if predicate is None or subject[0].lower in _UNSURE:
        return ""  # nor is there a statement of "is anyone in?" and "No."
    if state:
        return _sentence(written(subject), predicate.verbs, state)
    if not assented and not _ADVERBIAL.match(told):
        return ""
    rest = predicate.rest if denied else _with_some(words[0], predicate.rest)
    said = f"{predicate.verbs} {written(rest)}".strip()
    return _sentence(written(subject), said + ("," if apart else ""), _lowered(told))


def _with_some(verb: Word, rest: Sequence[Word]) -> list[Word]:
    """The words behind the verb of a question as a yes says them: "any rooms" is "some rooms".

    One thing, "any printer", is each whatever it is, where what one may do is asked, or behind a preposition.
    """
    said = list(rest)
    for k, word in enumerate(rest):
        noun = next((each for each in rest[k:] if each.tag in NOUN_TAGS), None)
        free = verb.lower in _ALLOWING or (k > 0 and rest[k - 1].tag == "IN")
        if not (word.lower == "any" and free and noun is not None and noun.tag not in PLURAL_TAGS):
            said[k] = replace(word, text=_UNSURE.get(word.lower, word.text))
    return said


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
    limited = denial is not None and _ADVERBIAL.match(answer, denial.end() + 1) is not None
    said = answer[denial.end() + 1 :] if denial and limited else answer
    return _Told(_to_user(said), denial is not None, assented=False, apart=False)


def _other_state(asked: Sequence[Word], told: str) -> str:
    """What is said of the subject by an answer that names a state: "Closed.", of "open on Sundays"."""
    first, _, more = told.rstrip(".!").partition(" ")
    if not asked or not {asked[0].lower, first.lower()} <= _STATES:
        return ""
    return f"{first.lower()} {more or written(asked[1:])}".rstrip()


def _wanted(tree: Tree, before: Sequence[Word], words: Sequence[Word], told: str) -> str:
    """The statement of a question from its what, when or how on, with a preposition `before` it or none."""
    asks = words[0]
    verb = next((k for k, word in enumerate(words) if k and _leads(word)), None)
    if verb is None or (len(words) <= _BARE and asks.lower in ("how", "which", "what")):
        return _without_a_verb(words[1:], told)
    asked, rest = words[1:verb], words[verb + 1 :]
    told = _with_counted(asked, told)
    if _asks_for_the_subject(words[verb], rest):
        if _is_adjunct(told):
            return ""  # of another question: "Which bus goes there?" and "At nine."
        head, comma, more = told.rstrip(".!").partition(", ")
        return _sentence(head, written(words[verb:]) + comma.strip(), more)
    subject = _subject(tree, words[verb], rest)
    predicate = _predicate(words[verb], subject, rest[len(subject) :])
    if predicate is None:
        return ""
    if asks.lower == "how" and verb == 1 and words[1].lower not in _BE and not _ADVERBIAL.match(told):
        return ""  # "How do I get there?" "Bus 12."
    timed = asks.lower == "when" or any(word.lower in _TIMES for word in asked)
    placed = _with_preposition(told, before, timed=timed)
    if not timed and (
        asks.lower in ("what", "which", "who", "whom") or any(w.lower in ("much", "many") for w in asked)
    ):
        return _with_object(subject, predicate, placed)
    return _with_adverbial(subject, predicate, placed)


def _with_counted(asked: Sequence[Word], told: str) -> str:
    """A number with the noun that "how many" or "how much" asks for: "Two, signed." and "50 GB.".

    That gives "Two references, signed." and "50 GB of storage."; an amount of money or time needs no noun.
    """
    head = told.rstrip(".!").partition(", ")[0]
    unit = unit_of_count(head)
    if unit is None or len(asked) < _BARE or any(word.tag not in NOUN_TAGS for word in asked[1:]):
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
    told = _with_counted(rest[:start], told)
    said, more = _lowered(told).rstrip(".!"), written(rest[start:])
    return _sentence("It is", said, "" if more.casefold() in said.casefold() else more)


def _with_object(subject: Sequence[Word], predicate: _Predicate, told: str) -> str:
    """The answer behind the verb: "What do I need the first time?" and "A towel, for the sauna."."""
    if predicate.rest and predicate.rest[0].lower in _INDIRECT:
        verbs = f"{predicate.verbs} {written(predicate.rest[:1])}"
        predicate = _Predicate(verbs, predicate.rest[1:])
    head, comma, more = told.rstrip(".!").partition(", ") if predicate.rest else (told, "", "")
    if len(predicate.rest) == 1 and predicate.rest[0].lower in PREPOSITIONS:  # "do you work with?"
        return _sentence(written(subject), predicate.verbs, predicate.rest[0].lower, told)
    return _sentence(written(subject), predicate.verbs, head, written(predicate.rest) + comma.strip(), more)


def _with_adverbial(subject: Sequence[Word], predicate: _Predicate, told: str) -> str:
    """The answer behind the statement and before its condition, without a preposition that both have."""
    rest = predicate.rest
    if rest and rest[-1].lower == told.partition(" ")[0]:
        rest = rest[:-1]
    at = next((k for k, word in enumerate(rest) if word.lower in _CONDITIONS), len(rest))
    said = told.rstrip(".!") if rest[at:] else told
    return _sentence(written(subject), predicate.verbs, written(rest[:at]), said, written(rest[at:]))


def _leads(word: Word) -> bool:
    return word.lower in _AUXILIARIES or word.tag in FINITE_TAGS


def _asks_for_the_subject(verb: Word, rest: Sequence[Word]) -> bool:
    """Whether what is asked for is the subject: "Who trains the beginners?", "Who can do that?"."""
    if verb.lower not in _AUXILIARIES:
        return True
    if not rest or verb.lower in DO or rest[0].tag not in VERB_TAGS:
        return False
    return rest[0].dep not in SUBJECTS


def _is_adjunct(told: str) -> bool:
    """Whether an answer is a phrase of a time or place, and so no subject: "Only on Sundays."."""
    words = [word for word in told.casefold().split(" ") if word not in _LIMITING]
    if words[:1] and words[0] in ("every", "each"):
        return sort_of_answer(" ".join(words)) == "time"
    return words[:1] != [] and words[0] in PREPOSITIONS - _AMOUNTING


def _subject(tree: Tree, verb: Word, rest: Sequence[Word], *, polar: bool = False) -> list[Word]:
    """The words after the verb that are the subject of the question, which may be one of yes or no."""
    if not rest:
        return []
    noun_follows = len(rest) > 1 and rest[0].tag == "DT" and rest[1].tag.startswith("NN")
    if rest[0].lower in _ALONE and not noun_follows:
        return [rest[0]]
    main = next((k for k, word in enumerate(rest) if word.dep == "ROOT"), 0) if verb.lower in DO else 0
    if main:
        return list(rest[:main])
    region = _region(tree, rest)
    if polar and 0 < len(region) < len(rest):
        return region
    if polar and verb.lower in _BE:
        return _up_to_the_predicate(rest)
    if verb.lower in _BE and not any(word.tag in VERB_TAGS for word in rest[1:]):
        after = rest[len(region) :]
        return list(rest) if not after or after[0].tag not in ("JJ", "IN", "RB") else region
    return region or _up_to_the_verb(rest)


def _up_to_the_predicate(rest: Sequence[Word]) -> list[Word]:
    """The noun phrase before the adjective, adverb or other phrase that is asked about; empty without one."""
    nouns = [k for k, word in enumerate(rest) if word.tag in NOUN_TAGS]
    end = next((k + 1 for k in nouns if k + 1 not in nouns), len(rest))
    predicates = ("JJ", "RB", "RP", "VBN", "VBG", "VBD", "DT", "PRP$")
    return list(rest[:end]) if end < len(rest) and rest[end].tag in predicates else []


def _region(tree: Tree, rest: Sequence[Word]) -> list[Word]:
    """The part of the parse that is a subject and begins with these words."""
    first = rest[0].index
    for word in rest:
        region = tree.region(word) if word.dep in SUBJECTS else []
        if region and region[0].index == first:
            inside = {each.index for each in region}
            length = next((k for k, each in enumerate(rest) if each.index not in inside), len(rest))
            numeral = (
                length < len(rest) and rest[length].text == "I" and region[length - 1].tag in PROPER_TAGS
            )
            return list(rest[: length + numeral])  # "World War I"
    return []


def _up_to_the_verb(rest: Sequence[Word]) -> list[Word]:
    verb = next((k for k, word in enumerate(rest) if k > 0 and word.tag in ("VB", "VBP", "VBN")), 0)
    return list(rest[:verb])


def _predicate(
    verb: Word, subject: Sequence[Word], rest: Sequence[Word], *, denial: str = ""
) -> _Predicate | None:
    """What the statement says of its subject, with the "not" of an answer that is a `denial`.

    None without a subject, or where "do" has no verb. What one need not do is no prohibition.
    """
    if not subject:
        return None
    form = EXPANDED.get(verb.lower, verb.lower)
    of_user = len(subject) == 1 and subject[0].lower in ("i", "we")
    chain = next(
        (k for k, word in enumerate(rest) if not _in_chain(word, rest[k - 1] if k else verb)), len(rest)
    )
    verbs, more = list(rest[:chain]), list(rest[chain:])
    if form in DO and not verbs:
        return None
    if form in ("do", "does") and not denial:
        if verbs[0].lower in _OPEN:
            return None
        said = third_person(verbs[0].text) if of_user or form == "does" else verbs[0].text
        return _Predicate(f"{said} {written(verbs).partition(' ')[2]}".strip(), more)
    form = OF_ONE.get(form, form) if of_user else form
    if denial:
        free = form == "must" and form not in denial.casefold()
        form = "need not" if free else "cannot" if form == "can" else f"{form} not"
    return _Predicate(f"{form} {written(verbs)}".strip(), more)


def _in_chain(word: Word, before: Word) -> bool:
    """Whether a word behind the subject belongs to its verbs: "have to pick up"."""
    if word.tag == "TO":
        return before.lower in _LEADING
    told = word.lower in ("you", "u") and before.tag in VERB_TAGS  # "contact you"
    return told or word.tag in VERB_TAGS or word.tag == "RP" or word.dep == "prt"


def _with_preposition(told: str, before: Sequence[Word], *, timed: bool) -> str:
    """The answer with the preposition of the question, or with the one that its time needs."""
    first = told.partition(" ")[0].lower()
    if before and first not in PREPOSITIONS:
        return f"{before[0].lower} {_lowered(told)}"
    if timed and (_CLOCK.match(told) or _DAY.match(told)):
        return f"{'at' if _CLOCK.match(told) else 'on'} {told}"
    return _lowered(told)


def _lowered(told: str) -> str:
    word = told.partition(" ")[0].strip(",.;:").lower()
    return told[:1].lower() + told[1:] if word in _OPENS_LOW else told


def _sentence(*parts: str) -> str:
    text = " ".join(filter(None, parts)).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
