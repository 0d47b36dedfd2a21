"""Makes the inputs of the fuzzing at random: event streams, JSON documents and marked text."""

from __future__ import annotations

from random import Random

_WIRE = (
    *(b"data", b"data:", b"data: ", b"event: ", b"id: ", b"retry: ", b":", b": a", b" "),
    *(b"\n", b"\r", b"\r\n", b"\n\n", b"a", b"7", b"\0", b"\x0b", b"\xc2\x85", b"9" * 30),
    *(b"\xef\xbb\xbf", b"\xff", b"\xe2\x80", b"\xa8", b"\xf0\x9f\x98\x80", b"{}"),
    *(b"data: [DONE]\n\n", b"data: {}\n\n"),
)
_TOKENS = (
    *("{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', "\\", '\\"', "\\n", "\\u", "\\u0041", "\\ud83d"),
    *("\\ude00", "\\u12", "true", "null", "fals", "1", "-", "1.5e9", " ", "\n", "a", "é", "😀", "\ud83d"),
    *("\ude00", "\0", "/", '{"a": "b"}', '["a", {"b": "c d. E f."}]', "Sorry.", "```json\n"),
)
_STRINGS = (
    *("", "a", "c d. E f.", "é", "😀", '\\"', "\\\\", "\\n", "\\/", "\\u0041", "\\ud83d", "\\ude00"),
    *("{", "[1]", "true", "z" * 90),
)
_KEYS = ("a", "name", "is_a", *_STRINGS)
_SCALARS = ("true", "false", "null", "0", "-7", "1.50", "1.5e9", "-0.0E-3", "12" * 30, "12" * 50)
_GAPS = ("", " ", "\n", "\r\n  ", "\t")
_TEXT = (
    *(
        "Dr.",
        "e.g.",
        "U.S.",
        "J.",
        "a.m.",
        "v3.11.2",
        "3.14",
        "5",
        "12.",
        "The",
        "Paris",
        "he",
        " ",
        "  ",
        "\t",
    ),
    *(
        "https://a.example/b.c?d=e!f",
        "x" * 90,
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        ".",
        "...",
        "…",
        "!",
        "?!",
        "。",
        "؟",
    ),
    *('"', "“", "”", "(", ")", "[1]", "[", "](", "**", "*", "_", "`", "```", "~~~", "## ", "- ", "1. ", "> "),
    *("|", "|-", "---", "===", ",", ";", ":", "—", "'", "’", "<b>", "</", "<!--", "&amp;", "&#1", "$x$"),
    *(
        "\\frac{1}{2}",
        "😀",
        "👨\u200d👩\u200d👧",
        "👍🏽",
        "e\u0301",
        "🇫🇷",
        "שלום",
        "他",
        "「",
        "\u200f",
        "\u200b",
    ),
    *("\u2028", "\ud83d", "\ude00"),
)


def event_stream(random: Random) -> bytes:
    """Fields, line ends and odd bytes in any order."""
    return b"".join(random.choices(_WIRE, k=random.randrange(1, 24)))


def marked_text(random: Random) -> str:
    """Words, stops, marks and odd characters in any order."""
    return "".join(random.choices(_TEXT, k=random.randrange(1, 30)))


def json_document(random: Random) -> str:
    """Tokens in any order, or a right document; of those one in three breaks off or has a token too many."""
    if random.random() < 0.5:
        return "".join(random.choices(_TOKENS, k=random.randrange(1, 20)))
    document = _json(random, depth=3)
    if random.random() < 0.33:
        place = random.randrange(len(document) + 1)
        document = document[:place] + random.choice(("", random.choice(_TOKENS) + document[place:]))
    return document


def _json(random: Random, *, depth: int) -> str:
    kind = random.choice(("string", "scalar", "list", "object") if depth else ("string", "scalar"))
    if kind == "string":
        return f'"{"".join(random.choices(_STRINGS, k=random.randrange(4)))}"'
    if kind == "scalar":
        return random.choice(_SCALARS)
    inner = [_json(random, depth=depth - 1) for _ in range(random.randrange(4))]
    if kind == "object":
        inner = [f'"{random.choice(_KEYS)}":{random.choice(_GAPS)}{value}' for value in inner]
    gap = random.choice(_GAPS)
    opening, closing = "{}" if kind == "object" else "[]"
    return f"{opening}{gap}{f'{gap},{gap}'.join(inner)}{gap}{closing}"
