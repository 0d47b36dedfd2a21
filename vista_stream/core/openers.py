"""What stands before the statement proper: connectives, hedges, frames that assert what follows them."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINKS = """however therefore thus hence so moreover furthermore additionally besides nevertheless nonetheless
    consequently overall finally also similarly likewise meanwhile instead indeed interestingly notably
    importantly specifically first firstly second secondly third thirdly lastly then actually basically
    certainly sure absolutely definitely yes yeah yep no well oh ah wow okay ok right exactly hi hello
    hey thanks sorry in_addition as_a_result for_example for_instance in_fact in_short in_summary
    in_conclusion in_other_words in_general to_summarize to_summarise to_sum_up to_conclude in_contrast
    on_the_other_hand in_particular of_course great_question good_question thank_you hi_there
    hello_there"""
_CONNECTIVE = re.compile(
    rf"(?:{'|'.join(_LINKS.split()).replace('_', ' ')})\s*(?:,|!|:|—|–| - |\.\.\.)\s*|(?:and|"
    r"but|so|or|yet) (?=\w)",
    re.IGNORECASE,
)
_TOLD = (
    "noted?|noting|mention(?:ed|ing)?|remember(?:ed|ing)?|emphasi[sz](?:e|ed|ing)|point(?:ed|ing)? out|know|"
    "recogni[sz]e|understand|add(?:ing)?|acknowledge"
)
_CERTAIN = "true|a fact|clear|evident|obvious|well[ -]known|certain|indisputable|no secret"
_FRAME = re.compile(
    r"(?:(?:please )?(?:note|remember|keep in mind|be aware) that"
    r"|it(?: is|['’]s| should be| must be)(?: also)? (?:(?:very |especially )?"
    rf"(?:important|worth|interesting|useful|helpful|essential|crucial|necessary) (?:to )?)?(?:{_TOLD}) that"
    rf"|it(?: is|['’]s) (?:{_CERTAIN}) that|it turns out that|the (?:fact|truth) is(?: that|,)"
    r"|as (?:you|we) (?:may |might |probably )?know,"
    r"|as (?:you )?(?:mentioned|stated|noted)(?: (?:above|earlier|before))?,)\s*",
    re.IGNORECASE,
)
_BELIEVED = (
    "think|believe|guess|suppose|assume|suspect|recall|remember|know|heard|confirm|say|tell you|understand"
)
_STATED = "the|a|an|it|he|she|they|there|this|that|these|those|his|her|its|their|in|on|at|you"
_SURE = (
    r"(?:['’]m| am) (?:(?:pretty|quite|fairly|very|almost|absolutely) )?(?:sure|certain|confident|convinced)"
)
_THINKS = rf"(?:{_SURE}| (?:also |do |really |can |would )?(?:{_BELIEVED}))"
_VERB = "is|are|was|were|has|had|have|did|does|can|could|will|would"
_CLAUSE = rf"(?!(?:how|what|who|why|when|where|whether|if|which|of)\b)(?:[\w'’-]+ ){{1,4}}?(?:{_VERB})\b"
"""What reads as a statement where neither a capital nor an article shows that one begins."""
_HEDGE = re.compile(
    rf"(?:[Ii]{_THINKS} that (?={_CLAUSE})|[Ii]{_THINKS} (?:that )?(?=(?:{_STATED})\b|[A-Z0-9])"
    rf"|i{_THINKS} (?={_CLAUSE})"
    r"|(?:[Aa]s far as [Ii] (?:know|can tell|am aware)|[Ii]f [Ii] (?:remember|recall) correctly"
    r"|[Tt]o (?:the best of )?my knowledge),? )\s*",
)
_ASKED_FACT = re.compile(
    r"(?:did you know|are you aware|don['’]t you know)(?: that)? (?=.*\?\W*$)", re.IGNORECASE
)
_TAG_QUESTION = re.compile(
    r",\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n['’]t)?\s+"
    r"(?:it|he|she|they|we|you|there)\s*\?+\s*$|,\s*(?:right|correct|no|yes)\s*\?+\s*$",
    re.IGNORECASE,
)


class Opening(NamedTuple):
    """How much of a wording stands before and after its statement."""

    skipped: int
    """Code points before the statement."""
    end: int
    """Where the statement ends: a tag question is no part of it."""
    hedge: str
    """'I think that ' and the like, as it stood; empty where there is none."""
    asks: bool
    """A question that asserts nothing."""


def opening(wording: str) -> Opening:
    """Find the statement in a wording, past connectives, frames and hedges, which may stand in a row."""
    asked = _ASKED_FACT.match(wording)
    if asked:
        return Opening(asked.end(), len(wording.rstrip(" ?!.")), "", asks=False)
    end = len(wording)
    tag = _TAG_QUESTION.search(wording)
    if tag:
        end = tag.start()
    skipped, hedge = _openers(wording)
    asks = tag is None and _asks(wording)
    return Opening(skipped, max(end, skipped), hedge, asks=asks)


def _asks(wording: str) -> bool:
    """Whether it ends in a question mark of its own, not in one of a title that it quotes last."""
    bare = wording.rstrip(" !)")
    quoted_last = bare.endswith(('?"', "?”", "?'", "?’"))
    if quoted_last and not bare.startswith(('"', "“", "'", "‘")):
        return False
    return bare.rstrip("\"'”’").endswith("?")


def _openers(wording: str) -> tuple[int, str]:
    at, hedge = 0, ""
    while True:
        found = _CONNECTIVE.match(wording, at) or _FRAME.match(wording, at)
        if found is None:
            found = _HEDGE.match(wording, at)
            hedge = found.group() if found else hedge
        if found is None or found.end() == at or found.end() >= len(wording):
            return at, hedge
        at = found.end()
