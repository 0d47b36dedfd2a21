"""Paraphrases: moves that keep the meaning of a sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made import edits_nominal, lexicon
from vista_stream.training.made.edits import Edit, Move, apart, apply, bounds, uncapped
from vista_stream.training.made.lexicon import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PASSIVE: Final = {participle: past for past, participle in lexicon.PARTICIPLES.items()}
_CLAUSES: Final = word_set("conj advcl ccomp xcomp parataxis csubj mark neg aux prt")
_RESTRICTING: Final = re.compile(
    r"\b(?:not|never|no|only|few|every|all|each|most|any|first|last)\b|n't", re.IGNORECASE
)


def moves(sentence: Span) -> list[Move]:
    """Return the meaning-preserving moves that are possible in the sentence, those of word order first."""
    return [move for rule in _RULES for move in rule(sentence)]


def paraphrase(
    sentence: Span, rng: random.Random, *, most: int = 3, keep: tuple[Edit, ...] = ()
) -> Move | None:
    """Combine up to `most` moves that touch neither each other nor the edits `keep`; None if there is none.

    The combined move includes `keep`, so that a sentence is changed and paraphrased in one step.
    """
    chosen, names = list(keep), list[str]()
    admitted = moves(sentence)
    rng.shuffle(admitted)
    admitted.sort(key=lambda move: move.name in _LIGHT)
    for move in admitted:
        if len(names) < most and apart([*chosen, *move.edits]):
            chosen += move.edits
            names.append(move.name)
    return Move(names[0], tuple(chosen)) if names else None


_LIGHT: Final = word_set("synonym digits contraction date_form")
"""Moves that keep the word order; they are used last."""


def reworded(sentence: Span, rng: random.Random) -> str:
    """Return the sentence paraphrased if a move is possible, else unchanged."""
    move = paraphrase(sentence, rng)
    return apply(sentence.text, move.edits) if move else sentence.text


def _coordination(sentence: Span) -> Iterator[Move]:
    """Exchange the two members of a list of two: A and B, B and A."""
    for left in sentence:
        members = [child for child in left.rights if child.dep_ == "conj"]
        links = [child for child in left.rights if child.dep_ == "cc" and child.lower_ in {"and", "or"}]
        if len(members) != 1 or len(links) != 1 or left.dep_ == "conj" or left.tag_ != members[0].tag_:
            continue
        right = members[0]
        if left.pos_ not in {"PROPN", "ADJ", "NOUN"} or any(c.dep_ == "conj" for c in right.children):
            continue
        first, second = _member(left), _member(right)
        if (
            second is not None
            and second.end < sentence.end
            and sentence.doc[second.end].pos_ in {"VERB", "AUX"}
        ):
            continue
        if first is None or second is None or first.end != links[0].i or second.start != links[0].i + 1:
            continue
        words = uncapped(first[0], first.text) if first.start == sentence.start else first.text
        yield Move(
            "coordination",
            (
                Edit(*bounds(sentence, first[0], first[-1]), second.text),
                Edit(*bounds(sentence, second[0], second[-1]), words),
            ),
        )


def _member(token: Token) -> Span | None:
    """Return a list's member if no word before or after it can also belong to the other member."""
    lefts = [child for child in token.lefts if child.dep_ != "cc"]
    rights = [child for child in token.rights if child.dep_ not in {"conj", "cc", "punct"}]
    own = all(child.dep_ in {"det", "compound"} for child in lefts) and not rights
    if token.pos_ == "PROPN":
        own = own and (not lefts or all(child.dep_ == "compound" and child.ent_type_ for child in lefts))
        own = own and token.ent_type_ in {"PERSON", "GPE"}
    elif token.pos_ == "NOUN":
        own = own and (not lefts or lefts[0].dep_ == "det") and token.nbor(1).dep_ not in {"case"}
    else:
        own = own and not lefts
    return token.doc[token.left_edge.i : token.i + 1] if own else None


def _front(sentence: Span) -> Iterator[Move]:
    """Put a time at the end of the sentence to its front: X in 1990, In 1990 X."""
    root = sentence.root
    if _busy(root) or sentence[0].dep_ in {"prep", "advmod", "mark"}:
        return
    for preposition in root.rights:
        last = preposition.right_edge
        if not _timed(preposition) or last.i != sentence.end - 2 or sentence[-1].text != ".":
            continue
        start, end = bounds(sentence, preposition, last)
        text = sentence.text[start:end]
        subject = sentence[0]
        opening = Edit(0, len(subject), f"{text[:1].upper()}{text[1:]}, {uncapped(subject, subject.text)}")
        yield Move("front_time", (opening, Edit(start, end, "")))


def _unfront(sentence: Span) -> Iterator[Move]:
    """Put a time at the front of the sentence to its end: In 1990 X, X in 1990."""
    preposition, root = sentence[0], sentence.root
    if preposition.head != root or not _timed(preposition) or _busy(root) or sentence[-1].text != ".":
        return
    after = preposition.right_edge.i + 1
    if sentence.doc[after].text == "," and after + 1 < sentence.end:
        text = sentence.text[: bounds(sentence, preposition, preposition.right_edge)[1]]
        comma = sentence.doc[after]
        stop = len(sentence.text) - 1
        yield Move(
            "unfront_time",
            (
                Edit(0, bounds(sentence, comma, comma)[1], ""),
                Edit(stop, stop, f" {uncapped(preposition, text)}"),
            ),
        )


def _timed(preposition: Token) -> bool:
    """Whether it is a short phrase of time: a preposition and a date."""
    objects = [child for child in preposition.children if child.dep_ == "pobj"]
    short = preposition.right_edge.i - preposition.i <= 6
    timed = preposition.lower_ in {"in", "on", "during", "after", "before", "since", "at", "until"}
    return preposition.dep_ == "prep" and short and timed and bool(objects) and objects[0].ent_type_ == "DATE"


def _busy(root: Token) -> bool:
    return any(child.dep_ in {"conj", "advcl", "ccomp", "parataxis"} for child in root.children)


def _active(sentence: Span) -> Iterator[Move]:
    """X was made by Y: Y made X."""
    root = sentence.root
    subject = next((c for c in root.lefts if c.dep_ == "nsubjpass"), None)
    agent = next((c for c in root.rights if c.dep_ == "agent"), None)
    past = _PASSIVE.get(root.lower_) or (root.lower_ if root.lower_.endswith("ed") else None)
    if subject is None or agent is None or past is None or not _simple(sentence, subject, ("was", "were")):
        return
    maker = next((c for c in agent.children if c.dep_ == "pobj"), None)
    if maker is None or agent.i != root.i + 1 or root.i != subject.right_edge.i + 2:
        return
    made = sentence.text[: bounds(sentence, subject.left_edge, subject.right_edge)[1]]
    start, end = bounds(sentence, maker.left_edge, maker.right_edge)
    text = f"{sentence.text[start:end]} {past} {uncapped(sentence[0], made)}"
    yield Move("active", (Edit(0, end, text),))


def _passive(sentence: Span) -> Iterator[Move]:
    """Y made X: X was made by Y."""
    root = sentence.root
    subject = next((c for c in root.lefts if c.dep_ == "nsubj"), None)
    target = next((c for c in root.rights if c.dep_ == "dobj"), None)
    known = root.lemma_ in lexicon.ASYMMETRIC and root.tag_ == "VBD"
    if subject is None or target is None or not known or not _simple(sentence, subject, ()):
        return
    if target.left_edge.i != root.i + 1 or root.i != subject.right_edge.i + 1 or target.pos_ == "PRON":
        return
    maker = sentence.text[: bounds(sentence, subject.left_edge, subject.right_edge)[1]]
    start, end = bounds(sentence, target.left_edge, target.right_edge)
    be = "were" if target.tag_ in {"NNS", "NNPS"} or any(c.dep_ == "conj" for c in target.children) else "was"
    participle = lexicon.PARTICIPLES.get(root.lower_, root.lower_)
    text = f"{sentence.text[start:end]} {be} {participle} by {uncapped(sentence[0], maker)}"
    yield Move("passive", (Edit(0, end, text),))


def _simple(sentence: Span, subject: Token, auxiliaries: tuple[str, ...]) -> bool:
    """Whether the sentence opens with its subject and its verb has only these auxiliaries, no clause."""
    root = sentence.root
    others = [c for c in root.children if c.dep_ in _CLAUSES]
    helpers = [c.lower_ for c in root.children if c.dep_ == "auxpass"]
    plain = "," not in sentence.doc[subject.left_edge.i : subject.right_edge.i + 1].text
    opens = subject.left_edge.i == sentence.start and subject.pos_ != "PRON" and plain
    return opens and not others and all(word in auxiliaries for word in helpers)


def _possessive(sentence: Span) -> Iterator[Move]:
    """France's capital: the capital of France."""
    for owner in sentence:
        if owner.dep_ != "poss" or owner.pos_ != "PROPN" or owner.i + 1 >= sentence.end:
            continue
        mark, owned = owner.nbor(1), owner.head
        lefts = [child for child in owner.lefts if child.dep_ != "compound"]
        if mark.tag_ != "POS" or owned.i != mark.i + 1 or owned.tag_ not in {"NN", "NNS"} or lefts:
            continue
        if any(child.dep_ in {"prep", "appos", "relcl", "acl"} for child in owned.rights):
            continue
        name = sentence.doc[owner.left_edge.i : owner.i + 1].text
        start, end = bounds(sentence, owner.left_edge, owned)
        yield Move("possessive", (Edit(start, end, f"the {owned.text} of {name}"),))


def _genitive(sentence: Span) -> Iterator[Move]:
    """The capital of France: France's capital."""
    for of in sentence:
        owned, owners = of.head, [child for child in of.children if child.dep_ == "pobj"]
        if of.lower_ != "of" or owned.i != of.i - 1 or owned.tag_ != "NN" or not owners:
            continue
        article = owned.nbor(-1) if owned.i > sentence.start else owned
        owner = owners[0]
        whole = (
            owner.ent_type_ in {"GPE", "PERSON"}
            and owner.left_edge.i == of.i + 1
            and owner.right_edge == owner
        )
        named = all(token.ent_type_ == owner.ent_type_ for token in sentence.doc[of.i + 1 : owner.i + 1])
        if article.lower_ != "the" or not whole or not named or owned.lower_ not in _OWNED:
            continue
        start, end = bounds(sentence, article, owner)
        yield Move(
            "genitive", (Edit(start, end, f"{sentence.doc[of.i + 1 : owner.i + 1].text}'s {owned.text}"),)
        )


_OWNED: Final = word_set(
    "capital population economy government president king queen author director son daughter wife husband "
    "brother sister father mother founder leader mayor owner coast death birth life career history culture"
)


def _digits(sentence: Span) -> Iterator[Move]:
    """Write a small number the other way: two, 2."""
    for token in sentence:
        other = lexicon.NUMBER_WORDS.get(token.text) or lexicon.DIGIT_WORDS.get(token.text)
        if (
            other
            and token.dep_ == "nummod"
            and not _hyphened(token)
            and token.head.pos_ == "NOUN"
            and token.head.i == token.i + 1
        ):
            yield Move("digits", (Edit(*bounds(sentence, token, token), other),))


_DAY_FIRST: Final = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(lexicon.MONTHS)}),? (\d{{4}})\b(?! BC)")
_MONTH_FIRST: Final = re.compile(rf"\b({'|'.join(lexicon.MONTHS)}) (\d{{1,2}}), (\d{{4}})\b(?! BC)")


def _dates(sentence: Span) -> Iterator[Move]:
    """Write a date the other way: 14 September 2004, September 14, 2004."""
    for match in _DAY_FIRST.finditer(sentence.text):
        day, month, year = match.groups()
        yield Move("date_form", (Edit(*match.span(), f"{month} {day}, {year}"),))
    for match in _MONTH_FIRST.finditer(sentence.text):
        month, day, year = match.groups()
        yield Move("date_form", (Edit(*match.span(), f"{day} {month} {year}"),))


_SHORT: Final = re.compile(r"\b(is|are|was|were|did|does|has|had|could|would) not\b")
_LONG: Final = re.compile(r"\b(is|are|was|were|did|does|has|had|could|would)n't\b")


def _contractions(sentence: Span) -> Iterator[Move]:
    for match in _SHORT.finditer(sentence.text):
        yield Move("contraction", (Edit(*match.span(), f"{match.group(1)}n't"),))
    for match in _LONG.finditer(sentence.text):
        yield Move("contraction", (Edit(*match.span(), f"{match.group(1)} not"),))


def _synonyms(sentence: Span) -> Iterator[Move]:
    for token in sentence:
        other = lexicon.SYNONYMS.get(token.text)
        if other and not token.ent_type_ and token.dep_ != "compound" and not _hyphened(token):
            yield Move("synonym", (Edit(*bounds(sentence, token, token), other),))


def _hyphened(token: Token) -> bool:
    around = token.doc[max(0, token.i - 1) : token.i + 2]
    return any(neighbour.text in {"-", "–", "/"} for neighbour in around)


def _cleft(sentence: Span) -> Iterator[Move]:
    """X wrote Y: it was X who wrote Y."""
    root = sentence.root
    subject = next((c for c in root.lefts if c.dep_ == "nsubj"), None)
    if (
        subject is None
        or root.tag_ != "VBD"
        or not _simple(sentence, subject, ())
        or not _plain_person(subject)
    ):
        return
    if root.i == subject.i + 1 and root.lemma_ != "be" and not _RESTRICTING.search(sentence.text):
        end = bounds(sentence, subject, subject)[1]
        yield Move("cleft", (Edit(0, end, f"It was {sentence.text[:end]} who"),))


def _plain_person(token: Token) -> bool:
    return token.ent_type_ == "PERSON" and token.right_edge == token and token.pos_ == "PROPN"


def _copula(sentence: Span) -> Iterator[Move]:
    """The capital of X is Y: Y is the capital of X."""
    root = sentence.root
    subject = next((c for c in root.lefts if c.dep_ == "nsubj"), None)
    other = next((c for c in root.rights if c.dep_ == "attr"), None)
    if (
        root.lower_ not in {"is", "was"}
        or subject is None
        or other is None
        or not _simple(sentence, subject, ())
    ):
        return
    if subject.right_edge.i != root.i - 1 or other.left_edge.i != root.i + 1:
        return
    if other.right_edge.i != sentence.end - 2 or sentence[-1].text != "." or not _unique(subject, other):
        return
    left_end = bounds(sentence, subject, subject.right_edge)[1]
    start, end = bounds(sentence, other.left_edge, other.right_edge)
    text = f"{sentence.text[start:end]} {root.text} {uncapped(sentence[0], sentence.text[:left_end])}"
    yield Move("copula", (Edit(0, end, text),))


def _unique(subject: Token, other: Token) -> bool:
    """Whether one is a name and the other a definite description in the singular."""
    named, described = (other, subject) if subject.left_edge.lower_ == "the" else (subject, other)
    definite = described.left_edge.lower_ == "the" and described.tag_ == "NN"
    return named.pos_ == "PROPN" and named.ent_type_ != "" and definite


def _places_and_times(sentence: Span) -> Iterator[Move]:
    """Exchange a place and a time that stand side by side: in Paris in 1990, in 1990 in Paris."""
    for left in sentence:
        if left.dep_ != "prep" or left.right_edge.i + 1 >= sentence.end:
            continue
        right = left.right_edge.nbor(1)
        if right.dep_ != "prep" or right.head != left.head or left.head.pos_ != "VERB":
            continue
        if "and" in {token.lower_ for token in sentence.doc[left.i : right.right_edge.i + 1]}:
            continue
        if (_timed(left) and _placed(right)) or (_placed(left) and _timed(right)):
            first = bounds(sentence, left, left.right_edge)
            second = bounds(sentence, right, right.right_edge)
            text = f"{sentence.text[slice(*second)]} {sentence.text[slice(*first)]}"
            yield Move("place_time", (Edit(first[0], second[1], text),))


def _placed(preposition: Token) -> bool:
    objects = [child for child in preposition.children if child.dep_ == "pobj"]
    return (
        preposition.lower_ in {"in", "at", "on"}
        and bool(objects)
        and objects[0].ent_type_ in {"GPE", "LOC", "FAC"}
    )


def _later(sentence: Span) -> Iterator[Move]:
    """He later became: later, he became."""
    for adverb in sentence.root.lefts:
        alone = adverb.i > sentence.start and not list(adverb.children) and not _busy(sentence.root)
        if alone and adverb.lower_ in _FRONTED:
            first = sentence[0]
            opening = Edit(0, len(first), f"{adverb.text.capitalize()}, {uncapped(first, first.text)}")
            yield Move("front_adverb", (opening, Edit(*bounds(sentence, adverb, adverb), "")))


_FRONTED: Final = word_set("later eventually originally subsequently currently initially")


_RULES: Final[tuple[Callable[[Span], Iterator[Move]], ...]] = (
    _coordination, _front, _unfront, _active, _passive, _possessive, _genitive, _cleft, _copula,
    _places_and_times, _later, edits_nominal.lists, edits_nominal.participles, edits_nominal.described,
    edits_nominal.reduced, edits_nominal.clauses, edits_nominal.born, edits_nominal.fronted,
    _dates, _digits, _contractions, _synonyms,
)  # fmt: skip
