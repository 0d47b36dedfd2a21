"""What stands before the statement proper: connectives, hedges, frames that assert what follows them."""

from __future__ import annotations

import re
from typing import NamedTuple

from vista_stream.core.kinds import OFFER

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
    r"|as (?:you )?(?:mentioned|stated|noted)(?: (?:above|earlier|before))?,"
    rf"|{OFFER}(?:;|,? and |, )(?!(?:which|who|where|whose|because|since)\b)"
    r"|here(?: is| are|['’]s) (?:(?=[^:]*\b(?:I|you|we|what|how|which|that|who)\b)[^:.!?]{1,80}:\s+(?=\S)"
    r"|(?=[^:.!?]{1,80}:\s+\S)))\s*",
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
_OFFER = re.compile(
    r"(?<=\w)[\"'”’)\]]*\s*(?:[,;]|\.\.\.|…|\s[–—-]|—)\s*(?:(?:but|and|so|or) )?"
    r"(?:would|do|did|shall|can|could|may|should|are|have|will|how|what)(?:n['’]t)? (?:about )?(?:you|I|we)\b"
    r"[^,;?]*\?+\W*$",
    re.IGNORECASE,
)
"""A question to the user at a statement's end: '…, would you like to know more?'"""
_UNFINISHED = re.compile(
    r"(?:if|when|whenever|while|as|since|because|although|though|once|after|before|until|unless|for|in|on|at|"
    r"with|without|given|what|who|whom|whose|which|where|why|how|is|are|was|were|do|does|did|can|could|would|"
    r"will|shall|should|may|have|has|had)\b",
    re.IGNORECASE,
)
"""What opens with this states nothing without the question that follows it, or is one."""


class Opening(NamedTuple):
    """How much of a wording stands before and after its statement."""

    skipped: int
    """Code points before the statement."""
    end: int
    """Where the statement ends: a tag question or a question to the user is no part of it."""
    hedge: str
    """'I think that ' and the like, as it stood; empty where there is none."""
    asks: bool
    """A question that asserts nothing."""


def opening(wording: str) -> Opening:
    """Find the statement in a wording, past connectives, frames and hedges, which may stand in a row."""
    asked = _ASKED_FACT.match(wording)
    if asked:
        return Opening(asked.end(), len(wording.rstrip(" ?!.")), "", asks=False)
    skipped, hedge = _openers(wording)
    tag = _TAG_QUESTION.search(wording) or _offer(wording, skipped)
    end = tag.start() if tag else len(wording)
    asks = tag is None and _asks(wording)
    return Opening(skipped, max(end, skipped), hedge, asks=asks)


def _offer(wording: str, skipped: int) -> re.Match[str] | None:
    return None if _UNFINISHED.match(wording, skipped) else _OFFER.search(wording, skipped)


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
