"""Claims that are part of a sentence, sentences that say more than another, and two sentences combined."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Edit, apply, bounds, uncapped
from vista_stream.training.made.passages import Parsed

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_STRICT: Final = re.compile(
    r"\b(?:not|never|no|none|only|few|every|all|each|any|if|unless|would|could|might|may|should|until|without|"
    r"said|claimed|believed|alleged|reported|according)\b|n't|\w+est\b|\bmost\b|\bfirst\b|\blast\b",
    re.IGNORECASE,
)
"""Words under which a shorter sentence does not follow from a longer one."""


def shortened(sentence: Span) -> Iterator[tuple[str, str]]:
    """Yield (edit, sentence without one modifier); it follows from the sentence, not the other way round."""
    if _STRICT.search(sentence.text):
        return
    for token in sentence:
        span = _modifier(token)
        if span is not None and 2 <= len(span) <= 20 and span.start > sentence.start:
            start, end = bounds(sentence, span[0], span[-1])
            if _informative(span):
                yield f"without_{token.dep_}", apply(sentence.text, (Edit(start, end, ""),))


def _modifier(token: Token) -> Span | None:
    """Return the subtree of a modifier that can be left out, with the comma before it."""
    subtree = token.doc[token.left_edge.i : token.right_edge.i + 1]
    before = token.doc[subtree.start - 1] if subtree.start else None
    after = token.doc[subtree.end] if subtree.end < len(token.doc) else None
    framed = before is not None and before.text == "," and after is not None and after.text in {",", "."}
    if token.dep_ in {"relcl", "acl", "appos", "advcl"} and framed and token.head.i < token.i:
        return token.doc[subtree.start - 1 : subtree.end]
    timed = any(child.dep_ == "pobj" and child.ent_type_ in {"DATE", "GPE"} for child in token.children)
    ends = after is not None and after.text == "." and before is not None and before.text != ","
    simple = token.lower_ in {"in", "on", "at", "during"} and not any(
        c.dep_ == "conj" for c in token.head.children
    )
    if (
        token.dep_ == "prep"
        and token.head.dep_ == "ROOT"
        and token.head.pos_ == "VERB"
        and timed
        and ends
        and simple
    ):
        return subtree
    return None


def _informative(span: Span) -> bool:
    return any(token.pos_ in {"PROPN", "NUM", "NOUN", "VERB"} for token in span)


def claims(sentence: Span) -> Iterator[tuple[str, str]]:
    """Yield (edit, claim) for claims that decomposition would extract from the sentence; it entails each."""
    yield from _appositions(sentence)
    if not _STRICT.search(sentence.text):
        yield from _relatives(sentence)
        yield from _predicates(sentence)
        yield from _attributes(sentence)


def _subject(verb: Token) -> Span | None:
    """Return the verb's subject without its relative clauses and appositions, None if it is a pronoun."""
    for child in verb.lefts:
        if child.dep_ in {"nsubj", "nsubjpass"} and child.pos_ in {"NOUN", "PROPN"}:
            return _bare(child)
    return None


def _bare(noun: Token) -> Span | None:
    """Return the noun phrase up to its head, with `of` phrases; None if it has other modifiers after it."""
    end = noun.i + 1
    for child in noun.rights:
        if child.dep_ in {"conj", "cc", "nummod"} or (child.i == end and child.pos_ in {"NUM", "PROPN"}):
            return None
        if child.dep_ == "prep" and child.lower_ == "of" and child.left_edge.i == end:
            end = child.right_edge.i + 1
    if any(token.text in ",(" for token in noun.doc[noun.left_edge.i : end]):
        return None
    return noun.doc[noun.left_edge.i : end]


def _copula(verb: Token, plural: bool) -> str:
    past = verb.tag_ in {"VBD", "VBN"} or verb.lower_ in {"was", "were"}
    return ("were" if plural else "was") if past else ("are" if plural else "is")


def _appositions(sentence: Span) -> Iterator[tuple[str, str]]:
    """X, a singer from Y, did Z: X is a singer from Y."""
    for token in sentence:
        if token.dep_ != "appos" or token.head.pos_ != "PROPN" or token.pos_ != "NOUN":
            continue
        if token.left_edge.lower_ not in {"a", "an", "the"} or token.left_edge.nbor(-1).text != ",":
            continue
        named, said = _bare(token.head), sentence.doc[token.left_edge.i : token.right_edge.i + 1]
        if named is None or token.head.dep_ not in {"nsubj", "nsubjpass", "pobj", "dobj"} or len(said) > 20:
            continue
        if named.end != said.start - 1:
            continue
        if not token.head.ent_type_ or any(c.dep_ == "conj" for c in token.head.children):
            continue
        if token.tag_ != "NN" or token.head.ent_type_ not in {"PERSON", "ORG", "GPE", "FAC", "WORK_OF_ART"}:
            continue
        be = _copula(sentence.root, plural=False)
        text = f"{named.text} {be} {uncapped(said[0], said.text).strip(' ,.')}."
        yield "apposition", text[:1].upper() + text[1:]


def _relatives(sentence: Span) -> Iterator[tuple[str, str]]:
    """X, who was born in Y, did Z: X was born in Y."""
    for verb in sentence:
        if verb.dep_ != "relcl" or verb.head.pos_ not in {"PROPN", "NOUN"}:
            continue
        pronoun = verb.left_edge
        if pronoun.lower_ not in {"who", "which", "that"} or pronoun.dep_ not in {"nsubj", "nsubjpass"}:
            continue
        opening = verb.head.left_edge.lower_
        definite = opening == "the" or (verb.head.pos_ == "PROPN" and opening not in {"a", "an"})
        person = verb.head.ent_type_ == "PERSON" or not verb.head.ent_type_
        definite = definite and pronoun.text.islower() and (pronoun.lower_ != "who" or person)
        head = _bare(verb.head)
        if pronoun.head != verb or not definite or head is None or pronoun.i != _after(verb.head):
            continue
        rest = sentence.doc[pronoun.i + 1 : verb.right_edge.i + 1].text.strip(" ,")
        text = f"{head.text} {rest}."
        if len(rest.split()) > 2 and text.count("(") == text.count(")"):
            yield "relative", text[:1].upper() + text[1:]


def _after(noun: Token) -> int:
    """Return the index of the token after the noun, or after a comma that follows the noun."""
    following = noun.i + 1
    return following + (following < len(noun.doc) and noun.doc[following].text == ",")


def _predicates(sentence: Span) -> Iterator[tuple[str, str]]:
    """X did A and did B: X did A; X did B."""
    root, subject = sentence.root, _subject(sentence.root)
    others = [child for child in root.rights if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"}]
    if subject is None or len(others) != 1 or subject.start != sentence.start:
        return
    second = others[0]
    own = any(child.dep_ in {"nsubj", "nsubjpass", "expl"} for child in second.lefts)
    link = next((child for child in root.rights if child.dep_ == "cc" and child.lower_ == "and"), None)
    if own or link is None or second.left_edge.i != link.i + 1:
        return
    first = sentence.doc[sentence.start : link.i].text.strip(" ,")
    if len(first.split()) > 3:
        yield "predicate_first", f"{first}."
    finite = second.tag_ in {"VBD", "VBZ", "VBP"} or any(c.dep_ in {"aux", "auxpass"} for c in second.lefts)
    opening = sentence.doc[second.left_edge.i]
    if opening.pos_ not in {"VERB", "AUX", "ADV"}:
        return
    if finite and not (second.tag_ == "VBN" and not any(c.dep_ == "auxpass" for c in second.lefts)):
        rest = sentence.doc[second.left_edge.i : second.right_edge.i + 1].text.strip(" ,.")
        yield "predicate_second", f"{subject.text} {rest}."


def _attributes(sentence: Span) -> Iterator[tuple[str, str]]:
    """X is an American actor and director born in Y: X is an actor."""
    root, subject = sentence.root, _subject(sentence.root)
    attribute = next((c for c in root.rights if c.dep_ == "attr" and c.tag_ == "NN"), None)
    if (
        root.lower_ not in {"is", "was"}
        or subject is None
        or attribute is None
        or subject.start != sentence.start
    ):
        return
    article = attribute.left_edge
    partial = any(c.dep_ == "compound" for c in attribute.lefts) or any(
        c.lower_ == "of" or c.dep_ == "acl" for c in attribute.rights
    )
    if article.lower_ not in {"a", "an"} or partial or attribute.lower_ in subject.text.lower():
        return
    proper = "an" if attribute.lower_[0] in "aeiou" else "a"
    yield "attribute", f"{subject.text} {root.text} {proper} {attribute.text}."


def resolved(parsed: Parsed) -> Iterator[tuple[str, str]]:
    """Yield (premise, claim): two sentences, and the second with its pronoun replaced by the first's subject.

    Only if the subject of the first sentence is its one candidate for the pronoun.
    """
    for first, second in zip(parsed.sentences, parsed.sentences[1:], strict=False):
        pronoun = second[0]
        if (
            first.end != second.start
            or pronoun.lower_ not in {"he", "she", "it"}
            or pronoun.dep_ not in _SUBJECTS
        ):
            continue
        subject = _subject(first.root)
        if subject is None or subject.start != first.start or not _fits(pronoun, subject, first):
            continue
        yield f"{first.text} {second.text}", f"{subject.text}{second.text[len(pronoun) :]}"


_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})


def _fits(pronoun: Token, subject: Span, first: Span) -> bool:
    people = [name for name in first.ents if name.label_ == "PERSON"]
    person = subject.root.ent_type_ == "PERSON"
    if pronoun.lower_ == "it":
        copular = first.root.lemma_ == "be" and any(c.dep_ == "attr" for c in first.root.children)
        return not person and copular and subject.root.tag_ in {"NN", "NNP"} and subject.root.pos_ == "PROPN"
    return person and len(people) == 1
