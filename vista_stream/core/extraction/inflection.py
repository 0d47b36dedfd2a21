"""English verb forms and agreement, as far as decomposition needs them."""

from __future__ import annotations

import re

from vista_stream.core.text.stems import word_set

_IRREGULAR = {
    "be": ("is", "was"), "have": ("has", "had"), "do": ("does", "did"), "become": ("becomes", "became"),
    "make": ("makes", "made"), "win": ("wins", "won"), "lead": ("leads", "led"), "take": ("takes", "took"),
    "leave": ("leaves", "left"), "know": ("knows", "knew"), "find": ("finds", "found"),
    "forget": ("forgets", "forgot"), "say": ("says", "said"), "think": ("thinks", "thought"),
    "tell": ("tells", "told"), "feel": ("feels", "felt"), "write": ("writes", "wrote"),
    "go": ("goes", "went"), "hold": ("holds", "held"), "beat": ("beats", "beat"),
    "build": ("builds", "built"), "give": ("gives", "gave"),
    "get": ("gets", "got"), "run": ("runs", "ran"), "set": ("sets", "set"), "see": ("sees", "saw"),
    "keep": ("keeps", "kept"), "lose": ("loses", "lost"), "meet": ("meets", "met"),
    "mean": ("means", "meant"),
    "understand": ("understands", "understood"), "hear": ("hears", "heard"), "learn": ("learns", "learned"),
    "wed": ("weds", "wed"),
}  # fmt: skip
_DOUBLED = frozenset(("star", "plan", "stop", "regret", "occur", "refer", "admit", "prefer", "wed"))
_SINGULAR = {
    "are": "is", "were": "was", "have": "has", "do": "does", "am": "is",
    "'re": "is", "'ve": "has", "'m": "is", "re": "is", "ve": "has", "m": "is",
}  # fmt: skip
_PAST_FORMS = (frozenset(past for _, past in _IRREGULAR.values()) - _IRREGULAR.keys()) | word_set(
    """arose ate awoke began bent blew bought bred broke brought came caught chose clung crept dealt
    drank drew drove dug fed fell fled flew flung forbade forgave fought froze grew hid hung
    knelt laid lent lit misread paid rang rode sang sank sat sent shone shook shot shrank slept slid
    sold sought spent spoke spun sprang stank stole stood strode strove struck stuck stung swam swept swore
    swung taught threw tore trod wept woke wore wove wrung"""
)
_PREFIX = re.compile(r"\A(?:fore|mis|out|over|re|un|under|up|with)(?=\w{3})")
_APOSTROPHES = str.maketrans("’", "'")


def third_person(verb: str) -> str:
    """The -s form of a base form: go → goes, carry → carries."""
    low = verb.lower()
    if verb.isupper():
        return third_person(low).upper()
    if low in _IRREGULAR:
        return _IRREGULAR[low][0]
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    """The past tense of a base form; regular where no irregular form is listed."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low][1]
    if low.endswith("e"):
        return verb + "d"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + (low[-1] if low in _DOUBLED else "") + "ed"


def singular(verb: str, tag: str) -> str:
    """The third-person singular of a present-tense verb; other forms stay as they are.

    `tag` is the verb's Penn Treebank tag. Only VBP changes, and 'were' under any tag; a past form that is
    tagged so by mistake stays.
    """
    low = verb.lower().translate(_APOSTROPHES)
    if low in _SINGULAR and (tag == "VBP" or low == "were"):
        return _SINGULAR[low]
    passed = low in _PAST_FORMS or _PREFIX.sub("", low) in _PAST_FORMS  # "misspoke", "overtook"
    present = tag == "VBP" and low not in ("is", "has", "does") and not passed
    return third_person(verb) if present else verb


def article(noun_phrase: str) -> str:
    """'a' or 'an', by the first sound of the noun phrase."""
    low = noun_phrase.lower()
    mute = low.startswith(("hour", "honest", "honour", "honor", "heir"))
    sounded_as_consonant = low.startswith(("uni", "use", "eu", "one", "once", "usa", "uk"))
    sounded_as_consonant &= not low.startswith(("unin", "unim", "unid"))
    return "an" if mute or (low[:1] in tuple("aeiou") and not sounded_as_consonant) else "a"


def forms(*verbs: str) -> frozenset[str]:
    """Every form of the base forms given, -ing included."""
    found: set[str] = set()
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") and verb != "be" and not verb.endswith("ee") else verb
        doubled = (
            stem + stem[-1] if verb in _DOUBLED or verb in ("win", "get", "run", "set", "forget") else stem
        )
        found |= {verb, third_person(verb), past(verb), doubled + "ing"}
    return frozenset(found)
