"""A reference text, cut into sentences and windows once, when it is added."""

from __future__ import annotations

import hashlib
import re
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from vista_stream.claims import Evidence, Span
from vista_stream.core.importance import content_words
from vista_stream.core.rules.compare import Prepared, prepare
from vista_stream.core.rules.index import RuleIndex
from vista_stream.core.text.html_text import text_of_html
from vista_stream.core.text.plaintext import strip_markup
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.retrieval.context import Outline, with_newlines
from vista_stream.retrieval.fences import code_lines
from vista_stream.retrieval.narrowing import narrows
from vista_stream.retrieval.ranges import ranges, rough_tokens, runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vista_stream.retrieval.lexical import Lexicon

WINDOW_SENTENCES = 3
WINDOW_WORDS = 60
"""Most words of a window of several sentences."""
SENTENCE_CHARACTERS = 800
"""Code points. A longer sentence is cut, at white space where there is some, to fit into a model's input."""

PART_TOKENS = 400
"""Most tokens of a part, by `rough_tokens`. A part fits, with a claim and a prompt, into 512 tokens."""

UNIT_TOKENS = 96
"""Most tokens of a unit, by `rough_tokens`, unless one sentence has more. Verifiers that read windows once
are trained on this length."""
_LONGEST_NAME = 1024
"""Code points. A longer str is taken for a text, whatever its ending."""
_HTML_ENDINGS = (".html", ".htm")
_FILE_ENDINGS = (".txt", ".md", ".rst", ".html", ".htm", ".pdf", ".csv", ".json", ".docx")
UNDIVIDED_TOKENS = 130
"""A text of up to so many tokens, by `rough_tokens`, is one unit."""

_WORD = re.compile(r"\S+")
_start = attrgetter("start")
_AT_ONCE = 64
"""Windows embedded in one call."""
_RULED_AT_ONCE = 100
"""Sentences prepared for the rules in one call, which holds the interpreter lock for most of its time."""
_HERE = {"_embedding": threading.Lock, "_ruling": threading.Lock, "_embeddings": WeakKeyDictionary}
"""What a pickled copy begins anew, as other processes have other locks and embedders."""


class Embedder(Protocol):
    """Turns texts into unit vectors; hashable and weakly referenced, as objects of plain classes are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), width); blocking."""
        ...


@dataclass(slots=True)
class _Embedding:
    """The windows as one embedder has embedded them."""

    parts: list[NDArray[np.float32]] = field(default_factory=list)
    """The vectors computed so far, while some windows are not embedded yet."""
    whole: NDArray[np.float32] | None = None


class Reference:
    """One document, cut into sentences, windows, units and parts.

    It is immutable, except that `index` adds an embedder's embeddings and `index_rules` the rule index. A
    pickled copy has what was prepared of the rules by then, and no embeddings. Building one takes some
    milliseconds for each 1,000 characters. Raises ValueError where the text holds no sentence or the name is
    empty.
    """

    def __init__(self, text: str, *, name: str) -> None:
        if not isinstance(text, str) or not text.strip():
            raise ValueError("text must be a str that holds more than white space")
        if not isinstance(name, str) or not name:
            raise ValueError("name must be a str that is not empty: evidence cites it")
        self.text = text
        self.name = name
        segments = _segments(text)
        self.sentences: tuple[Span, ...] = tuple(_spans(segments, text))
        """Spans of the sentences in the text, in order, without the white space and markup between them."""
        if not self.sentences:
            raise ValueError("text must hold at least one sentence, not markup alone")
        self._outline = Outline(text, code=code_lines(text, segments))
        self.windows: tuple[Evidence, ...] = tuple(self.passage(*ends) for ends in self._window_ends())
        """Passages of up to WINDOW_SENTENCES sentences. Two windows in a row share a sentence, except where a
        list or section begins or ends and where a window holds one sentence only."""
        costs = [rough_tokens(text[start:end]) for start, end in self.sentences]
        ends = list(self._unit_ends(costs))
        self.units: tuple[Evidence, ...] = tuple(self.passage(*each) for each in ends)
        """Passages that a verifier reads once; each sentence is in exactly one of them."""
        self.unit_tokens: tuple[int, ...] = tuple(sum(costs[first:stop]) for first, stop in ends)
        """Tokens of each unit, by `rough_tokens`."""
        self.parts: tuple[Span, ...] = tuple(ranges(costs, budget=PART_TOKENS))
        """Ranges of sentences, each as long as a model reads at once; the first level of BST retrieval."""
        self.lexicon = _lexicon([window.text for window in self.windows])
        """Word index over the windows."""
        self._embeddings: WeakKeyDictionary[Embedder, _Embedding] = WeakKeyDictionary()
        """By embedder: vectors of different models cannot be compared."""
        self._embedding = threading.Lock()
        self.rules: RuleIndex | None = None
        """The sentences as the deterministic tier compares claims with them; None before `index_rules`."""
        self._ruled: list[Prepared] = []
        """The sentences prepared so far, while some are not."""
        self._ruling = threading.Lock()
        self.digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        """SHA-256 of the text, in hexadecimal; the same in every process."""

    def __getstate__(self) -> dict[str, Any]:
        with self._embedding, self._ruling:
            return {key: value for key, value in vars(self).items() if key not in _HERE}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, **{name: make() for name, make in _HERE.items()})

    @classmethod
    def from_path(cls, path: str | Path, *, name: str | None = None) -> Reference:
        """Read a text file in UTF-8; without a `name` the reference is named after the file.

        Of a file whose name ends in ".html" or ".htm" the visible text is read. Raises OSError where the file
        cannot be read. Raises ValueError, which names the file, where it is not UTF-8 or holds no sentence.
        """
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8-sig")
            if path.suffix.lower() in _HTML_ENDINGS:
                text = text_of_html(text)
            return cls(text, name=name or path.name)
        except UnicodeDecodeError as error:
            told = f"reference {path} is not UTF-8 text: {error}. It must be plain text, Markdown or HTML"
            raise ValueError(f"{told}; of any other file, such as a PDF, give the text") from error
        except ValueError as error:
            raise ValueError(f"reference {path}: {error}") from error

    def passage(self, first: int, stop: int) -> Evidence:
        """Sentences first..stop-1, with the text between them, as evidence."""
        span = Span(self.sentences[first].start, self.sentences[stop - 1].end)
        text = self.text[span.start : span.end]
        return Evidence(text=text, document=self.name, span=span, sentence=first)

    def sentences_in(self, passage: Evidence) -> list[Evidence]:
        """The sentences that begin in a passage of this text, in order."""
        first, stop = (bisect_left(self.sentences, edge, key=_start) for edge in passage.span)
        return [self.passage(row, row + 1) for row in range(first, stop)]

    def joined(self, passages: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """The passages of this text in its order; those that overlap or follow each other are one passage.

        No such passage reaches from one list or section into the next.
        """
        rows = {each.sentence for passage in passages for each in self.sentences_in(passage)}
        return tuple(self.passage(*ends) for run in runs(sorted(rows)) for ends in self._parted(run))

    def reading(self, *passages: Evidence) -> str:
        """Passages of this text as a model should read them: under their headings, introductions or header
        rows, each of which is read once for passages in a row that stand under it."""
        return self._outline.reading(*(passage.span for passage in passages))

    def opens(self, passage: Evidence) -> bool:
        """Whether a sentence of this text is a heading or header row, or introduces what follows it."""
        return self._outline.opens(passage.span)

    def context(self, passage: Evidence) -> str:
        """What names the subject of a passage of this text: the lines it belongs under, and the opening.

        The opening is the text's first sentence or its title. It is left out where it is the passage.
        """
        opening = self.passage(0, 1).text
        lines = [*self._outline.over(passage.span), *([] if opening == passage.text else [opening])]
        return "\n".join(" ".join(line.split()) for line in lines)

    def index(self, embedder: Embedder) -> NDArray[np.float32]:
        """Embed the windows and return the embeddings, shape (number of windows, width). Blocking.

        Each row is a unit vector. An embedder embeds the windows once; later calls and other threads get the
        same array.
        """
        while (embeddings := self.embeddings(embedder)) is None:
            self.index_more(embedder)
        return embeddings

    def index_rules(self) -> None:
        """Prepare the sentences for the deterministic tier, once; some 0.3 ms a sentence. Blocking."""
        while not self.index_more_rules():
            pass

    def index_more_rules(self) -> bool:
        """Prepare the next sentences for the deterministic tier; return whether all are. Blocking."""
        with self._ruling:
            if self.rules is None:
                done = len(self._ruled)
                spans = self.sentences[done : done + _RULED_AT_ONCE]
                self._ruled += map(self._prepared, spans)
                if len(self._ruled) == len(self.sentences):
                    self.rules, self._ruled = RuleIndex(self._ruled), []
        return self.rules is not None

    def _prepared(self, span: Span) -> Prepared:
        """A sentence as the rules read it; partial where a line over it narrows it in words that it lacks."""
        text = strip_markup(self.text[span.start : span.end]).text
        over = [line for line in self._outline.introduced(span) if narrows(line)]
        return replace(prepare(text), partial=not content_words("\n".join(over)) <= content_words(text))

    def index_more(self, embedder: Embedder) -> bool:
        """Embed the next windows, some tenths of a second of work; return whether all are embedded. Blocking.

        A caller can be cancelled between two calls, so that no thread works on for minutes.
        """
        with self._embedding:
            own = self._embeddings.setdefault(embedder, _Embedding())
            if own.whole is None:
                done = sum(map(len, own.parts))
                windows = self.windows[done : done + _AT_ONCE]
                own.parts.append(embedder.embed([window.text for window in windows]))
                if done + len(windows) == len(self.windows):
                    embeddings = _joined(own.parts)
                    embeddings.flags.writeable = False
                    own.whole, own.parts = embeddings, []
        return own.whole is not None

    def indexed(self, embedder: Embedder) -> int:
        """Number of windows that the embedder has embedded so far."""
        own = self._embeddings.get(embedder, _Embedding())
        return len(self.windows) if own.whole is not None else sum(map(len, own.parts))

    def embeddings(self, embedder: Embedder) -> NDArray[np.float32] | None:
        """The embeddings that `index` computed with this embedder; None before all windows are embedded."""
        own = self._embeddings.get(embedder)
        return None if own is None else own.whole

    def _window_ends(self) -> Iterator[tuple[int, int]]:
        counts = [sum(1 for _ in _WORD.finditer(self.text, *span)) for span in self.sentences]
        first, stop = 0, 0
        while stop < len(counts):
            stop = self._reach(first, counts)
            yield first, stop
            # The next window starts with this one's last sentence, so that neighbours are read together. Not
            # where a list or section begins: read under the other's heading, a sentence says something else.
            first = stop if self._begins_part(stop) else max(stop - 1, first + 1)

    def _unit_ends(self, costs: Sequence[int]) -> Iterator[tuple[int, int]]:
        if sum(costs) <= UNDIVIDED_TOKENS:
            yield 0, len(costs)
            return
        first, total = 0, 0
        for row, cost in enumerate(costs):
            if row > first and (total + cost > UNIT_TOKENS or self._begins_part(row)):
                yield first, row
                first, total = row, 0
            total += cost
        yield first, len(costs)

    def _begins_part(self, row: int) -> bool:
        """Whether a sentence may not be read with the one before: a list or section begins or ends there."""
        if not 0 < row < len(self.sentences):
            return False
        before, span = self.sentences[row - 1], self.sentences[row]
        scopes = self._outline.scope(before.start), self._outline.scope(span.start)
        return not scopes[0].holds(scopes[1]) or self._outline.opens(span)

    def _parted(self, run: Span) -> Iterator[tuple[int, int]]:
        """A range of sentences, cut where a list or section begins or ends."""
        begun = [run.start, *filter(self._begins_part, range(run.start + 1, run.end)), run.end]
        return pairwise(begun)

    def _reach(self, first: int, counts: Sequence[int]) -> int:
        stop, total = first + 1, counts[first]
        while stop < min(first + WINDOW_SENTENCES, len(counts)) and total + counts[stop] <= WINDOW_WORDS:
            if self._begins_part(stop):
                break
            total += counts[stop]
            stop += 1
        return stop


# numpy is imported with the first reference: it takes a third of the time of `import vista_stream`.
def _lexicon(texts: Sequence[str]) -> Lexicon:
    from vista_stream.retrieval.lexical import Lexicon

    return Lexicon(texts)


def _joined(embedded: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    return np.concatenate(embedded)


def sentence_spans(text: str) -> Iterator[Span]:
    """The spans of a text's sentences and code lines, in order, without white space and markup."""
    yield from _spans(_segments(text), text)


def _segments(text: str) -> list[Segment]:
    segmenter = Segmenter()
    return [*segmenter.feed(with_newlines(text)), *segmenter.finish()]


def _spans(segments: Sequence[Segment], text: str) -> Iterator[Span]:
    for segment in segments:
        if segment.kind in (SegmentKind.SENTENCE, SegmentKind.CODE) and segment.text.strip():
            start = segment.span.start + len(segment.text) - len(segment.text.lstrip())
            yield from _pieces(text, start, start + len(segment.text.strip()))


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Cut a range into pieces of at most SENTENCE_CHARACTERS, at white space where there is some."""
    while end - start > SENTENCE_CHARACTERS:
        spaces = list(re.finditer(r"\s+", text[start : start + SENTENCE_CHARACTERS]))
        cut = spaces[-1].start() if spaces and spaces[-1].start() else SENTENCE_CHARACTERS
        yield Span(start, start + cut)
        start += cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)


def split_windows(text: str) -> list[str]:
    """The units of a text that is not a Reference, in order; the whole text where it is short."""
    if rough_tokens(text) <= UNDIVIDED_TOKENS:
        return [text]
    spans = list(sentence_spans(text))
    costs = [rough_tokens(text[start:end]) for start, end in spans]
    ends = ranges(costs, budget=UNIT_TOKENS)
    return [text[spans[first].start : spans[stop - 1].end] for first, stop in ends] or [text]


def names_file(text: str) -> bool:
    """Whether a text given as a reference looks like the name of a file: "notes.txt"."""
    # Decided by the str alone and not by the disk: its meaning must not depend on the working directory.
    return (
        len(text) <= _LONGEST_NAME
        and text.lower().endswith(_FILE_ENDINGS)
        and not any(map(str.isspace, text))
    )
