"""Decides which clauses are cut off: conjuncts, complements and adverbial clauses."""

from __future__ import annotations

import re

from vista_stream.core.extraction.additions import (
    counts_out,
    holds_in_any_case,
    limits,
    names_speaker,
    trails,
)
from vista_stream.core.extraction.cuts import CONTRAST, NO_PARTICIPLE, PRESENT_PARTICIPLES, Cut, Cuts
from vista_stream.core.extraction.inflection import forms
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.participles import TAKING_OBJECTS, taken_for_past
from vista_stream.core.extraction.phrases import (
    AUXILIARIES,
    DASHES,
    FINITE_TAGS,
    RELATIVE_PRONOUNS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.text.stems import word_set

GERUNDS = {
    "becoming": "become", "winning": "win", "earning": "earn", "receiving": "receive", "serving": "serve",
    "replacing": "replace", "succeeding": "succeed", "defeating": "defeat", "finishing": "finish",
    "graduating": "graduate", "scoring": "score", "joining": "join", "beating": "beat", "leaving": "leave",
}  # fmt: skip
_STATES = word_set("included excluded excepted")
"""Participles behind a clause, whose subject says by itself nothing: "It costs 12 euros, drinks included"."""
_FACTIVE = forms("know", "realise", "realize", "discover", "learn", "notice", "forget", "regret") - {
    "knowing"
}
_FACTIVE_ADJECTIVES = frozenset(("aware", "unaware", "glad", "sad", "sorry", "happy", "surprised", "proud"))
_SPEECH = forms(
    *word_set(
        """say report claim think believe write tell add note argue explain state announce suggest hope
        mean feel suppose guess ask admit warn insist concede confess promise predict reckon estimate complain
        confirm deny reveal recall remark reply assert allege maintain"""
    )
)  # fmt: skip
_REASONS = CONTRAST - {"while", "whilst"} | {"because"}
"""What opens a clause that says why another holds or in spite of what, but never when."""
_YEAR = re.compile(r"[12]\d{3}")
_HAVE = forms("have") | {"'ve", "’ve", "'s", "’s", "'d", "’d"}
_ADJUNCTS = ("prep", "npadvmod", "advmod", "advcl", "neg", "cc", "punct")
_NAMED = word_set("known called named considered regarded thought believed")
"""Participles after which 'once' opens no condition: 'once known as', but not 'once opened'."""
_GROUPS = word_set("number majority rest half couple group team staff crew police none all some most")
"""Singular nouns that may take a verb in the plural."""
_HEDGES = word_set("reportedly supposedly allegedly purportedly apparently perhaps maybe possibly probably")
"""Adverbs that also apply to a second predicate, and would be lost if it were cut off."""
_JOINTLY = word_set("together jointly respectively simultaneously alternately both each another same")
"""Words that tell of two things at once."""


def passive_pair(tree: Tree, first: Word, word: Word) -> bool:
    """Whether a second participle shares the first one's auxiliary: 'was directed … and released'."""
    complete = tree.child(word, "aux", "auxpass", "dobj", "ccomp") is not None
    while first.dep == "conj" and passive_pair(tree, tree.head(first), first):
        first = tree.head(first)  # "was designed by Ada, opened in May and closed in June"
    if tree.child(first, "auxpass") is None or complete:
        return False
    if any(c.tag == "MD" for c in tree.children(first, "aux")):
        return word.tag in ("VBN", "VBD")  # after "will be taken", "returned" is no past
    return word.tag == "VBN" or taken_for_past(tree, word)


def begs(tree: Tree, word: Word) -> bool:
    """Whether a verb is a command beside a statement: "…, but please wait", "…, so bring cash"."""
    before = [c for c in tree.children(word) if c.index < word.index]
    links = {tree.region(word)[0].index, *(c.index for c in before)}
    led = any(tree.words[n].lower == "so" and tree.words[n - 1].text == "," for n in links if n)
    asked = (led and word.tag == "VB") or any(c.lower == "please" for c in before)
    return asked and word.tag in ("VB", "VBP") and tree.child(word, *SUBJECTS) is None


def _pins_down(word: Word) -> bool:
    """Whether a word of a participle's clause names its year or doer: 'Built in 1902', 'Founded by monks'."""
    return word.dep == "agent" or word.tag in ("NNP", "NNPS") or any(map(str.isdigit, word.text))


class ClauseCuts:
    """The rules for clauses; each takes the clause's head word."""

    def __init__(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self._tree = cuts.tree

    def conjunct(self, word: Word) -> Cut | None:
        """The cut before a verb that is joined to another, if there is one: '… and she left'."""
        first = self._tree.head(word)
        if word.tag not in VERB_TAGS or first.tag not in VERB_TAGS or not self._cuts.top(first):
            return None
        if any(cc.lower not in ("and", "but", "yet", ",") for cc in self._joints(word)):
            return None
        opening = self._tree.region(word)[:2]
        if limits(self._tree, word) or trails(self._tree, word) or counts_out(self._tree, word):
            return None
        told = [c for c in self._tree.children(first, "ccomp") if c.index < first.index]
        if any(self._spoken(c, first) for c in told) and not self._cuts.has_subject(word):
            return None  # "He never came, she says, but wrote to her"
        if self._misread(first, word) or self._qualified(first, word) or self._perfect(first, word):
            return None
        if self._takes_back(first, word) or self._conditioned(first, word) or self._lacks_be(first, word):
            return None
        if self._cuts.has_subject(word) or begs(self._tree, word):
            pointed = any(w.lower in RELATIVE_PRONOUNS or w.lower == "where" for w in opening)
            return self._cuts.relating(word) if pointed else Cut.INDEPENDENT
        if begs(self._tree, first):
            return None  # "please bring a towel and leave by 9"
        hedged = any(w.lower in _HEDGES for w in self._tree.children(first, "advmod"))
        shared = self._joined(first, word) and self._shares_subject(first, word)
        shared = shared and not self._may_be_a_noun(word)
        return Cut.PREDICATE if not hedged and shared else None

    def _may_be_a_noun(self, word: Word) -> bool:
        """Whether a verb right behind a noun and "and" may be a second noun, both told of together.

        So it is in "take paracetamol and ibuprofen together"; not in "sign the form and send it together".
        """
        before = self._tree.words[max(word.index - 2, 0) : word.index]
        told = [(w.dep, w.head) for w in before] == [("dobj", word.head), ("cc", word.head)]
        plain = word.tag in ("VB", "VBP", "VBZ") and word.lower not in AUXILIARIES
        jointly = any(w.lower in _JOINTLY and w.index > word.index for w in self._tree.region(word))
        return told and plain and jointly and self._tree.child(word, "aux", "dobj", "ccomp", "xcomp") is None

    def _misread(self, first: Word, word: Word) -> bool:
        """Whether a verb joined to this one is another subject's: "The hall was empty, … were two men".

        So it is where the noun is no subject: in "TCP retransmits lost packets, orders them", it is a verb.
        """
        subject = self._tree.child(first, *SUBJECTS)
        if subject is None or subject.lower in _GROUPS:
            return False
        if self._tree.child(subject, "conj") is None and subject.tag == "NN":
            joined = [c for c in self._tree.children(first, "conj") if not self._cuts.has_subject(c)]
            return any((self._tree.child(c, "aux", "auxpass") or c).lower in ("were", "are") for c in joined)
        singular = word.tag == "VBZ" and not self._cuts.has_subject(word)
        return singular and subject.tag == "NNS" and not subject.entity

    def _conditioned(self, first: Word, word: Word) -> bool:
        """Whether a condition before the first clause holds for this one too: "Once opened, use it and …".

        What is told of the past limits nothing, nor what holds for a clause of its own behind a comma.
        """
        start = self._tree.region(word)[0].index
        apart = any(w.text in DASHES for w in self._tree.words[max(start - 2, 0) : start])
        if self._of_the_past(first) or (apart and self._cuts.has_subject(word)):
            return False
        before = [c for c in self._tree.children(first, "advcl") if c.index < first.index]
        return any(c.index not in self._cuts.made and self._limits(c) for c in before)

    def _limits(self, word: Word) -> bool:
        """Whether a clause says when another holds: "Once opened", "Paid late", "In case it rains".

        Not why, as "As it is popular", nor how the subject is: "Located in the centre", "Weighing 5 kg".
        """
        mark = self._tree.child(word, "mark")
        reasons = _REASONS | {"as"} if word.lower in AUXILIARIES else _REASONS
        if mark is not None and mark.lower in reasons:
            return False
        going_on = word.tag == "VBG" and word.lower not in NO_PARTICIPLE
        bare = not (self._cuts.has_subject(word) or self._advised(word))
        return not (bare and (going_on or word.lower in PRESENT_PARTICIPLES))

    def _lacks_be(self, first: Word, word: Word) -> bool:
        """Whether a past may be a participle after "is", or after another: "is $60 and waived for children",
        "attributed to one, but thought to be by another"; not "is in Bern and opened in 1990"."""
        if word.tag != "VBD" or self._tree.child(word, "aux", "auxpass", "dobj", *SUBJECTS):
            return False
        infinitive = self._tree.child(word, "xcomp")
        thought = first.dep == "acl" and infinitive is not None and infinitive.lower == "be"
        told = word.lower not in TAKING_OBJECTS and self._dated(word)
        return thought or (first.lower in ("is", "are") and not told and taken_for_past(self._tree, word))

    def _dated(self, word: Word) -> bool:
        """Whether a verb tells in which year something happened, as none behind "is" does."""
        preps = [c for c in self._tree.children(word, "prep") if c.lower in ("in", "on")]
        return any(_YEAR.fullmatch(w.text) for c in preps for w in self._tree.region(c))

    def _takes_back(self, first: Word, word: Word) -> bool:
        """Whether a bare auxiliary stands for this verb: "It isn't open in May, but it is in June"."""
        subject = self._tree.child(word, *SUBJECTS)
        beside = ("aux", "mark", *_ADJUNCTS, *SUBJECTS)
        complements = [c for c in self._tree.children(word) if c.dep not in beside]
        stands = word.lower in AUXILIARIES or word.lower == "be"
        bare = stands and not complements and subject is not None and subject.tag == "PRP"
        meant = first.lower not in AUXILIARIES or self._tree.child(first, "acomp", "attr") is not None
        return bare and meant and self._cuts.negated(first) != self._cuts.negated(word)

    def _joined(self, first: Word, word: Word) -> bool:
        """Whether something joins the two verbs, as nothing does in "An appeal filed in May is late"."""
        between = self._tree.words[first.index + 1 : self._tree.region(word)[-1].index]
        return any(w.tag == "CC" or w.text in DASHES for w in between)

    def _qualified(self, first: Word, word: Word) -> bool:
        """Whether what limits this verb was joined to the first one: "…, but at most €50,000"."""
        late = self._tree.children(first, "conj")
        return any(c.index > word.index and c.tag in ("IN", "RB", "TO") for c in late)

    def _perfect(self, first: Word, word: Word) -> bool:
        """Whether a plain "have" needs the first verb's modal: "must be round and have cleared its orbit"."""
        have = self._tree.child(word, "aux")
        modal = any(c.tag == "MD" for c in self._tree.children(first, "aux"))
        plain = have is not None and have.lower == "have" and not self._cuts.has_subject(word)
        return plain and (modal or (first.tag == "VB" and self._tree.child(first, "aux", *SUBJECTS) is None))

    def _joints(self, word: Word) -> list[Word]:
        """The conjunctions of the whole chain that the word is in."""
        chain = [word, *(w for w in self._tree.above(word) if w.tag in VERB_TAGS)]
        return [cc for w in chain for cc in self._tree.children(w, "cc", "preconj")]

    def _shares_subject(self, first: Word, word: Word) -> bool:
        """Whether the second verb can take the first verb's subject, and its auxiliary if it lacks one."""
        if word.tag == "VBP" and first.tag == "VBD":
            return False
        finite = word.tag in FINITE_TAGS or self._tree.child(word, "aux", "auxpass") is not None
        lone_passive = passive_pair(self._tree, first, word)
        if not finite and (word.tag != first.tag or self._cuts.negated(first)) and not lone_passive:
            return False
        between = [w for w in self._tree.children(first) if first.index < w.index < word.index]
        tight = all(w.dep in ("cc", "punct", "advmod", "conj", "neg") for w in between)
        has_rest = any(
            w.index > word.index and w.dep not in ("punct", "conj", "cc", "advmod")
            for w in self._tree.children(word)
        )
        return not tight or not has_rest or lone_passive

    def complement(self, word: Word) -> Cut | None:
        """The cut before a clause that a verb takes, or that stands beside it, if there is one."""
        head = self._tree.head(word)
        mark = self._tree.child(word, "mark")
        if not self._cuts.top(head) or not self._cuts.has_subject(word) or self._relating(head):
            return None
        if head.lower in _STATES and not self._tree.child(head, "aux", "auxpass", "dobj"):
            return None
        if any(cc.lower == "or" for cc in (*self._joints(word), *self._joints(head))):
            return None  # "Report it within 24 hours, or else we won't pay"
        if [w.lower for w in self._tree.region(word)[:2]] in (["for", "each"], ["for", "every"]):
            return None  # "For each hour you are late, you pay €5"
        if word.index < head.index or word.dep == "parataxis" or self._set_off(word, head):
            joined = any(
                w.text in DASHES
                for w in self._tree.words[min(word.index, head.index) : max(word.index, head.index)]
            )
            spoken = self._spoken(word, head) or self._taken_back(word) or counts_out(self._tree, head)
            spoken = spoken or holds_in_any_case(self._tree, word)
            return Cut.INDEPENDENT if joined and mark is None and not spoken else None
        return Cut.CONTENT if self._presupposed(word, head, mark) else None

    def _spoken(self, word: Word, head: Word) -> bool:
        """Whether one of two clauses tells who says the other: "It is full, the guide admits"."""
        told = not _SPEECH.isdisjoint((head.lower, word.lower)) and self._cuts.behind(word) != ";"
        return told or names_speaker(self._cuts, word)

    def _set_off(self, word: Word, head: Word) -> bool:
        """Whether a colon parts a clause from what a speaker did: "I misspoke: it is three years"."""
        speaker = self._tree.child(head, "nsubj")
        return self._cuts.before(word) == ":" and speaker is not None and speaker.lower in ("i", "we")

    def _relating(self, head: Word) -> bool:
        """Whether the head's subject points back: "You need a ticket, the price of which is €12"."""
        subject = self._tree.child(head, *SUBJECTS)
        return subject is not None and any(w.tag in ("WDT", "WP$") for w in self._tree.region(subject)[1:])

    def _taken_back(self, word: Word) -> bool:
        """Whether ", not …" follows a clause: "It covers files at rest, not those being sent"."""
        after = self._tree.words[self._tree.region(word)[-1].index + 1 :]
        return len(after) > 1 and after[0].text == "," and after[1].lower == "not"

    def _presupposed(self, word: Word, head: Word, mark: Word | None) -> bool:
        factive = head.lower in _FACTIVE or any(
            c.lower in _FACTIVE_ADJECTIVES for c in self._tree.children(head, "acomp")
        )
        subject = self._tree.child(word, *SUBJECTS) or word
        asked = any(w.tag.startswith("W") for w in self._tree.region(word) if w.index <= subject.index)
        modal = any(c.tag == "MD" for c in self._tree.children(head, "aux"))
        return factive and not asked and not modal and (mark is None or mark.lower == "that")

    def adverbial(self, word: Word) -> Cut | None:
        """The cut before a clause that modifies a verb, if there is one: 'because …', 'Born in 1879, …'."""
        head = self._tree.head(word)
        if not self._cuts.top(head):
            return None
        mark = self._tree.child(word, "mark")
        if self._cuts.has_subject(word) and mark is not None:
            return self._subordinate(mark, word, head)
        if mark is not None or self._cuts.has_subject(word) or self._tree.child(word, "aux", "auxpass"):
            return None
        if word.tag == "VBN" and word.index < head.index and word.lower not in NO_PARTICIPLE:
            return Cut.LEADING_PARTICIPLE if self._open_to_participle(word, head) else None
        trailing = (
            word.lower in GERUNDS
            and self._cuts.before(word) == ","
            and head.tag == "VBD"
            and word.index > head.index
        )
        return Cut.GERUND if trailing and self._cuts.has_subject(head) else None

    def _open_to_participle(self, word: Word, head: Word) -> bool:
        region = self._tree.region(word)
        following = self._tree.words[region[-1].index + 1]
        stated = not self._advised(word) and following.text in DASHES and self._cuts.has_subject(head)
        if self._behind_adjunct(region[0], head):
            return False
        return stated and (self._of_the_past(head) or any(map(_pins_down, region)))

    def _behind_adjunct(self, start: Word, head: Word) -> bool:
        """Whether the noun of an adjunct may be meant: "On a course of 1,500 metres, shortened by waves, …".

        A date is not: "In 1976, founded by two brothers, the firm opened a shop".
        """
        adjuncts = self._tree.children(head, "prep", "npadvmod")
        behind = [c for c in adjuncts if self._tree.region(c)[-1].index == start.index - 2]
        return any((self._tree.child(c, "pobj") or c).entity != "DATE" for c in behind)

    def _advised(self, word: Word) -> bool:
        """Whether a participle follows what makes a condition of it: "When heated", "Once opened"."""
        return any(
            (w.tag in ("WRB", "IN") or (w.lower == "once" and word.lower not in _NAMED))
            and w.index < word.index
            for w in self._tree.children(word)
        )

    def _of_the_past(self, head: Word) -> bool:
        """Whether a clause tells what happened, so that a participle before it is no condition.

        'Paid late, the fee is 30 euros' does not say that it was paid late.
        """
        return (self._tree.child(head, "aux") or head).tag == "VBD"

    def _subordinate(self, mark: Word, word: Word, head: Word) -> Cut | None:
        if mark.lower in ("while", "whilst") and self._tells_when(word, head):
            return None
        if self._tree.child(mark, *SUBJECTS) or len(self._tree.children(word, *SUBJECTS)) > 1:
            return None  # "although conifers, they shed their needles"
        subject = self._tree.child(word, *SUBJECTS) or word
        if self._takes_back(head, word) or limits(self._tree, word):
            return None  # "It can't be used by day, though it can be by night"
        if mark.lower in CONTRAST or (mark.lower == "since" and subject.lower == "i"):
            return Cut.INDEPENDENT  # what the speaker is or does hides no fact
        if mark.lower == "since":
            return None if self._tells_since_when(word, head) else Cut.CAUSE
        return Cut.CAUSE if mark.lower == "because" and not self._cuts.negated(head) else None

    def _tells_since_when(self, word: Word, head: Word) -> bool:
        """Whether a clause with "since" gives a time: beside a perfect, and not after a comma.

        'She has not played since she fell' holds only together.
        """
        perfect = head.tag == "VBN" and any(c.lower in _HAVE for c in self._tree.children(head, "aux"))
        return perfect and not (word.index > head.index and self._cuts.before(word) == ",")

    def _tells_when(self, word: Word, head: Word) -> bool:
        """Whether a clause with "while" tells when: after no comma, or before the other and going on.

        'While you are breastfeeding, do not use it' holds only together.
        """
        if word.index > head.index:
            return self._cuts.before(word) not in (",", *DASHES)
        subject = self._tree.child(word, *SUBJECTS)
        commands = head.tag == "VB" and self._tree.child(head, "aux", *SUBJECTS) is None
        if commands:
            return True  # "While the oven is hot, bake the rolls"
        going = word.tag == "VBG" or any(c.lower == "being" for c in self._tree.children(word, "auxpass"))
        return going and subject is not None
