"""Tells which text of an utterance or a sentence the parser gets."""

from __future__ import annotations

from vista_stream.claims import Utterance
from vista_stream.core.extraction.asides import take_out
from vista_stream.core.extraction.drafts import body_of, unstopped_inside, without_numbering
from vista_stream.core.extraction.kinds import is_courtesy
from vista_stream.core.extraction.lists import is_row
from vista_stream.core.extraction.openers import opening
from vista_stream.core.text.plaintext import strip_markup

_HEARD = 2_000


def heard_text(utterance: Utterance) -> str:
    """The text of an utterance that `hear` reads, and gives to the parser."""
    return strip_markup(utterance.text[-_HEARD:]).text


def to_parse(sentence: str) -> str:
    """The text that `decompose` will probably give to the parser for a sentence; empty if none."""
    if is_row(sentence):
        return ""
    plain = strip_markup(sentence)
    if not plain.text or is_courtesy(plain.text):
        return ""
    plain = without_numbering(plain)
    return unstopped_inside(take_out(body_of(plain, opening(plain.text)))[0].text)
