"""Keys and their values: 'Year: 1990', '9 a.m. – Doors open', 'Adults – $12'; and what they are about."""

from __future__ import annotations

import re
from dataclasses import replace

from vista_stream.claims import Draft, Span
from vista_stream.core.extraction.agreement import CLASSES, SPOKEN_OF
from vista_stream.core.extraction.drafts import unstopped
from vista_stream.core.extraction.exchange import Exchange
from vista_stream.core.extraction.genders import gender_of
from vista_stream.core.extraction.memory import Memory
from vista_stream.core.extraction.mention_reader import mentions_in
from vista_stream.core.extraction.mentions import Mention, Role, Sort
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.phrases import PROPER_TAGS, SUBJECTS
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.shapes import imperative
from vista_stream.core.text.plaintext import PlainText
from vista_stream.core.text.stems import stems_in, word_set

_KEYED = r"(?P<key>[^\W_](?:[^(:|.!?\n]|\([^():|.!?\n]{0,60}\)){0,60}?)"
"""A key, in which no bracket stays open: what is in brackets is told beside it."""
_KEY = re.compile(rf"{_KEYED}\s*:\s+(?P<value>[^\s|].*)")
_DASHED = re.compile(rf"{_KEYED}\s+[–—-]\s+(?P<value>\S.*)")
_DOTTED = re.compile(rf"{_KEYED}\.{{3,}} (?P<value>\S.*)")
"""A line of a price list whose columns are joined by dots."""
_CLOCK = r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)"
_TIMED = re.compile(
    rf"(?P<key>(?:{_CLOCK}|\d{{1,2}}[:.]\d\d)|\d{{1,4}} (?:B\.?C\.?(?:E\.?)?|A\.D\.|AD|C\.?E\.?))"
    r" [–—-] (?P<value>\S.*)",
    re.IGNORECASE,
)
"""What happens at a time: '8:30 a.m. – Staff arrive'."""
_AMOUNT = re.compile(r"[$€£¥₹] ?\d|\d")
_WORD = re.compile(r"\w+")
_LABELS = word_set(
    "answer note notes mind remember reminder fact facts tip summary conclusion short hint update updates"
    " correction edit ps news warning caution important result overview disclaimer"
)
"""Last words of keys that only announce what follows them: "The short answer: …", "Keep in mind: …"."""
_PROPERTIES = word_set(
    "age length width height depth size weight altitude capacity duration history origin location address"
)
"""Keys for a property, which a pronoun behind them hardly means: "Length: It is 288 m long"."""
_CONTRASTS = re.compile(r"\b(?:while|whereas|but)\s+\Z", re.IGNORECASE)
_SPEAKS = word_set("i we me us")


def keyed(
    wording: str, exchange: Exchange, *, parse: Parse | None, last: str, item: bool
) -> tuple[str, str] | None:
    """The key and value of a line; `last` is the question that was asked last.

    With a dash outside lists it has none where its key answers a question ("The day pass – 12 euros"), unless
    the rest is a sentence: "8:30 a.m. – Staff arrive".
    """
    if (pair := key_value(wording, item=item)) is not None:
        return pair
    at_time = _timed(wording)
    pair = at_time or _priced(wording)
    if pair is None:
        return None
    answers = exchange.asked(pair[0]) is not None or bool(last and not exchange.questions)
    states = parse is not None and has_subject(Tree(repaired(parse(pair[1]))))
    kept = states or not answers if at_time else not (states or answers)
    return pair if kept else None


def key_value(wording: str, *, item: bool) -> tuple[str, str] | None:
    """The key and value of 'Year: 1990', else None; in a list item a dash may replace the colon."""
    found = _KEY.fullmatch(wording) or (_DASHED.fullmatch(wording) if item else None)
    return _parts(found) if found else None


def _timed(wording: str) -> tuple[str, str] | None:
    """The time and the rest of '8:30 a.m. – Staff arrive', also outside lists; None for a range of times."""
    found = _TIMED.fullmatch(wording)
    return _parts(found) if found and not found["value"][0].isdigit() else None


def _priced(wording: str) -> tuple[str, str] | None:
    """The key and value of 'Adults – $12' and 'Soup ....... 9', also outside lists; None for a range."""
    if found := _DOTTED.fullmatch(wording):
        return _parts(found) if _AMOUNT.match(found["value"]) else None
    found = _DASHED.fullmatch(wording)
    if found is None:
        return None
    key, value = _parts(found)
    ranges = value[0].isdigit() and any(map(str.isdigit, key))
    return (key, value) if _AMOUNT.match(value) and not ranges else None


def _parts(found: re.Match[str]) -> tuple[str, str]:
    return found["key"].strip(), found["value"].strip()


def has_subject(tree: Tree) -> bool:
    """Whether a text is a sentence by itself, also where the parser took its verb for a noun."""
    return any(tree.child(root, *SUBJECTS) for root in tree.roots)


def under_key(draft: Draft, key: str, value: str, plain: PlainText) -> Draft:
    """A draft of the value with the key before it, which tells what it is about: 'Gold: the fee is €90'.

    It stays as it is where it has the words of the key, the key names nothing ("Fun fact: …"), or it tells
    something else for contrast: "The bus: it costs $8, while the train costs $22".
    """
    if stems_in(key) <= stems_in(draft.text) or _announces(key):
        return draft
    text = unstopped(draft.text)
    first, words = text.split()[0], value.split()
    lead = plain.text[: plain.offsets.index(draft.span.start)]
    if _of_key(value, key) and not _of_key(text, key) and _CONTRASTS.search(lead):
        return draft
    if first not in words and first.lower() in words:  # its capital was put in
        text = text[:1].lower() + text[1:]
    text = f"{key[:1].upper()}{key[1:]}: {text}"
    return replace(draft, text=text, span=Span(plain.origin(0, 1).start, draft.span.end))


def _of_key(text: str, key: str) -> bool:
    """Whether a text begins with its key, or a pronoun for it."""
    return text.startswith(key) or not SPOKEN_OF.isdisjoint(_WORD.findall(text.casefold())[:1])


def turned_to(topic: str, memory: Memory, parse: Parse) -> Memory:
    """The memory with the topic of a heading or key ("### Paris") as a mention, if it is a name."""
    said = (_by_first_name(m) for m in _topics(topic, memory, parse))
    names = [m for m in said if m.named and m.sort is not Sort.UNSURE]
    return memory.read(names) if len(names) == 1 else memory


def led_by(key: str, memory: Memory, parse: Parse) -> Memory:
    """The memory for what follows a key: turned to it if it is a name, else with less that "it" may mean.

    In "Card: It is free" the key may be meant, or a noun before it: neither is taken, only a name before it.
    In "Length: It is 288 m long" it is the noun, whose property is told.
    """
    turned = turned_to(key, memory, parse)
    if turned is not memory or _announces(key) or key.casefold() in _PROPERTIES:
        return turned
    said = (key, f"The {key.lower()}")  # a parser may not know a lone "Fee" for a noun
    words = {"they" if m.plural else "it" for each in said for m in _topics(each, memory, parse)}
    meant = (memory.pronoun(word, subject=True, before=()) for word in words)
    if all(m is None or m.named for m in meant):
        return memory
    return memory.leaving_open(*(group for group in CLASSES if words & group))


def _topics(topic: str, memory: Memory, parse: Parse) -> list[Mention]:
    """The mentions that the words of a heading or key are; empty where they are none."""
    tree = Tree(repaired(parse(f"{topic} is well known.")))
    return [m for m in mentions_in(tree, memory.sentence) if m.role is Role.SUBJECT]


def _by_first_name(mention: Mention) -> Mention:
    """The mention as a person, where a parser took a lone "Leo" for an organisation."""
    gender = gender_of([mention.text.lower()]) if mention.sort is Sort.GROUP else ""
    return replace(mention, sort=Sort.PERSON, gender=gender) if gender else mention


def _announces(key: str) -> bool:
    """Whether a key only announces what follows it: "The short answer: …"."""
    return key.casefold().split()[-1] in _LABELS


def tells_of_key(value: Tree) -> bool:
    """Whether what follows a value is about its key: not where it names another, or its key speaks.

    "Guitar: Brian May" names another, "Rome: Capital of Italy" does not; in "Ben: I was there" Ben speaks.
    """
    speaks = any(word.lower in _SPEAKS for word in value.words)
    named = any(root.tag in PROPER_TAGS and not value.children(root, "prep", "poss") for root in value.roots)
    return not (speaks or named or names_next(value))


def names_next(value: Tree) -> bool:
    """Whether what follows a value is about what it names: a person, or the object of a command."""
    if len(value.roots) != 1:
        return False
    root = value.roots[0]
    objects = value.children(root, "dobj") if imperative(value) else []
    persons = (m for m in mentions_in(value, 0) if m.index == root.index and m.sort is Sort.PERSON)
    return any(each.tag in PROPER_TAGS for each in objects) or any(m.named for m in persons)
