"""The dependency parser: spaCy's small English model, where spaCy is installed."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from vista_stream.caching import cache_scope, current_scope
from vista_stream.core.extraction.parsing import Parse, Word
from vista_stream.core.text.surrogates import encodable
from vista_stream.stages.embedded.pipeline import load_pipeline
from vista_stream.verifiers.lru import Lru

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_UNUSED = ("lemmatizer", "attribute_ruler")
_TOGETHER = 16
"""Texts parsed in one batch: a text alone takes about 7 ms, in a batch of 16 about 3 ms."""
_KEPT = 256
"""Most texts that wait to be parsed, and most parses that are kept until asked for, of some 8 kB each."""
_MORNING = re.compile(r"(?<=\d )am\b(?! I\b)", re.IGNORECASE)
"""The "am" of "9 am", which the model takes for a verb. It is replaced by "pm", which has the same length
and which the model knows."""
_CLITICS = ("'m", "'re", "'ve", "'ll", "'d")
"""What stands alone in a tokenised text ("I 've seen"), and would be cut into the apostrophe and the rest."""
_expected: dict[tuple[str, str], None] = {}
"""Texts that will be parsed, each with its cache scope."""


@contextmanager
def expected(text: str) -> Iterator[None]:
    """Announce a text that the block will parse, so that an earlier call can parse it in its batch."""
    asked = current_scope(), text
    if text and len(_expected) < _KEPT:
        _expected[asked] = None
    try:
        yield
    finally:
        _expected.pop(asked, None)


@functools.cache
def load_parse() -> Parse | None:
    """The parser, loaded at the first call and then shared; None where spaCy is not installed.

    Blocking, about one second at the first call: call it in a thread. Raises ModelLoadError where the model
    that ships is missing or damaged.
    """
    if importlib.util.find_spec("spacy") is None:
        return None
    return _Parser(load_pipeline(exclude=_UNUSED))


class _Parser:
    def __init__(self, language: Language) -> None:
        self._language = language
        tokenizer: Any = language.tokenizer  # typed as any callable
        for clitic in _CLITICS:
            for form in (clitic, clitic.replace("'", "’")):
                tokenizer.add_special_case(form, [{"ORTH": form}])
        self._lock = Lock()  # spaCy's string store is not thread-safe
        self._ready: Lru[str, Sequence[Word]] = Lru(_KEPT)

    def __call__(self, text: str) -> Sequence[Word]:
        """The words of the text. spaCy's memory zone frees the strings that it interns meanwhile."""
        with self._lock:
            words = self._ready.get(text)
            return self._parsed(text) if words is None else words

    def _parsed(self, text: str) -> Sequence[Word]:
        # Copied in one step: other threads add to `_expected`.
        asked = list({(current_scope(), text): None, **_expected})[:_TOGETHER]
        sound = [_MORNING.sub("pm", encodable(one)) for _, one in asked]
        with self._language.memory_zone():
            parsed = self._language.pipe(sound, batch_size=_TOGETHER)
            found = [_words(doc, one) for doc, (_, one) in zip(parsed, asked, strict=True)]
        for (scope, one), words in zip(asked, found, strict=True):
            _expected.pop((scope, one), None)
            with cache_scope(scope):
                self._ready.put(one, words)
        return found[0]


def _words(parsed: Doc, text: str) -> list[Word]:
    tokens = [token for token in parsed if not token.is_space]
    place = {token.i: index for index, token in enumerate(tokens)}
    return [
        Word(
            index=index,
            text=text[token.idx : token.idx + len(token)],
            start=token.idx,
            end=token.idx + len(token),
            tag=token.tag_,
            dep=token.dep_,
            head=place.get(token.head.i, index),
            entity=token.ent_type_,
        )
        for index, token in enumerate(tokens)
    ]
