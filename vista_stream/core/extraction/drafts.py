"""Makes drafts of claims from clauses and whole lines: their text, span and kind."""

from __future__ import annotations

import re
from dataclasses import replace

from vista_stream.claims import ClaimKind, Draft
from vista_stream.core.extraction.credits import credits_in
from vista_stream.core.extraction.kinds import is_concrete, kind_of
from vista_stream.core.extraction.openers import Opening, opening
from vista_stream.core.extraction.phrases import Clause
from vista_stream.core.extraction.resolution import Resolution
from vista_stream.core.text.plaintext import PlainText

_ABBREVIATED = re.compile(r"(?<=\bapprox)\.(?= )|(?<=\bincl)\.(?= )|(?<=\bexcl)\.(?= )", re.IGNORECASE)
_NUMBERED = re.compile(r"(?<= )\((?:\d{1,2}|[a-h]|[ivx]{1,4})\) (?=\w)")
_UNJUDGED = (ClaimKind.RECOMMENDATION, ClaimKind.OPINION, ClaimKind.ASSISTANT)
_FEWEST_LETTERS = 5
"""A text with fewer letters is a greeting or an answer, also in a script without spaces."""
_ASKS = re.compile(r"[?？؟;]\W*$")
"""The end of a question, also in Chinese, Arabic and Greek."""


def in_another_language(plain: PlainText) -> list[Draft]:
    """The whole sentence as one claim, so that the report shows that it was not judged.

    Empty for a question or a very short text, which state nothing.
    """
    letters = sum(map(str.isalpha, plain.text))
    told = letters >= _FEWEST_LETTERS or any(map(str.isdigit, plain.text))
    return [whole(plain.text, plain)] if told and not _ASKS.search(plain.text) else []


def credited(drafts: list[Draft]) -> list[Draft]:
    """The drafts, and the facts about works that advice, opinions and statements about oneself imply."""
    facts = [
        replace(draft, text=credit[:1].upper() + credit[1:], kind=ClaimKind.FACT)
        for draft in drafts
        if draft.kind in _UNJUDGED
        for credit in credits_in(draft.text)
    ]
    return [*drafts, *facts]


def led_up_to(clause: Clause, hedge: str) -> tuple[Clause, str]:
    """A clause without its opening words, and its hedge: '…, but I believe that it was built in 1914'."""
    written = clause.write()
    start = opening(written)
    rests = (Clause(clause.pieces[n:]) for n in range(1, len(clause.pieces)))
    rest = next((r for r in rests if len(r.write()) == len(written) - start.skipped), None)
    if not start.skipped or start.asks or rest is None:
        return clause, hedge
    return rest, start.hedge or hedge


def draft_of(clause: Clause, hedge: str, resolution: Resolution, plain: PlainText) -> Draft:
    """The draft of a clause, with its span in the line and its pronouns resolved, but not a command's."""
    words, wording = clause.words, clause.write()
    span = plain.origin(min(w.start for w in words), max(w.end for w in words))
    if clause.begs:
        return Draft(text=wording, span=span, kind=kind_of_command(wording))
    return Draft(text=clause.write(resolution.renames(clause)), span=span, kind=kind_under(wording, hedge))


def kind_of_command(wording: str) -> ClaimKind:
    """The kind of a command: a fact if it holds a number or a name, else advice."""
    return ClaimKind.FACT if is_concrete(wording) else ClaimKind.RECOMMENDATION


def kind_under(wording: str, hedge: str) -> ClaimKind:
    """The kind of a wording; a hedge makes a judgement an OPINION ('I think it is beautiful'), not a fact."""
    hedged = kind_of(hedge + wording) if hedge else ClaimKind.ASSISTANT
    return hedged if hedged is ClaimKind.OPINION else kind_of(wording)


def whole(claim: str, plain: PlainText, kind: ClaimKind = ClaimKind.FACT) -> Draft:
    """The draft of a claim that a whole line makes."""
    text = claim[:1].upper() + claim[1:]
    return Draft(text=text, span=plain.origin(0, len(plain.text)), kind=kind)


def without_numbering(plain: PlainText) -> PlainText:
    """A line without the numbers of several parts in it: "(1) measure it, (2) keep it"."""
    found = [each.span() for each in _NUMBERED.finditer(plain.text)]
    return plain.without(found) if len(found) > 1 else plain


def body_of(plain: PlainText, start: Opening) -> PlainText:
    """A line without what stands before and after its statement."""
    return plain.without([(start.end, len(plain.text)), (0, start.skipped)])


def unstopped_inside(text: str) -> str:
    """The text with a space for the stop of an abbreviation at which a parser would end the sentence."""
    return _ABBREVIATED.sub(" ", text)


def unstopped(value: str) -> str:
    """The value without its full stop, unless that belongs to an abbreviation: '9 a.m. – 6 p.m.'."""
    return value if value.casefold().endswith((" a.m.", " p.m.")) else value.rstrip(".")
