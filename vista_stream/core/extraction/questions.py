"""Finds the questions of a user's message, and which of them an answer without a verb answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from vista_stream.core.extraction.answer_sorts import Sort, may_fit, sort_of_answer
from vista_stream.core.extraction.answers import TAG
from vista_stream.core.text.abbreviations import needs_more
from vista_stream.core.text.stems import stem, stems_in, word_set

_JOINING = (
    "ok|okay|and|so|also|h+m+|hi|hey|hello|hiya|oh|ah|thx|thanks|thank you|btw|got it|sorry|ugh|but|or|then"
    "|please|pls"
)
_PRAISING = "plus|great|good|cool|nice|perfect|fine|alright|right|well|now|yes|yeah|no|lovely"
"""Words that lead up to a question, and may also belong to it: "And Plus members?", "Good for kids?"."""
_FILLERS = re.compile(rf"(?:(?:{_JOINING}|{_PRAISING})\b[,!. ]*|[+&] )*", re.IGNORECASE)
"""What leads up to a question that begins as one."""
_BEFORE_PART = re.compile(rf"(?:(?:{_JOINING})\b[,!. ]*|(?:{_PRAISING})[,!.]+ ?|[+&] )*", re.IGNORECASE)
"""What leads up to a question that is only a part of one."""
_INVERTED = (
    r"(?:do|does|did|is|are|was|were|am|can|could|may|must|should|will|would|has|have)(?:n['’]?t)?"
    r" (?!(?:do|like|love|be|need|have|prefer|suit|also|thinking|wondering|looking)\b)[a-z]"
)
_DAY = r"day|date|evening|morning|month|year|week"
_ASKS = re.compile(
    r"(?:(?:until|till|by|from|since|at|in|on|to|for|with|about|between|of) )?"
    r"(?:(?:when|where|who|how|what|why)(?:['’]?s|['’]?re)?|whose|whom|which)\b"
    rf"|{_INVERTED}|(?:price|cost|any [^.!?]{{1,40}})\?",
    re.IGNORECASE,
)
"""How a question begins."""
_BARE = re.compile(
    r"(?:\w+ )?(?:when|where|why|who|whom|whose|what|which)\W*|(?:\w+ )?how(?: (?!come\b)\w+)?\W*"
    r"|how (?:much|many) (?!(?:is|are|was|were)\b)\w+\W*"
    r"|(?:(?:at|on|in|by|from|to|until|since|for) (?:what|which) \w+"
    rf"|(?:what|which) (?:time|hours|colou?r|size|price|floor|room|place|{_DAY})s?)\W*",
    re.IGNORECASE,
)
_ASKS_AGAIN = re.compile(
    r"are (?:you|u) (?:(?:really|quite|absolutely|completely|totally|very|so) )?(?:sure|certain|positive)"
    r"(?: (?:about|of) (?:that|this|it))?"
    r"|is (?:that|this|it)(?: really)?(?: (?:so|right|true|correct|the case))?"
    r"|really|seriously|for real|right|true|correct",
    re.IGNORECASE,
)
"""A question that only doubts the answer before it."""
_LEADS_BACK = re.compile(
    r"(?:who|which|whose|whom|when|where|what)\b"
    r"(?!['’]s| (?:do|does|did|is|are|was|can|could|will|would|should)\b)|which\b[^?]*\.$",
    re.IGNORECASE,
)
"""Words that begin a relative or subordinate clause after a comma where no verb in question order follows."""
_MARKS = " ,;:–—+&-"
_LED_UP = frozenset(("and", "or", "but", "so", "also", "then"))
"""What may stand between a part of a sentence and the question behind it."""
_SHORTEST_POLAR = 4
"""Words up to which a question without a verb asks for anything: "On Sundays?"."""
_FEWEST_TOLD = 2
"""Fewest words of a sentence that tells something."""
_LONGEST_TOLD = 200
"""Most code points that are read with an answer."""
_WORD = re.compile(r"[\w'’]+")
_TALK = frozenset(
    stem(word)
    for word in word_set(
        """
        i i'm i’m i'd i’d i've i’ve you me we us a an the my your have has had am is are was just so for to of
        about on with and please that this these it again question thing something one more another next last
        quick first other ask tell say said mean meant explain repeat forget know want would like wonder
        wondering asking curious let thank thanks
        """
    )
)
"""Stems of function words and of words for asking and telling."""
SENTENCE = re.compile(r"[^.!?\n]+(?:[.](?=\S)[^.!?\n]*)*[.!?]*")
"""A sentence of a message, by its marks."""
_STOP = re.compile(r"\b(\w{1,10}(?:\.\w)*)\.(?= )")
_PART = re.compile(r"(?:^|[,;:–—] *| (?=(?:and|or|but|also|plus|[+&]) ))")
_MONEY = r"cost|costs|charge|pay|owe|price|fee|rate|rent|deposit|total|come to"
_SORTED_BY: dict[str, Sort] = {
    rf"(?:how much|what)\b.*\b(?:{_MONEY})\b": "money",
    r"how much(?= (?:is|are|was|will|would|do|does|for|more|extra)\b|\W*$)|price|cost\b": "money",
    r"(?:(?:until|till|by|from|since) )?(?:when|what (?:time|hours))": "time",
    rf"(?:on )?(?:what|which) (?:{_DAY})s?\b|how (?:late|early|soon|often)": "time",
    r"(?:for )?how long|how (?:fast|quickly)": "span",
    r"how (?:many|much|big|large|old|far|high|heavy|full)": "count",
    r"(?:to |from |in )?where|(?:what|which) (?:floor|room|place|address|street|bay|platform)": "place",
    r"(?:with |to |for |from )?(?:who|whose|whom)": "person",
    r"(?:in |on |with |for |at )?(?:what|which|how|why)": "thing",
}
_SORTS = [(re.compile(sign), sort) for sign, sort in _SORTED_BY.items()]
_SHORT = {"whats": "what is", "whens": "when is", "wheres": "where is", "whos": "who is", "hows": "how is"}
_VIEW = re.compile(
    r"\b(?:think|like|love|enjoy|feel|want|hope|good|great|nice|worth|better|worse|best|fun|favou?rite"
    r"|recommend|should|how(?:['’]s| is| was| are| were))\b",
    re.IGNORECASE,
)
"""Words of a question that asks for an opinion or for advice."""
_OF_ANSWERER = re.compile(r"\byour?\b", re.IGNORECASE)
_OFFERED = re.compile(
    r"do you (?:also |still |even )?(?!know\b|remember\b|understand\b|mean\b)\w", re.IGNORECASE
)
"""The beginning of a question for what a shop or a service does: "do you deliver …?"."""
_SPELT = re.compile(r"\b(?:u|ur|r(?= u\b| you\b))\b", re.IGNORECASE)
_SPELLED = {"u": "you", "ur": "your", "r": "are"}
"""Short spellings of chats, which the parser does not know."""
_PRICE = re.compile(r"(?:price|cost)\?", re.IGNORECASE)
_COSTS = re.compile(r"what(?: is|['’]s) (it|that) cost\b", re.IGNORECASE)
_MAY_ANSWER: dict[Sort, tuple[Sort, ...]] = {
    "money": ("count", "time"),
    "time": ("span", "place"),
    "span": ("time", "count", "place"),
    "count": ("money", "span", "time"),
    "place": ("thing",),
    "person": ("thing",),
    "polar": ("time", "place", "money", "span", "count"),
    "thing": ("money", "time", "span", "count", "place", "polar"),
}
"""What else may answer a question than what it asks for."""


class Question(NamedTuple):
    """One question of a message."""

    text: str
    """Without what leads up to it, and with a question mark."""
    sort: Sort


class Heard(NamedTuple):
    """What a message asks, and what it tells besides."""

    questions: tuple[Question, ...] = ()
    told: str = ""
    """The rest of the message, which an answer may depend on: "I'm a student."; empty for mere talk."""


def heard_in(message: str) -> Heard:
    """The questions of a message, in order, with or without question marks, and the rest of it."""
    questions: list[Question] = []
    told: list[str] = []
    for sentence in map(str.strip, SENTENCE.findall(_without_stops(message))):
        begins = _begins(sentence)
        questions += [question_of(sentence[start:end]) for start, end in pairwise((*begins, len(sentence)))]
        told.append(_told(sentence[: begins[0]] if begins else sentence))
    asked = set[str]().union(*(stems_in(each.text, _WORD) for each in questions))
    rest = " ".join(each for each in told if each and not (questions and _is_talk(each, asked)))
    return Heard(tuple(questions), rest if len(rest) <= _LONGEST_TOLD else "")


def _without_stops(message: str) -> str:
    """The message without the stops of abbreviations that end no sentence: "the price incl. tax"."""
    return _STOP.sub(lambda found: found[1] if needs_more(found[1]) else found[0], message)


def _told(sentence: str) -> str:
    """A sentence that asks nothing, or the part before its question; empty for a word or fillers."""
    rest = _without_joints(sentence[_FILLERS.match(sentence).end() :])  # type: ignore[union-attr]
    if len(rest.split()) < _FEWEST_TOLD:
        return ""
    return rest[:1].upper() + rest[1:] + ("" if rest.endswith((".", "!")) else ".")


def _is_talk(told: str, asked: Set[str]) -> bool:
    """Whether a sentence only speaks of asking, or of what is `asked` about: "Next question: …"."""
    return stems_in(told, _WORD) <= _TALK | asked


def starts_in(sentence: str) -> Iterator[int]:
    """Where a part of a sentence begins that may ask something, behind what leads up to it."""
    for part in _PART.finditer(sentence):
        yield _FILLERS.match(sentence, part.end()).end()  # type: ignore[union-attr]


def _begins(sentence: str) -> list[int]:
    """Where the questions of a sentence begin; one that ends with a question mark is one in any case."""
    begins: set[int] = set()
    for part in _PART.finditer(sentence):
        start = _FILLERS.match(sentence, part.end()).end()  # type: ignore[union-attr]
        joined = "," in part.group() and start == part.end()
        goes_on = joined and (_LEADS_BACK.match(sentence, start) or TAG.match(sentence, part.start()))
        if _ASKS.match(sentence, start) and not goes_on:
            begins.add(start)
    start = _BEFORE_PART.match(sentence).end()  # type: ignore[union-attr]
    if not begins and sentence.endswith("?") and sentence[start:].strip("?!. "):
        begins.add(start)
    return sorted(begins)


def answered_by(questions: Sequence[Question], answer: str, *, surely: bool = False) -> Question | None:
    """The question that an answer without a verb answers: the first that asks for what it begins with.

    One with the answer's own first word goes first: "from when" for "from 8:00". Where none asks for it, a
    question that may be answered so; but not with `surely`.
    """
    sort = sort_of_answer(answer)
    exact = [each for each in questions if each.sort == sort]
    asked = () if surely else questions
    near = [each for each in asked if sort in _MAY_ANSWER[each.sort] or may_fit(answer, each.sort)]
    near.sort(key=lambda each: (each.sort == "polar", sort not in _MAY_ANSWER[each.sort]))
    first = answer.partition(" ")[0].casefold()
    fronted = [each for each in (*exact, *near) if each.text.casefold().startswith(f"{first} ")]
    return next(iter((*fronted, *exact, *near)), None)


def is_whole(question: str) -> bool:
    """Whether a question begins as one and says what it is about, unlike "on Sundays?" and "How much?"."""
    return _ASKS.match(question) is not None and not is_bare(question)


def is_bare(question: str) -> bool:
    """Whether a question has no more than its question word: "When?", "How heavy?", "On which day?"."""
    return _BARE.fullmatch(question) is not None


def asks_again(question: str) -> bool:
    """Whether a question only doubts the answer before it, as "Are you sure?" does."""
    asked = question.strip().rstrip("?!. ")
    start = _FILLERS.match(asked).end()  # type: ignore[union-attr]
    return any(_ASKS_AGAIN.fullmatch(asked, at) for at in (0, start))


def is_factual(question: Question) -> bool:
    """Whether what answers a question is a fact: it asks for no view or advice, nor about the answerer."""
    about_answerer = _OF_ANSWERER.search(question.text) and not _OFFERED.match(question.text)
    return not about_answerer and not _VIEW.search(question.text)


def question_of(asked: str) -> Question:
    """A question by its wording, without marks and joining words at its end."""
    spelt = _SPELT.sub(lambda found: _SPELLED[found[0].casefold()], asked)
    text = _without_joints(spelt.strip().rstrip("?!. "))
    first, _, rest = text.partition(" ")
    text = f"{_SHORT.get(first.casefold(), first)} {rest}".strip() + "?"
    text = "How much?" if _PRICE.fullmatch(text) else _COSTS.sub(r"what does \1 cost", text)
    lower = text.casefold()
    sort: Sort = "polar" if len(text.split()) > _SHORTEST_POLAR or _ASKS.match(text) else "thing"
    return Question(text, next((sort for sign, sort in _SORTS if sign.match(lower)), sort))


def _without_joints(text: str) -> str:
    """The text without marks and joining words at its end."""
    text = text.rstrip(_MARKS)
    while (last := text.rpartition(" ")[2]).casefold() in _LED_UP:
        text = text[: -len(last)].rstrip(_MARKS)
    return text
