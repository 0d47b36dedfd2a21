"""The subjects of the clauses that a pronoun is in, which it may mean rather than what was told of before."""

from __future__ import annotations

from vista_stream.core.extraction.agreement import FEMALE_FORMS, HUMAN, PLURAL_FORMS
from vista_stream.core.extraction.clause_cuts import begs
from vista_stream.core.extraction.genders import gender_of, is_person
from vista_stream.core.extraction.mentions import Mention
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PLURAL_TAGS, SUBJECTS, VERB_TAGS

_POINTING = frozenset(("this", "that", "these", "those"))
_OF_SOME = frozenset(("CD", "DT", "JJ", "JJR", "JJS"))
"""Tags of a subject that stands for some of what was mentioned: "one", "each", "the largest"."""
_ANYBODY = frozenset(some + body for some in ("some", "any", "no", "every") for body in ("one", "body"))
_ONES = _ANYBODY | {"one", "ones", "other", "others"}
_PEOPLE = _ANYBODY | {"people", "men", "women", "children"}


def subject_of(tree: Tree, verb: Word) -> Word | None:
    """The subject of a finite verb or auxiliary, also one that it shares with an earlier verb."""
    if verb.dep in ("aux", "auxpass"):
        verb = tree.head(verb)
    if begs(tree, verb):
        return None  # "…, but please don't knock"
    while not (own := tree.children(verb, *SUBJECTS)) and verb.dep == "conj":
        verb = tree.head(verb)
    return own[-1] if own else None  # the parser takes both for subjects in "links that you share"


def is_of_some_subject(tree: Tree, word: Word) -> bool:
    """Whether a possessive may be that of a subject before it which names nothing.

    "One of them has its own", "Each sends its position", "The largest has its own", "Those who paid get their
    money back", but not "This ended".
    """
    subject = _own_subject(tree, word)
    return subject is not None and subject.index < word.index and _is_of_some(tree, subject)


def may_be_subjects(tree: Tree, word: Word, *, after: int) -> bool:
    """Whether a possessive may be that of its own clause's subject, which follows the word number `after`.

    In 'Sons leave their mother, while daughters stay at their mother's side', the second may be theirs.
    """
    subject = _own_subject(tree, word)
    if subject is None or not after < subject.index < word.index or _renamed(tree, subject).index == after:
        return False
    return _is_of_some(tree, subject) or _may_mean(tree, word, subject)


def may_be_owned(tree: Tree, word: Word, owner: Word) -> bool:
    """Whether a pronoun may mean whom an earlier one owns: 'her sister, who says she prefers baking'."""
    alike = word.tag == "PRP$" and tree.head(word).dep in SUBJECTS  # "…, and his aunt left"
    if word.lower not in HUMAN or owner.tag != "PRP$" or alike:
        return False
    subjects = (_told_of(tree, verb) for verb in tree.above(word) if verb.tag in VERB_TAGS)
    near = (subject for subject in subjects if subject is not None and subject.index < word.index)
    return any(owner.head == subject.index and _may_mean(tree, word, subject) for subject in near)


def reasons_of_command(tree: Tree, word: Word) -> bool:
    """Whether it is the subject of a clause that says why to do something: 'Avoid the juice, since it …'."""
    clause = tree.head(word)
    command = tree.head(clause)
    why = word.dep in SUBJECTS and clause.dep == "advcl" and tree.child(clause, "mark") is not None
    unsure = any(c.tag == "MD" for c in tree.children(clause, "aux"))  # "Call them, since it may be serious"
    bare = command.tag in ("VB", "VBP") and tree.child(command, *SUBJECTS) is None
    return why and not unsure and bare and command.head == command.index < word.index


def are_people(tree: Tree, word: Word, found: Mention) -> bool:
    """Whether "they" are told to be people and the mention are none: "As newcomers, they needn't wait"."""
    if found.named or not found.plural or any(map(_people, found.nouns)):
        return False
    verb = tree.head(word)
    roles = [c for c in tree.children(verb, "prep") if c.lower == "as" and c.index < word.index]
    told = [w for role in roles for w in tree.children(role, "pobj")]
    return word.dep in SUBJECTS and any(_people(w.lower) for w in (*told, *tree.children(verb, "attr")))


def _renamed(tree: Tree, noun: Word) -> Word:
    """Whom a noun tells of: Ada, in "Ada was a chemist who made her name" and "Ada, a chemist who …"."""
    above = tree.head(noun)
    named = tree.child(above, *SUBJECTS) if noun.dep == "attr" else above
    return named if named is not None and noun.dep in ("attr", "appos") else noun


def _own_subject(tree: Tree, word: Word) -> Word | None:
    verb = next((w for w in tree.above(word) if w.tag in VERB_TAGS), None)
    return _told_of(tree, verb) if verb is not None else None


def _told_of(tree: Tree, verb: Word) -> Word | None:
    """The subject of a verb; of "who" and its like in a relative clause, the noun that it is about."""
    subject = subject_of(tree, verb)
    while subject is not None and verb.dep == "conj":
        verb = tree.head(verb)
    related = subject is not None and subject.tag.startswith("W") and verb.dep == "relcl"
    return tree.head(verb) if related else subject


def _is_of_some(tree: Tree, subject: Word) -> bool:
    if subject.lower in _POINTING:
        return bool(tree.children(subject))
    return subject.tag in _OF_SOME or subject.lower in _ONES


def _may_mean(tree: Tree, pronoun: Word, noun: Word) -> bool:
    """Whether a noun agrees with a pronoun in number, gender and sort, as far as these are known."""
    if noun.tag not in NOUN_TAGS:
        return False
    several = noun.tag in PLURAL_TAGS or bool(tree.children(noun, "conj"))
    person = is_person(noun.lower) or noun.entity == "PERSON"
    if several or pronoun.lower in PLURAL_FORMS:
        return several and pronoun.lower in PLURAL_FORMS
    if pronoun.lower not in HUMAN:
        return not person
    gender = gender_of([w.lower for w in (*tree.children(noun, "compound"), noun)])
    return person and gender in ("", "f" if pronoun.lower in FEMALE_FORMS else "m")


def _people(noun: str) -> bool:
    return noun in _PEOPLE or is_person(noun) or is_person(noun.removesuffix("s"))
