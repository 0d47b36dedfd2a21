"""Splits coordinated noun phrases where a statement about all members is true of each member alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from vista_stream.core.extraction.inflection import article, forms, singular
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    Clause,
    Piece,
    pieces_of,
    stripped,
)
from vista_stream.core.text.stems import word_set

_TOGETHER = word_set(
    """respectively together jointly only solely exclusively just merely all every total combined both
    alternately equally alone each other another same different similar equal between among neither nor
    either or if unless first"""
)
_COLLECTIVE = forms(
    *word_set(
        """marry meet combine mix compare connect link unite merge join separate divide share differ
        agree divorce collaborate balance alternate distinguish equal comprise consist wed partner
        split exchange range total add co-found cooperate bridge"""
    )
) | frozenset(("married", "friends", "met"))
_PREPOSITIONS = word_set("""in at on for by as with to from during through across against about under near""")
_COLOURS = word_set("""red white blue green black yellow orange purple gold silver pink brown grey gray""")
_THEIR = frozenset(("their", "they", "them", "themselves", "theirs", "two", "three", "four", "five"))
_MEASURES = frozenset(("QUANTITY", "MONEY", "PERCENT"))
_AMOUNTS = _MEASURES | {"CARDINAL"}


def distribute(tree: Tree, head: Word, clause: Clause, gone: Collection[int]) -> list[Clause]:
    """The clause once for each member of its coordinated subject, or else of its coordinated complement.

    Only the clause itself where it need not be true of each member: 'A and B met', 'only A and B', 'A or B'.
    """
    words = clause.words
    if any(w.lower in _TOGETHER and w.dep != "preconj" for w in words) or any(w.dep == "neg" for w in words):
        return [clause]
    if any(w.lower in _COLLECTIVE for w in words):
        return [clause]
    groups = _Groups(tree, head, words, gone)
    found = groups.instances()
    if found is not None:
        return _instanced(tree, clause, found, gone)
    subject = groups.subject()
    complements = groups.complements()
    if subject and not complements and groups.subject_distributes(subject):
        return [_with_member(tree, clause, subject, member, gone) for member in subject]
    if complements and not subject:
        return [_with_member(tree, clause, complements[0], member, gone) for member in complements[0]]
    return [clause]


class _Instances(NamedTuple):
    """A noun with its instances: 'many films, including A and B'."""

    noun: Word
    listing: Word
    """The preposition: 'including', or the 'as' of 'such as'."""
    members: list[Word]


def _names_any(members: list[Word]) -> bool:
    return any(member.tag in PROPER_TAGS for member in members)


class _Groups:
    """Finds the coordinations of a clause: each a list of the members' head words."""

    def __init__(self, tree: Tree, head: Word, words: list[Word], gone: Collection[int]) -> None:
        self._tree = tree
        self._head = head
        self._words = words
        self._gone = gone

    def subject(self) -> list[Word]:
        """The members of the coordinated subject; empty where there is none."""
        subjects = [w for w in self._words if w.dep in ("nsubj", "nsubjpass") and w.tag in NOUN_TAGS]
        top = [w for w in subjects if w.head == self._head.index or w.index < self._head.index]
        return self._members(top[0]) if top else []

    def complements(self) -> list[list[Word]]:
        """The coordinated complements of the verb whose members can be split."""
        found = []
        for child in self._tree.children(self._head):
            for first in [*self._nominal(child), *self._prepositional(child)]:
                members = self._members(first)
                if len(members) > 1 and self._sound(first, members):
                    found.append(members)
        return found

    def instances(self) -> _Instances | None:
        """A complement of the verb with a list of its instances; None where there is none."""
        for child in self._tree.children(self._head):
            for noun in self._nominal(child) if child.dep != "attr" else []:
                if noun.entity in _MEASURES or self._second(child):
                    continue  # "It covers costs up to 90 euros, including the transfer"
                for listing in filter(self._lists, self._tree.children(noun, "prep")):
                    first = self._tree.child(listing, "pobj")
                    members = (self._members(first) or [first]) if first in self._words and first else []
                    if members and all(m.tag in NOUN_TAGS and not self._title(m) for m in members):
                        return _Instances(noun, listing, members)
        return None

    def _second(self, child: Word) -> bool:
        """Whether the verb has another object before this one, so that it is no object but an amount."""
        objects = self._tree.children(self._head, "dobj")
        return child.dep == "dobj" and objects[0] is not child

    def _lists(self, preposition: Word) -> bool:
        such = any(c.lower == "such" for c in self._tree.children(preposition))
        return preposition.lower == "including" or (preposition.lower == "as" and such)

    def _nominal(self, child: Word) -> list[Word]:
        if child.dep in ("dobj", "attr", "acomp"):
            return [child]
        preposed = (
            child.dep in ("prep", "agent") and child.lower in _PREPOSITIONS and child.index > self._head.index
        )
        return self._tree.children(child, "pobj") if preposed else []

    def _prepositional(self, child: Word) -> list[Word]:
        """The first of coordinated prepositions, as in 'in Paris and in London'; else empty."""
        late = child.dep == "prep" and child.lower in _PREPOSITIONS and child.index > self._head.index
        first = self._tree.words[child.index - 1].text != ","  # else the chain began before it
        return [child] if late and first and self._tree.child(child, "conj") is not None else []

    def _members(self, first: Word) -> list[Word]:
        """The chain of conjuncts joined by 'and'; empty where joined otherwise or not at all."""
        members, joints = [first], list[Word]()
        while True:
            last = members[-1]
            joints += self._tree.children(last, "cc")
            following = [c for c in self._tree.children(last, "conj") if c.index not in self._gone]
            if len(following) != 1:
                break
            members.append(following[0])
        joined = len(members) > 1 and bool(joints) and all(self._joins(j) for j in joints)
        joined &= all(joint.index < members[-1].index for joint in joints)  # "and, in one case, a monkey"
        within = all(m in self._words for m in members)
        alike = any(all(m.tag.startswith(tag) for m in members) for tag in ("NN", "JJ", "IN"))
        alike &= not (_names_any(members) and any(map(self._verbal, members)))  # "in Russia and date to 6000"
        alike &= not self._second_verb(members)
        alike &= not any(w.tag == "NNS" for w in self._tree.children(first, "compound", "nmod", "amod"))
        apart = not (self._told_of_all(members) or self._of_another(members))
        return members if joined and within and alike and apart and not following else []

    def _told_of_all(self, members: list[Word]) -> bool:
        """Whether a relative clause behind the list may be about all of it: 'headache and pain, which …'."""
        first, last = members[0], members[-1]
        behind = [c for c in self._tree.children(first, "relcl") if c.index > last.index]
        own = self._tree.children(last, "relcl") if last.tag not in PLURAL_TAGS else []
        verbs = [(c, w) for c in own for w in (c, *self._tree.children(c, "aux", "auxpass"))]
        plural = [c for c, w in verbs if w.tag == "VBP" or w.lower == "were"]
        return any(c in self._words for c in (*behind, *plural))

    def _of_another(self, members: list[Word]) -> bool:
        """Whether a later member belongs to what an earlier one names: 'the capital of Peru and its port'.

        A person's name is put for the "his" of a later subject.
        """
        owned = [any(c.tag == "PRP$" for c in self._tree.children(m, "poss")) for m in members]
        renamed = members[0].entity == "PERSON" and members[0].dep in SUBJECTS
        return not (owned[0] or renamed) and any(owned[1:])

    def _verbal(self, member: Word) -> bool:
        """Whether the member may be a verb that was taken for a noun: 'date to 6000 BCE'."""
        following = self._tree.words[member.index + 1 :][:1]
        return member.tag == "NN" and any(word.lower == "to" for word in following)

    def _second_verb(self, members: list[Word]) -> bool:
        """Whether the last member may be a verb like the clause's: 'uses the euro and drives on …'."""
        first, last = members[0], members[-1]
        definite = first.tag in PROPER_TAGS or self._tree.child(first, "det", "poss") is not None
        bare = last.tag == "NNS" and not self._tree.children(last)
        following = self._tree.words[last.index + 1 :][:1]
        directed = any(word.tag in ("IN", "TO") and word.head != last.index for word in following)
        return self._head.tag == "VBZ" and definite and bare and directed

    def _sound(self, first: Word, members: list[Word]) -> bool:
        region = self._tree.region(first)
        if any(w.entity in _AMOUNTS or (w.dep == "nummod" and w.entity != "DATE") for w in region):
            return False
        if any(self._title(m) for m in members) or self._gapped(first, members):
            return False
        if first.dep in ("attr", "acomp"):
            return self._subject_is_one() and not any(m.lower in _COLOURS for m in members)
        return True

    def _joins(self, joint: Word) -> bool:
        """Whether the conjunction is an 'and' that is not inside a name such as 'Bosnia and Herzegovina'."""
        listed_before = joint.index > 0 and self._tree.words[joint.index - 1].text == ","
        return joint.lower in ("and", "&") and (not joint.entity or listed_before)

    def _gapped(self, first: Word, members: list[Word]) -> bool:
        """Whether each member has its own second complement: 'a prize in May and a medal in June'."""
        within = {w.index for w in self._tree.region(first)}
        apart = any(i not in within for i in range(first.index, members[-1].index))
        preposition = self._tree.head(first).lower
        repeated = any(p.lower == preposition for m in members[1:] for p in self._tree.children(m, "prep"))
        siblings = self._tree.children(self._head, "prep", "agent")
        if first.dep == "prep":  # "at Yale in 1990 and at Harvard in 1995"
            late = [p for p in siblings if p.index > self._head.index]
            return apart or len(late) > 1 or self._hung_on_object(members)
        again = sum(p.lower == preposition for p in siblings) > 1
        return apart or (first.dep == "pobj" and (repeated or again))

    def _hung_on_object(self, members: list[Word]) -> bool:
        """Whether they depend on the object: 'a prize for acting in 1990 and for directing in 2001'."""
        objects = self._tree.children(self._head, "dobj", "attr")
        hung = {p.lower for word in objects for p in self._tree.children(word, "prep")}
        return any(m.lower in hung for m in members[1:])

    def _title(self, member: Word) -> bool:
        """Whether the member is a capitalised word that may be half of a name, as in 'War and Peace'."""
        return (
            member.tag in PROPER_TAGS
            and not member.entity
            and self._tree.child(member, "det", "poss") is None
        )

    def _subject_is_one(self) -> bool:
        subjects = [
            w
            for w in self._words
            if w.dep in ("nsubj", "nsubjpass", "csubj", "expl") and w.index < self._head.index
        ]
        if not subjects or subjects[-1].dep in ("csubj", "expl"):
            return False
        subject = subjects[-1]
        return subject.tag not in PLURAL_TAGS and subject.lower not in ("they", "we", "these", "those")

    def subject_distributes(self, members: list[Word]) -> bool:
        """Whether what is said of all members is true of each: no amounts, predicate nouns or 'their'."""
        inside = {w.index for w in self._tree.region(members[0])}
        rest = [w for w in self._words if w.index not in inside]
        if any(w.lower in _THEIR or w.entity in _AMOUNTS for w in rest):
            return False
        if any(w.dep in ("attr", "oprd") and w.tag in NOUN_TAGS for w in rest if w.head == self._head.index):
            return False
        one_thing = any(w.tag == "VBZ" or w.lower == "was" for w in self._finite())
        return not one_thing and not any(self._title(m) for m in members)

    def _finite(self) -> list[Word]:
        return [self._head, *self._tree.children(self._head, "aux", "auxpass")]


def _instanced(tree: Tree, clause: Clause, found: _Instances, gone: Collection[int]) -> list[Clause]:
    """The clause without the instances, then once with each instance in place of noun and list."""
    listed_ones = {w.index for w in tree.region(found.listing)}
    general = Clause(tuple(p for p in clause.pieces if p.word is None or p.word.index not in listed_ones))
    replaced = {w.index for w in tree.region(found.noun)}
    members = [_own_words(tree, found.members, member, gone) for member in found.members]
    return [general, *(_replaced(clause, replaced, own) for own in members)]


def _with_member(
    tree: Tree, clause: Clause, members: list[Word], member: Word, gone: Collection[int]
) -> Clause:
    """The clause with one member in place of all; the verb is made to agree with a member as its subject."""
    preconj = {w.index for w in clause.words if w.dep == "preconj" and w.head == members[0].index}
    everything = {w.index for w in tree.region(members[0])} | preconj
    made = _replaced(clause, everything, _own_words(tree, members, member, gone))
    alone = members[0].dep in ("nsubj", "nsubjpass") and member.tag not in PLURAL_TAGS
    return Clause(tuple(_agreeing(p) for p in made.pieces)) if alone else made


def _replaced(clause: Clause, indices: Collection[int], own: list[Piece]) -> Clause:
    """The clause with the words at the indices replaced by other pieces."""
    pieces: list[Piece] = []
    placed = False
    for piece in clause.pieces:
        if piece.word is None or piece.word.index not in indices:
            pieces.append(piece)
        elif not placed:
            pieces += own
            placed = True
    return Clause(tuple(pieces))


def _agreeing(piece: Piece) -> Piece:
    """The piece in the singular, if it is a finite verb of the main clause."""
    word = piece.word
    if word is None or word.tag not in ("VBP", "VBD") or word.dep in ("relcl", "advcl", "ccomp"):
        return piece
    return Piece(singular(piece.text, word.tag), word)


def _own_words(tree: Tree, members: list[Word], member: Word, gone: Collection[int]) -> list[Piece]:
    following = members[members.index(member) + 1 :]
    others = {w.index for w in tree.region(following[0])} if following else set()
    joints = {c.index for c in tree.children(member, "cc", "preconj")}
    words = stripped([w for w in tree.region(member, gone) if w.index not in others | joints])
    return [
        *_determiner(tree, members, member, words),
        *pieces_of(words),
        *_shared_of(tree, members, member, gone),
    ]


def _determiner(tree: Tree, members: list[Word], member: Word, words: list[Word]) -> list[Piece]:
    """The determiner of an earlier member, for a singular noun without one; else empty."""
    if (
        member is members[0]
        or member.tag != "NN"
        or any(c.dep in ("det", "poss") for c in tree.children(member))
    ):
        return []
    for earlier in reversed(members[: members.index(member)]):
        for word in tree.children(earlier, "det", "poss"):
            if word.lower in ("a", "an"):
                return [Piece(article(words[0].text))]
            return list(pieces_of(tree.region(word)))
    return []


def _shared_of(tree: Tree, members: list[Word], member: Word, gone: Collection[int]) -> list[Piece]:
    """The complement that members share: 'of Tesla' in 'the founder and CEO of Tesla'; else empty."""
    last = members[-1]
    complement = next((c for c in tree.children(last, "prep") if c.lower == "of"), None)
    bare = not any(c.dep in ("det", "poss") for c in tree.children(last))
    late = [c for c in tree.children(members[0], "prep") if c.index > last.index]
    if late and member is not members[0]:
        return [piece for c in late for piece in pieces_of(tree.region(c, gone))]
    if (
        member is last
        or complement is None
        or not bare
        or any(c.dep == "prep" for c in tree.children(member))
    ):
        return []
    return list(pieces_of(tree.region(complement, gone)))
