"""English verb forms and agreement, as far as decomposition needs them."""

from __future__ import annotations

import re

from vista_stream.core.text.stems import word_set

_PASTS = """
    arise/arose awake/awoke be/was bear/bore beat/beat become/became begin/began bend/bent bet/bet
    bid/bid bind/bound bite/bit bleed/bled blow/blew break/broke breed/bred bring/brought
    broadcast/broadcast build/built burst/burst buy/bought cast/cast catch/caught choose/chose
    cling/clung come/came cost/cost creep/crept cut/cut deal/dealt dig/dug do/did draw/drew drink/drank
    drive/drove eat/ate fall/fell feed/fed feel/felt fight/fought find/found flee/fled fling/flung
    fly/flew forbid/forbade forget/forgot forgive/forgave freeze/froze get/got give/gave go/went
    grind/ground grow/grew hang/hung have/had hear/heard hide/hid hit/hit hold/held hurt/hurt
    input/input keep/kept kneel/knelt know/knew lay/laid lead/led leave/left lend/lent let/let light/lit
    lose/lost make/made mean/meant meet/met offset/offset outdo/outdid output/output overdo/overdid
    pay/paid put/put quit/quit read/read redo/redid ride/rode ring/rang rise/rose run/ran say/said
    see/saw seek/sought sell/sold send/sent set/set shake/shook shed/shed shine/shone shoot/shot
    shrink/shrank shut/shut sing/sang sink/sank sit/sat sleep/slept slide/slid speak/spoke spend/spent
    spin/spun split/split spread/spread spring/sprang stand/stood steal/stole stick/stuck sting/stung
    stink/stank stride/strode strike/struck strive/strove swear/swore sweep/swept swim/swam swing/swung
    take/took teach/taught tear/tore tell/told think/thought throw/threw tread/trod typeset/typeset
    understand/understood undo/undid upset/upset wake/woke wear/wore weave/wove wed/wed weep/wept
    win/won wind/wound wring/wrung write/wrote
"""
_IRREGULAR = dict(pair.split("/") for pair in _PASTS.split())
"""The past tense of verbs that are not regular."""
_THIRD = {"be": "is", "have": "has", "do": "does"}
_DOUBLED = word_set(
    """
    abet abhor acquit admit begin commit compel confer control corral defer deter dispel distil emit
    enrol equip excel expel forget format fulfil handicap incur instil kidnap occur offset omit
    outfit patrol permit prefer program propel rebel rebut recur refer regret remit repel reset
    submit transfer transmit upset worship zigzag
    """
)
"""Verbs of more than one syllable that double their last consonant, on either side of the Atlantic."""
_SHORT = re.compile(r"(?:[^aeiou]|(?<=q)u)*[aeiou][^aeiouwxy]")
"""A verb of one syllable that ends in a single consonant behind a single vowel, and doubles it: "plan"."""
_SINGULAR = {
    "are": "is", "were": "was", "have": "has", "do": "does", "am": "is",
    "'re": "is", "'ve": "has", "'m": "is", "re": "is", "ve": "has", "m": "is",
}  # fmt: skip
_PAST_FORMS = (frozenset(_IRREGULAR.values()) - _IRREGULAR.keys()) | {"learned", "misread"}
"""Past forms that are no base forms, and two that the parser takes for the present."""
_REGULAR = {"relay"}
"""Verbs that only look like a prefix and a verb that is not regular."""
_PREFIX = re.compile(r"\A(?:fore|mis|out|over|re|un|under|up|with)(?=\w{3})")
_KEEPS_E = re.compile(
    r"(?:[vcuzg]|(?<!s)s|[^aeiourwl]l|(?<![eo])at|(?<!a)ir|(?<!e)ar|(?<![oa])in|(?<![aeo])[aiou][dm]|\A\wi)e\Z"
)
"""The end of a form without its "s" or "d" whose "e" is the verb's own: "move", "close", not "pass(e)s"."""
_SHORTEST_IN_Y = 2
"""Letters up to which a verb ends in "ie" rather than in "y": "die"."""
_APOSTROPHES = str.maketrans("’", "'")


def third_person(verb: str) -> str:
    """The -s form of a base form: go → goes, carry → carries."""
    low = verb.lower()
    if verb.isupper():
        return third_person(low).upper()
    if low in _THIRD:
        return _THIRD[low]
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    """The past tense of a base form; regular where neither it nor what follows its prefix is listed."""
    low = verb.lower()
    prefix = _PREFIX.match(low)
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if prefix and low[prefix.end() :] in _IRREGULAR and low not in _REGULAR:
        return prefix[0] + _IRREGULAR[low[prefix.end() :]]
    if low.endswith("e"):
        return verb + "d"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def plain_form(verb: str, tag: str) -> str:
    """The base form of a lower-case finite verb by its Penn Treebank tag; empty where none is found."""
    if tag not in ("VBZ", "VBD"):
        return verb if tag == "VBP" else ""
    inflected, listed = (third_person, _THIRD) if tag == "VBZ" else (past, _IRREGULAR)
    known = [base for base, form in listed.items() if form == verb]
    cut = verb[:-1]
    bare = cut.removesuffix("e")
    with_y = [f"{bare[:-1]}y"] if bare.endswith("i") and len(bare) > _SHORTEST_IN_Y else []
    single = [bare[:-1]] if bare[-1:] == bare[-2:-1] and bare[-1:] not in "lsfz" else []
    either = (cut, bare) if _KEEPS_E.search(cut) else (bare, cut)
    return next((base for base in (*known, *with_y, *single, *either) if inflected(base) == verb), "")


def _doubled(verb: str) -> str:
    """The verb with its last consonant twice, where endings that begin with a vowel ask for it."""
    low = verb.lower()
    alone = _SHORT.fullmatch(low) or (low.startswith("over") and _SHORT.fullmatch(low.removeprefix("over")))
    return verb + (low[-1] if low in _DOUBLED or alone else "")


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
        found |= {verb, third_person(verb), past(verb), (_doubled(stem) if stem == verb else stem) + "ing"}
    return frozenset(found)
