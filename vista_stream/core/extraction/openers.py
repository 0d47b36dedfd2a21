"""Finds the statement in a wording, without the connectives, hedges, courtesies and frames around it."""

from __future__ import annotations

import re
from typing import NamedTuple

from vista_stream.core.extraction.answer_sorts import NO, YES
from vista_stream.core.extraction.greetings import GREETING
from vista_stream.core.extraction.kinds import OFFER, any_of
from vista_stream.core.text.stems import VERB_FORMS

_LINKS = """however therefore thus hence so moreover furthermore additionally besides nevertheless nonetheless
    consequently overall finally also similarly likewise meanwhile instead indeed interestingly notably
    importantly specifically first firstly second secondly third thirdly lastly then actually basically
    certainly sure absolutely definitely yes yeah yep no well oh ah wow okay ok right exactly hi hello
    yup nope nah
    hey thanks sorry done noted true forgive_me excuse_me in_addition as_a_result for_example for_instance
    in_fact in_short in_summary in_conclusion in_other_words in_general to_summarize to_summarise to_sum_up
    to_conclude in_contrast on_the_other_hand in_particular of_course great_question good_question thank_you
    hi_there hello_there no_problem all_right"""
_SO = r"so(?! that (?!(?:is|was|makes|means|costs)\b))"
"""A "so" that links; in "So that it dries, hang it up" it opens a clause of purpose."""
_CONNECTIVE = re.compile(
    rf"(?:{'|'.join(_LINKS.split()).replace('_', ' ')})\s*(?:,|;|!|:|—|–| - |\.\.\.)\s*|(?:and|"
    rf"but|{_SO}|or|yet) (?=\w)|(?:yes|yeah|yep|oh|ah|wow|haha) "
    r"(?=(?:it|he|she|they|there|the|that|this|i)\b)",
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
    "think|believe|guess|bet|suppose|assume|suspect|recall|remember|know|confirm|say|tell you|understand"
)
_VERB = "is|are|was|were|has|had|have|did|does|can|could|will|would"
_ARTICLES = "the|a|an|this|these|those|his|her|its|their"
_POINTING = rf"that(?:['’]s| (?:{_VERB}|makes|means|sounds|seems|works))"
_STATED = rf"{_ARTICLES}|it|he|she|they|there|{_POINTING}|in|on|at|you"
_SURE = (
    r"(?:['’]m| am) (?:(?:pretty|quite|fairly|very|almost|absolutely) )?(?:sure|certain|confident|convinced)"
)
_THINKS = rf"(?:{_SURE}| (?:also |do |really |can |would )?(?:{_BELIEVED})|['’]?m guessing| am guessing)"
_FOUND_OUT = (
    r"(?:(?:['’]?ve| have)(?: also| just| actually| always)?|(?: also| just| actually| once)?) "
    r"(?:heard|read|seen|found(?: out)?|learn(?:ed|t)|been told)"
)
_FEW_WORDS = r"(?:(?!(?:that|which|who|whose|where)\b)[\w'’-]+ ){1,4}?"
_CLAUSE = rf"(?!(?:how|what|who|why|when|where|whether|if|which|of)\b){_FEW_WORDS}(?:{_VERB})\b"
"""The beginning of a clause, recognised by its verb where no capital or article shows it."""
_REPORTED = (
    rf"(?:{_CLAUSE}|(?:it|he|she|they|there)['’](?:s|re|d|ve|ll)\b|(?:during|under|since|after) "
    rf"|{_FEW_WORDS}(?:\w{{3,}}ed|sold|won|made|wrote|became|began|came|took|ran|led|grew|gave|lost)\b)"
)
"""The beginning of a clause that says what was heard or read; "I have read the book" has none."""
_HEDGE = re.compile(
    rf"(?:[Ii]{_THINKS} that (?={_REPORTED})|[Ii]{_THINKS} (?:that )?(?=(?:{_STATED})\b|[A-Z0-9])"
    rf"|i{_THINKS} (?={_CLAUSE})|[Ii]{_FOUND_OUT} (?:that )?(?={_REPORTED})"
    r"|(?:[Aa]s far as [Ii] (?:know|can tell|am aware)|[Ii]f [Ii] (?:remember|recall) correctly"
    r"|[Tt]o (?:the best of )?my knowledge),? )\s*",
)
_SEP = r"\s*(?:[,;:!…]|\.\.\.|\s[–—-]|—)\s*(?:(?:and|but|so) (?=[\w\"“]))?"
_ON = r"(?: (?:for|about) [^,;:.!?—–]{1,60})?"
_TELL = any_of(
    """say tell_you inform_you report confirm let_you_know share announce add mention note point_out
    remind_you clarify stress state"""
)
_LEARN = any_of("know note remember understand realise realize be_aware keep_in_mind bear_in_mind")
_GLAD = any_of("happy glad pleased delighted proud sorry afraid excited thrilled sad")
_MORE = r"(?:any(?:thing)? |much )?more than"
_FORESAID = (
    r"(?: that(?=,? \w)|(?= (?:the|a|an|it|he|she|they|there|this|his|her|its|their|in|on|at)\b)"
    rf"|(?= {_CLAUSE})) ?"
)
_STATES = (
    r"(?=[^\n]{0,300}?(?:\d|\b(?:have|do|can|could|will|would|must|may|cannot|\w{3,}ed|opens|closes|costs|"
    rf"takes|lasts|lies|stands|starts|ends|{'|'.join(sorted(VERB_FORMS))})\b))"
)
"""A lookahead: what follows states something, as it has a verb or a number."""
_CONCRETE = r"(?=[^\n]{0,300}?(?:\d|\b(?!I\b)[A-Z]))"
"""A lookahead: what follows has a number, or a capital, as names have."""
_COURTEOUS = re.compile(
    rf"(?:(?:i )?hope (?:this|that|it) (?:all )?(?:helps(?: you)?(?: out)?|answers your question){_SEP}"
    rf"|(?:good|great|bad|sad) news{_SEP}"
    rf"|it(?: is|['’]s) (?:also )?worth (?:noting|mentioning|knowing){_FORESAID}"
    rf"|(?:thank you|thanks|thx)(?: (?:so|very) much| a lot)?{_ON}{_SEP}"
    rf"|(?:(?:(?:i['’]m|i am|we['’]re|we are) (?:\w+ )?)?sorry|(?:my |our )?apologies|(?:i|we) apologi[sz]e)"
    rf"{_ON}{_SEP}"
    rf"|(?:i|we)(?:['’]m|['’]re| am| are) (?:\w+ )?{_GLAD} to {_TELL}{_FORESAID}"
    r"|(?:i|we)(?:['’]m|['’]re| am| are) (?:\w+ )?(?:afraid|sorry),? (?:that |but )?"
    r"(?!(?:of|to|for|about|if|i|we)\b|(?<=sorry )you\b)"
    rf"|(?:i|we) (?:must|have to|should|want to|need to|ought to|can(?: only|not but|['’]t but)?|cannot but) "
    rf"(?:also )?{_TELL}{_FORESAID}"
    rf"|(?:i|we)(?:['’]d| would) (?:just )?(?:like|love) to {_TELL}{_FORESAID}"
    rf"|(?:i|we)(?:['’]d| would) (?:recommend|suggest|advise) (?:remembering|noting|knowing){_FORESAID}"
    rf"|let me (?:just |also )?{_TELL}{_FORESAID}"
    r"|(?:contrary to|unlike) what (?:i|we) [^,;:.!?]{1,40},\s*"
    r"|it (?:might|may|could|will) (?:(?:also )?interest you|(?:also )?be (?:interesting|useful|helpful)"
    rf"(?: (?:to|for) you)?)(?: to know)?{_FORESAID}"
    rf"|(?:you|one|people|everyone) (?:should|must|may want to|might want to|ought to|need to|needs to)"
    rf"(?: also)? {_LEARN}{_FORESAID}"
    rf"|(?:i|we) (?:can(?:not|['’]t| not)|do(?:n['’]t| not)|could(?:n['’]t| not)) "
    rf"(?:say|tell you|confirm|know|add|share) {_MORE} that "
    r"|(?:i['’]?m |i am )?not (?:(?:really|quite|too|so|entirely|100%|completely) )?(?:sure|certain|positive)"
    r"(?: (?:about|of) (?:it|that|this))?,? but (?!not\b)"
    rf"|(?:all|the only thing) (?:that )?(?:i|we) (?:can (?:say|tell you)|know) is that "
    rf"|please be advised that |rest assured(?: that |, )|trust me, |honestly, |frankly, "
    rf"|to be (?:honest|fair|precise|clear)(?: with you)?, ){_STATES}",
    re.IGNORECASE,
)
"""A courtesy or lead-in before any statement: 'I am happy to tell you that …'."""
_FELT = any_of(
    """great nice good interesting fascinating amazing wonderful cool fun funny sad remarkable impressive
    incredible awesome lovely surprising true"""
)
_DEGREE = r"(?:so |very |really |quite |truly |pretty |just )?"
_MOVED = any_of("surprised amazed happy glad sad shocked delighted pleased excited impressed sorry")
_JUDGING = re.compile(
    rf"(?i:(?:in|from) my (?:humble |personal |honest )?(?:opinion|view|experience|point of view), "
    rf"|personally, |if you ask me, |i(?:['’]m| am) (?:\w+ )?{_GLAD} that "
    rf"|i was (?:\w+ )?{_MOVED} to (?:learn|hear|see|find(?: out)?|read|discover) that "
    rf"|i (?:\w+ )?(?:love|like|hate)(?: the fact)? that "
    rf"|(?:i find it|it(?: is|['’]s)) (?:so |very |really |quite )?{_FELT} (?:to know )?that ){_CONCRETE}",
)
"""A judgement before a statement, such as 'In my opinion, …'; a number or name after it states a fact."""
_JUDGES = "I think that "
_GUESSED = re.compile(r"\b(?:guess|guessing|bet)\b")
"""Words of a guess, which is treated like 'I think that': a guess at a fact is not an opinion."""
_VALUED = re.compile(r"\d|(?<=\w )(?!I\b)[A-Z]\w")
_STATING = re.compile(_STATES, re.IGNORECASE)
_CLAUSE_WORDS = 4
"""Words from which on what precedes ", I think" is a clause, whatever its verb."""
_JOINS = "what than that which how who as where when why and or do so if"
_NO_PART = "".join(rf"(?<!\b{word})" for word in _JOINS.split())
"""Lookbehinds: not after a word that joins what follows to its clause, as in 'more than I think'."""
_TOLD = any_of("know knew say said think believe sure tell told hear heard read learn learnt learned")
_THEREFORE = (
    r"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere),?\s+(?:and )?so i(?:['’](?:m|d|ll|ve)\b"
    r"| (?:am|was|will|would|can|could|have|had|want|need|hope|love|like|try|plan|might|may|should)\b)"
    rf"(?:(?!\b{_TOLD}\b)[^,;:.!?\d]){{1,80}}"
)
"""What the speaker does as a result: '…, so I would take the ferry'. Not with a verb such as 'know', after
which a statement may follow."""
_CLOSER = re.compile(
    rf"(?<=\w)(?:\s*(?:[,;]|\.\.\.|…|\s[–—-]|—)\s*(?:(?:and|but|so) )?(?:"
    rf"(?:thank you|thanks|thx|cheers)(?: (?:so|very) much| a lot)?{_ON}"
    rf"|(?:i )?hope (?:this|that|it) helps(?: you)?|sorry{_ON}|you(?:['’]re| are) welcome"
    rf"|(?:which|that|and (?:that|it))(?: is| was|['’]s) {_DEGREE}{_FELT}(?: (?:to|for) me)?"
    rf"|(?:which|and (?:that|it)) i (?:just |also |really |personally |always )?(?:"
    rf"(?:find|found|think is|thought was) {_DEGREE}{_FELT}|(?:love|loved|like|liked|enjoy|enjoyed))"
    rf"|(?:i['’]m )?(?:glad|happy) to help|enjoy|take care|my friend|to be honest|unfortunately"
    rf"|i(?:['’]m| am) afraid"
    rf"|have an? (?:nice|good|great|lovely|wonderful) (?:day|evening|night|weekend|one|trip|time)"
    rf"|(?P<judged>in my (?:humble |personal )?(?:opinion|view)|if you ask me)"
    rf")|,?\s+(?:(?:ha){{2,9}}h?|ha ha|hehe|lol|lmao|yay|wow)"
    rf"|{_NO_PART},?\s+(?P<believed>i (?:think|believe|guess|suppose|reckon)|if i['’]?(?:m| am) not mistaken"
    rf"|if (?:i (?:remember|recall)|memory serves)(?: me)?(?: correctly| right(?:ly)?)?"
    rf"|as far as i (?:know|can tell|am aware)|to (?:the best of )?my knowledge)"
    rf"|{_THEREFORE})[\s.!:;)]*$",
    re.IGNORECASE,
)
"""A courtesy, laughter, a belief or a judgement of the speaker at a statement's end."""
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
"""Words that begin a question, or a clause that states nothing without the question after it."""


_GREETED = re.compile(rf"{GREETING}{_SEP}", re.IGNORECASE)
_CONCEDED = re.compile(
    rf"(?:{YES}|{NO})(?:[,;]| [–-]|—) ?(?:even )?(?:al)?though (?=[^,;:]+\Z)", re.IGNORECASE
)
"""A yes or no with what joins a statement to it that is the only one: "Nope, though you need a map."."""
_LEADING = (_GREETED, _CONCEDED, _CONNECTIVE, _FRAME, _COURTEOUS)


class Opening(NamedTuple):
    """Where the statement of a wording begins and ends, and what surrounds it."""

    skipped: int
    """Code points before the statement."""
    end: int
    """Code point past the statement; a courtesy, tag question or offer after it is no part of it."""
    hedge: str
    """A hedge such as 'I think that ', as written; 'I think that ' also for 'in my view, '; empty if none."""
    asks: bool
    """Whether the wording is a question that asserts nothing."""


def opening(wording: str) -> Opening:
    """Find the statement in a wording, past any number of connectives, frames and hedges."""
    asked = _ASKED_FACT.match(wording)
    if asked:
        return Opening(asked.end(), len(wording.rstrip(" ?!.")), "", asks=False)
    skipped, hedge = _openers(wording)
    tag = _TAG_QUESTION.search(wording) or _offer(wording, skipped)
    closer = None if tag else _closer(wording, skipped)
    if closer and (closer["judged"] or closer["believed"]):
        hedge = _JUDGES
    cut = tag or closer
    end = cut.start() if cut else len(wording)
    asks = tag is None and _asks(wording)
    return Opening(skipped, max(end, skipped), hedge, asks=asks)


def _offer(wording: str, skipped: int) -> re.Match[str] | None:
    return None if _UNFINISHED.match(wording, skipped) else _OFFER.search(wording, skipped)


def _closer(wording: str, skipped: int) -> re.Match[str] | None:
    """The courtesy at the end of a statement; None where nothing before it states something."""
    found = _CLOSER.search(wording, skipped)
    if found is None:
        return None
    before = wording[skipped : found.start()].split()
    said = found["believed"] is not None and len(before) >= _CLAUSE_WORDS
    if not said and not _STATING.match(wording, skipped, found.start()):
        return None
    return found if not found["judged"] or _VALUED.search(wording, skipped, found.start()) else None


def _asks(wording: str) -> bool:
    """Whether it ends with its own question mark, not with that of a title quoted at the end."""
    bare = wording.rstrip(" !)")
    quoted_last = bare.endswith(('?"', "?”", "?'", "?’"))
    if quoted_last and not bare.startswith(('"', "“", "'", "‘")):
        return False
    return bare.rstrip("\"'”’").endswith("?")


def _hedged(wording: str, at: int, hedge: str) -> tuple[re.Match[str] | None, str]:
    judging = _JUDGING.match(wording, at)
    if judging:
        return judging, _JUDGES
    found = _HEDGE.match(wording, at)
    if found is None:
        return None, hedge
    return found, _JUDGES if _GUESSED.search(found.group()) else found.group()


def _openers(wording: str) -> tuple[int, str]:
    at, hedge = 0, ""
    while True:
        found = next(filter(None, (each.match(wording, at) for each in _LEADING)), None)
        if found is None:
            found, hedge = _hedged(wording, at, hedge)
        if found is None or found.end() == at or found.end() >= len(wording):
            return at, hedge
        at = found.end()
