"""Tells what a line without a verb is after a question, if not its answer: a label, a title, a sentence.

A parser may miss the verb of a sentence. The questions are those of the user that are still open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.core.extraction.answer_sorts import Sort, sort_of_answer
from vista_stream.core.extraction.exchange import Exchange
from vista_stream.core.extraction.questions import Question
from vista_stream.core.text.stems import VERB_FORMS, stem, word_set

STOPPED = re.compile(r"[.!…][\"'”’)\]*_]*$")
_SENTENCE_LIKE = 4
_HOW = re.compile(r"how (?:do|does|can|could|should|would|to)\b", re.IGNORECASE)
"""The beginning of a question that no bold line answers: it asks for steps."""
_LABEL = re.compile(
    r"\W*(?:(?:(?:the|my|our|your) )?(?:(?:short|quick|brief|long|final|simple|direct|full|detailed) )?answer"
    r"|tl;?dr|summary|in (?:short|brief)|overview|details|conclusion|note|tip|hint|important|warning|caution"
    r"|result|response|reply)\W*",
    re.IGNORECASE,
)
_TITLE = re.compile(r"[A-Z][\w'’&-]*(?: [\w'’&-]+){0,2}")
_JUDGEMENT = re.compile(
    r"(?:perfect|excellent|fantastic|awesome|brilliant|wonderful|amazing|super|cool|nice|lovely|interesting"
    r"|beautiful|fascinating|splendid|good|fine)\W*[!…]\W*",
    re.IGNORECASE,
)
_SAYS_MORE = word_set(
    """
    only just not no never always sometimes often rarely seldom none nothing nobody free once twice half both
    all each every few many several dozens hundreds thousands millions soon later now today yesterday tomorrow
    immediately recently if with without unless until except about approximately low high medium moderate
    large small huge young old full empty christmas easter dusk dawn sunset sunrise lunch lunchtime dinner
    breakfast holidays ages age century war renaissance included depends varies
    """
)
"""Words of a line that may answer a question for a value, a time, or yes or no."""
_LITTLE = word_set("a an the of for in on at to is are was were do does did what who which when where how")
_COMPARED = re.compile(r"the (?:more|less|\w+er)\b[^,]*, the (?:more|less|\w+er)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w'’-]+")
_VERB_LIKE = re.compile(r"[a-z]+(?:ed|s)")
_ASKS_FOR_ALL = re.compile(r"what (?:are|were)\b", re.IGNORECASE)
_OF_ITEMS: tuple[Sort, ...] = ("money", "span")
"""What no list item without a number tells; a list may answer "how many" and questions for yes or no."""
_LONG_ANSWER = 12
"""Words from which on a line with a full stop is a sentence."""
_SHORT_EXCLAMATION = 3


def says_enough(text: str, *, item: bool) -> bool:
    """Whether a line is long enough for a claim by itself; one that is no `item` of a list needs a stop."""
    # A parser may read "costs" as a noun in "Parking costs €20.", so a number counts as a word more.
    fewest = _SENTENCE_LIKE - any(map(str.isdigit, text)) - item
    return (item or STOPPED.search(text) is not None) and len(text.split()) >= fewest


def is_snippet(text: str) -> bool:
    """Whether a line has no full stop and fewer words than a sentence."""
    return not STOPPED.search(text) and len(text.split()) < _SENTENCE_LIKE


def may_answer(question: str) -> bool:
    """Whether a bold line may be all of an answer: "**Paris**", but not to "How do I bake it?"."""
    return bool(question) and not _HOW.match(question)


def is_label(text: str) -> bool:
    """Whether a line only says that an answer follows: "Short answer", "TL;DR"."""
    return _LABEL.fullmatch(text) is not None


def leads_up(text: str, exchange: Exchange, *, item: bool) -> bool:
    """Whether a line stands before an answer: a title ("Adults" for "What does it cost?"), an exclamation.

    A line that fits a question is a title only where it repeats the question. An `item` of a list may be a
    title too.
    """
    questions = exchange.questions
    sorts = {each.sort for each in questions}
    if not sorts:
        return False
    if _JUDGEMENT.fullmatch(text):
        return "thing" not in sorts
    fits = exchange.asked(text) is not None
    words = _content(text)
    asked = [_content(each.text) for each in questions]
    if text.endswith(("!", "…", "...")):
        return not fits and _says_little(text) and len(text.split()) <= _SHORT_EXCLAMATION
    if STOPPED.search(text) or _TITLE.fullmatch(text) is None:
        return False
    if words and "polar" not in sorts and any(words <= each for each in asked) and not _chooses(questions):
        return True
    if fits or sort_of_answer(text) != "thing" or (item and not sorts.issubset(_OF_ITEMS)):
        return False
    return _says_little(text) and not (_chooses(questions) and any(words & each for each in asked))


def stands_alone(text: str, questions: Sequence[Question]) -> bool:
    """Whether a text is a sentence whose verb the parser took for a noun, and so no answer by itself.

    It is a long one, compares two things, or tells something of what was asked about.
    """
    if not STOPPED.search(text):
        return False
    compares = _COMPARED.match(text) is not None
    return compares or len(text.split()) >= _LONG_ANSWER or any(_told_of(text, each) for each in questions)


def repeats(claim: str, question: str) -> bool:
    """Whether a claim begins with the question, as it does where an answer makes no statement with it."""
    return bool(question) and claim.casefold().startswith(question.casefold())


def _told_of(text: str, question: Question) -> bool:
    """Whether a text begins with words of the question and goes on with what may be a verb."""
    words = _WORD.findall(text)
    asked = f" {' '.join(_WORD.findall(question.text))} ".casefold()
    same = next((k for k in range(len(words)) if f" {' '.join(words[: k + 1])} ".casefold() not in asked), 0)
    verb = words[same] if same < len(words) - 1 else ""
    named = any(word.casefold() not in _LITTLE for word in words[:same])
    return named and (verb in VERB_FORMS or _VERB_LIKE.fullmatch(verb) is not None)


def _says_little(text: str) -> bool:
    """Whether a text has no number, and no word of a time, an amount or a restriction."""
    words = [word.casefold() for word in _WORD.findall(text)]
    vague = not any(word in _SAYS_MORE or word.endswith("ly") for word in words)
    return vague and not any(map(str.isdigit, text))


def _content(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text.casefold()) if word not in _LITTLE}


def _chooses(questions: Sequence[Question]) -> bool:
    """Whether a question names several things, of which an answer may name one; "what are" asks for all."""
    one = (each.text for each in questions if not _ASKS_FOR_ALL.match(each.text))
    return any(" or " in each.text for each in questions) or any(" and " in text for text in one)
