"""The statement that a question and an answer without one make: "When do you open?" and "At nine."

"We open at nine." The question's words are put in the order of a statement, and the answer where it belongs.
So are those of an answer that only affirms or denies: "Is it free?" and "No, it isn't."
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from vista_stream.core.extraction.answer_sorts import MONTH, WEEKDAY
from vista_stream.core.extraction.answers import AUXILIARIES, denies, is_polar
from vista_stream.core.extraction.choices import OF_ONE, chosen
from vista_stream.core.extraction.inflection import third_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import FINITE_TAGS, NOUN_TAGS, PROPER_TAGS, SUBJECTS, VERB_TAGS
from vista_stream.core.text.stems import word_set

_DO = {"do", "does", "did"}
_BE = {"is", "are", "was", "were", "am", "'s", "’s"}
_AUXILIARIES = AUXILIARIES | _BE | word_set("might 'd ’d 'll ’ll")
_EXPANDED = {"'s": "is", "’s": "is", "'d": "would", "’d": "would", "'ll": "will", "’ll": "will"}
_SHORT = {"m": "is", "'m": "is", "’m": "is", "'re": "is", "’re": "is", "'ve": "has", "’ve": "has"}
"""Verbs joined to the "I" or "we" before them, as claims about the user have them."""
_NAMES = {
    "i": "the user", "me": "the user", "we": "the user", "us": "the user",
    "my": "the user's", "our": "the user's", "mine": "the user's", "ours": "the user's",
    "you": "we", "your": "our", "yours": "ours", "u": "we",
}  # fmt: skip
"""The words of a user for the two who speak, as claims name them."""
_ALONE = word_set("i we you u he she it they this that these those there")
_UNSURE = {"anything": "something", "anyone": "someone", "anybody": "somebody", "any": "some"}
PREPOSITIONS = word_set("until till by from since at in on to for with about between of under within")
_OPENS_LOW = PREPOSITIONS | word_set(
    """
    a an the one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty half around
    only up just exactly about approximately roughly nothing free every each either another less more no not
    through behind next near opposite
    inside outside before after during without if unless even when as all both none most some online
    via except whenever while provided once twice daily weekly monthly always usually mostly sometimes
    """
)
"""First words of an answer that lose their capital behind the question's words."""
_ADVERBIAL = re.compile(
    rf"(?:(?:only|just|also|even|not|but) )*(?:{'|'.join(sorted(PREPOSITIONS))}|through|via|near|behind"
    r"|next to|opposite|inside|outside|before|after|during|without|except|if|unless|when|whenever|while|as"
    r"|provided|once|twice|every|each|daily|weekly|monthly|always|usually|mostly|sometimes|online|\w+ly)\b",
    re.IGNORECASE,
)
"""The beginning of an answer that may stand behind a whole statement: "Only on holidays."."""
_STATES = word_set(
    """open closed shut included extra free full empty available unavailable required optional mandatory"""
)
"""Words for states of which an answer names one where the question asks for another."""
_INDIRECT = word_set("me us you him her them it")
"""What stands right behind the verb, before what is asked for: "What does it cost me?"."""
_NOMINAL = NOUN_TAGS | {"DT", "JJ", "CD", "POS", "PRP$", "VB", "VBP"}
"""Tags of a subject without a preposition, and of the verb behind it, whichever the parser took it for."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|(?:noon|midnight)\b", re.IGNORECASE)
_DAY = re.compile(rf"{WEEKDAY}\b|\d{{1,2}}(?:st|nd|rd|th)? {MONTH}", re.IGNORECASE)
_ASSENT = re.compile(r"(?:yes|yeah|yep|sure|certainly|of course|gladly|no|nope)[,:;.!–—-]+ ?", re.IGNORECASE)
_DENIES = re.compile(r"(?:no|nope|not)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:no|nope)\b[,:;.!–—-]", re.IGNORECASE)
_TO_USER = re.compile(r"\byou(?P<has>r)?\b", re.IGNORECASE)
_CONDITIONS = word_set("if when while because since as before after")
_TRAILING = word_set("then again meanwhile sorry exactly please pls actually though")
_JOINED = word_set("for per till until with in on at")
_TIMES = word_set("time times day days evening evenings morning mornings date hours year month week")
_LEADING = word_set("have has had need needs want like get got going")
"""Verbs whose "to" leads to the verb that matters."""
_OPEN = word_set("do think like love prefer recommend suggest feel")
"""Verbs of questions whose answers are no object of theirs."""
_BARE = 2
"""Words of a question, from its first on, that leave no room for a subject: "How much?", "Which days?"."""
_LONGEST = 14
"""Most words of a question that is put in another order."""


class _Predicate(NamedTuple):
    verbs: str
    """In the form that their subject asks for."""
    rest: list[Word]
    """What follows them in the question."""


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
    finite = [word for word in verbs if word.tag in FINITE_TAGS]
    return bool(subject and finite) and subject.index < min(word.index for word in finite)


def _to_user(answer: str) -> str:
    return _TO_USER.sub(lambda found: "the user's" if found["has"] else "the user", answer)


def asked_words(tree: Tree) -> list[Word]:
    """The words of the question up to a comma, without what may stand after it."""
    words = list(tree.words)
    words = words[: next((k for k in range(len(words)) if _ends(words, k)), len(words))]
    while words and words[-1].lower in _TRAILING:
        words.pop()
    return _with_verb(words)


def _with_verb(words: list[Word]) -> list[Word]:
    """The words, with the verb that "do" leads to as such where the parser took it for a noun.

    "Does the flight leave at 9?" Where what is asked for is the object, nothing follows the verb: "What does
    the day pass cost?".
    """
    do = next((k for k, word in enumerate(words) if word.lower in _DO), len(words))
    asked, rest = [word.lower for word in words[:do]], words[do + 1 :]
    phrase = list(takewhile(lambda word: word.tag in _NOMINAL, rest))
    found = [word for word in rest[1:] if word.tag in VERB_TAGS]
    fronted = asked in (["what"], ["how", "much"]) and found[:1] == [w for w in phrase if w in found][:1]
    if (found and not fronted) or asked[:1] in (["who"], ["which"]):
        return words
    verb = _with_subject(rest) or _last_noun(phrase)
    if verb is None:
        return words
    nouns = [replace(w, tag="NN", dep="compound") if w in found and w in phrase else w for w in words]
    return [replace(word, tag="VB", dep="ROOT") if word.index == verb.index else word for word in nouns]


def _with_subject(rest: Sequence[Word]) -> Word | None:
    """The root that has its subject before itself, and so is a verb, whatever its tag: "open", "close"."""
    heads = {word.head for word in rest if word.dep in SUBJECTS and word.head > word.index}
    return next((w for w in rest if w.dep == "ROOT" and w.index in heads and w.tag not in VERB_TAGS), None)


def _last_noun(phrase: Sequence[Word]) -> Word | None:
    """The last singular noun behind another noun, which is the verb where there is no other."""
    nouns = [word for word in phrase if word.tag in NOUN_TAGS or word.tag == "VB"]
    return next((word for word in reversed(nouns[1:]) if word.tag in ("NN", "VB")), None)


def _ends(words: Sequence[Word], k: int) -> bool:
    """Whether the question ends before a word: at a comma, or at what the user tells, "im a student"."""
    told = k > 1 and words[k].lower == "i" and any(_joined(word, words[k]) for word in words[k + 1 : k + 2])
    joint = words[k].text == "-" and k > 0 and words[k - 1].end == words[k].start
    return told or (words[k].text in (",", "?", "(", "-", "–") and not joint)


def _polar(tree: Tree, words: Sequence[Word], answer: str) -> str:
    """The statement of a question that asks for yes or no: "We deliver, for 20 euros."."""
    alone = is_polar(answer, asked=words[0].text)
    assent = _ASSENT.match(answer)
    told = "" if alone else _to_user(answer[assent.end() :] if assent else answer)
    subject = _subject(tree, words[0], words[1:], polar=True) if words[0].lower in _AUXILIARIES else []
    denied = denies(answer) if alone else bool(_DENIES.match(answer))
    asked = words[1 + len(subject) :]
    state = _other_state(asked, told) if words[0].lower in _BE else ""
    predicate = _predicate(words[0], subject, [] if state else asked, denial=answer if denied else "")
    if predicate is None or subject[0].lower in _UNSURE:
        return ""  # nor is there a statement of "is anyone in?" and "No."
    if state:
        return _sentence(written(subject), predicate.verbs, state)
    if not (told or alone) or not (assent or alone or _ADVERBIAL.match(told)):
        return ""
    said = f"{predicate.verbs} {written(predicate.rest)}".strip()
    said = said if denied else " ".join(_UNSURE.get(word, word) for word in said.split(" "))
    return _sentence(written(subject), said + ("," if told and assent else ""), _lowered(told))


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
    if _asks_for_the_subject(words[verb], rest):
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


def _without_a_verb(rest: Sequence[Word], told: str) -> str:
    """The statement of "How much for two?" and "20 euros.": "It is 20 euros for two."."""
    if any(word.tag == "TO" or word.lower == "about" for word in rest):
        return ""
    start = next((k for k, word in enumerate(rest) if word.lower in _JOINED), len(rest))
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
    if not rest or verb.lower in _DO or rest[0].tag not in VERB_TAGS:
        return False
    return rest[0].dep not in SUBJECTS


def _subject(tree: Tree, verb: Word, rest: Sequence[Word], *, polar: bool = False) -> list[Word]:
    """The words after the verb that are the subject of the question, which may be one of yes or no."""
    if not rest:
        return []
    noun_follows = len(rest) > 1 and rest[0].tag == "DT" and rest[1].tag.startswith("NN")
    if rest[0].lower in _ALONE and not noun_follows:
        return [rest[0]]
    main = next((k for k, word in enumerate(rest) if word.dep == "ROOT"), 0) if verb.lower in _DO else 0
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
    form = _EXPANDED.get(verb.lower, verb.lower)
    of_user = len(subject) == 1 and subject[0].lower in ("i", "we")
    chain = next(
        (k for k, word in enumerate(rest) if not _in_chain(word, rest[k - 1] if k else verb)), len(rest)
    )
    verbs, more = list(rest[:chain]), list(rest[chain:])
    if form in _DO and not verbs:
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


def written(words: Sequence[Word]) -> str:
    """The words as asked, with the names that claims have for the two who speak."""
    text = ""
    for k, word in enumerate(words):
        before = words[k - 1] if k else None
        glued = before is not None and before.end == word.start and not _joined(word, before)
        text += ("" if glued or not text else " ") + _spelt(word, before)
    return text


def _joined(word: Word, before: Word) -> bool:
    """Whether a word is the verb of the "im" or "we've" that it ends."""
    return word.lower in _SHORT and before.lower in ("i", "we")


def _spelt(word: Word, before: Word | None) -> str:
    lower = word.lower
    if before is None:
        return _EXPANDED.get(lower, _NAMES.get(lower, word.text))
    if lower in ("you", "u") and (before.lower in PREPOSITIONS or before.tag in VERB_TAGS):
        return "us"
    if word.text == "I" and before.tag in PROPER_TAGS:
        return word.text
    if _joined(word, before):
        return _SHORT[lower]
    if before.lower in ("i", "we") and word.tag == "VBP":
        return OF_ONE.get(lower) or third_person(word.text)
    return _NAMES.get(lower, word.text)


def _sentence(*parts: str) -> str:
    text = " ".join(filter(None, parts)).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
