"""Splits sentences into clauses by the wording alone, for use without a parser."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vista_stream.core.extraction.genders import gender_of, is_first_name
from vista_stream.core.extraction.speakers import named

_AUXILIARY = r"(?:is|are|was|were|has|have|had|will|can|could|would|did|does)"
_VERB = rf"(?:{_AUXILIARY}|won|became|wrote|made|led|held|took|left|died|began|went|[a-z]{{3,}}ed)"
_NAME = r"[A-Z][\w.'’-]*(?: (?:of |the |de |van |von |da )?[A-Z0-9][\w.'’-]*)*"
_SUBJECT = re.compile(rf"(?P<subject>(?:The |A |An |His |Her |Its |Their )?[\w'’ .-]{{1,60}}?) (?={_VERB}\b)")
_JOINED = re.compile(rf"(?:,|;)? (?:and|but) (?={_AUXILIARY} |won |became |wrote |died |led |left )|; ")
_INDEPENDENT = re.compile(r", (?:and|but) (?=(?:he|she|it|they|his|her|its|their|the) [\w' ]{2,40}\b)|; ")
_WHO = re.compile(rf"(?P<noun>{_NAME}), (?:who|which) (?P<said>[^,]+), (?P<rest>.+)")
_APPOSED = re.compile(rf"(?P<noun>{_NAME}), (?P<said>(?:the|an?) [^,]+), (?P<rest>{_VERB}\b.+)")
_KNOWN = re.compile(
    r"(?:I |[A-Z]\w+ )(?:did(?:n['’]t| not) know|knew|know|realised|realized|discovered) that (?P<said>.+)"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|or|nor|neither|either|respectively|between)\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"(?P<word>He|She|His|Her)\b(?! (?:and|or)\b)")
_SPELT = (
    ("I(?:['’]m| am)", "the assistant is"),
    ("I(?:['’]ve| have)", "the assistant has"),
    ("I do(?= ?n['’]?t| not)", "the assistant does"),
    ("I don(?=['’]t)", "the assistant doesn"),
    ("(?:I|me)", "the assistant"),
    ("[Mm]y", "the assistant's"),
)
_FIRST_PERSON = re.compile("|".join(rf"(\b{form}\b)" for form, _ in _SPELT))
_NAMES_KEPT = 8
_NAMES = re.compile(rf"\b{_NAME}")


@dataclass(frozen=True, slots=True)
class Plain:
    """The names mentioned so far, oldest first. It is immutable: reading a sentence makes a new one."""

    names: tuple[str, ...] = ()

    def read(self, wording: str) -> Plain:
        """A new value that also has the names of this wording."""
        found = [name for name in _NAMES.findall(wording) if " " in name]
        return Plain((*self.names, *found)[-_NAMES_KEPT:])

    def claims(self, wording: str) -> list[str]:
        """The statements of a sentence, with pronouns resolved; one if nothing is separable."""
        return [_third_person(claim) for claim in split(_opened(wording, self.names))]


def states(wording: str) -> bool:
    """Whether a verb follows what may be a subject; only common verb forms are recognised."""
    return _SUBJECT.match(wording) is not None


def split(wording: str) -> list[str]:
    """The statements of a sentence; the whole sentence where nothing is surely separable."""
    body = wording.rstrip(" .")
    if _CONDITION.search(body) or '"' in body:
        return [wording]
    known = _KNOWN.fullmatch(body)
    if known:
        return [_sentence(body), _sentence(known["said"])]
    for found, copula in ((_WHO.fullmatch(body), ""), (_APPOSED.fullmatch(body), "is ")):
        if found:
            aside = f"{found['noun']} {copula}{found['said']}"
            return [*_clauses(f"{found['noun']} {found['rest']}"), _sentence(aside)]
    return _clauses(body)


def _clauses(body: str) -> list[str]:
    parts: list[str] = []
    for independent in _INDEPENDENT.split(body):
        subject = _SUBJECT.match(independent)
        first, *rest = _JOINED.split(independent)
        parts.append(first)
        parts += [f"{subject['subject']} {predicate}" if subject else predicate for predicate in rest]
    return [_sentence(part) for part in parts]


def _sentence(body: str) -> str:
    return body[:1].upper() + body[1:] + "."


def _opened(wording: str, names: tuple[str, ...]) -> str:
    """The wording with its first pronoun replaced, if it can mean only one of `names`; else unchanged."""
    found = _PRONOUN.match(wording)
    if not found:
        return wording
    wanted = "m" if found["word"] in ("He", "His") else "f"
    fitting = {
        n for n in names if is_first_name(n.split()[0].lower()) and gender_of(n.lower().split()) == wanted
    }
    if len(fitting) != 1:
        return wording
    name = fitting.pop()
    possessive = found["word"] in ("His", "Her")
    return name + ("'s" if possessive else "") + wording[found.end() :]


def _third_person(claim: str) -> str:
    """The claim with 'I', 'me' and 'my' as 'the assistant', where the verb form is a common one."""
    names = {start for start, _ in named(claim)}

    def spelt(found: re.Match[str]) -> str:
        return found.group() if found.start() in names else _SPELT[(found.lastindex or 1) - 1][1]

    claim = _FIRST_PERSON.sub(spelt, claim)
    return claim[:1].upper() + claim[1:]
