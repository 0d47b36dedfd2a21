"""Whether a claim replaces an earlier statement, because it corrects it or tells of a change.

The signs are words of the assistant, in the claim's sentence or the one before, and what the user asked for.
They decide nothing alone: they count where a verifier finds that the claim contradicts the statement.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from vista_stream.core.importance import content_words
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import atoms_of
from vista_stream.core.text.units import CURRENCY_CODES

_ADMITS = re.compile(
    r"\b(?:apolog\w+|forgive me|(?:my|a) mistake|mistaken|misspoke|(?:i|we) (?:was|were) wrong|correction"
    r"|mix(?:ed)?\b.{1,12}\bup|slipped|you(?:['’]re| are) right)\b",
    re.IGNORECASE,
)
"""Words that admit a mistake, whatever stands beside them."""
_CORRECTS = re.compile(
    r"\b(?:sorry(?=\W*$|\s*[,:;.!–—-])(?!\W*no(?:t|pe)?\b\W*$)|pardon|excuse me|wrong|correct(?:ed)?(?!\W*$)"
    r"|actually|after all)\b",
    re.IGNORECASE,
)
"""Words that may. "Sorry about that" expresses sympathy, "Sorry, no." refuses, "Correct." agrees."""
_CHANGES = re.compile(
    r"\b(?:now|no longer|any ?more|instead|as (?:of|from)|from (?:today|tomorrow)|changed|moved|updated"
    r"|switched|rebooked|rescheduled|postponed|cancell?ed|renewed)\b",
    re.IGNORECASE,
)
"""Words that say that something holds from now on."""
_ASKS = re.compile(
    r"\b(?:change|move|switch|update|replace|reschedule|postpone|cancel|renew|add|remove|swap|put|set|send"
    r"|book|reserve|make (?:it|that)|instead|rather)\b",
    re.IGNORECASE,
)
"""Words of a user who asks for a change."""
_DENIAL = re.compile(
    r"(?:,| and|, and|(?= instead| rather)) (?:not|no longer|instead of|rather than)"
    r" ([^,;]{1,60}?)(?=[.!?]*$)",
    re.IGNORECASE,
)
"""What a claim takes back at its end: "two years, not three"."""
_LED_UP = r"\W*(?:(?:and|so|but|or|ok|okay|yes|please)\b,? )*"
_POLITE = r"is it (?:ok|okay|fine|possible)\b|do you mind\b|are you able\b"
_ASKS_TO_KNOW = re.compile(
    rf"{_LED_UP}(?:(?!{_POLITE})(?:do|does|did|is|are|am|was|were|has|have)\b"
    r"|(?:(?:can|could|would|will) you )?(?:please )?(?:tell|let) me\b"
    r"|(?:if\b.* )?(?:who|whom|whose|what|which|how)\b|(?:when|where|why)\b)"
    r"|.*\b(?:want|like|need|love) to know\b",
    re.IGNORECASE,
)
"""What a sentence has that asks to be told something, whatever words of a change it has."""
_MAY_I = re.compile(
    rf"{_LED_UP}(?:(?:can|could|may|might|should|must) (?!(?:you|we)\b)|{_POLITE})", re.IGNORECASE
)
"""How a question begins that asks for a change or whether one is possible: "Can I book for 15 euros?"."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_OWN = re.compile(r"\b(?:the (?:user|assistant)|we|our)\b", re.IGNORECASE)
"""The assistant, who acts, and the user, for whom it does, as claims name them."""
_RULE = re.compile(
    r"\b(?:can(?:not|['’]t)?|could|(?<!\d )may(?! \d)|might|must|should|would|(?:has|have|needs?) to|allowed"
    r"|entitled|required|eligible|covered)\b",
    re.IGNORECASE,
)
"""Words of a rule or a right, which is a fact: nobody makes it so by doing it."""
_DONE = re.compile(
    r"\b(?:booked|reserved|ordered|added|entered|noted|registered|on the list)\b", re.IGNORECASE
)
"""Words that say that something was done, whoever did it."""
_ADVERB = re.compile(r",? \b(?:from now on|now|instead)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words around a claim."""

    sentence: str
    """The claim's own sentence."""
    before: str = ""
    """The sentence before it in the turn."""
    query: str = ""
    """What the user said before the turn."""


def may_replace(said: Said) -> bool:
    """Whether there is any sign that a claim in these words corrects or changes an earlier statement."""
    signs = (_ADMITS, _CORRECTS, _CHANGES)
    told = any(sign.search(text) for sign in signs for text in (said.sentence, said.before))
    return told or bool(_requests(said.query) or _DENIAL.search(said.sentence))


def replaces(claim: str, earlier: str, said: Said) -> bool:
    """Whether a claim that contradicts an earlier statement replaces it.

    A request counts if the claim repeats a word of it that the earlier statement lacks: after "Send it to
    Aarau", "The parcel goes to Aarau" may replace "The parcel goes to Bern". A denial ("not three") counts if
    the earlier statement has a word of it.
    """
    if _tells(claim, earlier, said):
        return True
    known = content_words(earlier)
    if _asked_for(claim, said.query) and (content_words(claim) & content_words(said.query)) - known:
        return True
    return any(content_words(taken_back) & known for taken_back in _DENIAL.findall(claim))


def grants(claim: str, said: Said) -> bool:
    """Whether a claim says that what the user asked for is so: "Book me in for Monday" and "You have Monday".

    All its numbers must be the request's. So must at least half of its words, besides "the user" and digits
    that the request does not have, or one of them where the claim says that something has changed.
    """
    if not _asked_for(claim, said.query) or _numbers(claim) - _numbers(said.query):
        return False
    asked = content_words(said.query)
    words = {word for word in content_words(claim) - {"user"} if word in asked or not word.isdigit()}
    changed = bool(_CHANGES.search(claim) and words & asked)
    return changed or 2 * len(words & asked) >= len(words) > 0


def tells_a_deed(claim: str) -> bool:
    """Whether a claim that grants something tells what was done for the user: "The user has Monday"."""
    return any(sign.search(claim) for sign in (_OWN, _CHANGES, _DONE)) and not _RULE.search(claim)


def _asked_for(claim: str, query: str) -> bool:
    """Whether the user asks for a change that a claim may tell of.

    Nobody changes a price by asking, and "Can I …?" asks for a change only if something is done then.
    """
    requests = _requests(query)
    if requests and (_priced(claim) or all(map(_MAY_I.match, requests))):
        return tells_a_deed(claim)
    return bool(requests)


def _requests(query: str) -> list[str]:
    """The sentences of the user that ask for a change, and not to be told something."""
    sentences = _SENTENCE_END.split(query)
    return [each for each in sentences if _ASKS.search(each) and not _ASKS_TO_KNOW.match(each)]


def _priced(claim: str) -> bool:
    values = (atom.value for atom in atoms_of(claim))
    return any(isinstance(value, Quantity) and value.dimension in CURRENCY_CODES for value in values)


def affirmed(claim: str) -> str:
    """A claim without what it takes back; it follows from the claim, and a verifier judges it better."""
    return _DENIAL.sub("", claim)


def as_lasting(claim: str) -> str:
    """A claim without "now" and what it takes back, so that a verifier sees that two states differ."""
    return _ADVERB.sub("", affirmed(claim))


def _numbers(text: str) -> set[object]:
    """The numbers of a text, and its words with digits.

    Times of day are hours, and dates their days and years, so that "at ten" is "10:00".
    """
    found: set[object] = set()
    for atom in atoms_of(text):
        match atom.value:
            case Quantity(dimension="clock", low=first, high=last):
                found |= {first / 60, last / 60}
            case Quantity(low=low, high=high, number=number):
                found |= {number, *(end for end in (low, high) if low < high and math.isfinite(end))}
            case Date(years=years, day=day):
                found |= {day, *(years or ())} - {None}
            case None if any(map(str.isdigit, atom.key)):
                found.add(float(atom.key) if atom.key.isdecimal() else atom.key)
    return found


def _tells(claim: str, earlier: str, said: Said) -> bool:
    """Whether the sentence says that it corrects or changes something, or the one before it does.

    That one must admit a mistake, or say nothing else ("Sorry."), or speak of what the claim or the earlier
    statement does: "The café has moved" tells no change of a museum.
    """
    if any(sign.search(said.sentence) for sign in (_ADMITS, _CORRECTS, _CHANGES)) or _ADMITS.search(
        said.before
    ):
        return True
    rest = _CHANGES.sub("", _CORRECTS.sub("", said.before))
    about = content_words(rest)
    return rest != said.before and (not about or not about.isdisjoint(content_words(f"{claim} {earlier}")))
