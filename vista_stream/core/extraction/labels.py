"""Takes off a bold label that only announces what follows it: "**Who runs it:** the mayor runs it."."""

from __future__ import annotations

import re

from vista_stream.core.extraction.keys import has_subject
from vista_stream.core.extraction.kinds import is_concrete
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.shapes import finite, requests
from vista_stream.core.text.plaintext import PlainText
from vista_stream.core.text.stems import word_set

_LABEL = re.compile(r"[^\w*]*(\*\*|__)[^*_\n]{1,80}?(?::\1|\1:)\s+(?=\S)")
_ASKING = word_set("who what which why how whose")
"""Words that begin a question; "when" and "where" may begin a condition: "**When it rains:** it is shut."."""


def without_label(marked: str, plain: PlainText, parse: Parse) -> PlainText:
    """The line without its label, where that asks or commands and a statement follows it.

    `plain` is the line `marked` without markup. A command with a number or a name stays: it is a claim. So
    does what may be a noun: "**Sauna:**", "**Check-out:**".
    """
    found = _LABEL.match(marked)
    if found is None:
        return plain
    end = sum(at < found.end() for at in plain.offsets)
    label, rest = plain.text[:end].rstrip(" :"), plain.text[end:]
    if not (label and rest and has_subject(Tree(repaired(parse(rest))))):
        return plain
    tree = Tree(repaired(parse(label)))
    asks = tree.words[0].lower in _ASKING and finite(tree)
    commands = requests(tree) and "-" not in label and not is_concrete(label)
    return plain.without([(0, end)]) if asks or commands else plain
