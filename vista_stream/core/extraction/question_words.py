"""The words of a question: those up to its end, its verb, and how claims write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from vista_stream.core.extraction.choices import OF_ONE
from vista_stream.core.extraction.inflection import third_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PROPER_TAGS, SUBJECTS, VERB_TAGS
from vista_stream.core.text.stems import word_set

DO = {"do", "does", "did"}
HAPPENED = word_set("did have has had was were")
"""Verbs of questions about what has happened."""
EXPANDED = {"'s": "is", "’s": "is", "'d": "would", "’d": "would", "'ll": "will", "’ll": "will"}
_SHORT = {"m": "is", "'m": "is", "’m": "is", "'re": "is", "’re": "is", "'ve": "has", "’ve": "has"}
"""Verbs joined to the "I" or "we" before them, as claims about the user have them."""
_NAMES = {
    "i": "the user", "me": "the user", "we": "the user", "us": "the user",
    "my": "the user's", "our": "the user's", "mine": "the user's", "ours": "the user's",
    "myself": "themselves", "ourselves": "themselves", "yourself": "ourselves", "yourselves": "ourselves",
    "you": "we", "your": "our", "yours": "ours", "u": "we",
}  # fmt: skip
"""The words of a user for the two who speak, as claims name them."""
PREPOSITIONS = word_set("until till by from since at in on to for with about between of under within")
_TRAILING = word_set("then again meanwhile sorry exactly please pls actually though")
_NOMINAL = NOUN_TAGS | {"DT", "JJ", "CD", "POS", "PRP$", "VB", "VBP"}
"""Tags of a subject without a preposition, and of the verb behind it, whichever the parser took it for."""
_LEADING_TAGS = ("IN", "WRB", "WDT", "WP", "CC")
"""Tags of the words that a clause of a question begins with: "if", "when", "that", "what", "and"."""
_LEADING = ("once", "provided")
"""Such words with other tags."""


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
    do = next((k for k, word in enumerate(words) if word.lower in DO), len(words))
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
    """Whether the question ends before a word: at a comma, or at what the user tells, "im a student".

    A clause of the question goes on: "if I'm a student", "when I'm late".
    """
    tells = k > 1 and words[k].lower == "i" and any(_joined(word, words[k]) for word in words[k + 1 : k + 2])
    told = tells and not _leads_on(words[k - 1])
    joint = words[k].text == "-" and k > 0 and words[k - 1].end == words[k].start
    return told or (words[k].text in (",", "?", "(", "-", "–") and not joint)


def _leads_on(word: Word) -> bool:
    return word.tag in _LEADING_TAGS or word.lower in _LEADING


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
        return EXPANDED.get(lower, _NAMES.get(lower, word.text))
    if lower in ("you", "u") and (before.lower in PREPOSITIONS or before.tag in VERB_TAGS):
        return "us"
    if word.text == "I" and before.tag in PROPER_TAGS:
        return word.text
    if _joined(word, before):
        return _SHORT[lower]
    if before.lower in ("i", "we") and word.tag == "VBP":
        return OF_ONE.get(lower) or third_person(word.text)
    return _NAMES.get(lower, word.text)
