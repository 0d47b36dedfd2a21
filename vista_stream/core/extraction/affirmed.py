"""What a yes or no is to what follows: a claim beside it, "Yes, and the rooms are cleaned.", or the denial of
what was asked about, "No, Hamburg. It …"."""

from __future__ import annotations

from vista_stream.core.extraction.agreement import CLASSES, agrees
from vista_stream.core.extraction.answers import AUXILIARIES, WANTS, denies, is_request
from vista_stream.core.extraction.keys import turned_to
from vista_stream.core.extraction.memory import Memory
from vista_stream.core.extraction.parsing import Parse, Tree, Word
from vista_stream.core.extraction.phrases import PROPER_TAGS, SUBJECTS, VERB_TAGS
from vista_stream.core.extraction.question_words import HAPPENED, asked_words
from vista_stream.core.extraction.questions import Question
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.text.stems import stem, word_set

_CONDITIONS = word_set("if unless provided when whenever except only")
_JOINS = ("and", "but", "though", "although")
_OF_USER, _OF_ANSWERER = word_set("i we me us my our"), word_set("you your u")
_CONTENT = ("NN", "VB", "JJ", "CD", "RB")
"""How the tags of words begin that say something of a subject."""


def affirms_besides(question: Question, opening: str, sentence: str, parse: Parse) -> bool:
    """Whether what the yes or no in an `opening` tells of a question is not what its `sentence` says.

    "Yes, they are allowed." says it; another subject, another predicate, and what "and" or the like joins to
    the yes or no do not. A condition in the sentence may be that of the yes or no, which then says nothing.
    Nor does a person's talk of themselves: "Do you like sports?" "Yes, I love them!".
    """
    if question.sort != "polar" or WANTS.match(question.text) or is_request(question.text):
        return False
    tree = Tree(repaired(parse(sentence)))
    if any(word.lower in _CONDITIONS for word in tree.words):
        return False
    asked = asked_words(Tree(repaired(parse(question.text))))
    if _of_speaker(tree, asked):
        return False
    if opening.split()[-1].casefold() in _JOINS:
        return True
    return not (_subject_asked(tree, asked) and _predicate_asked(tree, asked))


def _of_speaker(tree: Tree, asked: list[Word]) -> bool:
    """Whether a person is asked about themselves, and no firm about what it offers: "Did you see it?"."""
    to_answerer = any(word.lower in _OF_ANSWERER for word in asked[:2])
    of_past = any(word.lower in HAPPENED for word in asked[:1]) and all(w.lower != "got" for w in asked)
    return to_answerer and (of_past or any(word.lower in ("i", "me", "my") for word in tree.words))


def _subject_asked(tree: Tree, asked: list[Word]) -> bool:
    """Whether the sentence's subject is a thing of the question, or a pronoun for one; so is none."""
    subject = tree.child(tree.roots[0], *SUBJECTS, "expl")
    if subject is None:
        return True
    words = {word.lower for word in asked}
    if subject.lower in _OF_USER | _OF_ANSWERER:
        return not words.isdisjoint(_OF_USER if subject.lower in _OF_ANSWERER else _OF_ANSWERER)
    pronoun = subject.tag in ("PRP", "DT") or subject.lower in ("that", "this")
    return pronoun or stem(subject.lower) in {stem(word) for word in words}


def _predicate_asked(tree: Tree, asked: list[Word]) -> bool:
    """Whether the sentence has the question's verb, or without one what it asks whether its subject is.

    So is a predicate that the sentence leaves out: "Dogs are not."
    """
    root = tree.roots[0]
    if root.lower in AUXILIARIES and all(c.dep in (*SUBJECTS, "neg", "punct") for c in tree.children(root)):
        return True
    verbs = [w for w in asked if w.tag in VERB_TAGS and w.lower not in AUXILIARIES]
    nouns = [w for w in asked if w.tag.startswith(_CONTENT) and w.lower not in AUXILIARIES]
    told = {stem(word.lower) for word in tree.words}
    return any(stem(word.lower) in told for word in verbs[-1:] or nouns[-1:])


def named_instead(question: str, assent: str, answer: Tree, memory: Memory, parse: Parse) -> Memory:
    """The memory after an answer without a verb, which may name another thing than the question does.

    "Is Berlin the smallest?" "No, Hamburg. It …" goes on about Hamburg. Where what is denied may be another
    name of the question, or what is named is not known, the next pronouns have no antecedent.
    """
    if not assent or not denies(assent) or not any(root.tag in PROPER_TAGS for root in answer.roots):
        return memory
    asked = asked_words(Tree(repaired(parse(question))))
    names = [k for k, word in enumerate(asked) if word.tag in PROPER_TAGS]
    if 1 not in names:
        return memory  # its subject is no name: "Is the fair in Berlin?"
    text = " ".join(word.text for word in answer.words if word.dep != "punct")
    turned = turned_to(text, memory, parse)
    if turned is memory:
        return memory.leaving_open(*CLASSES)
    if names[-1] - names[0] < len(names):
        return turned
    meant = (group for group in CLASSES if any(agrees(word, turned.mentions[-1]) for word in group))
    return memory.leaving_open(*meant)
