"""Decides which modifiers of a noun are cut off: relative clauses, participles and appositions."""

from __future__ import annotations

import re

from vista_stream.core.extraction.cuts import NO_PARTICIPLE, PRESENT_PARTICIPLES, Cut, Cuts
from vista_stream.core.extraction.genders import is_person
from vista_stream.core.extraction.inflection import forms
from vista_stream.core.extraction.parsing import Word
from vista_stream.core.extraction.phrases import (
    DASHES,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
)
from vista_stream.core.text.stems import word_set

_YEAR = re.compile(r"[12]\d{3}s?")
_FIRST_PERSON = frozenset(("i", "we", "my", "our"))
_NOT_REFERRING = word_set(
    """no few little each every any many several some most all neither either another"""
)
_RELATED = word_set(
    """widow sons daughters brothers sisters parents cousin friends partner students pupil pupils successor
    predecessor rival assistant mentor colleague colleagues daughter-in-law owner member members head chief
    captain editor"""
)
"""Nouns for relations between people, besides the nouns for persons in `genders`."""
_OF_CLAUSES = forms(
    *word_set(
        """know regret resent notice forget surprise shock please anger annoy upset delight disappoint worry
        cause allow enable lead prevent explain suggest show prove help"""
    )
)
"""Verbs whose subject or object is often a fact."""
_OF_SENTENCES = word_set(
    "right rule practice step move feat fact decision exception change measure sign privilege offer option"
)
"""Nouns that rename what a clause tells: "You may end the contract, a right that others lack"."""
_SAID_OF_CLAUSES = word_set(
    """possible impossible allowed permitted forbidden prohibited legal illegal unlawful true untrue why
    because how"""
)
"""Words behind "which is" that tell of what happens rather than of a thing."""
_SIDES = word_set(
    """side part half quarter third end edge corner bank shore coast tip top bottom foot rim middle north
    south east west northeast northwest southeast southwest outskirts"""
)
"""Nouns for a part of the place that they are "of"."""
_BE = forms("be") | {"are", "were", "been"}
_HAVE = forms("have")
_NUMERIC = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))
_PLACES = frozenset(("GPE", "LOC", "FAC"))


class NounCuts:
    """The rules for what modifies a noun; each takes the modifier's head word."""

    def __init__(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self._tree = cuts.tree

    def relative(self, word: Word) -> Cut | None:
        """The cut before a relative clause, if there is one."""
        noun = self._tree.head(word)
        pronoun = next((w for w in self._tree.region(word) if w.tag in ("WDT", "WP", "WP$", "WRB")), None)
        if pronoun is None or pronoun.lower in ("when", "what", "why", "how") or self._singled_out(noun):
            return None
        personal = self._of_the_speaker(noun)
        if word.lower in ("means", "meant") or self._of_the_clause(noun, word, pronoun):
            return None  # "which means that" and "which is why" are about the whole clause before it
        if pronoun.lower == "which" and pronoun.dep in SUBJECTS and not self._agrees(noun, word):
            return None
        if not personal and self._describes(noun, word, pronoun):
            return Cut.DESCRIPTIVE
        fits = self._fits(noun, pronoun) and self._movable(word, pronoun)
        apart = self._cuts.before(word) == "," and self._adjacent(noun, word)
        refers = self._refers(noun) or (personal and self._bare(noun))
        return Cut.RELATIVE if apart and fits and refers else None

    def _of_the_clause(self, noun: Word, word: Word, pronoun: Word) -> bool:
        """Whether "which" may be all that was said: '… to the church, which surprised her family'."""
        if pronoun.lower != "which":
            return False
        reason = word.index + 1 < len(self._tree.words) and self._tree.words[word.index + 1].tag == "WRB"
        if reason and self._tree.child(word, "ccomp", "advcl") is not None:
            return True
        if noun.dep not in SUBJECTS and (word.lower in _OF_CLAUSES or self._measures(noun)):
            return True
        if pronoun.dep not in SUBJECTS or not self._follows_verb(noun):
            return False
        acts = pronoun.dep == "nsubj" and self._verb_above(noun).lower not in _BE and self._acts(noun, word)
        return acts or self._judged(word)

    def _measures(self, noun: Word) -> bool:
        """Whether the noun is a number, a date or a unit behind a number, of which little is told: "65 °C".

        What costs that much, or was so late, is what was said before it.
        """
        phrase = [w for w in self._tree.region(noun) if w.index < noun.index]
        return noun.entity in _NUMERIC or (bool(phrase) and phrase[0].tag == "CD")

    def _judged(self, word: Word) -> bool:
        """Whether a clause tells what is so of another: "which is not an option", "which is allowed"."""
        predicate = word if word.tag == "VBN" else self._tree.child(word, "attr", "acomp", "advcl")
        told = predicate is word or word.lower in _BE
        return told and predicate is not None and predicate.lower in _SAID_OF_CLAUSES | _OF_SENTENCES

    def _agrees(self, noun: Word, word: Word) -> bool:
        """Whether a relative clause has a verb with one subject, in the noun's number; else it was misread.

        In "on two days when there is PE, which are Monday and Friday", it is the days that are so.
        """
        if word.tag not in VERB_TAGS or len(self._tree.children(word, *SUBJECTS)) > 1:
            return False
        finite = self._tree.child(word, "aux", "auxpass") or word
        several = finite.tag == "VBP" or finite.lower == "were"
        if finite.lower in ("is", "was") and noun.tag == "NNS":
            return False  # "fewer cases, which is good news"
        return not several or noun.tag in PLURAL_TAGS or bool(self._tree.children(noun, "conj"))

    def _follows_verb(self, noun: Word) -> bool:
        """Whether the noun is the last word of a statement about something else: '… missed its deadline'."""
        return noun.dep in ("dobj", "pobj", "conj") and self._verb_above(noun).index < noun.index

    def _verb_above(self, noun: Word) -> Word:
        return next((w for w in self._tree.above(noun) if w.tag in VERB_TAGS and w.dep != "prep"), noun)

    def _acts(self, noun: Word, word: Word) -> bool:
        """Whether a verb tells what a noun, or what happened, does to something: 'cost it', 'turned out to'.

        A name is more likely to do it, what has something is a thing, only things are many, and what happens
        now did nothing before.
        """
        finite = self._tree.child(word, "aux", "auxpass") or word
        earlier = finite.tag == "VBD" and self._verb_above(noun).tag in ("VBZ", "VBP", "VB")
        if noun.tag in PROPER_TAGS or finite.tag == "VBP" or finite.lower == "were" or earlier:
            return False
        objects = self._tree.child(word, "dobj", "dative", "xcomp", "ccomp") is not None
        one = finite.tag == "VBZ" or finite.lower == "was"
        return (noun.tag in PLURAL_TAGS and one) or (objects and word.lower not in _HAVE)

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
        loose = self._indefinite(noun) or self._cuts.before(word) == ","
        return (
            as_subject and loose and self._ends_before(noun, word) and self._cuts.described(noun) is not None
        )

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
        if nested and pronoun.lower == "where" and self._tree.head(self._tree.head(noun)).lower in _SIDES:
            return False  # "the eastern side of the island, where the port is"
        if pronoun.lower == "whose":
            return not nested
        if pronoun.lower in ("who", "whom"):
            return person and not self._of_a_person(noun) if nested else noun.entity in ("PERSON", "")
        if nested and noun.dep == "pobj" and self._tree.head(noun).lower != "of":
            return False  # "an asylum near Bonn, where", "the copy in Dresden, which"
        near = noun.tag in PROPER_TAGS or self._tree.child(noun, "poss") is not None
        return not nested or (near and not person)

    def _of_a_person(self, noun: Word) -> bool:
        outer = self._tree.head(self._tree.head(noun)) if noun.dep == "pobj" else self._tree.head(noun)
        return is_person(outer.lower) or outer.lower in _RELATED

    def _movable(self, word: Word, pronoun: Word) -> bool:
        """Whether the noun can replace the pronoun in its clause."""
        head = self._tree.head(pronoun)
        if pronoun.lower == "where":
            return pronoun.head == word.index and self._cuts.has_subject(word)
        in_place = self._tree.region(word)[0].index == pronoun.index or head.dep == "prep"
        return in_place and pronoun.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "poss")

    def participle(self, word: Word) -> Cut | None:
        """The cut before a participle about a noun, if there is one: '…, founded in 1976, …'."""
        noun = self._tree.head(word)
        if word.tag != "VBN" or self._tree.child(word, "aux", "auxpass", *SUBJECTS):
            return None
        described = self._cuts.described(noun)
        if self._ends_before(noun, word) and self._indefinite(noun) and described:
            return Cut.DESCRIPTIVE_PARTICIPLE if self._timed(word, described) else None
        apart = self._cuts.before(word) == "," and self._behind_name(noun, word) and not self._nested(noun)
        return Cut.PARTICIPLE if apart and self._refers(noun) and word.lower not in NO_PARTICIPLE else None

    def _timed(self, word: Word, copula: Word) -> bool:
        """Whether it is plain that a participle about a predicate noun tells of the past, or of no time.

        'A museum visited by many' does not tell, but 'a museum opened in 1990' and 'one located in Rome' do.
        """
        known = word.lower in (*PRESENT_PARTICIPLES, "born") or copula.tag == "VBD"
        return known or any(map(self._pins_to_past, self._tree.region(word)))

    def _pins_to_past(self, word: Word) -> bool:
        """Whether a word of a participle's clause names a year, a century or a doer."""
        doer = word.entity in ("PERSON", "ORG") and any(w.dep == "agent" for w in self._tree.above(word))
        dated = word.entity == "DATE" and (_YEAR.fullmatch(word.text) or word.lower in ("century", "bc"))
        return doer or bool(dated)

    def apposition(self, word: Word) -> Cut | None:
        """The cut before a second name for the noun, if there is one: 'Paris, the capital of France'."""
        noun = self._tree.head(word)
        set_apart = self._cuts.before(word) in DASHES - {";"} and word.tag in NOUN_TAGS
        if not set_apart or word.entity in _NUMERIC or {noun.entity, word.entity} <= _PLACES:
            return None
        if (
            self._nested(noun)
            or (noun.entity in _PLACES and is_person(word.lower))  # "born in Bergen, the daughter of a pilot"
            or not self._refers(noun)
            or not self._adjacent_phrase(noun, word)
            or self._listed(noun, word)
            or self._named_before(noun, word)
        ):
            return None
        if word.lower in _OF_SENTENCES and noun.dep not in SUBJECTS:
            return None
        if any(c.tag not in NOUN_TAGS for c in self._tree.children(word, "conj")):
            return None  # an adjective taken for a noun: "…, optional with B and not available with C"
        return Cut.APPOSITION if self._identifies(noun, word) else None

    def _named_before(self, noun: Word, word: Word) -> bool:
        """Whether it is a subject again, as in "The owner let them keep the car, the owner for a photo"."""
        before = (w for w in self._tree.words[: noun.index] if w.lower == word.lower)
        told = any(w.dep in (*SUBJECTS, "conj") for w in before)
        of = any(c.lower == "of" or c.dep in ("amod", "poss") for c in self._tree.children(word))
        return told and not of

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

    def _adjacent(self, noun: Word, word: Word) -> bool:
        """Whether nothing but punctuation stands between the noun and what modifies it."""
        between = self._tree.words[noun.index + 1 : self._tree.region(word)[0].index]
        return all(w.text in DASHES for w in between)

    def _behind_name(self, noun: Word, word: Word) -> bool:
        """As `_adjacent`, but a second name may stand between: 'Their father, Patrick, born in Cork, …'."""
        named = {w.index for c in self._tree.children(noun, "appos") for w in self._tree.region(c)}
        between = self._tree.words[noun.index + 1 : self._tree.region(word)[0].index]
        return all(w.text in DASHES or w.index in named for w in between)

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

    def _refers(self, noun: Word) -> bool:
        """Whether the phrase refers to something definite: a name, 'the …', 'his …', or a whole kind."""
        below = self._tree.children(noun)
        words = {w.lower for w in below}
        if noun.tag not in NOUN_TAGS or words & _NOT_REFERRING or any(w.dep == "nummod" for w in below):
            return False
        if any(self._tree.child(w, "cc") for w in below if w.dep == "nmod"):
            return False  # a list whose first member was taken for a part of its last one
        definite = any(w.dep == "poss" for w in below) or bool(
            words & {"the", "this", "these", "that", "those"}
        )
        generic = noun.tag == "NNS" and not any(w.dep == "det" for w in below)
        return definite or generic or (noun.tag in PROPER_TAGS and not words & {"a", "an"})

    def _indefinite(self, noun: Word) -> bool:
        return any(c.lower in ("a", "an") for c in self._tree.children(noun, "det"))
