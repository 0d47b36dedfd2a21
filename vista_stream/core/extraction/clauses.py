"""Cuts a sentence's dependency tree into statements, each a clause that can stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from vista_stream.core.extraction.bargains import bargain_in
from vista_stream.core.extraction.clause_cuts import GERUNDS, begs, passive_pair
from vista_stream.core.extraction.coordination import distribute
from vista_stream.core.extraction.cuts import CONTRAST, KEPT_IN_PLACE, PRESENT_PARTICIPLES, Cut
from vista_stream.core.extraction.cutter import find_cuts
from vista_stream.core.extraction.inflection import past
from vista_stream.core.extraction.misread import misread
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    DASHES,
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    SUBJECTS,
    VERB_TAGS,
    Clause,
    Piece,
    pieces_of,
    quoted_again,
    stripped,
)
from vista_stream.core.extraction.soundness import all_sound
from vista_stream.core.text.stems import word_set

_NOW = word_set("current present incumbent")
"""Adjectives of who holds an office now, whatever the tense of what is told of them."""
_PLACE_NAMES = frozenset(("GPE", "LOC"))
_ATTRIBUTIONS = frozenset(
    ("according", "without", "in", "on", "during", "by", "at", "from", "since", "between", "until", "after")
)
_STAYING = frozenset(("in", "on", "at", "with", "within", "inside", "under", "among", "aboard"))
"""Prepositions of where something is, not of where it goes: "She drove to the mill, where …"."""
_MAX_CLAUSES = 16


def unfold(tree: Tree) -> list[Clause]:
    """The statements of one sentence, in the order of their own words; not empty if the sentence has words.

    It is one clause with every word where nothing can be separated, where a word would be lost, or where a
    clause could not stand alone.
    """
    if not tree.words:
        return []
    bargain = bargain_in(tree)
    whole = bargain or Clause.of(tree.words)
    if len(tree.roots) > 1 and not all(_verbal(tree, root) for root in tree.roots):
        return [whole]
    if bargain or misread(tree):
        return [whole]
    unfolder = _Unfolder(tree)
    clauses = unfolder.clauses()
    if len(clauses) > _MAX_CLAUSES or not _covered(tree, clauses) or _left_without_verb(tree, clauses):
        return [whole]
    return clauses if all_sound(clauses) else [whole]


def _left_without_verb(tree: Tree, clauses: Sequence[Clause]) -> bool:
    """Whether the parser made a noun the sentence's root, and a clause has that noun but no finite verb."""
    nouns = [root for root in tree.roots if root.tag in NOUN_TAGS and _verbal(tree, root)]
    bare = [clause.words for clause in clauses if not any(w.tag in FINITE_TAGS for w in clause.words)]
    return any(noun in words for noun in nouns for words in bare)


def _verbal(tree: Tree, root: Word) -> bool:
    return any(w.tag in FINITE_TAGS for w in tree.region(root))


def _covered(tree: Tree, clauses: Sequence[Clause]) -> bool:
    """Whether every content word of the sentence is in some clause."""
    said = {word.index for clause in clauses for word in clause.words}
    bearing = ("NN", "VB", "JJ", "CD", "RB", "MD", "FW", "$", "PRP")
    return all(w.index in said or w.dep == "prep" or not w.tag.startswith(bearing) for w in tree.words)


class _Unfolder:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        found = find_cuts(tree)
        self._cuts = found.made
        self._described = found.described
        self._cut_off = {i for i, cut in self._cuts.items() if cut not in KEPT_IN_PLACE | {Cut.CAUSE}}
        self._reasons = {i for i, cut in self._cuts.items() if self._is_a_reason(tree.words[i], cut)}
        self._gone = self._cut_off
        self._unpaired = self._opened()

    def clauses(self) -> list[Clause]:
        found: list[tuple[int, Clause]] = []
        for head in self._tree.words:
            cut = self._cuts.get(head.index)
            if head.head != head.index and cut is None:
                continue
            # What has a reason of two parts keeps both; each part is a statement without the other.
            self._gone = self._cut_off - (set() if head.index in self._reasons else self._reasons)
            pieces = self._build(head, cut)
            closed = [p for p in pieces if p.word is None or p.word.index not in self._unpaired]
            made = quoted_again(Clause(tuple(self._led_in(head, closed))), self._tree)
            if made.words:
                order = self._region(head)[0].index
                found.extend((order, each) for each in distribute(self._tree, head, made, self._gone))
        found.sort(key=lambda pair: pair[0])
        return [clause for _, clause in found]

    def _opened(self) -> set[int]:
        """Indices of commas before what is cut off with the comma behind it: "Gruber, [who flew,] came"."""
        words = self._tree.words
        regions = [self._tree.region(words[i]) for i in self._cut_off]
        starts = [region[0].index for region in regions if region[-1].text == ","]
        return {start - 1 for start in starts if words[start - 1].text == ","}

    def _is_a_reason(self, word: Word, cut: Cut) -> bool:
        """Whether the clause is a reason, "because …", or joined to one."""
        while cut is not Cut.CAUSE and word.dep == "conj" and word.index in self._cuts:
            word = self._tree.head(word)
            cut = self._cuts.get(word.index, cut)
        return cut is Cut.CAUSE

    def _led_in(self, head: Word, pieces: list[Piece]) -> list[Piece]:
        """The pieces with one of two commas that meet before the subject: "Like Bob, [my friend,] he …"."""
        subject = self._tree.child(head, *SUBJECTS)
        start = self._tree.region(subject)[0] if subject is not None else None
        at = next((n for n, piece in enumerate(pieces) if piece.word is start), 0)
        doubled = start is not None and [p.text for p in pieces[max(at - 2, 0) : at]] == [",", ","]
        return [*pieces[: at - 1], *pieces[at:]] if doubled else pieces

    def _region(self, word: Word) -> list[Word]:
        return self._tree.region(word, self._gone)

    def _build(self, head: Word, cut: Cut | None) -> list[Piece]:
        match cut:
            case None:
                return self._main(head)
            case Cut.INDEPENDENT | Cut.CONTENT | Cut.CAUSE:
                return [*self._lead_for(head, cut), *pieces_of(self._bare(head))]
            case Cut.PREDICATE:
                return self._predicate(head)
            case Cut.RELATIVE | Cut.DESCRIPTIVE:
                return self._relative(head)
            case Cut.APPOSITION:
                return self._apposition(head)
            case Cut.GERUND:
                gerund = Piece(past(GERUNDS[head.lower]), head)
                rest = [p if p.word is not head else gerund for p in pieces_of(self._bare(head))]
                return [*self._subject(head), *rest]
            case _:
                return [*self._subject(head), Piece(self._copula(head)), *pieces_of(self._bare(head))]

    def _main(self, head: Word) -> list[Piece]:
        """The words of a root; with the complement that it shares with a second participle, if it does."""
        marks = self._marks_of_subject(head)
        words = [w for w in self._region(head) if w not in marks]
        for second in self._tree.children(head, "conj"):
            if self._cuts.get(second.index) is Cut.PREDICATE and self._bears_nothing(head, second):
                shared = [c for c in self._tree.children(second) if self._shared(c, second)]
                return [
                    *pieces_of(_unjoined(words)),
                    *(p for c in shared for p in pieces_of(self._region(c))),
                ]
        return self._without_joints(head, words)

    def _shared(self, adjunct: Word, second: Word) -> bool:
        """Whether a phrase after a second participle holds for both: a doer, time or place."""
        settled = any(w.entity for w in self._tree.children(adjunct, "pobj"))
        named = adjunct.dep == "prep" and adjunct.lower in _ATTRIBUTIONS and settled
        return adjunct.index > second.index and (adjunct.dep == "agent" or named)

    def _bears_nothing(self, first: Word, second: Word) -> bool:
        """Whether only the conjunction is between two participles: 'was written and directed by …'."""
        between = self._tree.words[first.index + 1 : second.index]
        return passive_pair(self._tree, first, second) and all(w.dep in ("cc", "punct") for w in between)

    def _without_joints(self, head: Word, words: list[Word]) -> list[Piece]:
        """The words without the conjunctions before what has been cut off."""
        joints = self._joints_within(words)
        return list(pieces_of(w for w in words if w.index not in joints))

    def _joints_within(self, words: Sequence[Word]) -> set[int]:
        return set().union(*(self._joints(word) for word in words))

    def _joints(self, head: Word) -> set[int]:
        """Indices of the conjunctions right before what has been cut off, and of their 'both'."""
        conjuncts = self._tree.children(head, "conj")
        starts = [self._tree.region(c)[0].index for c in conjuncts if c.index in self._gone]
        joints = [cc.index for cc in self._tree.children(head, "cc")]
        staying = [c.index for c in conjuncts if c.index not in self._gone]
        before = ([j for j in joints if j < s and not any(j < c < s for c in staying)] for s in starts)
        dropped = {max(each) for each in before if each}
        both = set() if staying else {w.index for w in self._tree.children(head, "preconj")}
        return dropped | (both if starts else set())

    def _bare(self, head: Word) -> list[Word]:
        """A clause's own words, without its subordinating word and the conjunctions around it."""
        region = self._region(head)
        joints = self._joints_within(region)
        marks = {c.index for c in self._marks(head)}
        opened = {c.index for c in self._tree.children(head, "advmod") if c.lower == "even" and marks}
        words = [w for w in region if w.index not in joints | marks | opened]
        while words and words[0].text in DASHES:
            words = words[1:]
        return words

    def _marks(self, head: Word) -> list[Word]:
        """What opens a clause, also "whereas turning it off helps"; not the "as" of "which as a rule"."""
        marks = self._tree.children(head, "mark")
        found = [c for c in marks if c.lower != "as" or self._tree.child(c, "pobj") is None]
        return [*found, *self._marks_of_subject(head)]

    def _marks_of_subject(self, head: Word) -> list[Word]:
        acting = self._tree.child(head, "csubj")
        found = self._tree.children(acting, "mark") if acting is not None else []
        return [c for c in found if c.lower in CONTRAST]

    def _lead_for(self, head: Word, cut: Cut) -> list[Piece]:
        """The opening adjuncts of the sentence, for a clause joined to it that has none of its own."""
        first = self._tree.head(head)
        if cut is not Cut.INDEPENDENT or head.dep != "conj" or begs(self._tree, head):
            return []
        semicolon = any(w.text == ";" for w in self._tree.words[first.index : head.index])
        return [] if semicolon or self._opens_with_its_own(head) else self._lead(first, head)

    def _opens_with_its_own(self, head: Word) -> bool:
        """Whether the clause has its own opening adjunct: '…, and in Germany it costs €12'."""
        subject = self._tree.child(head, *SUBJECTS)
        before = self._tree.children(head, "prep", "npadvmod")
        return subject is not None and any(c.index < subject.index for c in before)

    def _lead(self, first: Word, later: Word) -> list[Piece]:
        """The adjuncts before the subject of a chain's first clause that also hold for the clause `later`."""
        while first.index in self._cuts and first.dep == "conj":
            first = self._tree.head(first)
        subject = self._tree.child(first, *SUBJECTS)
        if subject is None:
            return []
        start = self._tree.region(subject)[0].index
        adjuncts = [c for c in self._tree.children(first, "prep", "npadvmod") if c.index < start]
        adjuncts = [c for c in adjuncts if c.dep == "npadvmod" or self._situates(c)]
        timed = any(w.entity == "DATE" for w in self._region(later))
        leads = [self._region(c) for c in adjuncts if c.index not in self._gone]
        kept = [r for r in leads if not timed or not any(w.entity == "DATE" for w in r)]
        return [piece for r in kept for piece in (*pieces_of(r), Piece(","))]

    def _situates(self, adjunct: Word) -> bool:
        """Whether the adjunct gives a time, place or source, and so holds for later ones; not "in them"."""
        below = self._tree.children(adjunct, "pobj")
        return adjunct.lower in _ATTRIBUTIONS and not any(
            w.tag == "PRP" or w.lower in ("addition", "contrast", "order") for w in below
        )

    def _subject(self, head: Word) -> list[Piece]:
        """The subject of the clause, which may be elsewhere in the sentence."""
        own = self._tree.child(head, *SUBJECTS)
        cut = self._cuts.get(head.index)
        if own is not None and own.tag.startswith("W") and cut in (Cut.RELATIVE, Cut.DESCRIPTIVE):
            return self._spoken_of(head, cut)
        if own is not None:
            words = stripped(self._region(own))
            return [*pieces_of(words), *([Piece(",")] if self._open_at(words) else [])]
        if cut in (Cut.PARTICIPLE, Cut.DESCRIPTIVE_PARTICIPLE):
            return self._spoken_of(head, cut)
        return self._subject(self._tree.head(head)) if head.head != head.index else []

    def _open_at(self, words: Sequence[Word]) -> bool:
        """Whether a phrase ends with a clause that a comma opens, and closes: "The time, which Ada beat"."""
        above = [words[-1], *self._tree.above(words[-1])] if words else []
        clauses = (w for w in above if w.dep == "relcl" and w in words)
        openers = (self._tree.words[self._tree.region(w)[0].index - 1] for w in clauses)
        return any(w.text == "," and w in words for w in openers)

    def _spoken_of(self, head: Word, cut: Cut | None) -> list[Piece]:
        noun = self._told_of(head)
        if cut in (Cut.DESCRIPTIVE, Cut.DESCRIPTIVE_PARTICIPLE):
            verb = self._described(noun)
            return self._subject(verb) if verb is not None else []
        own = [w for w in self._region(noun) if w not in self._out_of(noun)]
        return list(pieces_of(stripped([w for w in own if not self._joined_on(noun, w)])))

    def _out_of(self, noun: Word) -> list[Word]:
        """An adjunct before a noun: the "among them" of "12 people died, among them Ida Berg, who …"."""
        before = (c for c in self._tree.children(noun, "prep") if c.index < noun.index)
        return [w for c in before for w in self._region(c)]

    def _told_of(self, head: Word) -> Word:
        """The noun that a clause is about, also one joined to another: "who was born in 1815 and who …"."""
        while head.dep == "conj":
            head = self._tree.head(head)
        return self._tree.head(head)

    def _joined_on(self, noun: Word, word: Word) -> bool:
        """Whether the word belongs to a conjunct of the noun rather than to the noun."""
        joined = {w.index for c in self._tree.children(noun, "conj", "cc") for w in self._tree.region(c)}
        return word.index in joined

    def _predicate(self, head: Word) -> list[Piece]:
        first = self._tree.head(head)
        words = self._bare(head)
        own = self._opening_limits(head, words)
        return [
            *self._lead(first, head),
            *((*pieces_of(stripped(own)), Piece(",")) if own else ()),
            *self._subject(first),
            *self._auxiliaries(first, head),
            *pieces_of(stripped(words[len(own) :])),
        ]

    def _opening_limits(self, head: Word, words: list[Word]) -> list[Word]:
        """The words of a second predicate that tell when or how before it: "…, and, in May, closes at 8"."""
        limits = [c for c in self._tree.children(head, "prep", "npadvmod", "advcl") if c.index < head.index]
        within = {w.index for c in limits for w in self._region(c)}
        return list(takewhile(lambda w: w.index in within, words))

    def _auxiliaries(self, first: Word, head: Word) -> list[Piece]:
        """The auxiliaries of a second predicate: 'was born …, *was* raised', 'can fly and *can* swim'."""
        own = self._tree.child(head, "aux", "auxpass")
        finite = head.tag in FINITE_TAGS and not passive_pair(self._tree, first, head)
        if own is not None or finite:
            return []
        while self._tree.child(first, "aux", "auxpass") is None and first.dep == "conj":
            first = self._tree.head(first)
        participle = self._cuts.get(first.index) in (Cut.PARTICIPLE, Cut.LEADING_PARTICIPLE)
        if participle and head.tag == "VBN":
            return [Piece(self._copula(first))]
        return list(pieces_of(self._tree.children(first, "aux", "auxpass")))

    def _relative(self, head: Word) -> list[Piece]:
        noun = self._spoken_of(head, self._cuts[head.index])
        words = self._bare(head)
        pronoun = next((w for w in words if w.tag in ("WDT", "WP", "WP$", "WRB")), None)
        if pronoun is None:  # another cut took it; the sentence is then told whole
            return []
        above = self._tree.head(pronoun)
        if pronoun.lower == "where":
            preposition = Piece(self._preposition_to(self._told_of(head)))
            return [*pieces_of(w for w in words if w is not pronoun), preposition, *noun]
        if pronoun.dep == "poss":
            plural = noun[-1].word is not None and noun[-1].word.tag in PLURAL_TAGS
            owner = [*noun, Piece("'" if plural and noun[-1].text.endswith("s") else "'s")]
            return [q for w in words for q in (owner if w is pronoun else [Piece(w.text, w)])]
        if pronoun.dep == "pobj" and above.head == head.index and above.index < head.index:
            rest = [w for w in words if w not in (pronoun, above)]
            return [*pieces_of(rest), Piece(above.lower, above), *noun]
        if pronoun.dep == "dobj":
            rest = [w for w in words if w is not pronoun]
            return [
                q for w in rest for q in ((Piece(w.text, w), *noun) if w is head else (Piece(w.text, w),))
            ]
        return [q for w in words for q in (noun if w is pronoun else [Piece(w.text, w)])]

    def _preposition_to(self, noun: Word) -> str:
        """What goes before a noun that "where" points back to: "with the flu, where fever is common"."""
        if noun.entity in _PLACE_NAMES:
            return "in"
        before = self._tree.head(noun)
        return before.lower if noun.dep == "pobj" and before.lower in _STAYING else "at"

    def _apposition(self, head: Word) -> list[Piece]:
        noun = self._tree.head(head)
        words = [w for w in self._region(noun) if not self._joined_on(noun, w)]
        if noun.dep == "ROOT":  # "The founder, a Dane, left early", taken for a noun that left
            start = self._tree.region(head)[0].index
            words = [w for w in words if w.index < start]
        subject = list(pieces_of(stripped(words)))
        several = head.tag in PLURAL_TAGS or self._tree.child(head, "conj") is not None
        plural = noun.tag in PLURAL_TAGS and several
        holds_now = any(c.lower in _NOW for c in self._tree.children(noun, "amod"))
        gone_by = "PERSON" in (noun.entity, head.entity) and self._in_past(noun) and not holds_now
        copula = ("were" if plural else "was") if gone_by else ("are" if plural else "is")
        return [*subject, Piece(copula), *pieces_of(stripped(self._bare(head)))]

    def _in_past(self, word: Word) -> bool:
        verb = next((w for w in self._tree.above(word) if w.tag in VERB_TAGS and w.dep != "prep"), word)
        auxiliaries = self._tree.children(verb, "aux", "auxpass")
        return verb.tag == "VBD" or any(w.tag == "VBD" for w in auxiliaries)

    def _copula(self, head: Word) -> str:
        """The form of 'be' that goes before a participle to make it a statement."""
        subject = [p.word for p in self._subject(head) if p.word is not None]
        nouns = [w for w in subject if w.tag in NOUN_TAGS or w.tag == "PRP"]
        plural = bool(nouns) and (nouns[-1].tag in ("NNS", "NNPS") or nouns[-1].lower in ("they", "we"))
        plural = plural and self._tree.head(nouns[-1]).tag != "VBZ"  # a name may look like a plural
        present = head.lower in PRESENT_PARTICIPLES and not self._in_past(head)
        return ("are" if plural else "is") if present else ("were" if plural else "was")


def _unjoined(words: list[Word]) -> list[Word]:
    """The words without a conjunction or punctuation at the end."""
    while words and (words[-1].tag == "CC" or words[-1].dep in ("punct", "cc")):
        words = words[:-1]
    return words
