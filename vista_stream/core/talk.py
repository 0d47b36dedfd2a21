"""What was said in a conversation so far, as a claim is read with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from vista_stream.claims import Evidence, Role, Span, Utterance
from vista_stream.core.text.segmenter import Segmenter

KEPT = 24
"""Most lines that are kept of a conversation; the latest ones."""
_WORDS = 90
"""Most words of what was said that a claim is read with, as the verifier has learnt it."""
_OF_A_LINE = 60
"""Most words of one line, its last ones."""
_NAMES: dict[Role, str] = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A message of the user, or a sentence of the assistant that was shown."""

    role: Role
    text: str
    """Of a long line its last words: what stands before a question may be a document."""
    turn: int
    """The turn to which it belongs, from 0; -1 for what was said before the session."""

    def cited(self) -> Evidence:
        """The line as evidence."""
        document = "history" if self.turn < 0 else f"turn {self.turn + 1}"
        span = Span(0, len(self.text))
        return Evidence(text=self.text, document=document, span=span, sentence=0, origin="talk")


def lines_of(history: Sequence[Utterance]) -> list[Line]:
    """The latest lines of what was said before a session, oldest first."""
    latest = list(islice((line for said in reversed(history) for line in _backwards(said)), KEPT))
    return latest[::-1]


def lines_of_turn(query: str, sentences: Iterable[str], *, turn: int) -> list[Line]:
    """The user's message, unless it is empty, and the sentences that answer it."""
    said: list[tuple[Role, str]] = [("user", query), *(("assistant", each) for each in sentences)]
    return [Line(role=role, text=_latest_words(text), turn=turn) for role, text in said if text.strip()]


def _latest_words(text: str) -> str:
    words = text.split()
    return text.strip() if len(words) <= _OF_A_LINE else " ".join(words[-_OF_A_LINE:])


def _backwards(said: Utterance) -> Iterator[Line]:
    text = " ".join(said.text.split()[-_WORDS:])
    sentences = [text] if said.role == "user" else _sentences(text)
    return (Line(role=said.role, text=_latest_words(each), turn=-1) for each in reversed(sentences) if each)


def _sentences(text: str) -> list[str]:
    segmenter = Segmenter()
    found = (each.text.strip() for each in (*segmenter.feed(text), *segmenter.finish()))
    return [text for text in found if any(map(str.isalnum, text))]


def latest(lines: Sequence[Line]) -> list[Line]:
    """The last lines that a claim is read with, oldest first; the very last one always, if it has words."""
    words, taken = 0, list[Line]()
    for line in reversed(lines):
        words += len(line.text.split())
        if taken and words > _WORDS:
            break
        taken.append(line)
    return taken[::-1]


def transcript(lines: Iterable[Line]) -> str:
    """The lines as the verifier reads them, each with who said it."""
    return "\n".join(f"{_NAMES[line.role]}: {' '.join(line.text.split())}" for line in lines)
