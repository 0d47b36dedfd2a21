"""Finds the question that a request wraps: "Can you tell me when it opens?" asks "When does it open?"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from vista_stream.core.extraction.inflection import plain_form
from vista_stream.core.extraction.parsing import Parse, Tree, Word
from vista_stream.core.extraction.phrases import FINITE_TAGS, SUBJECTS
from vista_stream.core.extraction.predicates import BE
from vista_stream.core.extraction.questions import SENTENCE, starts_in
from vista_stream.core.extraction.repair import repaired

_ME = r"(?:me|us)"
_POLITE = r"(?:(?:please|pls|maybe|perhaps|possibly|just|also|kindly|quickly|briefly|even|ever) )*"
_TELL = (
    rf"(?:tell|remind|show|advise) {_ME}|let {_ME} know|give {_ME} an idea(?: of)?"
    rf"|(?:say|explain|clarify|specify|confirm)(?: (?:to|for) {_ME})?"
)
_TELLING = (
    rf"(?:telling|reminding|showing|advising) {_ME}|letting {_ME} know"
    rf"|(?:saying|explaining|clarifying|specifying|confirming)(?: (?:to|for) {_ME})?"
)
_YOU = r"(?:you|u)"
_WRAPS = (
    rf"(?:i(?: wonder(?:ed)?| was wondering|['’]m wondering) if {_YOU} (?:can|could|would|will)"
    rf"|(?:can|could|would|will|do) {_YOU}(?: happen to)?) {_POLITE}(?:{_TELL}|know)"
    rf"|would {_YOU} mind {_TELLING}"
    rf"|(?:(?:do {_YOU} )?have )?any idea(?: (?:of|about))?"
    rf"|(?:can|could|may|might) (?:i|we) {_POLITE}(?:ask(?: {_YOU})?|know)"
    rf"|(?:i|we)(?:['’]d| would)? {_POLITE}(?:like|love|want|need)(?:ed)? to (?:know|ask(?: {_YOU})?)"
    r"|(?:i|we)(?:['’]m|['’]re| am| are| was| were)? (?:just |also )*wonder(?:ing|ed)?"
    r"|(?:just |also )*wondering"
    rf"|(?!let\b)(?:{_TELL})"
)
_QUESTION_WORD = (
    r"(?:(?:until|from|since|at|in|on|to|for|with|by) )?(?:when|where|who|whom|whose|how|what|why|which)"
)
_WRAPPED = re.compile(
    rf"(?:{_WRAPS})(?: exactly)? (?:(?P<polar>whether|if)(?: or not)? |(?={_QUESTION_WORD}\b))", re.IGNORECASE
)
"""What stands before a wrapped question."""
_CONFIRMED = re.compile(
    rf"(?:(?:can|could|would|will) {_YOU} )?{_POLITE}confirm(?: (?:to|for) {_ME})? (?!(?:whether|if)\b)"
    r"(?:that )?",
    re.IGNORECASE,
)
"""What stands before a statement that a yes affirms."""
_AND = re.compile(rf",? (?:and|or) (?=(?:{_QUESTION_WORD}|whether|if)\b)", re.IGNORECASE)
"""What stands between two questions that one request wraps."""
_POLAR = re.compile(r"(?:whether|if)(?: or not)? ", re.IGNORECASE)
_END = re.compile(r",? (?:or not|please|pls|thanks|thank you)\Z", re.IGNORECASE)
_MARKS = "?!. "
_COMMA = re.compile(r"[,;:(–—]| - ")
_HOW_TO = re.compile(r"how to (?=\w)", re.IGNORECASE)
_UNMARKED = re.compile(
    r"(?<=\bit)(?=s\b)|(?<=\bthere)(?=s\b)|(?<=\bthat)(?=s\b)|(?<=\bi)(?=m\b)", re.IGNORECASE
)
"""Where chats leave an apostrophe out."""
_ASKS_TO_TELL = re.compile(
    rf"(?:{_WRAPS})\b|(?:can|could|would|will) {_YOU} {_POLITE}"
    r"(?:tell|say|explain|clarify|confirm|describe|summari[sz]e|sum|recap|outline|list|show|walk|talk|guide|help"
    r"|define|compare|name|elaborate|expand|give (?:me |us )?(?:an?|the|some|more|any) (?:\w+ )?"
    r"(?:overview|summary|idea|examples?|details?|info(?:rmation)?|rundown|list|explanation|hints?|tips?))\b",
    re.IGNORECASE,
)
_CLITICS = {"s": "is", "re": "are", "m": "am", "ve": "have", "ll": "will", "d": "would"}
_PERFECT = {"s": "has", "d": "had"}
_LONGEST = 200
"""Most code points of a wrapped question; reading a longer one takes a time that grows with its square."""
_ARTICLE = re.compile(r"\b(?:an?|the|my|your|our|this|that) \Z", re.IGNORECASE)
_LONGEST_ASKED = 3
"""Most words of "how many rooms" or the like, where a parser does not tell them from the subject."""


class Unwrapped(NamedTuple):
    """A message with its wrapped questions as plain ones."""

    text: str
    request: str = ""
    """The request that wraps a question which no yes or no answers: "Can you tell me when it opens?"."""


def unwrapped(message: str, parse: Parse | None) -> Unwrapped:
    """The message with the questions that its requests wrap, in the order of words that they have alone."""
    if parse is None or not _may_wrap(message):
        return Unwrapped(message)
    requests: list[str] = []

    def plain(found: re.Match[str]) -> str:
        sentence = found[0].lstrip()
        text, wants = _plain(sentence, parse)
        if wants:
            requests.append(sentence)
        return found[0].removesuffix(sentence) + text

    text = SENTENCE.sub(plain, message)
    return Unwrapped(text, next(iter(requests), ""))


def stays_apart(question: str, *, polar: bool) -> bool:
    """Whether a question is a request to tell something, which makes no statement with its answer.

    "Could you sum up the rules?" "Not on Sundays." A yes or no (`polar`) tells whether that can be told, but
    not where it is told whether something is so.
    """
    wrapped = _WRAPPED.match(question)
    if polar:
        return wrapped is not None and wrapped["polar"] is not None
    return _ASKS_TO_TELL.match(question) is not None


def _may_wrap(message: str) -> bool:
    sentences = (found[0].lstrip() for found in SENTENCE.finditer(message))
    return any(_opened(sentence, at) for sentence in sentences for at in starts_in(sentence))


def _opened(sentence: str, at: int) -> re.Match[str] | None:
    return _WRAPPED.match(sentence, at) or _CONFIRMED.match(sentence, at)


def _plain(sentence: str, parse: Parse) -> tuple[str, bool]:
    """A sentence with its wrapped questions as plain ones, and whether the first is none for yes or no.

    As it stands where one cannot be told.
    """
    for at in starts_in(sentence):
        if (opened := _opened(sentence, at)) is None:
            continue
        polar = opened.re is _CONFIRMED or opened["polar"] is not None
        asked, rest = _without_end(sentence[opened.end() :])
        questions = _asked_together(asked, parse, polar=polar)
        if not questions:
            return sentence, False
        before = sentence[:at] if _COMMA.search(sentence[:at]) else ""
        first = questions[0] if before else questions[0][:1].upper() + questions[0][1:]
        return f"{before}{' and '.join((first, *questions[1:]))}{rest}?", not polar
    return sentence, False


def _without_end(text: str) -> tuple[str, str]:
    """The wrapped question alone, and what the user adds to it."""
    comma = _COMMA.search(text)
    following = _AND.search(text)
    while comma and following and comma.start() >= following.start():
        comma, following = _COMMA.search(text, following.end()), _AND.search(text, following.end())
    end = len(text[: comma.start()].rstrip(" ")) if comma else len(text)
    asked, rest = text[:end].rstrip(_MARKS), text[end:].rstrip(_MARKS)
    while last := _END.search(asked):
        asked = asked[: last.start()].rstrip(_MARKS)
    return asked, "" if _END.fullmatch(rest) else rest


def _asked_together(asked: str, parse: Parse, *, polar: bool) -> list[str]:
    """The questions in "when it opens and how much it costs"; empty where one cannot be told."""
    questions: list[str] = []
    if len(asked) > _LONGEST:
        return []
    for each in _AND.split(asked):
        whether = _POLAR.match(each) if questions else None
        clause = each[whether.end() if whether else 0 :]
        question = _inverted(clause, parse, polar=whether is not None if questions else polar)
        if not question:
            return []
        questions.append(question)
    return questions


def _inverted(clause: str, parse: Parse, *, polar: bool) -> str:
    """The question of a clause such as "how much it costs"; empty where none is clear."""
    if how := _HOW_TO.match(clause):
        return f"how do I {clause[how.end() :]}"
    question = _as_question(clause, 0, parse, polar=polar)
    if not question and _UNMARKED.search(clause):
        return _inverted(_UNMARKED.sub("'", clause), parse, polar=polar)
    if question or polar:
        return question
    starts = [word.start() for word in re.finditer(r"\S+", clause)][1 : _LONGEST_ASKED + 1]
    begun = (start for start in reversed(starts) if not _ARTICLE.search(clause[:start]))
    rests = (_as_question(clause, start, parse, polar=True) for start in begun)
    return next(filter(None, rests), "")


def _as_question(clause: str, start: int, parse: Parse, *, polar: bool) -> str:
    """The clause with its verb before its subject, by the parse of what is behind `start`."""
    tree = Tree(repaired(parse(clause[start:])))
    root = tree.roots[0] if len(tree.roots) == 1 else None
    subject = tree.child(root, "nsubj", "nsubjpass", "expl") if root is not None else None
    if root is None or subject is None:
        return ""
    region = tree.region(subject)
    verb = min((root, *tree.children(root, "aux", "auxpass")), key=lambda word: word.index)
    if verb.tag == "NNS":  # the "costs" of "what the sauna costs", with its subject
        verb = replace(verb, tag="VBZ")
    between = tree.words[region[-1].index + 1 : verb.index]
    adjoins = region[-1].index < verb.index and all(word.tag == "RB" for word in between)
    if not adjoins or verb.tag not in FINITE_TAGS or _unclear(tree, root, verb):
        return ""
    if region[0].index == 0 and not polar:  # it asks for its subject
        return clause if region[0].tag.startswith("W") or region[0].lower == "how" else ""
    if polar and region[0].index > 0:
        return ""
    begins, ends = start + region[0].start, start + verb.start
    return clause[:begins] + _fronted(tree, verb, root, clause[begins:ends], clause[start:])


def _fronted(tree: Tree, verb: Word, root: Word, subject: str, text: str) -> str:
    """The verb, or a "do" for it, before its subject, and the rest behind."""
    if verb.index != root.index or verb.lower in BE or verb.lower.lstrip("'’") in _CLITICS:
        behind = tree.words[verb.index + 1 : verb.index + 2]
        end = next((word.end for word in behind if word.lower in ("n't", "n’t")), verb.end)
        return f"{_whole(verb, root) or text[verb.start : end]} {subject.rstrip()}{text[end:]}"
    joined = [w for w in tree.children(root, "conj") if w.tag == root.tag]
    plain = _with_plain_forms(text[verb.start :], verb.start, [verb, *joined])
    do = {"VBZ": "does", "VBD": "did"}.get(verb.tag, "do")
    return f"{do} {subject}{plain}" if plain else ""


def _with_plain_forms(text: str, start: int, verbs: list[Word]) -> str:
    for verb in reversed(verbs):
        form = plain_form(verb.lower, verb.tag)
        if not form:
            return ""
        text = text[: verb.start - start] + form + text[verb.end - start :]
    return text


def _whole(verb: Word, root: Word) -> str:
    """A verb that was joined to its subject, "you're", as a word of its own; empty for another."""
    clitic = verb.lower.lstrip("'’")
    perfect = root.tag == "VBN" and verb.dep == "aux"
    return (_PERFECT if perfect else {}).get(clitic) or _CLITICS.get(clitic, "")


def _unclear(tree: Tree, root: Word, verb: Word) -> bool:
    """Whether a second statement is joined to the clause, or its "'s" may be "is" or "has"."""
    either = verb.dep == "auxpass" and verb.lower in ("'s", "’s", "s")
    return either or any(tree.child(each, *SUBJECTS) for each in tree.children(root, "conj"))
