"""The subject and the predicate of a question, in the forms that a statement has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from vista_stream.core.extraction.choices import OF_ONE
from vista_stream.core.extraction.inflection import past, third_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PROPER_TAGS, SUBJECTS, VERB_TAGS
from vista_stream.core.extraction.question_words import DO, EXPANDED, written
from vista_stream.core.text.stems import word_set

BE = {"is", "are", "was", "were", "am", "'s", "’s"}
ALONE = word_set("i we you u he she it they this that these those there")
_LEADING = word_set("have has had need needs want like get got going")
"""Verbs whose "to" leads to the verb that matters."""
_DENIED = {"still": "no longer", "ever": "never", "already": "not yet"}
"""What a denial makes of an adverb that is asked about: "Does it still run?" and "No."."""
_OPEN = word_set("do think like love prefer recommend suggest feel")
"""Verbs of questions whose answers are no object of theirs."""
_SAID = ("JJ", "VBN", "VBD")
"""Tags of what is said of a noun before it."""


class Predicate(NamedTuple):
    """What a statement says of its subject."""

    verbs: str
    """In the form that their subject asks for."""
    rest: list[Word]
    """What follows them in the question."""


def subject_of(
    tree: Tree, verb: Word, rest: Sequence[Word], *, polar: bool = False, adverbial: bool = False
) -> list[Word]:
    """The words after the verb that are the subject of the question, which may be one of yes or no.

    "Ever", "still" and their like belong to what is said of it, and so does a participle or a preposition at
    the end behind "to be": "When was the bridge lost?", "Who is it named after?". Where an
    `adverbial` is asked for, so does an adjective or participle behind a noun: "When is the shop open?".
    """
    subject = _subject(tree, verb, rest, polar=polar)
    while len(subject) > 1 and subject[-1].tag == "RB":
        subject = subject[:-1]
    ended = len(subject) == len(rest) and verb.lower in BE
    while ended and len(subject) > 1 and subject[-1].tag in ("VBN", "VBD", "IN", "RP"):
        subject = subject[:-1]
    said = [k for k in range(1, len(subject)) if subject[k].tag in _SAID and subject[k - 1].tag in NOUN_TAGS]
    return subject[: said[0]] if ended and adverbial and said else subject


def _subject(tree: Tree, verb: Word, rest: Sequence[Word], *, polar: bool) -> list[Word]:
    if not rest:
        return []
    noun_follows = len(rest) > 1 and rest[0].tag in ("DT", "IN", "WDT") and rest[1].tag.startswith("NN")
    if rest[0].lower in ALONE and not noun_follows:
        return [rest[0]]
    main = next((k for k, word in enumerate(rest) if word.dep == "ROOT"), 0) if verb.lower in DO else 0
    if main:
        return list(rest[:main])
    region = _region(tree, rest)
    if polar and 0 < len(region) < len(rest):
        return region
    if polar and verb.lower in BE:
        return _up_to_the_predicate(rest)
    if verb.lower in BE and not any(word.tag in VERB_TAGS for word in rest[1:]):
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


def predicate_of(
    verb: Word, subject: Sequence[Word], rest: Sequence[Word], *, denial: str = ""
) -> Predicate | None:
    """What the statement says of its subject, with the "not" of an answer that is a `denial`.

    None without a subject, or where "do" has no verb. What one need not do is no prohibition.
    """
    if not subject:
        return None
    adverbs = list(takewhile(lambda word: word.tag == "RB", rest))
    rest = rest[len(adverbs) :]
    chain = next(
        (k for k, word in enumerate(rest) if not _in_chain(word, rest[k - 1] if k else verb)), len(rest)
    )
    verbs, more = list(rest[:chain]), list(rest[chain:])
    form = EXPANDED.get(verb.lower, verb.lower)
    if form in DO and not verbs:
        return None
    denied = next((_DENIED[each.lower] for each in adverbs if each.lower in _DENIED), "not") if denial else ""
    adverbs = [each for each in adverbs if each.lower != "ever" and not (denial and each.lower in _DENIED)]
    of_user = len(subject) == 1 and subject[0].lower in ("i", "we")
    if form in DO and denied not in ("not", "not yet") and _stands_alone(verbs[0], adverbs, more):
        if verbs[0].lower in _OPEN and not denial:
            return None
        said = _said_by(form, verbs[0], of_user=of_user)
        parts = (denied, written(adverbs), said, written(verbs[1:]))
        return Predicate(" ".join(filter(None, parts)), more)
    form = OF_ONE.get(form, form) if of_user else form
    if denial:
        free = form == "must" and form not in denial.casefold()
        form = f"{'need' if free else form} {denied}".replace("can not", "cannot")
    return Predicate(f"{form} {written([*adverbs, *verbs])}".strip(), more)


def _stands_alone(verb: Word, adverbs: Sequence[Word], more: Sequence[Word]) -> bool:
    """Whether the statement can do without "do": not before "not", nor where a second verb hangs on it, too.

    "Did the war begin and end there?" Of "lie" the past is "lay" or "lied".
    """
    joined = any(one.tag == "CC" and two.tag in ("VB", "VBP") for one, two in pairwise(more))
    denied = any(each.lower in ("not", "n't", "n’t") for each in adverbs)
    return verb.tag in VERB_TAGS and verb.lower != "lie" and not (joined or denied)


def _said_by(form: str, verb: Word, *, of_user: bool) -> str:
    """What a statement has for the "do" of a question and its verb: "married" for "did he marry"."""
    if form == "did":
        return verb.text if verb.tag in ("VBD", "VBN") else past(verb.text)
    return third_person(verb.text) if of_user or form == "does" else verb.text


def _in_chain(word: Word, before: Word) -> bool:
    """Whether a word behind the subject belongs to its verbs: "have to pick up", "meant to have"."""
    if word.tag == "TO":
        return before.lower in _LEADING or before.tag == "VBN"
    told = word.lower in ("you", "u") and before.tag in VERB_TAGS  # "contact you"
    return told or word.tag in VERB_TAGS or word.tag == "RP" or word.dep == "prt"
