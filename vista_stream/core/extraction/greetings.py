"""Patterns of what is said to the one who asked, before an answer: greetings with a name, interjections."""

from __future__ import annotations

_TITLED = r"(?-i:(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Doctor|Sir|Lady)\.? )"
_FIRST_NAME = r"(?-i:(?!(?:Yes|Yeah|Yep|No|Nope|None|It|The|In|At|On)\b)[A-Z][\w'’-]*)"
_NAME = rf"{_TITLED}?{_FIRST_NAME}(?: (?-i:[A-Z])[\w'’-]*){{0,2}}"
_PEOPLE = (
    r"(?:(?:all|our|my) )*(?:dear |valued )*(?:folks|guys|team|mate|buddy|sir(?: or madam)?|madam|everybody"
    r"|ladies and gentlemen|(?:friend|customer|guest|visitor|reader|colleague|member|user|student)s?)"
)
_HAILS = r"(?:hi+|hello|hiya|hola|greetings|welcome(?: back)?|good (?:morning|afternoon|evening|day))"
_ENDS = r"(?=\s*(?:[,!.:;…–—]|$))"
_ENDS_CALLING = r"(?=\s*[,!:–—])"
"""The end of a greeting that could be a title or an answer if it ended with a full stop: "Hey Jude."."""
_JUDGED = (
    r"(?:(?:that(?:['’]s| is)|what) (?:an? )?)?(?:very |really )?(?:good|great|nice|interesting|excellent"
    r"|fascinating|fair|tricky|tough|fun|lovely|wonderful|important) (?:questions?|point)"
)
GREETING = (
    rf"(?:{_HAILS} {_NAME}{_ENDS}|(?:{_HAILS}|hey+),? (?:{_TITLED}{_NAME}|{_PEOPLE}){_ENDS}"
    rf"|(?:{_HAILS}|hey+),? {_NAME}{_ENDS_CALLING}|dear (?:[\w'’-]+\.? ){{0,3}}[\w'’-]+{_ENDS_CALLING}"
    rf"|(?:good old|poor|lucky) {_NAME}(?=!)|@[\w-]+{_ENDS})"
)
"""A greeting with the name of the one it is for, up to the mark behind it."""
PRAISE = (
    rf"(?:(?:{_JUDGED}|thanks|thank you|no worries|no problem),? {_TITLED}?(?P<called>{_FIRST_NAME}){_ENDS})"
)
"""Praise or thanks with a name; one that is no first name is an answer: "Good question, Berlin."."""
INTERJECTION = (
    rf"(?:{_JUDGED}|h+m+|wow|a+h|oh|aha|uh|u+m|ooh|oops|phew|whoa|well|so|no worries|not a problem"
    r"|fair enough|understood|noted|(?:just )?(?:one|a) (?:moment|sec)(?: please)?|just a (?:second|minute)"
    r"|hang on|hold on)\b"
)
"""A word or two that answer nothing."""
