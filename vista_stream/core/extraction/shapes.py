"""Tells what a line is by its grammar: a statement, a command, a topic, the beginning of a list."""

from __future__ import annotations

from typing import NamedTuple

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import FINITE_TAGS, SUBJECTS
from vista_stream.core.text.stems import word_set

_WH_TAGS = ("WDT", "WP", "WP$", "WRB")
_CONDITIONS = ("if", "unless", "when", "provided")
_BEFORE_CONDITION = ("but", "and", "even", "only", "just", "not", "as")
_MARKS = (":", "—", "–")
_CALLS = word_set("note remember mind let look listen imagine think see rest worry guess enjoy")
"""Words of a command that only calls for attention: "keep in mind: …", "take a look: …"."""
_CALL = 3
"""Most words of such a command."""
_ONLY = ("only", "just")
_REASON = ("because", "since", "as")
_TOPICAL = frozenset(
    """as for|as to|regarding|concerning|with regard to|in regard to|with respect to|in respect to|
    speaking of""".replace("\n    ", "").split("|")
)
"""What puts before a sentence what it is about."""
_LONGEST_TOPICAL = 3


def finite(tree: Tree, before: int | None = None) -> bool:
    """Whether there is a finite verb; with `before`, one within the first `before` code points."""
    return any(w.tag in FINITE_TAGS for w in tree.words if before is None or w.end <= before)


def headless(tree: Tree) -> bool:
    """Whether the text is a noun phrase, perhaps with a clause after it: 'A ring that …', ', provided …'."""
    roots = tree.roots
    if len(roots) != 1:
        return False
    condition = roots[0].lower in ("provided", "providing") and tree.child(roots[0], "aux", "auxpass") is None
    return roots[0].tag.startswith("NN") or condition


def unfinished(tree: Tree) -> bool:
    """Whether the items end the sentence: its last word is its verb, or a preposition of its verb."""
    last = _last_word(tree)
    return any(w in tree.roots or (w.tag == "IN" and tree.words[w.head] in tree.roots) for w in last)


def names_topic(tree: Tree) -> bool:
    """Whether a list item names what a text is about: "What to bring", "Getting there by train"."""
    facts = any(w.tag in ("CD", "VBN", "VBD") for w in tree.words)
    return any(
        first.tag in _WH_TAGS or (first.tag == "VBG" and first in tree.roots and not facts)
        for first in tree.words[:1]
    )


def fronted(tree: Tree) -> Word | None:
    """What a sentence says before its clause that it is about: the parking of "As for parking, it …"."""
    words = tree.words[1:] if tree.words[0].tag == "CC" else tree.words
    opening = [word.lower for word in words[:_LONGEST_TOPICAL]]
    for count in range(1, len(opening) + 1):
        if " ".join(opening[:count]) in _TOPICAL:
            return tree.child(words[count - 1], "pobj", "pcomp")
    return None


def in_another_state(tree: Tree, word: Word) -> bool:
    """Whether the verb whose subject the word is tells what becomes of it: "Once opened, it keeps …".

    So do "Cooked, it", "Once it has been opened, it" and "After opening, it", not "Built in 1900, it".
    """
    verb = tree.head(word)
    while verb.dep == "advcl":
        verb = tree.head(verb)
    if all(c.lower != word.lower for c in tree.children(verb, *SUBJECTS)):
        return False  # "He died long before it was accepted"
    below = [c for prep in tree.children(verb, "prep") for c in tree.children(prep, "pcomp", "pobj")]
    happens = any(w.dep == "pcomp" or (w.lower.endswith("ing") and not tree.children(w)) for w in below)
    return happens or any(
        not tree.children(w) or (w.tag in ("VBN", "JJ") and tree.child(w, "mark", "advmod") is not None)
        for w in tree.children(verb, "advcl")
    )


def breaks_off(tree: Tree) -> bool:
    """Whether a line ends within its sentence: "It was built in"."""
    return tree.words[-1].tag in ("IN", "TO")


class Relative(NamedTuple):
    """A relative clause that has all finite verbs of its text; ranges are in code points."""

    clause: tuple[int, int]
    """Where it stands with its comma; empty for one without, which tells what is meant."""
    said: list[tuple[int, int]]
    """What to leave out for what it says of the rest; empty where its pronoun is not its subject."""


def relative_in(tree: Tree) -> Relative | None:
    """The relative clause that makes an answer look like a sentence: "Only Ada Berg, who was a doctor."."""
    words = tree.words
    finites = [w for w in words if w.tag in FINITE_TAGS]
    first = next((w for w in words[1:] if w.tag in _WH_TAGS), None)
    if first is None or not finites:
        return None
    comma = words[first.index - 1]
    if comma.text != ",":
        inside = {w for head in words if head.dep == "relcl" for w in tree.region(head)}
        return Relative((0, 0), []) if inside.issuperset(finites) else None
    end = next((w.index for w in words[first.index :] if w.text == ","), len(words))
    if not all(first.index < w.index < end for w in finites):
        return None
    only = [(0, words[0].end + 1)] if words[0].lower in _ONLY else _leading_to(tree, comma)
    apposed = any(w.text == "," for w in words[: comma.index])  # "Her aunt, Ada, who sang" keeps its comma
    said = [*only, (comma.end if apposed else comma.start, first.end)] if first.dep in SUBJECTS else []
    return Relative((comma.start, words[-1].end), said)


def _leading_to(tree: Tree, comma: Word) -> list[tuple[int, int]]:
    """What stands before the noun of an answer that is an adjunct: "Because of [its mine, which …]"."""
    noun = next((tree.head(w) for w in tree.words if w.dep == "relcl" and w.index > comma.index), None)
    if noun is None or noun.dep != "pobj" or tree.roots[0].tag != "IN":
        return []
    start = tree.region(noun)[0].start
    return [(0, start)] if start < comma.start else []


def complete(tree: Tree) -> bool:
    """Whether a line before a list states something by itself; 'The members are:' does not."""
    last = _last_word(tree)
    return not any(w.tag in (*FINITE_TAGS, "IN", "VBG") or w.lower in ("following", "follows") for w in last)


def _last_word(tree: Tree) -> list[Word]:
    """The last word, alone; empty where there is none."""
    return [w for w in tree.words if w.dep != "punct"][-1:]


def imperative(tree: Tree) -> bool:
    """Whether the sentence is a command: 'Try …', 'Do not …', 'Let's …', without a clause with a subject."""
    return all(_commands(tree, root) for root in tree.roots) and bool(tree.roots)


def commands_of(tree: Tree) -> set[Word]:
    """The verbs of a command: "Use all of it and cook it covered"."""
    if not imperative(tree):
        return set()
    joined = (c for root in tree.roots for c in tree.children(root, "conj"))
    return {*tree.roots, *(c for c in joined if c.tag in ("VB", "VBP") and not tree.child(c, *SUBJECTS))}


def requests(tree: Tree) -> bool:
    """Whether the sentence is surely a command: a base form with a complement, or behind a condition."""
    roots = tree.roots
    below = [c for root in roots for c in tree.children(root) if c.dep != "punct" and c.index > root.index]
    plain = all(root.tag == "VB" or _conditional(tree, root) for root in roots)
    return imperative(tree) and bool(below) and plain


def _conditional(tree: Tree, root: Word) -> bool:
    """Whether a condition stands before the verb: "If it burns, rinse it"."""
    before = (c for c in tree.children(root, "advcl") if c.index < root.index)
    return any(
        m.lower in ("if", "when", "should") for c in before for m in tree.children(c, "mark", "advmod")
    )


def only_condition(tree: Tree) -> bool:
    """Whether the text is a condition of what is not said: "If you book.", "In summer, when it rains."."""
    roots, words = tree.roots, tree.words
    if _is_adjunct_with_clause(tree):
        return True
    opens = next((k for k, word in enumerate(words) if word.lower not in _BEFORE_CONDITION), len(words))
    if [word.lower for word in words[max(0, opens - 1) : opens + 2]] == ["as", "long", "as"]:
        return not any(word.text == "," for word in words)
    marked = opens < len(words) and words[opens].lower in _CONDITIONS
    alone = len(roots) == 1 and tree.child(roots[0], *SUBJECTS) is not None
    return marked and alone and tree.head(words[opens]) == roots[0] and not _says_besides(tree, roots[0])


def _says_besides(tree: Tree, condition: Word) -> bool:
    """Whether a statement follows a condition behind a comma: "If he drives, adding him costs you five".

    What a conjunction, "if", "which" or the like opens is none.
    """
    comma = next((w.index for w in tree.words[condition.index :] if w.text == ","), len(tree.words))
    behind = tree.words[comma + 1 :]
    first = next((word for word in behind if word.lower not in _BEFORE_CONDITION[1:]), condition)
    if first.tag in ("CC", *_WH_TAGS) or first.dep == "mark" or first.lower in _CONDITIONS:
        return False
    relative = {inner for word in behind if word.dep == "relcl" for inner in tree.region(word)}
    return any(
        word.tag in FINITE_TAGS and _has_subject(tree, word) for word in behind if word not in relative
    )


def _has_subject(tree: Tree, verb: Word) -> bool:
    """Whether a verb, or the one that it helps, has a subject."""
    helped = tree.head(verb) if verb.dep in ("aux", "auxpass") else verb
    return tree.child(helped, *SUBJECTS) is not None


def _is_adjunct_with_clause(tree: Tree) -> bool:
    """Whether the text is a phrase with a preposition, and has its verbs in a clause of that phrase alone.

    A reason is told besides: "By card, because we take no cash."
    """
    finites = {w for w in tree.words if w.tag in FINITE_TAGS}
    below = {w for clause in tree.words if clause.dep == "advcl" for w in tree.region(clause)}
    reason = any(w.dep == "mark" and w.lower in ("because", "since") for w in tree.words)
    alone = [root.tag for root in tree.roots] == ["IN"] and not reason
    return alone and bool(finites) and finites <= below


def without_subject(tree: Tree) -> bool:
    """Whether the text begins with the verb of what is said of something: "is valid for a year"."""
    first = tree.words[0]
    auxiliary = first.tag == "MD" or first.tag == "VBZ"
    return auxiliary and not any(tree.child(root, *SUBJECTS) for root in tree.roots)


def beside_command(tree: Tree) -> tuple[int, int] | None:
    """Where a command's reason, or another statement beside it, stands, in code points; None without one.

    ", because it is cold", ": it must be smooth", ", which takes an hour".
    """
    return reason_of(tree) or leads_to_command(tree) or _behind(tree)


def leads_to_command(tree: Tree) -> tuple[int, int] | None:
    """Where the statement stands from which a command follows, with its "so": "It is full, so book early"."""
    root = tree.roots[0]
    so = next((c for c in tree.children(root, "advmod", "mark", "cc") if c.lower == "so"), None)
    told = so is not None and so.index > 1 and tree.words[so.index - 1].text == "," and so.index < root.index
    return (tree.words[0].start, tree.words[so.index + 1].start) if so is not None and told else None


def follows_clause(tree: Tree) -> bool:
    """Whether a clause opens a command: "Since it rains, stay in"."""
    return any(c.index < root.index for root in tree.roots for c in tree.children(root, "advcl"))


def _behind(tree: Tree) -> tuple[int, int] | None:
    """What stands behind a command that is more than "note" or "keep in mind"."""
    root = tree.roots[0]
    if not _CALLS.isdisjoint(word.lower for word in tree.words[: root.index + _CALL]):
        return None
    mark = next((word for word in tree.words[root.index + 2 :] if word.text in _MARKS), None)
    if mark is not None:
        return mark.start, tree.words[-1].end
    last = next((word for word in tree.words if word.dep == "relcl" and word.index > root.index), None)
    region = tree.region(last) if last is not None else []
    before = tree.words[: region[0].index] if region else ()
    told = any(word.tag == "CD" for word in before) and before[-1].text == ","
    return (before[-1].start, region[-1].end) if told else None


def led_by_command(tree: Tree) -> Word | None:
    """The colon behind a command that stands before a statement: "Knead it well: it must be smooth".

    Not one within what is to be typed: "Run chkdsk C: /f", "grant Bob:F".
    """
    first = tree.words[0]
    at = next((word for word in tree.words if word.text == ":"), None)
    following = tree.words[at.index + 1 : at.index + 2] if at is not None else ()
    if at is not None and any(w.start == at.end or w.text.startswith("/") for w in following):
        return None
    before = tree.words[: at.index] if at is not None else ()
    commands = len(before) > 1 and first.tag in ("VB", "VBP") and not any(w.dep in SUBJECTS for w in before)
    return at if commands and _CALLS.isdisjoint(word.lower for word in before) else None


def reason_of(tree: Tree) -> tuple[int, int] | None:
    """Where a command gives its reason, ", because it is cold" in code points; None where it does not."""
    for clause in (c for root in tree.roots for c in tree.children(root, "advcl")):
        region = tree.region(clause)
        if any(c.lower in _REASON for c in tree.children(clause, "mark")) and region[0].index > 0:
            before = tree.words[region[0].index - 1]
            return (before if before.text == "," else region[0]).start, region[-1].end
    return None


def _commands(tree: Tree, root: Word) -> bool:
    auxiliaries = (c.lower for c in tree.children(root, "aux", "auxpass"))
    plain_form = root.tag in ("VB", "VBP") and all(a in ("do", "don't") for a in auxiliaries)
    joined = [c for c in tree.children(root, "conj") if tree.child(c, *SUBJECTS) is not None]
    return plain_form and tree.child(root, *SUBJECTS) is None and not joined
