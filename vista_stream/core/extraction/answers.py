"""Answers to yes-or-no questions, which state nothing without their question: "No, it isn't." """

from __future__ import annotations

import re
from itertools import islice

from vista_stream.core.extraction.answer_sorts import NO, YES, sort_of_answer
from vista_stream.core.extraction.kinds import is_courtesy
from vista_stream.core.extraction.openers import opening
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.phrases import SUBJECTS
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.shapes import finite, imperative, only_condition
from vista_stream.core.text.stems import word_set

_AGREES = rf"(?:{YES}|{NO}|correct|incorrect|true|false)"
_CONFIRMS = (
    r"(?:exactly|precisely|indeed|right|(?:that|you)(?:['’](?:s|re)| is| are)(?:n['’]t| not)? "
    r"(?:right|correct|incorrect|true|wrong|false)|that['’]s it|not (?:exactly|quite|really|at all))"
)
"""What affirms or denies a question, and is mere talk before any other answer."""
_SURELY = r"(?:of course|absolutely|certainly|definitely|sure)"
_REGRETS = (
    r"(?:unfortunately|sadly|regrettably|(?:(?:i['’]m|i am|we['’]re|we are) )?(?:very |so )?(?:sorry|afraid)"
    r"|(?:my |our )?apologies)(?: (?:for|about) [^,;:.!?—–]{1,60})?"
)
_ELLIPSIS = (
    r"(?:it|that|this|they|you|we|i|he|she|there)\s+(?:(?:is|are|am|was|were|could|do|does|did|would|has|have|had|"
    r"must|should|may|will|can|need)(?:n['’]t|\s?not)?|can['’]t|won['’]t)(?: (?:have|need) to)?"
    r"(?=\s*(?:[^\w\s'’]|$))"
)
_OWN_VERB = re.compile(rf"\b{_ELLIPSIS}", re.IGNORECASE)
_CONDITIONS = (
    r"(?:if|unless|provided|(?:as|so) long as|when|whenever|except|(?:but )?only|with|without|on condition)"
)
_PART = re.compile(
    rf"(?:(?P<agreed>{_AGREES})|(?P<decided>{_REGRETS},? (?:not|so)|{_ELLIPSIS})|(?P<confirmed>{_CONFIRMS})"
    rf"|{_SURELY}(?: not)?|{_REGRETS})\b\W*",
    re.IGNORECASE,
)
"""A part of a text that only affirms or denies."""
_ECHO = re.compile(
    rf"{_AGREES},(?P<echo> {_ELLIPSIS}(?:,? [–—-]+|[,:;—])) {_CONDITIONS}\b"
    rf"|{_AGREES},? {_ELLIPSIS}(?P<mark>(?: [–—-]+|[:;—]) ?)\w",
    re.IGNORECASE,
)
"""A yes or no with its verb, before a condition or a statement: "Yes, you do – provided you book."."""
WANTS = re.compile(r"(?:\w+ )?(?:who|what|which|when|where|why|how)", re.IGNORECASE)
"""The beginning of a question that yes or no does not answer."""
_AGREED = re.compile(rf"{_AGREES}\b", re.IGNORECASE)
_ASSENT = re.compile(rf"\b(?P<said>{YES}|{NO})\b(?=\s*(?:[,:;.!–—-]|$))", re.IGNORECASE)
_LED = re.compile(rf"(?:{YES}|{NO})\b(?: [–—-]|[,:;—])+ ?", re.IGNORECASE)
"""A yes or no before what limits it."""
_ENDS_LIMIT = re.compile(r"(?:; ?|: |(?P<dash>(?: [–-]|—) ?))(?=\w)|, (?=(?:but|and) \w)", re.IGNORECASE)
"""What may stand between the limit of a yes or no and another clause."""
_MARKS_READ = 3
"""Marks that are looked at for the end of a limit."""
_REFERS = re.compile(r"(?:(?:but|and) )?(?:then|otherwise|else|there(?! (?:is|are)\b))\b", re.IGNORECASE)
"""The beginning of a clause that means nothing without the limit before it."""
_DENIES = re.compile(
    rf"\b(?:{NO}|not|false|wrong|incorrect|can['’]t|won['’]t|cannot)\b|n['’]t\b", re.IGNORECASE
)
AUXILIARIES = word_set("is are am was were do does did has have had can could will would must should may")
TAG = re.compile(
    r", (?:do|does|did|is|are|was|were|am|ca|can|could|may|must|should|will|wo|would|has|have|had)"
    r"(?:n['’]?t)? (?:i|you|he|she|it|we|they|there|that)(?: not)?\W*\Z",
    re.IGNORECASE,
)
"""What asks for a yes to the statement before it: "doesn't it?"."""
_CONDITIONAL = word_set("should had were")
_GLADLY = re.compile(rf"(?:{_SURELY}|gladly)(?: not)?\W*", re.IGNORECASE)
_REQUESTS = re.compile(r"(?:can|could|would|will) (?:you|u)\b|do you (?:want|mind)\b", re.IGNORECASE)
"""The beginning of a question that "of course" answers as a request rather than as a question."""


def is_polar(text: str, *, asked: str = "") -> bool:
    """Whether a text only affirms or denies what was `asked`, which may be a request."""
    if _GLADLY.fullmatch(text):
        asks = asked.partition(" ")[0].casefold() in AUXILIARIES and not _REQUESTS.match(asked)
        return asks or TAG.search(asked) is not None
    at, decided, agreed = 0, False, False
    while part := _PART.match(text, at):  # one by one, which needs no backtracking
        at = part.end()
        agreed = agreed or part["agreed"] is not None
        confirmed = part["confirmed"] is not None and not WANTS.match(asked)
        decided = decided or agreed or confirmed or part["decided"] is not None
    return decided and (at == len(text) or (agreed and is_courtesy(text[at:])))


def is_request(question: str) -> bool:
    """Whether a question may ask for a deed rather than for a yes or no: "Could you tell me …?"."""
    return _REQUESTS.match(question) is not None


def echo_in(text: str) -> tuple[int, int] | None:
    """Where a yes or no repeats its verb before a condition, in code points; None where it does not.

    "Yes, you do – provided you book." says "Yes, provided you book.".
    """
    echo = _ECHO.match(text)
    return echo.span("echo") if echo and echo["echo"] else None


def mark_behind_echo(text: str) -> tuple[int, int] | None:
    """Where a yes or no with its verb ends before a statement, "Yes, it is: …"; None where it does not."""
    echo = _ECHO.match(text)
    return echo.span("mark") if echo and echo["mark"] else None


def parts_at_limit(text: str, parse: Parse) -> tuple[int, int] | None:
    """Where a yes or no with its limit ends, and where the clause behind it begins; None without either.

    "Yes, from May to September; in winter it's closed." In code points. A clause that refers to the limit
    begins with it: "No, unless it rains; then it closes."
    """
    led = _LED.match(text)
    if led is None:
        return None
    for mark in islice(_ENDS_LIMIT.finditer(text, led.end()), _MARKS_READ):
        limit, clause = text[led.end() : mark.start()], text[mark.end() :]
        if is_polar(text[: mark.start()]) or opening(text[: mark.end()] + "so").skipped >= mark.end():
            continue  # "Yes, of course: it is open.", "No, in fact – it is closed."
        if mark["dash"] and _is_range(limit, clause):
            continue
        if _says_no_more(limit, parse) and _is_clause(clause, parse):
            return mark.start(), led.end() if _REFERS.match(clause) else mark.end()
    return None


def _is_range(before: str, behind: str) -> bool:
    """Whether two texts end and begin with values of one sort: "from Monday", "Friday, and …"."""
    sort, first, words = sort_of_answer(behind), re.match(r"\w+", behind), before.split()
    begins = first is not None and sort_of_answer(first[0]) != "thing"
    return begins and any(sort_of_answer(" ".join(words[-most:])) == sort for most in (1, 2))


def _says_no_more(limit: str, parse: Parse) -> bool:
    tree = Tree(repaired(parse(limit)))
    return only_condition(tree) or not finite(tree)


def _is_clause(text: str, parse: Parse) -> bool:
    """Whether a text says something by itself: it has a subject and its verb, or commands something."""
    tree = Tree(repaired(parse(text)))
    verbs = [verb for root in tree.roots for verb in (root, *tree.children(root, "aux", "auxpass"))]
    said = any(tree.child(verb, *SUBJECTS) for verb in verbs)
    return (said and finite(tree)) or imperative(tree)


def polar_part(text: str, skipped: int, *, asked: str) -> str:
    """What of a text only affirms or denies what was `asked`: all, or all but the `skipped` code points.

    "Hi Bob, no." Empty where neither does.
    """
    if is_polar(text, asked=asked):
        return text
    behind = text[skipped:] if not _AGREED.match(text) else ""
    return behind if is_polar(behind, asked=asked) else ""


def assent_of(opening: str) -> str:
    """The yes or no in what leads up to an answer that is no sentence: "No, except on Sundays"."""
    assent = _ASSENT.search(opening)
    return f"{assent['said']}, " if assent else ""


def denies(text: str) -> bool:
    """Whether a text that `is_polar` denies."""
    return _DENIES.search(text) is not None


def denies_by_verb(text: str) -> bool | None:
    """Whether the verb of a text that `is_polar` denies, "Yes, it isn't."; None where it has none."""
    own = _OWN_VERB.search(text)
    return denies(own[0]) if own else None


def in_question_order(tree: Tree) -> bool:
    """Whether a sentence asks by its word order, also without a question mark: "What did you see"."""
    subject = tree.child(tree.roots[0], *SUBJECTS) if len(tree.roots) == 1 else None
    if subject is None:
        return False
    root, first, start = tree.roots[0], tree.words[0], tree.region(subject)[0].index
    fronted = [w for w in (root, *tree.children(root, "aux", "auxpass")) if w.lower in AUXILIARIES]
    asked = first.tag.startswith("W") or first in fronted
    return asked and any(w.index < start for w in fronted)


def opens_condition(tree: Tree) -> bool:
    """Whether a sentence in question order is a condition and what follows from it.

    "Should you be late, ring the bell."
    """
    words = tree.words
    return words[0].lower in _CONDITIONAL and words[-1].text == "." and any(w.text == "," for w in words)
