"""Cuts a sentence into words as written, with the punctuation and the other signs beside each."""

from __future__ import annotations

import re
import unicodedata

from vista_stream.core.rules.dates import SHORT_MONTHS
from vista_stream.core.text.units import GLUED

_REPLACED = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "−": "-", "‑": "-", "\xa0": " "})


def _joined(digits: re.Match[str]) -> str:
    return re.sub("[ ']", "", digits.group())


_GLUED = "|".join(map(re.escape, GLUED))
_SPEEDS = "|".join(re.escape(unit) for unit in GLUED if "/" in unit)
_REWRITES = [
    (re.compile(pattern, flags), replacement)
    for pattern, replacement, flags in (
        (r"-(?:LRB|LSB)-", "(", 0),
        (r"-(?:RRB|RSB)-", ")", 0),
        (r"''|\*\*|__", "", 0),
        (r"(?<!\s)\s+('(?:s|re|ve|ll|d|m)\b|n't\b)", r"\1", re.I),
        (r"\bwon't\b", "will not", re.I),
        (r"\bcan(?:no|')t\b", "can not", re.I),
        (r"n't\b", " not", re.I),
        (r"\b(it|that|there)'s\b", r"\1 is", re.I),
        (r"(?<![\d%])(\s)[–‒—](?=[$£€¥₹]?\d)", r"\1-", 0),
        (r"\s-+\s", " – ", 0),
        (r"US\$", "$", 0),
        (r"\bNo\. ?(?=\d)", "number ", 0),  # no negation
        (rf"\b({'|'.join(SHORT_MONTHS)})\. ?(?=\d)", r"\1 ", re.I),  # no end of a sentence
        (r"(?<!\d )\bminus (?=\d)", "-", re.I),
        (r"([$£€¥₹]\s?[\d.,]*\d)(?:m|mn)\b", r"\1 million", re.I),
        (r"([$£€¥₹]\s?[\d.,]*\d)b\b", r"\1 billion", re.I),
        (r"([$£€¥₹]\s?[\d.,]*\d)k\b", r"\1 thousand", re.I),
        (r"(?<=\d)(?=(?:bn|million|billion|trillion|thousand)\b)", " ", re.I),
        (r"(?<=[\d%])\s*–\s*(?=(?:[A-Z]{0,2}[$£€¥₹])?\d)", " to ", 0),
        (r"(?<=\d)-(?=[A-Z]{0,2}[$£€¥₹]\d)|(?<=%)-(?=\d)", " to ", 0),
        (r"(?<![\d-])(\d+(?:\.\d+)?)-(?=\d+(?:\.\d+)?(?![\d-]))", r"\1 to ", 0),
        (r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", 0),
        (r"(?<=\d)-(?=[^\W\d_])", " ", 0),
        (rf"(?<=\d)(?=(?:{_GLUED}|%|°)(?![\w]))", " ", 0),
        (rf"(?<=\d)(?! ?(?:{_SPEEDS})\b)( ?(?:{_GLUED}|[$£€%]))?/(?=(?:{_GLUED}|s)\b)", r"\1 per ", 0),
        (r"\bper cent\b", "percent", re.I),
        (r"(?<=\d)( ?(?:h|hours?)) ([0-5]\d)(?=[.,;)]*(?:\s+(?:and|or)\b|$))", r"\1 \2 min", re.I),
        (
            r"(\d) (euros?|dollars?) (\d\d)(?=[.,;)]*(?:\s+(?:and|or|per|each|an?)\b|$))",
            r"\1.\3 \2",
            re.I,
        ),
        # "12 500" and "12'500", but not a telephone number, which begins with 0 or + or has more digits.
        (
            r"(?<![\d+.,'] )(?<![\d+.,'])[1-9]\d{0,2}[ '](?:\d{3}[ '])*\d{3}(?![\d']| \d|[.,]\d{3})",
            _joined,
            0,
        ),
        (rf"(?<=\d),(?=\d{{1,2}} ?(?:{_GLUED})(?![\w]))|(?<=[€£$]\d),(?=\d\d(?![\d,]))", ".", 0),
    )
]
_RAISED = r"[⁰¹²³⁴-⁹⁺⁻₀-₉¼-¾⅐-⅞]"
_SET_APART = [(re.compile(rf"(?<=\d)(?={_RAISED})"), "^"), (re.compile(rf"(?<=\d[.,])(?={_RAISED})"), " ")]
"""Sets raised and lowered digits apart from the number before them, where NFKC would make 106 of 10⁶."""
_TOKEN = re.compile(
    r"""\d{4}-\d\d-\d\d(?!\d)
    | (?:[^\W\d_]\.){2,}
    | [A-Z]{1,3}\$
    | [^\W\d_]+-\d+\w*
    | (?:km|m|[kKMG]B|[kKMG]b(?:it)?)/[hs]\b
    | (?<![\w.])-?(?>(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}|\d+)(?:\.\d+)*|\.\d+)
      (?:st|nd|rd|th|'?s)?(?!\w|[,:/^⁄][-+]?\d)
    | \d(?:[.,:/^⁄][-+]?\w|\w)*  # what is no number that can be read: 10^6, 5:30, 3,4
    | [^\W_]+(?:'[^\W_]+)*
    | -(?=[A-Z]{0,3}[$£€¥₹]\s?\d) | (?<=\w)-(?!\w)
    | [±≠≈✓✔✗✘☑☒\#]  # as words: they change what stands beside them
    | (?<=[^-=<>\n])(?:[<>]=?|[≤≥])(?=\s*[A-Z]{0,3}[$£€¥₹]?\s?\.?\d)  # not an arrow, nor a quote's mark
    | [%$£€¥₹+~°()\[\],;:—–.!?"]
    | (?P<sign>
        (?<!^)[^\w\s\x00-\x7f] | [^\w\s\x00-\x7f](?=\s?\d|\S)  # a mark before a list's item says nothing
        | (?<=\s)[<>=]=?(?=\s)
      )
    """,
    re.X,
)
_TELLING, _SYMBOLS = "‰‱′", frozenset({"Sc", "Sm", "So"})
"""Punctuation that is a sign, and the Unicode categories of signs."""
_SIGNIFIES = re.compile(r"\b(?:NO|NOT|NON|SIGN|SYMBOL|MARK|(?:UP|DOWN)(?:WARDS)?)\b")
"""What is in the Unicode name of a picture that changes what is said: "no smoking symbol"."""
_BOUNDARIES = {"[": "(", "]": ")", "(": "(", ")": ")"} | dict.fromkeys(",;:—–.!?", ",")


def read_tokens(text: str) -> tuple[list[str], list[str], list[str]]:
    """The words as written, the boundary before each, and the signs of each that are no words.

    A sign belongs to the number beside it, else to the word before it, from which no boundary parts it.
    """
    text = text.translate(_REPLACED)
    for pattern, replacement in _SET_APART:
        text = pattern.sub(replacement, text)
    text = unicodedata.normalize("NFKC", text).translate(_REPLACED)
    for pattern, new in _REWRITES:
        text = pattern.sub(new, text)
    words: list[str] = []
    boundaries: list[str] = []
    around: list[str] = []
    boundary = signs = ""
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token == '"':
            continue
        if found["sign"]:
            signs += token if _tells(token) else ""
            continue
        ends = token in _BOUNDARIES
        if words and not boundary and (ends or not _numbers(text, found, words[-1])):
            around[-1] += signs
            signs = ""
        if ends:
            boundary = stronger(boundary, _BOUNDARIES[token])
            continue
        words.append(token)
        boundaries.append(boundary)
        around.append(signs)
        boundary = signs = ""
    if words and not boundary:
        around[-1] += signs
    return words, boundaries, around


def _numbers(text: str, found: re.Match[str], before: str) -> bool:
    """Whether a sign before the word found belongs to it: "₩5,000", but not "5,000 ₩ 3 times"."""
    glued = not text[found.start() - 1].isspace()
    return _is_number(found.group()) and (glued or not _is_number(before))


def _is_number(word: str) -> bool:
    return word.lstrip("-.")[:1].isdigit()


def _tells(sign: str) -> bool:
    """Whether a sign may change what is said, as those of currencies, comparisons and pictures do."""
    return sign.isascii() or sign in _TELLING or (unicodedata.category(sign) in _SYMBOLS and sign not in "©®")


def same_signs(one: str, other: str) -> bool:
    """Whether the signs of two words say the same: they are equal, or only one has any, a mere picture."""
    return one == other or (not (one and other) and _is_picture(one or other))


def _is_picture(signs: str) -> bool:
    """Whether it is one picture, such as "☕", or the arrow that serves as a dash."""
    if len(signs) > 1:
        return False
    named = unicodedata.category(signs) == "So" and not _SIGNIFIES.search(unicodedata.name(signs, ""))
    return signs == "→" or named


def stronger(old: str, new: str) -> str:
    """The boundary to keep of two: a bracket outranks a comma."""
    return new if new and old in ("", ",") else old
