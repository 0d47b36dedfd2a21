"""Strips markup from a text and keeps the original offset of each remaining character."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from vista_stream.caching import cached_by_scope
from vista_stream.claims import Span
from vista_stream.core.text.legible import legible

_MARKER = re.compile(
    r"\A\s*(?:>\s*)*(?:(?:[-*+•‣◦]\s+)?\[[ xX]\]\s+|[-*+•‣◦]\s+|\d{1,3}[.)]\s+|#{1,6}\s+"
    r"|\[\^[\w-]{1,20}\]:\s+)?"
)
_CLAUSE = re.compile(
    r"""\A\s*(?:\d{1,3}(?:\.\d{1,3})+[.)]
    | \d{1,3}(?:\.\d{1,3}){2,}(?=\s+[A-Z][a-z])
    | \d{1,3}\.\d(?=\s+(?:All|An|Any|Both|Each|Every|For|If|In|It|Neither|No|On|Only|Our|The|These|This|Unless
        |Until|We|When|Where|You|Your)\s)
    | (?:§§?|Art\.|Sec\.)\s?\d{1,4}(?:\.\d{1,3})*\.?(?=\s+(?:\(\d|[A-Z][a-z])))\s+""",
    re.VERBOSE,
)
"""The number of a clause: "2.2.1 Dogs", "§ 3 Dogs"; "2.2 The", but not "4.5 Stars" and "2.2 million"."""
_QUOTE = re.compile(r"(?<=\n)[ \t]*(?:>[ \t]*)+")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
_CUT_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((?=\S{200})[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\Z")
"""A link whose address was too long for one segment."""
_CITATION = re.compile(
    r"\s?\[(?:\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*|\^[\w-]{1,20}|citation needed)\]|\s?【[^】\n]{1,30}】"
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)|(?<=\S)(\*{1,3}|_{1,3}|~~)(?![\w*])")
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?=\S)[^\n*_]*[^\n*_.!?:,;]\1\s*")
_STARS = re.compile(r"(?<!\d)\*\*+|\*\*+(?!\d)|__+|`+")
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_INLINE = "a|abbr|b|bdi|bdo|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u|var"
_BLOCK = (
    "article|aside|blockquote|body|caption|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|"
    "li|main|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_TAG = re.compile(
    rf"</?(?:{_INLINE})(?:\s[^<>\n]{{0,200}})?/?>|(?<=\w)<!--[^<>\n]{{0,200}}-->(?=\w)", re.IGNORECASE
)
_BREAK = re.compile(rf"</?(?:br|{_BLOCK})(?:\s[^<>\n]{{0,200}})?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][\da-fA-F]{1,5}|[A-Za-z]{2,8}\d{0,2});")
_LATEX = re.compile(r"\\(?:text|math|emph|mbox|underline|begin|[()\[\],;%])|\{,\}|\$[^\s$]{1,40}\$(?!\d)")
_COMMAND = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc)?|math(?:bf|it|rm|sf|tt)|emph|mbox|underline)(?=\{)|\\[()\[\]]"
    r"|\\(?:begin|end)\{\w{1,20}\*?\}|\$(?=[^\s$]{1,40}\$(?!\d))|(?<=[^\s$])\$(?![\d$])|[{}]"
)
"""Marks of LaTeX; what they enclose stays."""
_THIN = re.compile(r"\\[,;:! ]")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_PICTURES = "[\U0001f300-\U0001f44c\U0001f450-\U0001faff]"
_ORNAMENT = re.compile(
    rf"\A\s*(?:{_PICTURES}\s*)+(?=[A-Z\d\"“])|(?<=\w)(?:\s*{_PICTURES})+(?=\s*[.!?…]*\s*\Z)"
)
"""Emoji before and after a sentence; within one they may stand for a word."""
_POWER = re.compile(r"(?<=\d)<sup>(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text without markup, and for each of its characters the offset in the text with markup."""

    text: str
    offsets: tuple[int, ...]

    def origin(self, start: int, end: int) -> Span:
        """The span in the text with markup of the non-empty range [start, end) of this text."""
        origins = self.offsets[start:end]
        return Span(min(origins), max(origins) + 1)

    def with_one(self, pattern: re.Pattern[str], written: Callable[[re.Match[str]], str]) -> PlainText:
        """This text with each match of the pattern replaced by what `written` makes of it.

        A match of which it makes more or less than one character stays.
        """
        characters = [(found, written(found)) for found in pattern.finditer(self.text)]
        if not characters:
            return self
        text, holes = list(self.text), list[tuple[int, int]]()
        for found, character in characters:
            if len(character) == 1:
                text[found.start()] = character
                holes.append((found.start() + 1, found.end()))
        return PlainText("".join(text), self.offsets).without(holes)

    def without(self, holes: list[tuple[int, int]]) -> PlainText:
        """This text without the half-open ranges in `holes`."""
        if not holes:
            return self
        gone = {position for start, end in holes for position in range(start, end)}
        kept = [position for position in range(len(self.text)) if position not in gone]
        return PlainText("".join(self.text[p] for p in kept), tuple(self.offsets[p] for p in kept))


def is_item(text: str) -> bool:
    """Whether the text begins with a list marker or block quote mark, and not with a heading mark."""
    marker = _marker(text)
    return bool(marker.strip()) and "#" not in marker


def is_heading(text: str) -> bool:
    """Whether the text begins with a Markdown heading mark."""
    return "#" in _marker(text)


def is_bold_line(text: str) -> bool:
    """Whether the whole text is emphasised and is no sentence: "**Ingredients**"."""
    return _BOLD_LINE.fullmatch(text) is not None


@cached_by_scope(256)  # a sentence is asked for when it is foreseen, when it ends and when it is read
def strip_markup(marked: str) -> PlainText:
    """Remove list, heading, quote and citation marks, emphasis, link targets, HTML's tags and LaTeX's marks.

    White space is folded to single spaces. Text in backticks keeps its marks, without the backticks.
    10<sup>6</sup> becomes 10^6.
    """
    plain = _seen(marked)
    for begins in (_CLAUSE, _MARKER):
        plain = plain.without([found.span() for found in begins.finditer(plain.text)])
    for link in (_LINK, _CUT_LINK):
        plain = plain.without([hole for m in link.finditer(plain.text) for hole in _around_label(m)])
    plain = plain.with_one(_BREAK, lambda _: " ").with_one(_POWER, lambda _: "^")
    if _LATEX.search(plain.text):
        plain = plain.with_one(_THIN, lambda _: " ")
        plain = plain.without([found.span() for found in _COMMAND.finditer(plain.text)])
    code = {plain.offsets[at] for m in _CODE.finditer(plain.text) for at in range(*m.span(2))}
    for pattern in (_QUOTE, _CITATION, _TAG, _STARS, _EMPHASIS, _ESCAPE, _ORNAMENT):
        found = (m.span() for m in pattern.finditer(plain.text))
        plain = plain.without([hole for hole in found if plain.offsets[hole[0]] not in code])
    return _folded(plain)


def _seen(marked: str) -> PlainText:
    """The text with HTML's character references as characters, and spelt as its reader sees it."""
    plain = PlainText(marked, tuple(range(len(marked))))
    plain = plain.with_one(_ENTITY, lambda found: html.unescape(found[0]))
    text, offsets = legible(plain.text)
    return PlainText(text, tuple(plain.offsets[at] for at in offsets))


def _marker(text: str) -> str:
    found = _MARKER.match(text)
    return found.group() if found else ""


def _around_label(link: re.Match[str]) -> list[tuple[int, int]]:
    return [(link.start(), link.start(1)), (link.end(1), link.end())]


def _folded(plain: PlainText) -> PlainText:
    kept: list[tuple[str, int]] = []
    for character, offset in zip(plain.text, plain.offsets, strict=True):
        if not character.isspace():
            kept.append((character, offset))
        elif kept and kept[-1][0] != " ":
            kept.append((" ", offset))
    if kept and kept[-1][0] == " ":
        kept.pop()
    return PlainText("".join(c for c, _ in kept), tuple(o for _, o in kept))
