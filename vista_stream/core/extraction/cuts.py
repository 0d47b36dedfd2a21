"""Decides where a sentence's tree is cut: which words head a statement of their own, and of what sort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto

from vista_stream.core.extraction.genders import is_person
from vista_stream.core.extraction.inflection import forms
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    DASHES,
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.text.stems import word_set


class Cut(Enum):
    """The sort of statement that begins at a cut."""

    INDEPENDENT = auto()
    """A clause with its own subject."""
    PREDICATE = auto()
    """A predicate that shares the subject of the clause that it is joined to."""
    RELATIVE = auto()
    """A relative clause about the noun that it depends on."""
    DESCRIPTIVE = auto()
    """A relative clause of a predicate noun, about the copula's subject."""
    PARTICIPLE = auto()
    """'…, founded in 1976, …', about the noun that it depends on."""
    DESCRIPTIVE_PARTICIPLE = auto()
    """'X is an actor born in 1949', about the copula's subject."""
    LEADING_PARTICIPLE = auto()
    """'Born in 1879, she …', about the main clause's subject."""
    GERUND = auto()
    """'…, becoming the first …', about the main clause's subject."""
    APPOSITION = auto()
    """'Paris, the capital of France'."""
    CAUSE = auto()
    """'because …': a statement of its own; the whole sentence is kept too."""
    CONTENT = auto()
    """The clause that a factive verb presupposes; the whole sentence is kept too."""


KEPT_IN_PLACE = frozenset((Cut.CONTENT,))
GERUNDS = {
    "becoming": "become", "winning": "win", "earning": "earn", "receiving": "receive", "serving": "serve",
    "replacing": "replace", "succeeding": "succeed", "defeating": "defeat", "finishing": "finish",
    "graduating": "graduate", "scoring": "score", "joining": "join", "beating": "beat", "leaving": "leave",
}  # fmt: skip

_FACTIVE = forms("know", "realise", "realize", "discover", "learn", "notice", "forget", "regret") - {
    "knowing"
}
_FACTIVE_ADJECTIVES = frozenset(("aware", "unaware", "glad", "sad", "sorry", "happy", "surprised", "proud"))
_FIRST_PERSON = frozenset(("i", "we", "my", "our"))
_SPEECH = forms(
    *word_set(
        """say report claim think believe write tell add note argue explain state announce suggest hope
        mean feel suppose guess ask"""
    )
)  # fmt: skip
_CONTRAST = frozenset(("although", "though", "while", "whereas", "since"))
_NO_PARTICIPLE = word_set("given compared based provided granted followed combined assuming depending")
_NAMED = word_set("known called named considered regarded thought believed")
"""Participles after which 'once' opens no condition: 'once known as', but not 'once opened'."""
_NOT_REFERRING = word_set(
    """no few little each every any many several some most all neither either another"""
)
_RELATED = word_set(
    """widow sons daughters brothers sisters parents cousin friends partner students pupil pupils successor
    predecessor rival assistant mentor colleague colleagues daughter-in-law owner member members head chief
    captain editor"""
)
"""Nouns for relations between people, besides the nouns for persons in `genders`."""
_HEDGES = word_set("reportedly supposedly allegedly purportedly apparently perhaps maybe possibly probably")
"""Adverbs that also apply to a second predicate, and would be lost if it were cut off."""
_NUMERIC = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))
_PLACES = frozenset(("GPE", "LOC", "FAC"))
_INTRANSITIVE = forms(
    *word_set(
        """move live work serve study die retire graduate play appear perform start continue return
        compete emigrate remain last star end occur happen participate collaborate focus debut
        premiere result belong exist arrive settle travel peak"""
    )
)  # fmt: skip


class Cutter:
    """Decides the cuts of one tree, top down, because a clause is cut only if its head is asserted."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._cuts: dict[int, Cut] = {}
        self._rules: Mapping[str, Callable[[Word], Cut | None]] = {
            "conj": self._conjunct,
            "ccomp": self._complement,
            "parataxis": self._complement,
            "advcl": self._adverbial,
            "relcl": self._relative,
            "acl": self._participle,
            "appos": self._apposition,
        }

    def find(self) -> dict[int, Cut]:
        """The sort of each statement that is cut off, by the index of its head word."""
        conditional = self._inverted() or any(
            w.dep == "mark" and w.lower in ("if", "unless", "whether") and not self._asks(w)
            for w in self._tree.words
        )
        waiting = self._tree.roots
        while waiting:
            word = waiting.pop(0)
            rule = self._rules.get(word.dep)
            cut = rule(word) if rule else None
            if cut is not None and (not conditional or self._holds_anyway(word, cut)):
                self._cuts[word.index] = cut
            waiting.extend(self._tree.children(word))
        return self._cuts

    def _holds_anyway(self, word: Word, cut: Cut) -> bool:
        """Whether a cut holds despite a condition, as about a name: 'If you like Rome, see Ostia, a port'."""
        told_of = self._tree.head(word).tag in PROPER_TAGS and not self._negated(word)
        modal = any(c.tag == "MD" for c in self._tree.children(word, "aux"))
        return cut in (Cut.RELATIVE, Cut.APPOSITION, Cut.PARTICIPLE) and told_of and not modal

    def _inverted(self) -> bool:
        """Whether the sentence has a condition without 'if': 'Had he lived, …', 'Should you lose it, …'."""
        words = self._tree.words
        opens = len(words) > 1 and words[0].lower in ("had", "were", "should")
        return opens and words[-1].text != "?" and any(w.text == "," for w in words)

    def _asks(self, mark: Word) -> bool:
        """Whether an 'if' or 'whether' opens an indirect question, not a condition."""
        return self._tree.head(mark).dep == "ccomp"

    def _top(self, word: Word) -> bool:
        """Whether the word heads a clause that the sentence asserts."""
        return word.head == word.index or word.index in self._cuts

    def _has_subject(self, word: Word) -> bool:
        return self._tree.child(word, *SUBJECTS) is not None

    def _negated(self, word: Word) -> bool:
        return self._tree.child(word, "neg") is not None

    def _conjunct(self, word: Word) -> Cut | None:
        first = self._tree.head(word)
        if word.tag not in VERB_TAGS or first.tag not in VERB_TAGS or not self._top(first):
            return None
        if any(cc.lower not in ("and", "but", "yet", ",") for cc in self._joints(word)):
            return None
        if self._has_subject(word):
            return Cut.INDEPENDENT
        hedged = any(w.lower in _HEDGES for w in self._tree.children(first, "advmod"))
        return Cut.PREDICATE if not hedged and self._shares_subject(first, word) else None

    def _joints(self, word: Word) -> list[Word]:
        """The conjunctions of the whole chain that the word is in."""
        chain = [word, *(w for w in self._tree.above(word) if w.tag in VERB_TAGS)]
        return [cc for w in chain for cc in self._tree.children(w, "cc", "preconj")]

    def _shares_subject(self, first: Word, word: Word) -> bool:
        """Whether the second verb can take the first verb's subject, and its auxiliary if it lacks one."""
        if word.tag == "VBP" and first.tag == "VBD":
            return False
        finite = word.tag in FINITE_TAGS or self._tree.child(word, "aux", "auxpass") is not None
        lone_passive = self.passive_pair(first, word)
        if not finite and (word.tag != first.tag or self._negated(first)) and not lone_passive:
            return False
        between = [w for w in self._tree.children(first) if first.index < w.index < word.index]
        tight = all(w.dep in ("cc", "punct", "advmod", "conj", "neg") for w in between)
        has_rest = any(
            w.index > word.index and w.dep not in ("punct", "conj", "cc", "advmod")
            for w in self._tree.children(word)
        )
        return not tight or not has_rest or lone_passive

    def passive_pair(self, first: Word, word: Word) -> bool:
        """Whether a second participle shares the first one's auxiliary: 'was directed … and released'."""
        if (
            self._tree.child(first, "auxpass") is None
            or self._tree.child(word, "aux", "auxpass", "dobj") is not None
        ):
            return False
        return word.tag == "VBN" or (
            word.tag == "VBD" and word.lower.endswith("ed") and word.lower not in _INTRANSITIVE
        )

    def _complement(self, word: Word) -> Cut | None:
        head = self._tree.head(word)
        mark = self._tree.child(word, "mark")
        if not self._top(head) or not self._has_subject(word):
            return None
        if word.index < head.index or word.dep == "parataxis":
            joined = any(
                w.text in DASHES
                for w in self._tree.words[min(word.index, head.index) : max(word.index, head.index)]
            )
            spoken = head.lower in _SPEECH or word.lower in _SPEECH
            return Cut.INDEPENDENT if joined and mark is None and not spoken else None
        return Cut.CONTENT if self._presupposed(word, head, mark) else None

    def _presupposed(self, word: Word, head: Word, mark: Word | None) -> bool:
        factive = head.lower in _FACTIVE or any(
            c.lower in _FACTIVE_ADJECTIVES for c in self._tree.children(head, "acomp")
        )
        subject = self._tree.child(word, *SUBJECTS) or word
        asked = any(w.tag.startswith("W") for w in self._tree.region(word) if w.index <= subject.index)
        modal = any(c.tag == "MD" for c in self._tree.children(head, "aux"))
        return factive and not asked and not modal and (mark is None or mark.lower == "that")

    def _adverbial(self, word: Word) -> Cut | None:
        head = self._tree.head(word)
        if not self._top(head):
            return None
        mark = self._tree.child(word, "mark")
        if self._has_subject(word) and mark is not None:
            return self._subordinate(mark, head)
        if mark is not None or self._has_subject(word) or self._tree.child(word, "aux", "auxpass"):
            return None
        if word.tag == "VBN" and word.index < head.index and word.lower not in _NO_PARTICIPLE:
            return Cut.LEADING_PARTICIPLE if self._open_to_participle(word, head) else None
        trailing = (
            word.lower in GERUNDS
            and self.before(word) == ","
            and head.tag == "VBD"
            and word.index > head.index
        )
        return Cut.GERUND if trailing and self._has_subject(head) else None

    def _open_to_participle(self, word: Word, head: Word) -> bool:
        region = self._tree.region(word)
        advised = any(
            (w.tag in ("WRB", "IN") or (w.lower == "once" and word.lower not in _NAMED))
            and w.head == word.index
            and w.index < word.index
            for w in region
        )
        following = self._tree.words[region[-1].index + 1]
        return not advised and following.text in DASHES and self._has_subject(head)

    def _subordinate(self, mark: Word, head: Word) -> Cut | None:
        if mark.lower in _CONTRAST:
            return Cut.INDEPENDENT
        return Cut.CAUSE if mark.lower == "because" and not self._negated(head) else None

    def before(self, word: Word) -> str:
        """The text just before the word's region; empty at the beginning."""
        start = self._tree.region(word)[0].index
        return self._tree.words[start - 1].text if start else ""

    def _adjacent(self, noun: Word, word: Word) -> bool:
        """Whether nothing but punctuation stands between the noun and what modifies it."""
        between = self._tree.words[noun.index + 1 : self._tree.region(word)[0].index]
        return all(w.text in DASHES for w in between)

    def _ends_before(self, noun: Word, word: Word) -> bool:
        """As `_adjacent`, but conjuncts of the noun may stand between: 'a poet and critic who'."""
        start = self._tree.region(word)[0].index
        joined = {w.index for c in self._tree.children(noun, "conj") for w in self._tree.region(c)}
        between = self._tree.words[noun.index + 1 : start]
        return all(w.text in DASHES or w.dep == "cc" or w.index in joined for w in between)

    def _nested(self, noun: Word) -> bool:
        """Whether the noun is part of a larger noun phrase, to which the words after it may belong."""
        head = self._tree.head(noun)
        if noun.dep in ("pobj", "conj"):
            head = self._tree.head(head) if noun.dep == "pobj" else head
            return head.tag in NOUN_TAGS and noun.dep == "pobj"
        return noun.dep in ("poss", "compound", "appos", "nmod")

    def refers(self, noun: Word) -> bool:
        """Whether the phrase refers to something definite: a name, 'the …', 'his …', or a whole kind."""
        below = self._tree.children(noun)
        words = {w.lower for w in below}
        if noun.tag not in NOUN_TAGS or words & _NOT_REFERRING or any(w.dep == "nummod" for w in below):
            return False
        definite = any(w.dep == "poss" for w in below) or bool(
            words & {"the", "this", "these", "that", "those"}
        )
        generic = noun.tag == "NNS" and not any(w.dep == "det" for w in below)
        return definite or generic or (noun.tag in PROPER_TAGS and not words & {"a", "an"})

    def described(self, noun: Word) -> Word | None:
        """The copula whose predicate the noun is, if what modifies the noun can be said of the subject."""
        first = noun
        while first.dep == "conj":
            first = self._tree.head(first)
        verb = self._tree.head(first)
        if first.dep != "attr" or not self._top(verb) or self._negated(verb):
            return None
        subject = self._tree.child(verb, "nsubj")
        pointing = subject is not None and subject.lower not in (
            "it",
            "this",
            "that",
            "there",
            "these",
            "those",
        )
        return verb if pointing and subject is not None and not subject.tag.startswith("W") else None

    def _indefinite(self, noun: Word) -> bool:
        return any(c.lower in ("a", "an") for c in self._tree.children(noun, "det"))

    def _relative(self, word: Word) -> Cut | None:
        noun = self._tree.head(word)
        pronoun = next((w for w in self._tree.region(word) if w.tag in ("WDT", "WP", "WP$", "WRB")), None)
        if pronoun is None or pronoun.lower in ("when", "what", "why", "how") or self._singled_out(noun):
            return None
        personal = self._of_the_speaker(noun)
        if not personal and self._describes(noun, word, pronoun):
            return Cut.DESCRIPTIVE
        fits = self._fits(noun, pronoun) and self._movable(word, pronoun)
        apart = self.before(word) == "," and self._adjacent(noun, word)
        refers = self.refers(noun) or (personal and self._bare(noun))
        return Cut.RELATIVE if apart and fits and refers else None

    def _of_the_speaker(self, noun: Word) -> bool:
        """Whether the noun is what a speaker likes or has: 'My favourite food is pizza, which …'."""
        verb = self._tree.head(noun)
        subject = self._tree.child(verb, "nsubj") if noun.dep in ("attr", "dobj") else None
        if subject is None:
            return False
        owners = [subject, *self._tree.children(subject, "poss")]
        return any(w.lower in _FIRST_PERSON for w in owners)

    def _bare(self, noun: Word) -> bool:
        return noun.tag == "NN" and not any(c.dep in ("det", "poss") for c in self._tree.children(noun))

    def _describes(self, noun: Word, word: Word, pronoun: Word) -> bool:
        """Whether the clause is about the copula's subject X: 'X is a N who …' or 'X is the N, who …'."""
        as_subject = pronoun.head == word.index and pronoun.dep in ("nsubj", "nsubjpass")
        loose = self._indefinite(noun) or self.before(word) == ","
        return as_subject and loose and self._ends_before(noun, word) and self.described(noun) is not None

    def _singled_out(self, noun: Word) -> bool:
        """Whether the noun is in a cleft: 'It was Anna, not Carl, who …' is about one of the two only."""
        while noun.dep in ("conj", "appos"):
            noun = self._tree.head(noun)
        subject = self._tree.child(self._tree.head(noun), "nsubj") if noun.dep == "attr" else None
        return subject is not None and subject.lower == "it"

    def _fits(self, noun: Word, pronoun: Word) -> bool:
        """Whether the pronoun can refer to the noun: 'who' to people, 'which' and 'where' to other things.

        In 'the wife of Carl Lund, who …' and 'the life of Carl Lund, which …' it refers to the outer noun.
        """
        nested, person = self._nested(noun), noun.entity == "PERSON"
        if pronoun.lower == "whose":
            return not nested
        if pronoun.lower in ("who", "whom"):
            return person and not self._of_a_person(noun) if nested else noun.entity in ("PERSON", "")
        near = noun.tag in PROPER_TAGS or self._tree.child(noun, "poss") is not None
        return not nested or (near and not person)

    def _of_a_person(self, noun: Word) -> bool:
        outer = self._tree.head(self._tree.head(noun)) if noun.dep == "pobj" else self._tree.head(noun)
        return is_person(outer.lower) or outer.lower in _RELATED

    def _movable(self, word: Word, pronoun: Word) -> bool:
        """Whether the noun can replace the pronoun in its clause."""
        head = self._tree.head(pronoun)
        if pronoun.lower == "where":
            return pronoun.head == word.index and self._has_subject(word)
        in_place = self._tree.region(word)[0].index == pronoun.index or head.dep == "prep"
        return in_place and pronoun.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "poss")

    def _participle(self, word: Word) -> Cut | None:
        noun = self._tree.head(word)
        if word.tag != "VBN" or self._tree.child(word, "aux", "auxpass", *SUBJECTS):
            return None
        if self._ends_before(noun, word) and self._indefinite(noun) and self.described(noun):
            return Cut.DESCRIPTIVE_PARTICIPLE
        apart = self.before(word) == "," and self._adjacent(noun, word) and not self._nested(noun)
        return Cut.PARTICIPLE if apart and self.refers(noun) and word.lower not in _NO_PARTICIPLE else None

    def _apposition(self, word: Word) -> Cut | None:
        noun = self._tree.head(word)
        set_apart = self.before(word) in DASHES - {";"} and word.tag in NOUN_TAGS
        if not set_apart or word.entity in _NUMERIC or {noun.entity, word.entity} <= _PLACES:
            return None
        if (
            self._nested(noun)
            or (noun.entity in _PLACES and is_person(word.lower))  # "born in Bergen, the daughter of a pilot"
            or not self.refers(noun)
            or not self._adjacent_phrase(noun, word)
            or self._listed(noun, word)
        ):
            return None
        return Cut.APPOSITION if self._identifies(noun, word) else None

    def _adjacent_phrase(self, noun: Word, word: Word) -> bool:
        """Whether the noun's phrase, with its 'of …', ends where the apposition begins."""
        start = self._tree.region(word)[0].index
        return all(
            w.text in DASHES or noun in self._tree.above(w) for w in self._tree.words[noun.index + 1 : start]
        )

    def _listed(self, noun: Word, word: Word) -> bool:
        """Whether the two may be members of a list rather than mean the same."""
        joined = self._tree.children(word, "conj")
        if (
            self._tree.child(word, "det", "poss") is not None
            or word.tag != "NN"
            or noun.tag not in PROPER_TAGS
        ):
            joined = [*joined, *self._tree.children(noun, "conj")]
        after_comma = any(
            self._tree.words[c.index - 1].text == "," or self._comma_before_joint(c) for c in joined
        )
        return noun.dep == "conj" or after_comma or len(self._tree.children(noun, "appos")) > 1

    def _comma_before_joint(self, conjunct: Word) -> bool:
        start = self._tree.region(conjunct)[0].index
        return any(w.text == "," for w in self._tree.words[max(0, start - 2) : start])

    def _identifies(self, noun: Word, word: Word) -> bool:
        below = self._tree.children(word)
        determined = any(c.dep in ("det", "poss") for c in below)
        if word.tag in PROPER_TAGS and not determined:
            return noun.tag not in PROPER_TAGS and any(
                c.dep in ("det", "poss") for c in self._tree.children(noun)
            )
        same_number = (noun.tag in PLURAL_TAGS) == (word.tag in PLURAL_TAGS)
        lists = word.tag in PLURAL_TAGS and not determined
        return same_number and not lists and not any(c.lower in _NOT_REFERRING for c in below)
