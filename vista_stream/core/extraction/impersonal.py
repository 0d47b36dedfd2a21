"""Tells the uses of "it" in which it refers to nothing: "It is known that ...", "It rained"."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.core.extraction.inflection import forms
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PROPER_TAGS
from vista_stream.core.text.stems import word_set

_BE = frozenset(("be", "is", "was", "'s", "’s", "been"))
_STAYS = word_set("gets got get stays stayed stay becomes became feels felt")
_IMPERSONAL = word_set("rains rained raining snows snowed snowing happens")
_MAYBE_IMPERSONAL = word_set("seems seemed appears appeared takes took turns turned remains remained")
_REWARDS = forms("count", "pay")
_DEPENDS = _REWARDS | forms("help", "matter", "hurt")
"""What it does if something is so: "It helps if you have a catalogue", "It doesn't matter where you live"."""
_MAKING = forms("make")
_MADE = frozenset(("difference", "sense"))
"""What something makes that is so: "It makes no difference whether you pay online"."""
_WEATHER = word_set(
    "weather cold hot warm cool sunny windy rainy foggy humid cloudy dry wet dark late early degrees"
)
_SINCE = word_set("later ago since")
_JUDGING = word_set("find finds found make makes made think thinks thought consider considers considered")
_RESOLVED = word_set(
    "agreed decided resolved proposed suggested recommended forbidden prohibited permitted advised"
)
"""What nobody does to a thing: "It is forbidden to talk", but "It was built to last"."""
_STATED = forms(
    *("deny", "confirm", "admit", "doubt", "believe", "say", "think", "suspect", "regret", "dispute"),
    *("concede", "acknowledge"),
)
"""What is done to a statement, as to a thing: "900 jobs are at risk, but the firm denied it"."""
_TAKING = forms("take")
_IDIOMS = word_set("as how way")
"""Words before the "it" of "as it should be" and "that's how it goes"."""


def is_impersonal(tree: Tree, word: Word) -> bool:
    """Whether the word is an "it" that refers to nothing, or to no noun."""
    if word.lower != "it":
        return False
    verb = tree.head(word)
    denied = word.dep == "dobj" and verb.lower in _STATED
    if word.dep == "expl" or denied or verb.lower in _IMPERSONAL:
        return True
    following = tree.words[max(verb.index, word.index) + 1 :]
    before = tree.words[word.index - 1].lower if word.index else ""
    if before in _IDIOMS or (before in _JUDGING and any(_opens_clause(w) for w in following)):
        return True  # "I find it hard to …"
    if verb.lower in _MAYBE_IMPERSONAL:
        return any(_opens_clause(w) for w in following) or _takes_time(tree, verb)
    if verb.lower in _DEPENDS or verb.lower in _MAKING:
        return _depends(tree, verb)
    if verb.lower in _STAYS:
        return any(w.lower in _WEATHER for w in following)
    if verb.tag == "VBN":
        clauses = ("ccomp", "xcomp") if verb.lower in _RESOLVED else ("ccomp",)
        return bool(_below(tree, verb, verb, *clauses))
    if verb.lower not in _BE:
        return False
    if word.index and not any(w.text.isalnum() for w in following):
        return tree.words[word.index - 1].tag in (*NOUN_TAGS, "CD")  # "Six people at 20:00 it is."
    return _says_nothing_of_it(tree, verb, following)


def _opens_clause(word: Word) -> bool:
    return word.tag == "TO" or word.lower in ("that", "how", "why", "whether")


def _opens_infinitive(words: Sequence[Word]) -> bool:
    """Whether two words are "to" and a verb, which a parser may take for a noun: 'It pays to book early'."""
    bare = [w.tag for w in words[1:]] == ["NN"]
    return bool(words) and words[0].lower == "to" and (words[0].tag == "TO" or bare)


def _depends(tree: Tree, verb: Word) -> bool:
    """Whether "it" does what a later clause does: 'It matters when you pay', 'It makes no sense to wait'."""
    made = tree.child(verb, "dobj") if verb.lower in _MAKING else None
    if verb.lower in _MAKING and (made is None or made.lower not in _MADE):
        return False
    last = made or verb
    if any(c.index > verb.index for c in tree.children(verb, "advcl")):
        return True
    if last.lower != "difference" and _opens_infinitive(tree.words[last.index + 1 : last.index + 3]):
        return True
    told = [*tree.children(verb, "ccomp"), *tree.children(last, "relcl")]
    openers = (tree.region(c)[0].tag for c in told)
    return verb.lower not in _REWARDS and any(tag == "IN" or tag.startswith("W") for tag in openers)


def _takes_time(tree: Tree, verb: Word) -> bool:
    """Whether it is what was just told that took a while: 'They worked, and it took (them) two years'."""
    if verb.lower not in _TAKING or not any(w.entity in ("DATE", "TIME") for w in tree.children(verb)):
        return False
    whom = any(w.tag == "PRP" for w in tree.children(verb, "dobj", "dative"))
    return whom or (verb.tag == "VBD" and verb.dep == "conj")


def _says_nothing_of_it(tree: Tree, verb: Word, following: Sequence[Word]) -> bool:
    """Whether the "it" before a form of "be" stands for the weather, a time or a later clause."""
    predicate = tree.child(verb, "acomp", "attr", "oprd")
    if predicate is None:
        return any(w.lower == "that" for w in following) or any(w.lower in _SINCE for w in following[:4])
    if predicate.lower in _WEATHER or predicate.entity in ("TIME", "DATE") or predicate.tag == "PRP":
        return True  # "It is five", "it is you"
    if predicate.dep == "acomp":
        names = [w for w in tree.children(verb, "conj") if w.tag in PROPER_TAGS]  # "It was not Gray but Bell"
        told = any(_below(tree, verb, name, "relcl") for name in names)
        return told or _judges(tree, verb, predicate, following)
    return _cleft(tree, verb, predicate) or bool(_below(tree, verb, verb, "ccomp", "csubj"))


def _judges(tree: Tree, verb: Word, predicate: Word, following: Sequence[Word]) -> bool:
    """Whether 'it' stands for a later clause: 'It is safe to …', but not 'it is so large that …'."""
    hung = _below(tree, verb, predicate, "ccomp", "xcomp")
    hung += _below(tree, verb, verb, "ccomp", "csubj", "xcomp")
    so = any(c.lower in ("so", "such") for c in tree.children(predicate))
    return not so and (bool(hung) or any(w.tag == "TO" for w in following))


def _below(tree: Tree, verb: Word, word: Word, *deps: str) -> list[Word]:
    """The dependents of a word with these labels that follow the verb."""
    return [c for c in tree.children(word, *deps) if c.index > verb.index]


def _cleft(tree: Tree, verb: Word, predicate: Word) -> bool:
    """Whether it may be a cleft: 'It was Bell who invented it', but not 'it is a mammal that lays eggs'."""
    relative = [c for noun in _called(tree, verb, predicate) for c in _below(tree, verb, noun, "relcl")]
    relative += _below(tree, verb, verb, "relcl", "advcl")
    determiner = tree.child(predicate, "det")
    people = any(w.lower == "who" for clause in relative for w in tree.region(clause))
    named = predicate.tag in PROPER_TAGS
    definite = determiner is None or ((people or named) and determiner.lower not in ("a", "an"))
    return definite and bool(relative)


def _called(tree: Tree, verb: Word, noun: Word) -> list[Word]:
    """The noun, what is in apposition to it, and what is joined to it or to the verb.

    The clause about it hangs on one of them: "It wasn't Berg but Carl Lund who left".
    """
    found = [noun, *tree.children(noun, "appos")]
    found += [w for w in (*tree.children(noun, "conj"), *tree.children(verb, "conj")) if w.tag in NOUN_TAGS]
    return found
