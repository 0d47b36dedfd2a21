"""Finds authorship stated in passing: "you might like Emma by Jane Austen" states who wrote Emma."""

from __future__ import annotations

import re

_START = r"(?:[A-Z\d][\w'’.&!-]*|[A-Z]\.)"
_INNER = r"(?:of|the|in|and|a|an|to|with|for|on|at|from|is|or|my|your)"
_SORT = r"series|novels?|books?|films?|movies?|albums?|songs?|shows?|trilogy|plays?|poems?|paintings?"
_WORDS = (
    rf"{_START}(?:(?:[:,](?= (?:The|A|Part)\b))?(?! and (?:The|A)\b)(?: {_INNER}){{0,3}} {_START}){{0,9}}"
    rf"(?: (?:{_SORT})\b)?"
)
_TITLE = rf"(?P<title>[\"“][^\"“”]{{1,80}}[\"”]|{_WORDS})"
_NO_NAME = (
    r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|(?:January|February|March|April|May|June|July|August|"
    r"September|October|November|December|Christmas|Easter)\b|(?:I|The|A|An)\b(?!\.)|\d)"
)
_INITIALS = r"(?:[A-Z]\.){1,3}|(?:Dr|St|Mr|Mrs|Ms|Jr)\.|[A-Z][\w'’-]*\w"
_NAME = rf"{_NO_NAME}(?P<name>(?:{_INITIALS})(?: (?:(?:de|van|von|der|la|le|di|da) )?(?:{_INITIALS}))*)"
_MADE = (
    "written|directed|produced|composed|performed|sung|painted|authored|created|illustrated|recorded|narrated|"
    "published|designed"
)
_SHOWS = {"starring": "stars", "featuring": "features"}
_CREDIT = re.compile(
    rf"(?<=\w )(?<![.!?] ){_TITLE},? (?:(?:(?:which|that) (?:was|is) )?(?P<made>{_MADE}) by|by"
    rf"|(?P<shows>{'|'.join(_SHOWS)})|(?:which|that) (?P<verb>stars|features)) {_NAME}"
)


def credits_in(claim: str) -> list[str]:
    """The statements on the authors or actors of works that a claim makes in passing.

    Titles and names are recognised by their capitals or quotation marks; without them there are none.
    """
    return [_statement(found) for found in _CREDIT.finditer(claim)]


def _statement(found: re.Match[str]) -> str:
    title, name = found["title"], found["name"].removesuffix("'s").removesuffix("’s")
    if found["made"]:
        return f"{title} was {found['made']} by {name}."
    shows = found["verb"] or _SHOWS.get(found["shows"] or "")
    return f"{title} {shows} {name}." if shows else f"{title} is by {name}."
