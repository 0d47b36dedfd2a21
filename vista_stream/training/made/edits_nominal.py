"""Moves inside noun phrases and lists that keep the meaning of a sentence."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Edit, Move, bounds, uncapped

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


def lists(sentence: Span) -> Iterator[Move]:
    """Rotate a list of three or more names or bare words: A, B and C; C, A and B."""
    for first in sentence:
        members = _members(first)
        if len(members) < 3 or any(_whole(member) is None for member in members):
            continue
        phrases = [phrase for phrase in map(_whole, members) if phrase is not None]
        gaps = [
            sentence.doc[left.end : right.start].text.strip() for left, right in itertools.pairwise(phrases)
        ]
        listed = all(gap in {",", "and", ", and", "or"} for gap in gaps) and gaps[-1] != ","
        following = sentence.doc[min(phrases[-1].end, sentence.end - 1)]
        if not listed or phrases[0].start == sentence.start or following.pos_ in {"NOUN", "PROPN", "ADJ"}:
            continue
        turned = [phrases[-1], *phrases[:-1]]
        edits = (
            Edit(*bounds(sentence, old[0], old[-1]), new.text)
            for old, new in zip(phrases, turned, strict=True)
        )
        yield Move("list", tuple(edits))


def _members(first: Token) -> list[Token]:
    if first.dep_ == "conj" or first.pos_ not in {"PROPN", "NOUN", "ADJ"}:
        return []
    members = [first]
    while following := [child for child in members[-1].rights if child.dep_ == "conj"]:
        members.append(following[0])
    return members


def _whole(token: Token) -> Span | None:
    """Return a list's member as a phrase if it is a name or a word without modifiers."""
    if token.ent_type_:
        for name in token.sent.ents:
            if name.start <= token.i < name.end:
                return name if name.root == token else None
    alone = not any(child.dep_ not in {"conj", "cc", "punct"} for child in token.children)
    return token.doc[token.i : token.i + 1] if alone else None


def participles(sentence: Span) -> Iterator[Move]:
    """Exchange two participles that share all that follows: written and directed, directed and written."""
    for left in sentence:
        if left.tag_ not in {"VBN", "VBG"} or left.i + 2 >= sentence.end:
            continue
        link, right = left.nbor(1), left.nbor(2)
        joined = (
            link.lower_ == "and" and right.dep_ == "conj" and right.head == left and right.nbor(1).text != "-"
        )
        if joined and right.tag_ == left.tag_ and not list(right.lefts) and left.i > sentence.start:
            yield Move(
                "participles",
                (
                    Edit(*bounds(sentence, left, left), right.text),
                    Edit(*bounds(sentence, right, right), left.text),
                ),
            )


def described(sentence: Span) -> Iterator[Move]:
    """Put a description behind a name: by American author Ann Lee; by Ann Lee, an American author,."""
    for name in sentence.ents:
        start = name.start
        while start > sentence.start and _describes(sentence.doc[start - 1], name):
            start -= 1
        words = sentence.doc[start : name.start]
        if name.label_ != "PERSON" or not words or words[-1].tag_ != "NN" or start == sentence.start:
            continue
        before = sentence.doc[start - 1]
        after = sentence.doc[name.end] if name.end < len(sentence.doc) else before
        if before.lower_ in {"by", "of", "with", "from", "featuring", "starring"} and after.text in {
            ".",
            ",",
            "in",
        }:
            article = "an" if words.text[0].lower() in "aeiou" else "a"
            edit = Edit(*bounds(sentence, words[0], name[-1]), f"{name.text}, {article} {words.text},")
            yield Move("described", (edit,))


def _describes(token: Token, name: Span) -> bool:
    noun = token.tag_ == "NN" and token.text.islower()
    return (noun or token.ent_type_ == "NORP") and (token.head == name.root or token.head.head == name.root)


def reduced(sentence: Span) -> Iterator[Move]:
    """Write a participle out as a clause: a film directed by X; a film that was directed by X."""
    for verb in sentence:
        noun = verb.head
        if verb.dep_ != "acl" or verb.tag_ != "VBN" or noun.i != verb.i - 1 or list(verb.lefts):
            continue
        agent = any(child.dep_ == "agent" for child in verb.children)
        if noun.tag_ == "NN" and noun.pos_ == "NOUN" and agent:
            here = bounds(sentence, verb, verb)[0]
            yield Move("clause", (Edit(here, here, "that was "),))


def clauses(sentence: Span) -> Iterator[Move]:
    """Cut a clause down to its participle: a film that was directed by X; a film directed by X."""
    for verb in sentence:
        if verb.dep_ == "relcl" and verb.tag_ == "VBN":
            lefts = [child.lower_ for child in verb.lefts]
            if lefts in (["that", "was"], ["which", "was"], ["that", "is"]) and verb.head.i == verb.i - 3:
                start, _ = bounds(sentence, verb.nbor(-2), verb)
                yield Move("participle", (Edit(start, bounds(sentence, verb, verb)[0], ""),))


_BORN: Final = re.compile(r"^([^(),]{3,60}) \(born (\d[^()–-]{3,40}|[A-Z][a-z]+ \d[^()–-]{3,40})\) (is|was) ")


def born(sentence: Span) -> Iterator[Move]:
    """Move a date of birth: X (born 1950) is a singer; born 1950, X is a singer."""
    match = _BORN.match(sentence.text)
    if match:
        name, date, be = match.groups()
        yield Move("born", (Edit(0, match.end(), f"Born {date}, {name} {be} "),))


def fronted(sentence: Span) -> Iterator[Move]:
    """Move an opening clause (after, while, when …) to the end of the sentence."""
    root = sentence.root
    clause = next((child for child in root.lefts if child.dep_ == "advcl"), None)
    if clause is None or clause.left_edge.i != sentence.start or sentence[-1].text != ".":
        return
    comma = sentence.doc[clause.right_edge.i + 1]
    subjects = {token.pos_ for token in root.lefts if token.dep_ in {"nsubj", "nsubjpass"}}
    others = [child for child in root.rights if child.dep_ in {"conj", "advcl", "ccomp"}]
    marked = sentence[0].lower_ in {"after", "before", "when", "because", "while", "although", "since", "if"}
    if comma.text != "," or not marked or others or "PRON" in subjects:
        return
    text = sentence.text[: bounds(sentence, clause, clause.right_edge)[1]]
    stop = len(sentence.text) - 1
    yield Move(
        "unfront_clause",
        (
            Edit(0, bounds(sentence, comma, comma)[1], ""),
            Edit(stop, stop, f" {uncapped(sentence[0], text)}"),
        ),
    )
