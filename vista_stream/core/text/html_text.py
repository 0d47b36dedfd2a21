"""The text of an HTML page as a browser shows it, in linear time.

Python's own parser takes quadratic time for some broken pages, and differs between patch releases.
"""

from __future__ import annotations

import re
from html import unescape

_SILENT = frozenset(
    ("title", "script", "style", "template", "noscript", "nav", "svg", "iframe", "noembed", "noframes")
)
"""Elements whose content is not text of the page."""
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("title", "textarea", "script", "style", "iframe", "noembed", "noframes")
}
"""Elements in which nothing is a tag but their own end."""
_INLINE = frozenset(
    [
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "i", "kbd", "mark", "q"),
        *("s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var"),
    ]
)
_MARKUP = re.compile(r"<(?:(?P<end>/?)(?P<tag>[a-zA-Z][^\s/>]*)|(?P<comment>!--)|[!?/])")
_IN_TAG = re.compile(r"=\s*(?P<quote>[\"'])|(?P<selfclosed>/?)>")
_COMMENT_END = re.compile(r"--!?>")


def text_of_html(markup: str) -> str:
    """The visible text, with a blank line between blocks and single spaces in them.

    What an unclosed tag or comment opens ends with the page, and is no text. Raises ValueError where a
    character reference has thousands of digits.
    """
    page = _Page(markup)
    page.read()
    lines = (" ".join(line.split()) for line in "".join(page.pieces).split("\n\n"))
    return "\n\n".join(line for line in lines if line)


class _Page:
    """Reads a page once, from its beginning to its end."""

    def __init__(self, markup: str) -> None:
        self.pieces: list[str] = []
        self._markup = markup
        self._silent: dict[str, int] = {}
        """How many silent elements of each name are open, the outermost name first."""

    def read(self) -> None:
        """Collect the pieces."""
        at, size = 0, len(self._markup)
        while at < size:
            found = _MARKUP.search(self._markup, at)
            self._text(at, found.start() if found else size)
            at = self._after(found) if found else size

    def _text(self, start: int, end: int) -> None:
        if not self._silent:
            self.pieces.append(unescape(self._markup[start:end]))

    def _after(self, found: re.Match[str]) -> int:
        """Take in a piece of markup; where it ends."""
        if found["comment"]:
            closed = _COMMENT_END.search(self._markup, found.start() + len("<!"))
            return closed.end() if closed else len(self._markup)
        if not found["tag"]:
            return self._markup.find(">", found.end()) + 1 or len(self._markup)
        name = found["tag"].lower()
        end = self._tag_end(found.end())
        if end is None:
            return len(self._markup)
        if found["end"]:
            self._close(name)
            return end.end()
        self._open(name)
        if end["selfclosed"]:
            self._close(name)
            return end.end()
        return self._raw(name, end.end())

    def _tag_end(self, at: int) -> re.Match[str] | None:
        """The end of a tag, past its attributes; None where it is never closed."""
        while found := _IN_TAG.search(self._markup, at):
            if not found["quote"]:
                return found
            at = self._markup.find(found["quote"], found.end()) + 1
            if not at:
                break
        return None

    def _raw(self, name: str, at: int) -> int:
        """Take in the content of an element in which nothing is a tag; where its end tag begins."""
        if name not in _RAW:
            return at
        closed = _RAW[name].search(self._markup, at)
        end = closed.start() if closed else len(self._markup)
        self._text(at, end)
        return end

    def _open(self, name: str) -> None:
        if name in _SILENT:
            self._silent[name] = self._silent.get(name, 0) + 1
        self._break(name)

    def _close(self, name: str) -> None:
        if name in self._silent:
            # Unclosed silent elements inside it end with it.
            inside = list(self._silent)[list(self._silent).index(name) + 1 :]
            self._silent[name] -= 1
            for ended in inside if self._silent[name] else (name, *inside):
                del self._silent[ended]
        self._break(name)

    def _break(self, name: str) -> None:
        if name not in _INLINE:
            self.pieces.append("\n\n")
