"""Whether a pronoun, or a noun such as "the film", may mean a mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.genders import is_person
from vista_stream.core.extraction.mentions import Mention, Role, Sort
from vista_stream.core.text.stems import word_set

_GROUP_NOUNS = word_set(
    "company firm corporation organization organisation team club band group agency university"
)
_PLACE_NOUNS = word_set("city country town nation state capital island village region province")
_WORK_NOUNS = word_set("film movie book novel album song series show play game painting poem")
_MALE_FORMS = frozenset(("he", "him", "his", "himself"))
FEMALE_FORMS = frozenset(("she", "her", "hers", "herself"))
PLURAL_FORMS = frozenset(("they", "them", "their", "theirs", "themselves"))
CLASSES = (_MALE_FORMS, FEMALE_FORMS, PLURAL_FORMS, frozenset(("it", "its", "itself")))
"""Pronouns that agree with each other."""
SPOKEN_OF = word_set("it they he she")
"""Pronouns that are subjects."""
HUMAN = _MALE_FORMS | FEMALE_FORMS
_OPENING = 4
"""Words with which a sentence opens, as far as a name at its beginning may end."""


def clear(level: list[Mention]) -> Mention | None:
    """The only subject, else the only object, else the only mention; None where two are equally prominent.

    Of "Lincoln's vice president" and "Lincoln", it is "Lincoln".
    """
    for role in (Role.SUBJECT, Role.OBJECT):
        ranked = [m for m in level if m.role is role]
        if ranked:
            found = only(ranked)
            return found and _owner(found, level)
    return only(level)


def _owner(found: Mention, level: list[Mention]) -> Mention:
    owners = [
        m for m in level if m.named and not m.plural and found.text.startswith((f"{m.text}'s", f"{m.text}’s"))
    ]
    return owners[0] if owners and not found.named else found


def rivalled(found: Mention, level: list[Mention]) -> bool:
    """Whether another mention of the sentence may as well be meant, though it is less prominent.

    "Edison did not pay him. He left.", "Her sister played. She won.", "The hotel has a pool. It is warm."
    """
    if found.again:
        return found.role is Role.OTHER and any(m.role is Role.SUBJECT for m in level)
    if not found.named and any(m.new and m is not found for m in level):
        return True
    return any(m.again and not m.same(found) for m in level)


def only(found: list[Mention]) -> Mention | None:
    """The mention, where all mean one entity."""
    return found[0] if found and all(m.same(found[0]) for m in found) else None


def contested(word: str, found: Mention, before: Sequence[Mention], *, subject: bool, named: bool) -> bool:
    """Whether another mention of the pronoun's own sentence may as well be meant.

    "The judge sentenced Paul Smith, but he was freed", "Ferri sold the car to Renna, but he crashed it". So
    may a subject that a parser took for a person: "Kyoto, Japan's old capital, is known for its temples".
    """
    if word not in HUMAN and found.role is Role.OTHER:
        subjects = [m for m in before if m.role is Role.SUBJECT and not m.plural and not m.same(found)]
        if any(may_be_meant(word, m) and not agrees(word, m) for m in subjects):
            return True
    if word in HUMAN and not (found.gender or found.named) and any(_told(word, m) for m in before):
        return True
    others = [m for m in before if m.index > found.index and not m.same(found)]
    if named or (subject and word not in HUMAN):
        return found.role is Role.SUBJECT and any(m.role is Role.OBJECT and agrees(word, m) for m in others)
    return subject and any(_may_be_he(word, found, m) for m in others if m.role is not Role.SUBJECT)


def _told(word: str, mention: Mention) -> bool:
    """Whether a name or title tells that a mention is a "he" or "she"; of "the neighbour", nothing does."""
    return mention.named and bool(mention.gender) and agrees(word, mention)


def _may_be_he(word: str, found: Mention, other: Mention) -> bool:
    """Whether "he" may be the other rather than the subject that was found."""
    if other.sort is Sort.PERSON:
        prominent = other.named or other.role is Role.OBJECT or not found.named
        return prominent and not other.plural and not _excludes(word, other)
    lettered = may_agree(word, replace(other, sort=Sort.UNSURE)) and not other.text.startswith("the ")
    return lettered and not found.named and other.sort in (Sort.UNSURE, Sort.GROUP)


def may_be_near(word: str, mention: Mention, *, later: bool) -> bool:
    """Whether a pronoun may mean a mention of its own sentence that is not prominent enough to be sure.

    `later` is whether the mention follows a subject: "The film was made by Carl Lund, and he …".
    """
    if word not in HUMAN:  # "I love that little car, it fits everywhere"
        return alike(word, mention)
    # Also a person whose name the parser labelled as something else.
    person = (later and mention.sort is Sort.PERSON) or _may_open(mention)
    return mention.named and person and not _excludes(word, mention)


def hidden(word: str, said: Sequence[Mention], level: Sequence[Mention]) -> bool:
    """Whether the pronoun may mean a mention of a sentence that does not agree with it as it was read."""
    rest = [m for m in said if m not in level]
    if word not in HUMAN:
        return not level and any(may_be_meant(word, m) for m in rest)
    if any(m.again for m in level):
        return False
    asked = [m for m in rest if m.asked and not level and not m.plural and not _excludes(word, m)]
    return any(m.sort in (Sort.PERSON, Sort.UNSURE) for m in asked) or any(
        m.sort is Sort.UNSURE and m.role is Role.SUBJECT and not (m.named or " " in m.text) for m in rest
    )


def is_guess(found: Mention, level: Sequence[Mention]) -> bool:
    """Whether an object pronoun may mean another than the mention of an earlier sentence that was found."""
    return not found.named or any(m.role is Role.OBJECT and not m.same(found) for m in level)


def may_be_so(noun: str, mention: Mention) -> bool:
    """Whether a name of which nothing was said may be a NOUN, "company", by its sort.

    A parser may take a lone name for a person's.
    """
    if mention.plural or mention.nouns or mention.gender or is_person(noun):
        return False
    if mention.sort is Sort.PERSON:
        return " " not in mention.text
    if mention.sort is Sort.PLACE or noun in _PLACE_NOUNS:
        return noun in _PLACE_NOUNS and mention.sort in (Sort.PLACE, Sort.UNSURE)
    return mention.sort is not Sort.SITE or noun not in _GROUP_NOUNS | _WORK_NOUNS


def agrees(pronoun: str, mention: Mention) -> bool:
    """Whether the pronoun may mean the mention, which is prominent enough."""
    if not mention.named and mention.role is Role.OTHER and not (mention.plural and mention.asked):
        return False
    return alike(pronoun, mention)


def alike(pronoun: str, mention: Mention) -> bool:
    """Whether the pronoun and the mention are alike in number, gender and sort."""
    if mention.plural is not (pronoun in PLURAL_FORMS):
        return False
    if mention.plural:
        return True
    if pronoun in HUMAN:
        gender = "f" if pronoun in FEMALE_FORMS else "m"
        unknown = mention.sort is Sort.PERSON and not mention.gender
        return unknown or (mention.sort in (Sort.PERSON, Sort.UNSURE) and mention.gender == gender)
    return mention.sort is not Sort.PERSON and mention.role is not Role.SETTING


def may_be_meant(pronoun: str, mention: Mention) -> bool:
    """Whether 'it' or 'they' may mean the mention, however little prominent; 'they' also a band or firm."""
    if pronoun in PLURAL_FORMS:
        return mention.plural or (mention.named and mention.sort in (Sort.GROUP, Sort.UNSURE))
    # A parser may take "Kafka" for a person, and "Fenrir" for a plural.
    lone = " " not in mention.text or mention.asked
    name = mention.text[0].isupper() and lone and not mention.gender
    if mention.plural:
        return name and not mention.text.endswith("s")
    return mention.sort is not Sort.PERSON or (name and mention.named)


def _may_open(mention: Mention) -> bool:
    """Whether a name may be the subject of its sentence, also where the parser made a longer name of it."""
    longer = mention.role is Role.OTHER and " " in mention.text and mention.index < _OPENING
    return mention.role is Role.SUBJECT or longer


def _excludes(pronoun: str, mention: Mention) -> bool:
    """Whether a mention is a man and the pronoun 'she', or the other way round."""
    other = "m" if pronoun in FEMALE_FORMS else "f"
    return mention.sort is Sort.PERSON and mention.gender == other


def may_agree(pronoun: str, mention: Mention) -> bool:
    """For 'he' and 'she': whether it is a name of two words or more of an unknown sort, without digits."""
    lettered = " " in mention.text and mention.text[0].isupper() and not any(map(str.isdigit, mention.text))
    return mention.sort is Sort.UNSURE and mention.named and not mention.plural and lettered


def of_sort(noun: str, mention: Mention) -> bool:
    """Whether a mention of which nothing was said is a NOUN, "company", by its sort."""
    if mention.plural or mention.nouns:
        return False
    if noun in _GROUP_NOUNS:
        return mention.sort is Sort.GROUP
    if noun in _PLACE_NOUNS:
        return mention.sort is Sort.PLACE and noun != "capital"
    return noun in _WORK_NOUNS and mention.sort is Sort.THING
