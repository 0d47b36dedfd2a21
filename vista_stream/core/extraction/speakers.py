"""Finds first- and second-person words that mean no speaker: World War I, My Fair Lady, "both of you"."""

from __future__ import annotations

import re

from vista_stream.core.extraction.genders import is_first_name
from vista_stream.core.extraction.parsing import Tree
from vista_stream.core.text.stems import word_set

_WORD = re.compile(r"[^\W_][\w'’-]*")
_PERSONS = frozenset(("I", "We", "My", "Our", "Us", "Me", "ME", "Mine", "You", "Your", "U"))
_OF_NUMERALS = frozenset(("I's", "I’s"))
_NUMBERED = frozenset(("type", "phase"))
_DIVISIONS = word_set(
    "act annex appendix article chapter class factor part schedule section stage table title volume"
)
"""What a numeral follows where it opens a sentence; elsewhere it may be "the part I play"."""
_RULERS = word_set(
    """alexios basil constantine cyrus darius francis franz justinian ladislaus leopold maximilian ptolemy
    ramesses seleucus selim sigismund xerxes"""
)
_OPENERS = word_set(
    "when while as although though because since today yesterday if and but or so that then now yes no oh"
)
_NOT_OF_A_NAME = re.compile(
    r"(?:Mom|Mum|Mommy|Mummy|Mother|Dad|Daddy|Father|Papa|Grandma|Grandpa|God|Lord|French|Greek|Dutch|German|"
    r"Swiss|Czech|[A-Z]\w+(?:ish|ese|ans?)|I)\b"
)
_TITLED = re.compile(r" (?=[A-Z][a-z])")
_FIRST_IN_TITLE = re.compile(r", (?=[A-Z][a-z]+(?:[.!?;:)\"”]|$| [a-z]))")
_TOLD_OF = re.compile(r", [A-Z][a-z]+ (?:is|was|has|had|stars|features|tells)\b")
_NO_PREDICATE = re.compile(
    r" (?!(?:was|as|always|sometimes|perhaps|besides|nowadays|afterwards)\b)[a-z]*[a-rtv-z]s\b"
    r"| of\b| (?:and|or|to) (?:\w+ )?(?:I[IVX]|VI*|XI*)\b"
)
"""What follows a numeral, and no "I": "covers", "devices", "of", "and II"."""
_ABBREVIATED = re.compile(r"/[A-Z]")  # I/O
_SPEAKING = re.compile(r" (?:am|have|do|don['’]t|like|love|want|need|ever|never|think|know|hope|read)\b")
_PARTS = word_set("pair couple rest half most lot party")
"""Nouns that tell how many people "of you" counts, besides numerals and "both" or "each"."""
_ENDED = re.compile(r"(?:^|[.!?…:;\"“”()\n-])\s*$")
_SEVERAL = (["both"], ["all"])
_ARE = (["are"], ["were"], ["'re"], ["’re"])


def verbatim(tree: Tree) -> set[int]:
    """Indices of the words of which an "I" does not mean the speaker, nor a "you" the user alone."""
    return quoted(tree) | _of_names(tree) | _to_several(tree)


def named(wording: str) -> list[tuple[int, int]]:
    """The half-open ranges, in order, of 'I', 'we', 'my', 'you' and so on that are part of a name.

    'I' is a numeral after a capitalised word, unless that word only opens the sentence. The others are part
    of a title where they are capitalised next to a capitalised word.
    """
    found, before = [], None
    for word in _WORD.finditer(wording):
        if word.group() in _PERSONS | _OF_NUMERALS and _of_name(wording, before, word):
            found.append(word.span())
        before = word
    return found


def without_named(wording: str) -> str:
    """The wording without the words that `named` finds."""
    for start, end in reversed(named(wording)):
        wording = wording[:start] + wording[end:]
    return wording


def _of_name(wording: str, before: re.Match[str] | None, word: re.Match[str]) -> bool:
    if word.group() == "I" and _FIRST_IN_TITLE.match(wording, word.end()):  # I, Robot
        inside = before is not None and wording[before.end() : word.start()] == " "
        return inside or _TOLD_OF.match(wording, word.end()) is not None
    if word.group() in _OF_NUMERALS:
        return True
    if word.group() == "I" and _ABBREVIATED.match(wording, word.end()):
        return True
    titled = _TITLED.match(wording, word.end())
    if titled is not None and not _NOT_OF_A_NAME.match(wording, titled.end()):
        return True
    gap = wording[before.end() : word.start()] if before else ""
    if before is None or gap != " ":
        return word.group() == "ME" and gap == ", "  # the state
    if word.group() == "I":
        return _counts(wording, before, word.end()) and not _SPEAKING.match(wording, word.end())
    return _capital(before.group()) and (word.group() in ("Us", "Me") or not _opens(wording, before))


def _counts(wording: str, before: re.Match[str], end: int) -> bool:
    """Whether the "I" that ends there may be the numeral of the word before it.

    A sentence opens with such a word where it is a ruler's name, or what follows is said of no "I"; inside
    the sentence it is any name.
    """
    lower = before.group().lower()
    if _opens(wording, before) and _capital(before.group()):
        known = lower in _NUMBERED | _DIVISIONS | _RULERS or is_first_name(lower)
        return known or _NO_PREDICATE.match(wording, end) is not None
    return lower in _NUMBERED or (_capital(before.group()) and lower not in _OPENERS)


def _capital(word: str) -> bool:
    return word[0].isupper() and (word[1:].islower() or word == word[0])


def _opens(wording: str, word: re.Match[str]) -> bool:
    return _ENDED.search(wording, max(0, word.start() - 3), word.start()) is not None


def _of_names(tree: Tree) -> set[int]:
    """Indices of 'I', 'My', 'You' and the like that are part of a title."""
    text = ""
    for word in tree.words:
        text = text.ljust(word.start) + word.text
    starts = {start for start, _ in named(text)}
    return {word.index for word in tree.words if word.start in starts}


def _to_several(tree: Tree) -> set[int]:
    """Indices of each "you" to the user and others: "the two of you", "you are both on the list"."""
    words = [word.lower for word in tree.words]
    found = set[int]()
    for index, word in enumerate(words):
        before, after = words[max(0, index - 2) : index], words[index + 1 : index + 3]
        counted = before[1:] == ["of"] and (before[0] in _PARTS or tree.words[index - 2].tag in ("CD", "DT"))
        told = after[1:] if after[:1] in _ARE else after[:1]
        if word == "you" and (counted or told in _SEVERAL):
            found.add(index)
    return found


def quoted(tree: Tree) -> set[int]:
    """Indices of the words inside quotation marks."""
    inside, found = False, set[int]()
    for word in tree.words:
        if word.text in ('"', "“", "”", "``", "''"):
            inside = word.text != "”" and not inside
        elif inside:
            found.add(word.index)
    return found
