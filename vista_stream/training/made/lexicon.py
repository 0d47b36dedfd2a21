"""Word lists of the pair generator, written for it: antonyms, synonyms, number words, irregular verbs."""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())


def _both_ways(text: str) -> dict[str, str]:
    both: dict[str, str] = {}
    for left, right in _one_way(text).items():
        both.setdefault(left, right)
        both.setdefault(right, left)
    return both


def _one_way(text: str) -> dict[str, str]:
    pairs = (pair.replace("_", " ").partition("/") for pair in text.split())
    return {left: right for left, _, right in pairs}


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ANTONYMS: Final = _both_ways(
    """
    northern/southern eastern/western north/south east/west northeast/southwest northwest/southeast
    male/female men/women man/woman boy/girl boys/girls husband/wife father/mother brother/sister
    son/daughter sons/daughters uncle/aunt king/queen prince/princess boyfriend/girlfriend
    indoors/outdoors indoor/outdoor inside/outside upstairs/downstairs warm/cool wet/dry
    rich/poor wealthy/impoverished strong/weak thick/thin wide/narrow deep/shallow
    loud/quiet fast/slow quickly/slowly early/late easy/difficult simple/complex
    safe/dangerous clean/dirty happy/sad awake/asleep alive/dead married/unmarried public/private
    rural/urban domestic/foreign internal/external professional/amateur formal/informal legal/illegal
    permanent/temporary positive/negative successful/unsuccessful popular/unpopular
    visible/invisible active/inactive ancient/modern fictional/real
    vertical/horizontal upper/lower maximum/minimum major/minor senior/junior
    accepted/rejected won/lost wins/loses win/lose victory/defeat victories/defeats
    increased/decreased increases/decreases increase/decrease rose/fell rises/falls rising/falling
    gained/lost began/ended begins/ends opened/closed opens/closes arrived/departed
    bought/sold buys/sells buying/selling borrowed/lent passed/failed succeeded/failed
    loved/hated loves/hates likes/dislikes supported/opposed supports/opposes agreed/disagreed
    allowed/forbidden allows/forbids included/excluded includes/excludes remembered/forgot
    attacked/defended built/demolished created/destroyed praised/criticized praise/criticism
    appeared/disappeared encouraged/discouraged strengthened/weakened widened/narrowed
    expanded/shrank improved/worsened approved/rejected pushed/pulled
    standing/sitting sleeping/running smiling/frowning laughing/crying asleep/awake
    teacher/student buyer/seller winner/loser employer/employee landlord/tenant doctor/patient
    predecessor/successor ancestor/descendant hero/villain import/export imports/exports
    majority/minority beginning/end top/bottom first/last best/worst
    advantage/disadvantage profit/loss peace/war friend/enemy entrance/exit freedom/captivity
    always/never often/rarely frequently/seldom everywhere/nowhere
    """
)
"""About 150 pairs of opposites; a sentence becomes false if one word is replaced by the other."""

ORDER: Final = _both_ways("before/after prior/subsequent preceded/followed preceding/following")
COMPARISON: Final = _both_ways(
    """
    more/less most/least older/younger larger/smaller  higher/lower taller/shorter
    faster/slower better/worse oldest/youngest largest/smallest highest/lowest longest/shortest
    fastest/slowest above/below over/under heavier/lighter richer/poorer stronger/weaker greater/lesser
    hotter/colder warmer/cooler
    """
)
"""`over` and `under` count only before a number."""

SYNONYMS: Final = _one_way(
    """
    film/movie movie/film films/movies began/started started/began located/situated situated/located
    author/writer large/big big/large bought/purchased purchased/bought
    approximately/about roughly/approximately
    primarily/mainly mainly/primarily mostly/mainly commonly/often often/frequently frequently/often
    received/got obtained/got created/made established/founded founded/established
    several/a_number_of many/numerous numerous/many various/different children/kids kids/children
    assisted/helped helped/assisted ended/finished finished/ended begins/starts starts/begins
    throughout/all_through worldwide/around_the_world formerly/previously previously/formerly
    initially/at_first originally/at_first currently/at_present presently/now
    entire/whole whole/entire immediately/at_once subsequently/later afterwards/later
    annually/every_year yearly/annually famous/well-known well-known/famous
    renowned/famous rapidly/quickly quickly/rapidly difficult/hard constructed/built built/constructed
    automobile/car physician/doctor attorney/lawyer lawyer/attorney
    couch/sofa sofa/couch bicycle/bike bike/bicycle stone/rock woman/lady lady/woman
    man/guy guy/man little/small small/little speaking/talking talking/speaking
    shouting/yelling yelling/shouting picture/photo photo/picture jumping/leaping
    """
)
"""Left to right only: the sentence with the left word entails the one with the right word."""

NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(_split("two three four five six seven eight nine ten eleven twelve"), 2)
}
DIGIT_WORDS: Final = {digits: word for word, digits in NUMBER_WORDS.items()}
ORDINALS: Final = _split("second third fourth fifth sixth seventh eighth ninth tenth")
MONTHS: Final = _split(
    "January February March April May June July August September October November December"
)
UNITS: Final = {
    unit: tuple(other for other in group.split() if other != unit)
    for group in (
        "miles kilometres yards metres feet inches centimetres km",
        "days weeks months years hours minutes",
        "pounds dollars euros yen rupees",
        "kilograms tonnes grams ounces",
        "hundred thousand million billion trillion",
    )
    for unit in group.split()
}

PARTICIPLES: Final = _one_way(
    """
    wrote/written drew/drawn took/taken gave/given sang/sung beat/beaten chose/chosen knew/known led/led
    made/made won/won built/built bought/bought sold/sold found/found held/held shot/shot hit/hit cut/cut
    taught/taught told/told threw/thrown broke/broken stole/stolen drove/driven ate/eaten saw/seen
    overthrew/overthrown undertook/undertaken brought/brought caught/caught lost/lost left/left sent/sent
    put/put read/read kept/kept fought/fought struck/struck
    """
)
"""Past tense to participle, for irregular verbs that take an object."""

ASYMMETRIC: Final = word_set("""
    beat defeat succeed replace direct write produce invent discover found create publish compose design
    build paint kill murder attack invade conquer own buy acquire sell teach train hire employ appoint elect
    follow chase push pull carry hold throw hit kick feed interview sue arrest photograph record develop
    release cover host lead coach manage edit translate adopt praise criticize lose precede
    """)
"""Verbs with which a true sentence becomes false if agent and patient change places."""
