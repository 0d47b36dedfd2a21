"""Corrects attachments that small parsers often get wrong, where the word order shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.clause_starts import is_opened, with_clause_starts
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.participles import taken_for_past
from vista_stream.core.extraction.phrases import (
    DASHES,
    FINITE_TAGS,
    NOUN_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.extraction.retagging import retagged, with_nouns
from vista_stream.core.text.stems import word_set

_BE = word_set("is are was were")
_ONE = word_set("a an each every another this that")
_ALIKE = word_set("barracks crossroads headquarters means series species works")
"""Nouns that look like a plural in the singular: "a company headquarters"."""
_LIMITS = frozenset(("prep", "npadvmod", "advmod", "advcl"))
"""Labels of what tells when, where or how something is so."""
_WITH = frozenset(("with", "without"))
_ALL_OR_NONE = word_set(
    "nothing none nobody nowhere everything everyone everybody everywhere anything anyone anybody anywhere"
)


def repaired(words: Sequence[Word]) -> list[Word]:
    """The same words, some with another head or tag.

    In 'a painter born in 1922, in Rome', 'in Rome' goes to 'born'. In 'in films, shows, and plays', 'shows'
    goes to 'films'. In 'that lives nowhere but on Fogo', 'but' and 'on' go to 'nowhere'. In 'It costs 9 euros
    and students pay eight', 'students' is the subject of 'pay'. 'A sofa counts as waste' has a verb.
    """
    named = with_nouns(_with_appositions(_with_predicates(_with_verbs(_with_names(retagged(words))))))
    told = _with_limits(_with_circumstances(_with_doers(_with_subjects(named))))
    tree = Tree(with_clause_starts(_with_pointers(_with_listed(told))))
    return [replace(word, head=_head(tree, word), tag=_tag(tree, word)) for word in tree.words]


def _tag(tree: Tree, word: Word) -> str:
    """The tag; of a verb that is joined to one with "must" or its like the plain form's: "keep it and have it
    checked"; of one joined to a participle about a noun the participle's: "built in 1820 and restored"."""
    if _second_participle(tree, word):
        return "VBN"
    if word.tag != "VBP" or word.dep != "conj" or tree.child(word, *SUBJECTS, "aux"):
        return word.tag
    first = word
    while first.dep == "conj":
        first = tree.head(first)
    modal = any(aux.tag == "MD" for aux in tree.children(first, "aux"))
    return "VB" if modal and first.tag == "VB" else word.tag


def _second_participle(tree: Tree, word: Word) -> bool:
    first = tree.head(word)
    joined = word.dep == "conj" and first.tag == "VBN" and first.dep == "acl"
    return joined and taken_for_past(tree, word) and tree.child(word, "dobj", *SUBJECTS) is None


def _with_predicates(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with what a question asks about a name as its predicate, which was taken for a part of it.

    "Was Marie Curie French?" has no other; so it is in "Why is Bath famous?", whose subject is the name.
    """
    mended = list(words)
    for be in words:
        end = be.index + 1
        while end < len(words) and words[end].tag in PROPER_TAGS:
            end += 1
        if be.lower not in _BE or end == be.index + 1 or end == len(words):
            continue
        last, follows = words[end - 1], words[end]
        alone = be.index == 0 or words[be.index - 1].tag in (".", ",", "CC", "UH")
        if alone and follows.text == "?" and end > be.index + 2:  # not "Who is Marie Curie?"
            mended[last.index] = replace(last, tag="JJ", dep="acomp", head=be.index)
            for name in words[be.index + 1 : end - 1]:
                part = {"head": end - 2} if name.index < end - 2 else {"head": be.index, "dep": "nsubj"}
                mended[name.index] = replace(name, **part)
        elif last.dep == "npadvmod" and follows.dep == "acomp" and last.head == follows.index:
            mended[last.index] = replace(last, dep="nsubj", head=be.index)
    return mended


def _with_names(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "Plus" of "Plus and Max both allow it" as the subject, taken for a conjunction.

    Something is joined to it, and to a conjunction nothing is.
    """
    tree = Tree(words)
    return [
        replace(word, tag="NNP", dep="nsubj")
        if word.dep == "cc"
        and tree.child(word, "conj")
        and word.index < word.head
        and not tree.child(tree.head(word), *SUBJECTS)
        else word
        for word in words
    ]


def _with_verbs(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "counts" of "An old sofa counts as waste" as a verb, which was taken for a noun.

    What has "an" or "every" is one thing, and so is no plural.
    """
    tree = Tree(words)
    mended = list(words)
    for verb in tree.roots:
        below = [c for c in tree.children(verb) if c.index < verb.index]
        subject = below[-1] if below else verb
        one = any(c.dep == "det" and c.lower in _ONE for c in below)
        if verb.tag != "NNS" or not one or subject.dep != "compound" or verb.lower in _ALIKE:
            continue
        mended[verb.index] = replace(verb, tag="VBZ")
        for each in below:
            moved = {"dep": "nsubj"} if each is subject else {"head": subject.index}
            mended[each.index] = replace(each, **moved)
    return mended


def _with_appositions(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with a name between two commas as what it tells of the noun before it.

    It was taken for a second subject: "According to her biographer, Eva Holm, she trusted nobody".
    """
    tree = Tree(words)
    mended = list(words)
    for name in words:
        region = tree.region(name)
        start, end = region[0].index, region[-1].index + 1
        if (
            name.dep not in ("nsubj", "nsubjpass")
            or name.tag not in PROPER_TAGS
            or start < 2
            or end == len(words)
        ):
            continue
        noun, commas = words[start - 2], words[start - 1].text + words[end].text
        second = any(c.index > end for c in tree.children(tree.head(name), "nsubj", "nsubjpass"))
        if commas == ",," and noun.tag in NOUN_TAGS and second:
            mended[name.index] = replace(name, head=noun.index, dep="appos")
    return mended


def _with_doers(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the phrase right after a "by" that has none as what it governs.

    It was taken for a second name of what comes before: "The photo, taken by her student Raymond Gosling, …".
    """
    tree = Tree(words)
    mended = list(words)
    for by in words:
        if by.dep != "agent" or tree.children(by):
            continue
        for noun in words[by.index + 1 :]:
            if tree.region(noun)[0].index == by.index + 1 and noun.dep == "appos":
                mended[noun.index] = replace(noun, head=by.index, dep="pobj")
    return mended


def _with_listed(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with a list's middle member as its first one's conjunct: "in the hall, the spa or the pool".

    It was taken for a second name of the first, or for a complement of the verb.
    """
    tree = Tree(words)
    mended = list(words)
    for noun in words:
        first = _listed_before(tree, noun) if noun.dep in ("appos", "oprd", "dobj") else None
        if first is not None:
            comma = words[tree.region(noun)[0].index - 1]
            mended[noun.index] = replace(noun, head=first.index, dep="conj")
            mended[comma.index] = replace(comma, head=first.index)
    return mended


def _listed_before(tree: Tree, noun: Word) -> Word | None:
    """The noun before the comma before another that heads the rest of a list; None where it heads none."""
    region, others = tree.region(noun), tree.children(noun, "conj")
    start, end = region[0].index, region[-1].index + 1
    if not others or start < 2 or tree.words[start - 1].text != ",":
        return None
    first = tree.words[start - 2]
    closed = any(w.text in DASHES for w in tree.words[end : end + 1])  # "The king, the founder and heir, …"
    determiners = {_determiner(tree, word) for word in (noun, *others)}
    if determiners == {""}:  # "the hall, spa or pool", but not "the twins, Anna and Berta"
        alike = all(word.tag in ("NN", "NNS") for word in (first, noun, *others))
    else:
        alike = first.tag in NOUN_TAGS and determiners == {_determiner(tree, first)}
    return first if alike and not closed else None


def _determiner(tree: Tree, noun: Word) -> str:
    determiner = tree.child(noun, "det", "poss")
    return determiner.lower if determiner is not None else ""


def _with_circumstances(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "with" of "won and, with Pierre, found radium" as a preposition.

    It was taken for what opens a clause, as it does in "and, with lunch included, costs 9 euros"; that is no
    second statement, but belongs to the verb after it.
    """
    tree = Tree(words)
    mended = list(words)
    for opener in words:
        clause = tree.head(opener)
        subject = tree.child(clause, *SUBJECTS)
        if opener.dep != "mark" or opener.lower not in _WITH or clause.dep != "conj" or subject is None:
            continue
        first = tree.head(clause)
        if any(w.text == "," for w in words[subject.index : clause.index]):
            mended[opener.index] = replace(opener, dep="prep")
            mended[subject.index] = replace(subject, dep="pobj", head=opener.index)
        elif verb := _next_joined(tree, clause):
            mended[clause.index] = replace(clause, dep="advcl", head=verb.index)
            mended[verb.index] = replace(verb, head=first.index)
    return mended


def _next_joined(tree: Tree, clause: Word) -> Word | None:
    """The verb without a subject that is joined to a clause, or after it to the same verb as it is."""
    joined = (*tree.children(clause, "conj"), *tree.children(tree.head(clause), "conj"))
    return next((v for v in joined if v.index > clause.index and not tree.child(v, *SUBJECTS)), None)


def _with_limits(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with what stands between a conjunction and a second verb as that verb's.

    It was taken for the first one's: "The bar opens at 5 and, on Fridays, closes at 2".
    """
    tree = Tree(words)
    mended = list(words)
    for verb in words:
        if verb.dep != "conj" or verb.tag not in VERB_TAGS:
            continue
        first, start = tree.head(verb), tree.region(verb)[0].index
        joints = [c.index for c in tree.children(first, "cc") if c.index < start]
        between = [c for c in tree.children(first) if joints and joints[-1] < c.index < start]
        limits = [c for c in between if c.dep != "punct"]
        if all(c.dep in _LIMITS for c in limits):
            for each in limits:
                mended[each.index] = replace(each, head=verb.index)
    return mended


def _with_pointers(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "that" of "I misread that: it is two years" as what the verb before it governs.

    It was taken for a word that opens the clause behind the colon.
    """
    tree = Tree(words)
    mended = list(words)
    for that in words:
        clause = tree.head(that)
        behind = words[tree.region(that)[-1].index + 1 :][:1]
        if that.dep != "mark" or that.lower != "that" or [each.text for each in behind] != [":"]:
            continue
        for each in (*tree.children(that), *behind):
            mended[each.index] = replace(each, head=clause.head)
        mended[that.index] = replace(that, tag="DT", dep="dobj", head=clause.head)
    return mended


def _with_subjects(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with a noun as the subject of the verb after it that was taken for the second of two.

    A verb that shares the subject of one before it has a conjunction or a comma before itself.
    """
    tree = Tree(words)
    mended = list(words)
    for verb in words:
        if noun := _taken_for_time(tree, verb):
            mended[noun.index] = replace(noun, dep="nsubj")
        subject = _taken_for_object(tree, verb)
        if subject is not None:
            passive = "nsubjpass" if tree.child(verb, "auxpass") else "nsubj"
            mended[subject.index] = replace(subject, head=verb.index, dep=passive)
            mended[verb.index] = replace(verb, dep="conj")
            for each in tree.children(tree.head(subject)):
                if each.dep == "cc":
                    mended[each.index] = replace(each, head=verb.head)
                elif each.index > subject.index:
                    mended[each.index] = replace(each, head=subject.index)
    return mended


def _taken_for_time(tree: Tree, verb: Word) -> Word | None:
    """The noun before a verb with "neither", as no command has, but no subject: "Unused days neither …"."""
    neither = tree.child(verb, "preconj")
    if neither is None or neither.lower != "neither" or tree.child(verb, *SUBJECTS):
        return None
    return next((n for n in tree.children(verb, "npadvmod") if n.index == neither.index - 1), None)


def _taken_for_object(tree: Tree, verb: Word) -> Word | None:
    """The noun that ends right before a second verb without a subject; None where all is as it seems."""
    again = any(w.lower == verb.lower for w in tree.words[verb.index + 1 : verb.index + 3])  # "side by side"
    if again or is_opened(tree, verb) or not _finite(tree, verb) or tree.child(verb, *SUBJECTS):
        return None
    first, start = tree.head(verb), tree.region(verb)[0].index
    if not first.index < start - 1 or not tree.child(first, *SUBJECTS):
        return None
    below = tree.words[start - 1]
    while first.index < below.index < start:
        joined = [w for w in (below, *tree.children(below, "conj")) if w.dep == "conj" and w.index < start]
        if joined:
            return _first_of(tree, joined[-1], verb) if _opens(tree, joined[-1], start) else None
        below = tree.head(below)
    return None


def _first_of(tree: Tree, noun: Word, verb: Word) -> Word:
    """The noun itself, or in "…, and codeine and morphine are opioids" the first of the two that it ends."""
    first = tree.head(noun)
    begins = tree.region(first)[0].index
    joint = [w.text for w in tree.words[max(begins - 2, 0) : begins]]
    pair = first.dep == "conj" and joint == [",", "and"] and tree.child(first, "cc") is not None
    return first if pair and verb.tag != "VBZ" else noun


def _opens(tree: Tree, noun: Word, start: int) -> bool:
    """Whether a noun that is joined to another can be the subject of what begins at `start`."""
    between = tree.words[noun.index + 1 : start]
    nouns = {noun.tag, tree.head(noun).tag} <= NOUN_TAGS
    return nouns and not any(w.dep in ("cc", "punct") for w in between)


def _finite(tree: Tree, verb: Word) -> bool:
    return verb.tag in FINITE_TAGS or tree.child(verb, "aux", "auxpass") is not None


def _head(tree: Tree, word: Word) -> int:
    head = tree.head(word)
    excepted = _excepted(tree, word)
    if excepted is not None and head.index < excepted:
        return excepted
    if word.dep == "appos" and head.index < word.index:
        before = tree.words[tree.region(word)[0].index - 1]  # "by the student Raymond Gosling"
        return before.index if before.tag in NOUN_TAGS and before.index > head.index else word.head
    if word.dep == "prep" and (head.tag in NOUN_TAGS or head.dep == "acl"):
        return _told_by(tree, word, head).index
    if word.dep == "conj" and word.tag in NOUN_TAGS and head.tag in VERB_TAGS and head.index < word.index:
        noun = _noun_before(tree, word, head)
        return noun.index if noun is not None else word.head
    return word.head


def _told_by(tree: Tree, preposition: Word, head: Word) -> Word:
    """The last participle about a noun before a preposition, as of 'known as X and taken by Y in Rome'."""
    if head.dep != "acl":
        clauses = [c for c in tree.children(head, "acl") if head.index < c.index < preposition.index]
        if not clauses:
            return head
        head = clauses[-1]
    joined = [c for c in tree.children(head, "conj") if c.tag in VERB_TAGS and c.index < preposition.index]
    return joined[-1] if joined and tree.child(joined[-1], "prep", "agent") else head


def _excepted(tree: Tree, word: Word) -> int | None:
    """The index of the word that "but" before the word, or the word itself, makes an exception of."""
    but = word.index - (word.lower != "but")
    if but < 1 or tree.words[but].lower != "but" or tree.words[but - 1].lower not in _ALL_OR_NONE:
        return None
    return but - 1


def _noun_before(tree: Tree, word: Word, verb: Word) -> Word | None:
    """The complement of the verb that ends right before the word's phrase; None where there is none."""
    start = tree.region(word)[0].index
    for child in reversed(
        [c for c in tree.children(verb, "dobj", "attr", "prep", "agent") if c.index < word.index]
    ):
        noun = tree.child(child, "pobj") if child.dep in ("prep", "agent") else child
        if noun is not None and all(
            w.text in DASHES for w in tree.words[tree.region(child)[-1].index + 1 : start]
        ):
            return noun if noun.tag in NOUN_TAGS else None
    return None
