"""Finds the cuts of a sentence's tree, top down, because a clause is cut only if its head is asserted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vista_stream.core.extraction.clause_cuts import ClauseCuts
from vista_stream.core.extraction.cuts import Cut, Cuts
from vista_stream.core.extraction.noun_cuts import NounCuts
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import PROPER_TAGS, SUBJECTS
from vista_stream.core.extraction.sequence import in_order

_TOLD_IN_TURN = frozenset((Cut.INDEPENDENT, Cut.PREDICATE))
"""Cuts between clauses that may tell what happens in which order."""


def find_cuts(tree: Tree) -> Cuts:
    """All cuts of a tree."""
    cuts = Cuts(tree)
    rules = _rules(cuts)
    conditional = _conditional(tree)
    waiting = tree.roots
    while waiting:
        word = waiting.pop(0)
        rule = rules.get(word.dep)
        cut = rule(word) if rule else None
        if cut in _TOLD_IN_TURN and in_order(tree, word):
            cut = None
        if cut is not None and (not conditional or _holds_anyway(cuts, word, cut)):
            cuts.made[word.index] = cut
        waiting.extend(tree.children(word))
    return cuts


def _rules(cuts: Cuts) -> Mapping[str, Callable[[Word], Cut | None]]:
    """The rule for each dependency label at which a tree may be cut."""
    clauses, nouns = ClauseCuts(cuts), NounCuts(cuts)
    return {
        "conj": clauses.conjunct,
        "ccomp": clauses.complement,
        "parataxis": clauses.complement,
        "advcl": clauses.adverbial,
        "relcl": nouns.relative,
        "acl": nouns.participle,
        "appos": nouns.apposition,
    }


def _conditional(tree: Tree) -> bool:
    """Whether the sentence has a condition: with 'if', or as 'Had he lived, …' or 'Should you lose it, …'."""
    inverted = len(tree.words) > 1 and tree.words[0].lower in ("had", "were", "should")
    if inverted and tree.words[-1].text != "?" and any(w.text == "," for w in tree.words):
        return True
    return any(_opens_condition(tree, w) for w in tree.words)


def _opens_condition(tree: Tree, word: Word) -> bool:
    """Whether a condition begins with the word: "if", "provided", the second "as" of "as long as"."""
    before = [w.lower for w in tree.words[max(word.index - 2, 0) : word.index] if w.dep == "advmod"]
    match word.lower:
        case "if" | "unless" | "whether":
            return word.dep == "mark" and not _asks(tree, word)
        case "as":
            return word.dep == "mark" and before in (["as", "long"], ["so", "long"])
        case "provided" | "providing":
            return word.dep in ("prep", "mark") or _takes_clause_behind_comma(tree, word)
        case "had":  # "She would have won had she not fallen"
            after = tree.words[word.index + 1 : word.index + 2]
            inner = tree.head(word).dep in ("advcl", "ccomp") and word.dep == "aux"
            return inner and any(w.dep in SUBJECTS and w.head == word.head for w in after)
        case _:
            return False


def _takes_clause_behind_comma(tree: Tree, word: Word) -> bool:
    """Whether a comma parts a verb from its subject, as in "but no cats, provided you clean up"."""
    return tree.words[word.index - 1].text == "," and tree.child(word, "ccomp") is not None


def _asks(tree: Tree, mark: Word) -> bool:
    """Whether an 'if' or 'whether' opens an indirect question, not a condition."""
    return tree.head(mark).dep == "ccomp"


def _holds_anyway(cuts: Cuts, word: Word, cut: Cut) -> bool:
    """Whether a cut holds despite a condition, as about a name: 'If you like Rome, see Ostia, a port'."""
    told_of = cuts.tree.head(word).tag in PROPER_TAGS and not cuts.negated(word)
    modal = any(c.tag == "MD" for c in cuts.tree.children(word, "aux"))
    return cut in (Cut.RELATIVE, Cut.APPOSITION, Cut.PARTICIPLE) and told_of and not modal
