"""Whether a claim replaces an earlier statement, because it corrects it or tells of a change.

The signs are what the assistant says in the claim's sentence or the one before, and what the user asked for
or told. Certain ones are known by their words, others by a model (`Sign`). They decide nothing alone: they
count where a verifier finds that the claim contradicts the statement.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from vista_stream.core.importance import content_words
from vista_stream.core.rules.dates import WEEKDAYS, Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import atoms_of
from vista_stream.core.text.units import CURRENCY_CODES


class Sign(StrEnum):
    """What a sentence near a claim does, besides stating or asking something."""

    CORRECTION = "correction"
    """The assistant admits a mistake or announces a correction."""
    CHANGE = "change"
    """The assistant says that something has changed or holds from now on."""
    REQUEST = "request"
    """The user asks for a change, or tells something about themselves."""


_OWNS_UP = (
    r"(?:was|were) (?:wrong|mistaken)|misspoke|misread|stand corrected"
    r"|made an? (?:mistake|error)|got (?:that|it|this) wrong|mixed\b.{1,12}\bup"
)
_STOPS = r"(?=\W*$|\s*[,:;.!–—]|\s-)"
_ADMITS = re.compile(
    rf"\b(?:i|we) (?:do |must )?(?:{_OWNS_UP})\b|\bmy (?:mistake|bad|error)\b"
    rf"|\b(?:oops|whoops|scratch that|forgive me|correct(?:ing)? (?:myself|that{_STOPS}))\b"
    rf"|\byou(?:['’]re| are) (?:quite |absolutely )?(?:right|correct){_STOPS}"
    r"|\b(?:sorry|apologies|apologi[sz]e) (?:for|about) (?:the|my|that|any)"
    r" (?:confusion|mistake|error|mix-?up)\b"
    r"|\b(?:contrary to|unlike) what (?:i|we)\b",
    re.IGNORECASE,
)
"""Words that admit a mistake, whatever stands beside them. "You are right to ask" is a courtesy."""
_CORRECTS = re.compile(
    r"\b(?:(?<!\bso )(?<!\bvery )(?<!ly )sorry|pardon|excuse me|apologies|(?:i|we) (?:do |must )?apologi[sz]e"
    rf"){_STOPS}(?!\W*no(?:t|pe)?\b\W*$)|\A\W*(?:no|oh),? wait{_STOPS}"
    r"|\A\W*(?:well,? )?(?:actually\b|correction:)",
    re.IGNORECASE,
)
"""Words that may. "Sorry about that", "Apologies for the delay" and "I'm so sorry" express sympathy, "Sorry,
no." refuses."""
_ALTERED = r"(?:changed|moved|updated|switched|rebooked|rescheduled|postponed|cancell?ed|renewed)"
_MONTHS = "january february march april may june july august september october november december"
_DAY = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{'|'.join(_MONTHS.split())})(?: \d{{1,2}}(?:st|nd|rd|th)?)?"
)
_CHANGES = re.compile(
    r"\b(?:now\b(?! and then)|no longer\b(?! than)|any ?more(?=\W*$|[,;:])|instead\b(?! of)"
    r"|(?:as of|as from|from|since|starting) (?:now|today|tomorrow)\b"
    rf"|(?:(?:has|have)|['’](?:s|ve))(?: just| already| now)?(?: been)? {_ALTERED}\b)"
    rf"|\A\W*(?:update:|(?:since|as of|effective) (?:(?:last|this)\b|{_DAY}\b(?!,? \d)))",
    re.IGNORECASE,
)
"""Words that say that something holds from now on. Of a year that is named, they tell history."""
_UNALTERED = re.compile(
    r"\b(?:nothing|none|neither|no(?! longer\b))(?: [\w'’]+){0,4}?(?: has| have|['’](?:s|ve))(?: been)? "
    rf"{_ALTERED}\b|(?:\b(?:not|never)|n['’]t)(?: been)? {_ALTERED}\b|\bno changes?\b|\bunchanged\b",
    re.IGNORECASE,
)
"""Words that deny a change, which is no sign of one: "Nothing has changed", "No fee has been changed"."""
_ASKS = re.compile(
    r"\b(?:change|move|switch|update|replace|reschedule|postpone|cancel|renew|extend|add|remove|swap|put|set|send"
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
    r"|.*\b(?:(?:want|like|need|love) to know\b|(?:is|are|was|does|do|has)n['’]t (?:it|they|he|she|there)\?)",
    re.IGNORECASE,
)
"""What a sentence has that asks to be told something, whatever words of a change it has."""
_MAY_I = re.compile(
    rf"{_LED_UP}(?:(?:can|could|may|might|should|must) (?!(?:you|we)\b)|{_POLITE})", re.IGNORECASE
)
"""How a question begins that asks for a change or whether one is possible: "Can I book for 15 euros?"."""
_OF_SELF = re.compile(r"\b(?!(?-i:US|ME)\b)(?:i|we|my|our|me|us|mine|ours|myself|ourselves)\b", re.IGNORECASE)
"""How the user names themselves; "US" and "ME" are places."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_OWN = re.compile(r"\b(?:the (?:user|assistant)|we|our)\b", re.IGNORECASE)
"""The assistant, who acts, and the user, for whom it does, as claims name them."""
_RULE = re.compile(
    r"\b(?:can(?:not|['’]t)?|could|(?<!\d )may(?! \d)|might|must|should|would|(?:has|have|needs?) to|allowed"
    r"|entitled|required|eligible|covered)\b",
    re.IGNORECASE,
)
"""Words of a rule or a right, which is a fact: nobody makes it so by doing it."""
_ALTERS = re.compile(rf"\b{_ALTERED}\b", re.IGNORECASE)
_DONE = re.compile(
    rf"\b(?:booked|reserved|ordered|added|entered|noted|registered|on the list|{_ALTERED})\b", re.IGNORECASE
)
"""Words that say that something was done, whoever did it."""
_OF_CHANGE = content_words("change changes changed update updates I've")
"""What a sentence that only announces a change is about."""
_CONTRACTED = content_words("I'm you're it's I've we'll they'd")
"""What is left of verbs that are written with their subject."""
_DID_IT = re.compile(r"\W*(?:i|we)\b.* (?:it|them|that|this|these|those)\b", re.IGNORECASE)
"""How a sentence begins that says what was done to a thing, and does not name it."""
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
    signs: Mapping[str, Sign] = field(default_factory=dict)
    """What a model takes sentences for, besides the certain patterns."""

    @property
    def asked(self) -> Sequence[str]:
        """The sentences of what the user said."""
        return _SENTENCE_END.split(self.query) if self.query else []


def certain_sign(sentence: str, *, of_user: bool = False) -> Sign | None:
    """The sign that a sentence certainly has by its words, which is none of most that have one."""
    if of_user:
        return Sign.REQUEST if _ASKS.search(sentence) and not _ASKS_TO_KNOW.match(sentence) else None
    if _ADMITS.search(sentence) or _CORRECTS.search(sentence):
        return Sign.CORRECTION
    return Sign.CHANGE if _without_change(sentence) != sentence else None


def may_replace(said: Said) -> bool:
    """Whether there is a certain sign that a claim so worded corrects or changes an earlier statement."""
    told = certain_sign(said.sentence) or certain_sign(said.before)
    return bool(told or _requests(said) or _DENIAL.search(said.sentence))


def replaces(claim: str, earlier: str, said: Said, *, verified: bool = False) -> bool:
    """Whether a claim that contradicts an earlier statement replaces it.

    A request counts if the claim repeats a word of it that the earlier statement lacks: after "Send it to
    Aarau", "The parcel goes to Aarau" may replace "The parcel goes to Bern". So does one that speaks of what
    claim and statement count: "Cancel the second item" leaves "two items". Of an earlier statement that is
    `verified`, "No, at ten" may as well be a doubt, which is no request. A denial ("not three") counts if the
    earlier statement has a word of it and did not deny that too.
    """
    if _tells(claim, earlier, said):
        return True
    may_be_doubt = verified and all(_in_short(each) for each in _requests(said))
    asked = _asked_for(claim, said) and not may_be_doubt
    if asked and (_repeats(claim, earlier, said) or _recounts(claim, earlier, said)):
        return True
    denied = content_words(" ".join(_DENIAL.findall(claim)))
    denied -= content_words(" ".join(_DENIAL.findall(earlier)))
    return bool(denied & content_words(affirmed(earlier)))


def grants(claim: str, said: Said) -> bool:
    """Whether a claim says that what the user asked for is so: "Book me in for Monday" and "You have Monday".

    All its numbers must be the request's. So must at least half of its words, besides "the user" and digits
    that the request does not have, or one of them where the claim says that something has changed.
    """
    if not _asked_for(claim, said) or _numbers(claim) - _numbers(said.query):
        return False
    asked = content_words(said.query)
    words = {word for word in content_words(claim) - {"user"} if word in asked or not word.isdigit()}
    changed = bool((_CHANGES.search(claim) or _ALTERS.search(claim)) and words & asked)
    return changed or 2 * len(words & asked) >= len(words) > 0


def tells_a_deed(claim: str) -> bool:
    """Whether a claim that grants something tells what was done for the user: "The user has Monday"."""
    return any(sign.search(claim) for sign in (_OWN, _CHANGES, _DONE)) and not _RULE.search(claim)


def _asked_for(claim: str, said: Said) -> bool:
    """Whether the user asks for a change that a claim may tell of.

    Nobody changes a price by asking, and "Can I …?" asks for a change only if something is done then.
    """
    requests = _requests(said)
    if requests and (_priced(claim) or all(map(_MAY_I.match, requests))):
        return tells_a_deed(claim)
    return bool(requests)


def _requests(said: Said) -> list[str]:
    """The sentences of the user that ask for a change or tell of themselves, and not to be told something."""
    return [
        each
        for each in said.asked
        if certain_sign(each, of_user=True) or said.signs.get(each) is Sign.REQUEST
    ]


def _in_short(request: str) -> bool:
    """Whether a request has neither certain words of one nor the user in it: "No, at ten"."""
    return not certain_sign(request, of_user=True) and not _OF_SELF.search(request)


def _repeats(claim: str, earlier: str, said: Said) -> bool:
    """Whether a claim has a word of the user's message that the earlier statement lacks.

    Where only a model takes the message for a request, what a number counts there is no other thing than in
    the claim: "We have two children" says nothing of "two years". A request in short counts nothing else.
    """
    known = content_words(earlier)
    if any(certain_sign(each, of_user=True) for each in said.asked):
        return bool((content_words(claim) & content_words(said.query)) - known)
    told = as_lasting(said.query)
    valueless = {word for atom in atoms_of(claim) if not atom.value for word in content_words(atom.key)}
    numbers = _numbers(claim) - _numbers(earlier)
    if numbers & _numbers(" ".join(filter(_in_short, _requests(said)))):
        return True
    counted = {what for number, what in _counts(told) if number in numbers}
    if (valueless & content_words(told)) - known or _months(claim) & _months(told) - _months(earlier):
        return True
    return "" in counted or not counted.isdisjoint(content_words(claim))


def _recounts(claim: str, earlier: str, said: Said) -> bool:
    """Whether the user's message speaks of what the claim and the earlier statement count."""
    counted = {what for _, what in _counts(claim)} & {what for _, what in _counts(earlier)} - {""}
    return not counted.isdisjoint(content_words(said.query))


def _counts(text: str) -> list[tuple[float, str]]:
    """The numbers of a text, each with the stem of the word after it; empty where none is of content.

    Times of day are hours, as in `_numbers`.
    """
    atoms = atoms_of(text)
    counts = []
    for atom, after in zip_longest(atoms, atoms[1:]):
        if isinstance(atom.value, Quantity):
            number = atom.value.low / 60 if atom.value.dimension == "clock" else atom.value.number
            counts.append((number, "".join(content_words(after.stem)) if after else ""))
    return counts


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


def _months(text: str) -> set[int]:
    """The months that a text names without a day."""
    dates = [atom.value for atom in atoms_of(text) if isinstance(atom.value, Date)]
    return {date.month for date in dates if date.month and not date.day}


def nearest(claim: str, texts: Sequence[str]) -> list[str]:
    """Those of the statements that share most of what they or the claim are about, besides values.

    A verifier may find that "The visit is on Wednesday" contradicts "The trip starts on 3 March" as well as
    "The visit is on Monday"; it is only about the latter's subject.
    """
    shares = [_shared(_about(claim), _about(text)) for text in texts]
    return [text for text, share in zip(texts, shares, strict=True) if share == max(shares)]


def _about(text: str) -> frozenset[str]:
    """The content words of a text that are neither numbers nor dates nor days of the week."""
    plain = " ".join(atom.key for atom in atoms_of(text) if not atom.value and atom.key not in WEEKDAYS)
    return content_words(plain)


def _shared(own: frozenset[str], other: frozenset[str]) -> float:
    """The part of the shorter text's words that the other has, 0 to 1."""
    return len(own & other) / max(1, min(len(own), len(other)))


def _tells(claim: str, earlier: str, said: Said) -> bool:
    """Whether the sentence says that it corrects or changes something, or the one before it does.

    In the sentence itself, a sign counts that the earlier statement has not. The one before must admit a
    mistake, or say nothing else ("Sorry.", "I have raised it."), or speak of what the claim or the earlier
    statement does: "The café has moved" tells no change of a museum.
    """
    if _signed(said.sentence, earlier, said):
        return True
    learnt = _learnt(said.before, said)
    if _ADMITS.search(said.before) or learnt is Sign.CORRECTION:
        return True
    rest = _without_change(_CORRECTS.sub("", said.before))
    about = content_words(rest) - _OF_CHANGE
    alone = not about or (len(about) == 1 and _DID_IT.match(said.before) is not None)
    told = rest != said.before or learnt is Sign.CHANGE
    return told and (alone or not about.isdisjoint(content_words(f"{claim} {earlier}")))


def _signed(sentence: str, earlier: str, said: Said) -> bool:
    """Whether a sentence has a sign that an earlier statement has not."""
    known = earlier.casefold()
    signs = (_ADMITS, _CORRECTS) if _UNALTERED.search(sentence) else (_ADMITS, _CORRECTS, _CHANGES)
    found = [match[0] for sign in signs for match in sign.finditer(sentence)]
    if any(words.casefold() not in known for words in found):
        return True
    learnt = _learnt(sentence, said)
    return learnt is not None and learnt is not _learnt(earlier, said) and _rewords(sentence, earlier)


def _learnt(sentence: str, said: Said) -> Sign | None:
    """The sign that a model finds, but no change where the sentence denies one."""
    sign = said.signs.get(sentence)
    return None if sign is Sign.CHANGE and _UNALTERED.search(sentence) else sign


def _without_change(sentence: str) -> str:
    """A sentence without the words that something holds from now on; as it is where it denies a change."""
    return sentence if _UNALTERED.search(sentence) else _CHANGES.sub("", sentence)


def _rewords(sentence: str, earlier: str) -> bool:
    """Whether a sentence has a word of content, besides values and names, that an earlier one has not.

    "I've" and "the assistant has" are the same person.
    """
    known = content_words(earlier) | _CONTRACTED
    words = [atom.key for atom in atoms_of(sentence) if atom.value is None and not atom.name]
    return not content_words(" ".join(words)) <= known
