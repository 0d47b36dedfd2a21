"""Tells clauses that only add to another one, with which they stay: no statement without it."""

from __future__ import annotations

from vista_stream.core.extraction.cuts import CONTRAST, Cuts
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.participles import INTRANSITIVE, adds
from vista_stream.core.extraction.phrases import DASHES, FINITE_TAGS, PROPER_TAGS, SUBJECTS
from vista_stream.core.text.stems import word_set

_LIMITING = word_set("not only never even just except")
_WHEN = word_set("once after before until till when whenever if unless")
_OF_BEFORE = frozenset(("them", "it", "which", "whom"))
_ASKING_TAGS = ("WRB", "WP", "WDT")


def limits(tree: Tree, word: Word) -> bool:
    """Whether a clause tells when another holds: "…, but not while it rains", "…, and once over, in A"."""
    mark = tree.child(word, "mark")
    opening = tree.region(word)[:3]
    if opening[0] is mark and mark.lower in CONTRAST:
        opening = opening[1:]  # "though not before it rains"
    if opening[0].lower in _LIMITING and any(w.tag in ("IN", "WRB") for w in opening[1:2]):
        return True
    return opening[0].lower in _WHEN and opening[0].head == word.index and opening[0].dep != "prep"


def trails(tree: Tree, word: Word) -> bool:
    """Whether only a comma joins a last verb that may be a participle: "They stay a week, spread over …"."""
    before = tree.words[max(tree.region(word)[0].index - 2, 0) : word.index]
    chain = [*tree.children(word, "conj", "cc"), *tree.children(tree.head(word), "conj")]
    alone = tree.child(word, "aux", "auxpass", *SUBJECTS) is None and all(
        w.index <= word.index for w in chain
    )
    joined = any(w.tag == "CC" or w.lower in ("yet", ";") for w in before)
    return alone and not joined and adds(tree, word)


def counts_out(tree: Tree, word: Word) -> bool:
    """Whether a participle is said of some of what was told: "It has 24 fields, half of them ploughed"."""
    subject = tree.child(word, *SUBJECTS)
    if subject is None or tree.child(word, "aux", "auxpass"):
        return False
    of = (w for c in tree.children(subject, "prep") for w in tree.children(c, "pobj"))
    return any(w.lower in _OF_BEFORE for w in of) and adds(tree, word)


def names_speaker(cuts: Cuts, word: Word) -> bool:
    """Whether the head of a clause only tells whose words it is: "Fuel may run out, the maker warns"."""
    tree, head = cuts.tree, cuts.tree.head(word)
    subject = tree.child(head, "nsubj")
    if subject is None or word.index > head.index or head.tag not in FINITE_TAGS:
        return False
    if cuts.before(subject) != "," or head.lower in INTRANSITIVE:
        return False
    definite = subject.tag in (*PROPER_TAGS, "PRP") or tree.child(subject, "det", "poss")
    after = {c.dep for c in tree.children(head) if c.index > head.index}
    return bool(definite) and after <= {"punct", "cc", "conj", "advcl"}


def holds_in_any_case(tree: Tree, word: Word) -> bool:
    """Whether the head of a clause tells what makes no difference: "…, no matter when you joined"."""
    head = tree.head(word)
    subject = tree.child(head, *SUBJECTS) or head
    until = tree.region(subject)[0].index
    between = [w for w in tree.words[tree.region(word)[-1].index + 1 : until] if w.text not in DASHES]
    match [w.lower for w in between[:2]]:
        case ["no", "matter"]:
            return True
        case ["however", _]:
            return between[0].head != head.index  # "however long", but not "however, in May it …"
        case _:
            return any(w.tag in _ASKING_TAGS for w in between[:1])
