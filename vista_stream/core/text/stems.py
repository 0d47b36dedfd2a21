"""A light English stemmer: it gives "won" and "win", "cities" and "city" the same stem."""

from __future__ import annotations

import re
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """The words of a text, separated by white space."""
    return frozenset(words.split())


_VERBS = """
be am is are was were been being | have has had having | do does did done | go goes went gone | win won
| write wrote written | begin began begun | become became | come came | give gave given | take took
taken | make made | find found | know knew known | see saw seen | say said | tell told | think thought |
buy bought | bring brought | build built | send sent | spend spent | lend lent | leave left | lose lost
| meet met | pay paid | sell sold | speak spoke spoken | break broke broken | choose chose chosen |
drive drove driven | eat ate eaten | fall fell fallen | feel felt | fight fought | fly flew flown |
forget forgot forgotten | get got gotten | grow grew grown | hear heard | hold held | keep kept | lead
led | learn learnt | lie lay lain | mean meant | ride rode ridden | rise rose risen | run ran | shoot
shot | show shown | sing sang sung | sink sank sunk | sit sat | sleep slept | stand stood | steal stole
stolen | strike struck | swim swam swum | teach taught | throw threw thrown | wear wore worn | draw drew
drawn | drink drank drunk | catch caught | seek sought | shine shone | understand understood | hide hid
hidden | bear bore | bend bent | bind bound | blow blew blown | dig dug | feed fed | forbid forbade
forbidden | freeze froze frozen | hang hung | shake shook shaken | slide slid | spin spun | spread |
stick stuck | swear swore sworn | tear tore torn | weave wove | die dies died dying
"""
_NOUNS = """
man men | woman women | child children | person people | foot feet | tooth teeth | mouse mice | goose geese
| life lives | wife wives | leaf leaves | half halves | self selves | wolf wolves | datum data | medium media
"""
_IRREGULAR = {form: forms.split()[0] for forms in f"{_VERBS}|{_NOUNS}".split("|") for form in forms.split()}
VERB_FORMS = frozenset(form for forms in _VERBS.split("|") for form in forms.split()[1:])
"""Forms of irregular verbs but the plain ones: "went", "written"."""
_PAST_FORMS = VERB_FORMS - word_set("am is are being has having does goes dies dying")
_UNCHANGED = word_set(
    """
    beat bet bid broadcast burst bust cast cost cut fit forecast hit hurt input knit let offset output put
    quit read reset rid set shed shut slit split spread sublet sweat thrust undercut upset wed wet
    """
)
"""Verbs whose past form is also their plain one."""
_VOWELS = frozenset("aeiouy")
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=8192)  # more would fill with names and numbers that never come again
def stem(word: str) -> str:
    """The stem of a lower-case word: a key shared by its forms, not always a word itself."""
    word = word.removesuffix("'s").removesuffix("'")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.isalpha():
        return word
    return _without_ending(word)


def _without_ending(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and not _VOWELS.isdisjoint(root):
            return _bare(root)
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


def is_past(word: str) -> bool:
    """Whether a lower-case word is a past form of a verb and no present one: "won", "paved", not "cut"."""
    return stem(word) != word and (word.endswith("ed") or word in _PAST_FORMS)


def may_be_past(word: str) -> bool:
    """Whether a lower-case word is a past form of a verb, also one that may be a present one: "cut"."""
    return word in _UNCHANGED or is_past(word)


def _bare(root: str) -> str:
    """The stem of an -ing or -ed form without its ending: "stopp" becomes "stop", "releas" stays."""
    doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
    return root[:-1] if doubled else root


def stems_in(text: str, words: re.Pattern[str] = _WORD) -> set[str]:
    """The stems of a text's words, which are what the pattern finds."""
    return {stem(word) for word in words.findall(text.casefold())}
