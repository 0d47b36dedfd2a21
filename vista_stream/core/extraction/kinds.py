"""Tells which kind of statement a wording is, by rules; and which wordings state nothing."""

from __future__ import annotations

import re

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.genders import is_first_name
from vista_stream.core.extraction.greetings import GREETING, INTERJECTION, PRAISE
from vista_stream.core.extraction.speakers import without_named


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{a})" for a in alternatives), re.IGNORECASE)


def any_of(words: str) -> str:
    """A group that matches one of the words; an underscore stands for a space."""
    return f"(?:{'|'.join(words.split())})".replace("_", " ")


_LESS = rf"(?:{any_of('really actually currently just simply also personally still sorry quite so too')} )*"
_CANNOT = (
    r"(?:can(?:no|['’])t|can not|could(?:n['’]t| not)|(?:am|['’]m) (?:not |un)able to|am not allowed to)"
)
_NOT = r"(?:do(?:n['’]t| not))"
_AM = r"(?: am|['’]m)"
_MATTER = any_of(
    "information knowledge data access details idea answer clue context record list evidence mention"
)
_SOURCE = any_of(
    """documents? contexts? texts? passages? articles? sources? references? information data excerpts?
    snippets? search_results? files?"""
)
_GIVEN = any_of("provided given available retrieved supplied attached above")
_AT_HAND = (
    rf"(?:(?:{_GIVEN} )+(?:\w+ )?{_SOURCE}|{_SOURCE} (?:that (?:is|are|was|were) |you )?{_GIVEN}|"
    rf"(?:this|these|your) {_SOURCE}|{any_of('documents? contexts? passages? texts? search_results?')})\b"
)
"""The documents that the assistant was given; 'the article' alone may be what the answer is about."""
_UNDERTAKE = any_of(
    """help assist answer provide give find tell offer access browse comply confirm determine verify do_that
    share discuss create generate fulfil recommend predict say comment see be_sure locate perform support
    engage speak express make write identify continue produce explain"""
)
_UNSURE = any_of(
    """sure certain aware_of familiar_with able capable programmed designed qualified allowed permitted
    in_a_position"""
)
_SOME = r"[^.]{0,200}"
"""The rest of a sentence, with a bound, without which matching takes quadratic time."""
_WANTING = (
    r"(?:\b(?:insufficient|unclear|unknown)\b|(?:\b(?:no|not|cannot)\b|n['’]t\b)[^.]{0,40}\b(?:information|evidence|"
    r"answer|enough|possible|clear|specific|specified|mention|mentioned|stated|determined?|provided?|confirmed|"
    r"verified|indicated?|details?|known|sufficient)\b)"
)
_MACHINE = r"(?:\w+ )?(?:AI|artificial intelligence|(?:large |AI )?language model|virtual assistant|chatbot)"
_LACKS = (
    r"(?:do(?:es)?(?:n['’]t| not)|did(?:n['’]t| not)|lacks?|(?:is|are) (?:unclear|insufficient|incomplete)|"
    r"contains? no|provides? no|makes? no)"
)
_SAY = any_of("mention contain provide specify state say include give have information details? answer clear")
_UNCLEAR = (
    r"\bit(?: is|['’]s) (?:not (?:possible|clear|known|specified|explicitly stated|mentioned)|unclear|"
    r"unknown|impossible)\b"
)
_OPEN = (
    r"\b(?:cannot|can['’]?t|could not) be (?:accurately |definitively )?"
    r"(?:determined|answered|verified|confirmed)\b"
)
_REFUSAL = _pattern(
    rf"\bI {_LESS}{_NOT} {_LESS}(?:know\b(?! that\b)|understand (?:the|your)|recall\b|remember\b)",
    rf"\bI {_LESS}{_NOT} {_LESS}have (?:[\w’'-]+ ){{0,4}}{_MATTER}\b|\bI {_NOT} (?:possess|"
    rf"hold|experience|feel)\b",
    rf"\bI {_NOT} have (?:an?|the|any) specific\b|\bI have no (?:\w+ )?(?:{_MATTER}|way of knowing)",
    rf"\bI {_LESS}{_CANNOT} {_LESS}(?:\w+ly )?{_UNDERTAKE}\b|\bI won['’]t be able\b",
    rf"\bI{_AM} {_LESS}(?:not (?:\w+ )?{_UNSURE}|unsure|uncertain|unaware of|unfamiliar with|unable)\b",
    rf"\bas an? {_MACHINE}\b{_SOME}\b(?:I|my)\b{_SOME}(?:not|n['’]t|unable|no |only|cannot)",
    rf"\bI{_AM} (?:just |only |simply )?an? {_MACHINE}\b{_SOME}(?:not|n['’]t|unable|no |cannot|only)",
    rf"\bthere (?:is|are|was|were) (?:no|not (?:any|enough)|insufficient|n['’]t (?:any|enough)) [^.]{{0,40}}?"
    rf"{_MATTER}(?:{_SOME}\b(?:{_AT_HAND}|question)|{_SOME}\b(?:provided|given|available)\W*$"
    r"| (?:(?:is|was|are|were) )?(?:provided|given|available)\b)",
    rf"\b{_AT_HAND} {_LACKS} (?:\w+ )?{_SAY}",
    rf"\b{_SOURCE} {_LACKS} (?:\w+ )?{_SAY} (?:\w+ ){{0,3}}(?:information|details?|answer)\b",
    r"\bnone of the (?:provided |given )\w+ (?:provide|mention|contain|state|give)s?\b",
    rf"\b{_AT_HAND}{_SOME}(?:{_UNCLEAR}|{_OPEN})",
    rf"(?:{_UNCLEAR}|{_OPEN}){_SOME}\b(?:{_AT_HAND}|(?:for|to) me\b)",
    rf"^based on (?:the|this|these) (?:{_AT_HAND}|information\b){_SOME}{_WANTING}",
    rf"\b(?:answer|question)\b[^.]{{0,60}}{_OPEN}",
    r"\bnot (?:explicitly |specifically )?(?:stated|mentioned|specified|given) in "
    rf"(?:the |any of the )?{_AT_HAND}",
    r"(?<!was )(?<!were )(?<!had )\b(?:insufficient|not enough) (?:\w+ )?"
    rf"(?:information|context|details?|data)\b(?=\W*$|{_SOME}\b(?:{_AT_HAND}|answer|determine|say|tell|confirm|verify|provide|give|respond)\b)",
    r"^the answer is unknown\b",
    r"\b(?:sorry|apologi[sz]e)\b[^.]{0,30}\bI\b[^.]{0,20}(?:can['’]?not|can['’]t|do not|"
    r"don['’]t|am unable|could)",
    r"\bI (?:(?:must|have to|need to|will have to) (?:decline|refuse)|would (?:rather|"
    r"prefer) not|['’]d rather not)",
    rf"\b(?:could you|can you|please) (?:please )?(?:provide|clarify|specify|give){_SOME}(?:more|"
    r"further|context|which)",
    r"\bmy (?:knowledge|training)(?: data)? (?:cut-?off|only|does|is limited|goes|ends)",
)
_THIRD_PERSON = re.compile(
    r"^(?:the (?:assistant|wizard|speaker|chatbot|bot|agent|guide|apprentice)|person [AB]) "
    r"(?P<verb>is|has|does|isn['’]t|doesn['’]t|cannot|can['’]t|could not|couldn['’]t|will not|won['’]t|"
    r"declines|refuses|must|would)\b",
    re.IGNORECASE,
)
_FIRST = {"is": "am", "has": "have", "does": "do", "declines": "must decline", "refuses": "must refuse"}
_ADVISABLE = any_of(
    "best better advisable recommended a_good_idea wise helpful worth important essential crucial"
)
_NO_VERB = r"(?:(?:the|an?|its|his|her|their|our|this|these|those|all|both)\b|\w+(?:sis|ness|ity|ism)\b)"
"""A noun after "important to", to which something is important; a verb there would be advice."""
_RECOMMENDATION = _pattern(
    r"\b(?:you|one|people|everyone|we) (?:\w+ )?(?:should|ought to|might want to|may want to|"
    r"had better|(?:can|could) (?:also )?(?:try|consider|start))\b|\byou['’]d better\b",
    r"\bI(?:['’]d| would)? (?:\w+ )?(?:recommend|suggest|advise|encourage)\b",
    rf"\bit(?: is|['’]s| would be| may be| might be) (?:\w+ )?{_ADVISABLE} "
    rf"(?:to(?! {_NO_VERB})|that you|if you|for you)\b",
    r"(?:^|[,;:] |\b(?:and|please|also|always|just|you|should|must|but|so|then) )make sure (?:to|that|you)\b",
    r"\bif I were you\b",
    r"\byou(?:['’]d| would) (?:want|do well) to\b|\bI hope you (?:can|will)\b",
)
_OPINION = _pattern(
    r"\bin my (?:humble |personal )?(?:opinion|view|experience)\b|^personally,|\bif you ask me\b",
    rf"\bI{_AM} (?:\w+ )?(?:glad|happy|sorry|excited|a (?:\w+ )?fan|interested|curious|afraid|"
    rf"bored|tired|proud|"
    r"surprised|jealous|looking forward|thinking|doing|good|fine|great|well|ok|okay)\b",
    r"\bI(?:['’]d| would)? (?:\w+ )?(?:love|like|hate|enjoy|prefer|adore|dislike|hope|wish|"
    r"feel|bet|agree|disagree|"
    r"wonder|imagine|appreciate|want|admire|miss)d?\b|\bI (?:\w+ )?(?:enjoyed|wanted|missed|felt|guess)\b",
    r"(?:^|\b(?:you|and|please|do) )have (?:an? (?:\w+ )?|(?:great|good|nice|lovely) )"
    r"(?:day|night|evening|weekend|time|one)\b(?! (?:off|limit|slot|zone|of)\b)",
    r"\bthank(?:s(?! to\b)| you)\b|(?:^|[,.!] )take care\b(?! of\b)|\btake care\W*$",
    r"\b(?:nice|good|great|lovely|pleasure) (?:to (?:meet|talk|chat|hear)|meeting|talking|chatting)",
    r"\byou(?:['’]re| are) welcome\b(?! to\b)|^(?:I['’]m sorry|sorry)\b",
)
_FIRST_PERSON = re.compile(
    r"\b(?:I(?![./-]\w)|I['’]\w+|im|ive|me|my|myself|we|we['’]\w+|our|ours|us|let['’]s|(?:^lets)|"
    r"(?:of|is|was|are|were|be|than|like|not|s) mine|(?<!.)mine)\b",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(
    r"(?:(?:well|sometimes|maybe|and|but|so|or|then|oh|yeah),? )?"
    r"(?:you|you['’]\w+|your|yours|yourself|u|ur)\b",
    re.IGNORECASE,
)
_OF_USER = re.compile(
    r"your\b|(?:u|ur|yours)\b|(?:\w+,? )?you(?:['’]re| are| were| sound| seem| look| feel| have an?| own|"
    r" (?:\w+ )?(?:like|love|enjoy|hate|want|prefer|think|asked|said|told|mentioned|wrote|ordered|bought|"
    r"live|grew))\b",
    re.IGNORECASE,
)
"""Statements about the user; otherwise, what "you" must, may or will do is a rule for everybody."""
_NUMBER = r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|free|refund|discount)\b)"
_TERMS = any_of(
    """warranty guarantee refund order delivery shipment package parcel subscription plan policy contract
    account membership booking reservation ticket coverage insurance deposit payment invoice fee card loan
    prescription dose visa passport licen[cs]e appointment purchase item product device flight train stay
    check-?(?:in|out) baggage luggage tariff rate bill balance allowance quota limit trial"""
)
_MAY = any_of(
    """can may could must will cannot can['’]t won['’]t mustn['’]t shouldn['’]t needn['’]t need_to have_to
    (?:do_not|don['’]t)_(?:need|have)_to get receive pay save should ought_to"""
)
_ENTITLED = any_of("entitled eligible required allowed permitted covered guaranteed obliged welcome_to")
_PROMISE = _pattern(
    rf"^you(?:['’]ll)? (?:\w+ )?{_MAY}\b.*{_NUMBER}",
    r"^you have (?:\w+ ){0,3}(?:days?|hours?|weeks?|months?|years?)\b",
    rf"^(?:you|your [\w ’'-]{{1,60}}?)(?:['’]re| are| is) (?:\w+ )?{_ENTITLED}\b",
    rf"^your (?:[\w-]+ ){{0,3}}{_TERMS}s?\b",
    rf"^your (?:[\w’'-]+ ){{1,6}}?{_MAY}\b.*{_NUMBER}",
)
"""What users are told that they have or may do. If false, these cost a firm that has customers most."""
_RULE = re.compile(
    r"you(?:['’]ll)? (?:will|must|need to|have to|may|are required to|cannot|can['’]t) "
    r"(?!(?:\w+ )?(?:love|like|enjoy|want|feel|find|see|be (?:glad|happy|fine|surprised|sorry|able))\b)",
    re.IGNORECASE,
)
"""A rule for everybody: "You need to know Java before you enrol"."""
_COUNT = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|"
    r"sixty|ninety|hundred|once|twice|half)\b"
)
_UNIT = any_of(
    """percent degrees? (?:(?:business|working|calendar)_)?days? hours? minutes? seconds? weeks? months?
    years? mg ml mcg µg IU g grams? kg km met(?:re|er)s? miles? cm mm lit(?:re|er)s? tablets? pills?
    capsules? doses? drops? times tea_?spoons? table_?spoons? cups? dollars? euros? pounds? [ap]\\.?m"""
)
_MEASURE = _pattern(
    rf"(?:(?<![\d.,])[.,]*\d|{_COUNT})[\d.,]*\+?[ -]?(?:(?:a|to \w{{1,9}}|or \w{{1,9}}) )?{_UNIT}\b",
    r"\d\s?[%°]|[$£€]\s?\d",
)
"""An amount that advice may give: "take three tablets", "return it within 90 days"."""
_PICTURES = r"☀-➿\U0001F300-\U0001FAFF\uFE0F"
"""Emoji, as a part of a set of characters."""
_SMILE = re.compile(rf"(?<!\s)\s*(?:[:;]-?[()DPp](?!\w)|[{_PICTURES}])+")
_ENDING_REVERSED = re.compile(r"(?:[DPp]-?[:;]|\W)*")
"""What follows the last word, smiles included, read from the end: a search for it takes quadratic time."""
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_US = re.compile(r"\bUS\b|(?<=\bthe )us\b")
_PRESUPPOSING = _pattern(rf"\bI (?:did(?:n['’]t| not)|{_NOT}) (?:know|reali[sz]e) that\b")

_STATED = r"(?:[\w'’-]+ ){1,4}?(?:is|are|was|were|has|had|does|did|can|will)\b"
_REST = (
    r"(?:(?![;:]|[.!?] |,? (?:which|who|where|whose|but|because|since)\b|"
    rf",? (?:and )?(?:the|it|its|there) {_STATED}).)*+"
)
"""The rest of an offer, up to a clause that states something."""
_TELLING = r"(?:ask|reach|contact|call|write|message|get|let|share|tell|reply|drop|come)\b"
OFFER = rf"(?:let me know if |feel free to {_TELLING}|I['’](?:d|ll) be happy to help){_REST}"
"""A pattern of an offer before a statement: 'Let me know if you need more; the shop is open.'"""
_COURTESY = any_of(
    """sorry_(?:about|to_hear)(?:_[a-z]+)*+ thanks_for(?:_[a-z]+)*+
    hi hello hey greetings good_(?:morning|afternoon|evening|day|night|luck) goodnight bye goodbye
    see_(?:you|ya) farewell welcome thank_you thanks? thx cheers you['’]re_welcome my_pleasure
    no_problem sure(?:_thing)? of_course certainly absolutely definitely great_question good_question
    excellent_question great okay ok alright got_it i_see right yes no yeah yep yup nope nah please sorry
    congratulations indeed exactly enjoy (?:happy|glad)_to_help (?:i_)?hope_(?:this|that|it)_helps
    have_an?_(?:nice|good|great|lovely|wonderful|safe)_(?:day|evening|night|weekend|trip|time|one)
    oh_no what_a_(?:pity|shame) too_bad
    let_me_know how_can_i_help.* here(?:['’]s|_is|_are|_you_go|_it_is)"""
    r"""(?:_(?!why)(?:(?!,?_(?:which|who|where|whose|because|since)\b)[^.:;])*+)?"""
)
_NEXT_COURTESY = re.compile(
    rf"(?:{OFFER}|{GREETING}|{PRAISE}|{INTERJECTION}|{_COURTESY}\b)"
    rf"(?:[ ,!.…–—{_PICTURES}-]+"
    r"(?:there|again|so much|very much|everyone|all|friend|then|you|too|to you)\b)*+"
    rf"[ ,!.…:;–—{_PICTURES}-]*+",
    re.IGNORECASE,
)

_IGNORANT = re.compile(
    r"(?:(?:i(?:['’]ve| have)? )?no (?:idea|clue)|beats me|dunno|idk)\b(?: (?:what|who|where|when|why|how|"
    r"which|if|whether|about)\b(?:(?!(?:and|but|because)\b)[^,;:.–—])*)?\W*",
    re.IGNORECASE,
)
"""A whole sentence that only says that the assistant does not know: "No idea where it is from"."""


def certain_kind(wording: str) -> ClaimKind | None:
    """The kind of a wording where a rule is certain; None where a trained classifier must decide."""
    said = _bare(wording)
    if _REFUSAL.search(_as_said(said)):
        return ClaimKind.REFUSAL
    if _PROMISE.search(said) or _RULE.match(said) or (_RECOMMENDATION.search(said) and _MEASURE.search(said)):
        return ClaimKind.FACT
    return None


def kind_of(wording: str) -> ClaimKind:
    """The kind of a claim by rules alone, for use without a trained classifier.

    `wording` is the assistant's own, with 'I' not yet replaced by 'the assistant'. A hedge does not make an
    opinion: 'I think that Paris is in France' is ASSISTANT, and a FACT if the caller removes the hedge first.
    A statement about the user is ASSISTANT, since the common ground may decide it. What a user is promised,
    must or may do is a FACT. So is advice with an amount: where nothing decides it, evidence is lacking.
    """
    said = _bare(wording)
    if _PRESUPPOSING.search(said):
        return ClaimKind.ASSISTANT
    if _REFUSAL.search(said):
        return ClaimKind.REFUSAL
    if _RECOMMENDATION.search(said) and not _MEASURE.search(said):
        return ClaimKind.RECOMMENDATION
    if _OPINION.search(said):
        return ClaimKind.OPINION
    if _FIRST_PERSON.search(said):
        return ClaimKind.ASSISTANT
    personal = _SECOND_PERSON.match(said) and _OF_USER.match(said) and not _PROMISE.search(said)
    return ClaimKind.ASSISTANT if personal else ClaimKind.FACT


def _as_said(claim: str) -> str:
    """What a claim about the assistant, under any name, is in its own words: "The wizard has" is "I have"."""

    def first_person(found: re.Match[str]) -> str:
        verb = found["verb"].lower().replace("isn", "is n").replace("doesn", "does n")
        stem, _, rest = verb.partition(" ")
        return f"I {_FIRST.get(stem, stem)}{' not' if rest else ''}"

    return _THIRD_PERSON.sub(first_person, claim)


def _sober(wording: str) -> str:
    """The wording without the smiles after its last word."""
    ending = _ENDING_REVERSED.match(wording[::-1])
    end = len(wording) - (ending.end() if ending else 0)
    return wording[:end] + _SMILE.sub("", wording[end:])


def _bare(wording: str) -> str:
    said = without_named(_US.sub("", _QUOTED.sub("", _sober(wording)))).lstrip()
    return said.lower() if said.isupper() else said


_CONCRETE = re.compile(rf"\d|(?i:{_COUNT})|(?<=\w )(?!I\b|I['’])[A-Z]\w")


def is_concrete(wording: str) -> bool:
    """Whether the wording has a number, or a capitalised word after its first word."""
    return _CONCRETE.search(wording) is not None


def is_courtesy(wording: str) -> bool:
    """Whether the whole wording is a greeting, thanks, farewell, assent or an offer of help."""
    said, at = _sober(wording).strip(), 0
    while found := _NEXT_COURTESY.match(said, at):  # one by one, which needs no backtracking
        if found["called"] and not is_first_name(found["called"].lower()):
            return False
        at = found.end()
    return 0 < at == len(said)


def is_ignorance(wording: str, start: int = 0) -> bool:
    """Whether the wording from `start` on only says that the assistant does not know."""
    return _IGNORANT.fullmatch(wording, start) is not None
