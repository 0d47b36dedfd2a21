"""Where sentences, blocks and markup end, however the text is chunked."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenting import PIECES, segments
from vista_stream.core.text.segmenter import Segmenter, SegmentKind
from vista_stream.errors import SessionStateError

texts = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)


def cut(text: str, sizes: list[int]) -> list[str]:
    ends = [0, *(end for end in accumulate(sizes) if end < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(ends)]


def wordings(text: str, *, language: str = "en") -> list[str]:
    return [s.text for s in segments([text], language=language) if s.kind is SegmentKind.SENTENCE]


@settings(max_examples=300, deadline=None)
@given(texts, st.lists(st.integers(0, 9), max_size=300))
def test_any_chunking_gives_the_same_segments(text: str, sizes: list[int]) -> None:
    whole = segments([text])
    assert segments(cut(text, sizes)) == whole
    assert segments(list(text)) == whole


@settings(max_examples=300, deadline=None)
@given(texts)
def test_segments_joined_are_the_text(text: str) -> None:
    found = segments([text])
    assert "".join(s.text for s in found) == text
    assert [s.index for s in found] == list(range(len(found)))
    for segment in found:
        assert segment.text
        assert segment.line <= segment.span.start
        assert segment.line == 0 or text[segment.line - 1] == "\n"
        assert text[segment.span.start : segment.span.end] == segment.text
        if segment.kind is SegmentKind.SENTENCE:
            assert segment.text == segment.text.strip()
        assert (
            segment.kind is SegmentKind.SPACE
        ) == segment.text.isspace() or segment.kind is SegmentKind.CODE


@pytest.mark.parametrize("block", ["```\nx = 1\n```\n", "- It is red.\n", "| a | b |\n|---|---|\n"])
def test_a_byte_order_mark_before_a_block_is_space(block: str) -> None:
    mark, *rest = segments(["\ufeff", block])
    assert (mark.text, mark.kind) == ("\ufeff", SegmentKind.SPACE)
    assert [(s.text, s.kind) for s in rest] == [(s.text, s.kind) for s in segments([block])]
    assert segments([f"\ufeff{block}"]) == [mark, *rest]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith met Mrs. Jones, e.g. at noon.", "He left."],
        ["Dr. Will Moss came.", "She left."],
        ["J. R. R. Tolkien wrote it.", "George W. Bush read it."],
        [
            "Put the windows in Hall B.",
            "Priya comes on 25 May.",
            "The bus stops at gate C.",
            "Mr Lund waits.",
        ],
        ["He runs Acme Inc. and sleeps.", "She runs Acme Inc.", "The firm is big."],
        ["The U.S. Army left the U.S.", "The land is wide."],
        ["See No. 5 and Fig. 2.", "Then see vol. 3 of it."],
        ["At 5 a.m. we rose.", "He rose at 5 a.m.", "They slept."],
        ["Keep it below 20 °C.", "A bottle may burst at 60°C.", "It is heavy."],
        ["Pi is 3.14159 or so.", "Version v3.11.2 is out.", "Use it."],
        ["See https://a.example/b.c?d=e!f.", "Mail x.y@mail.example.", "Thanks."],
        ["Wait... what?", "Hm… no.", "Well…", "Yes...", "Fine."],
        ['He said "Go."', "Then he left.", '"Why?" she asked.', "(It rained. A lot.)", "It stopped."],
        ["“I came. I saw. I won,” he said.", "Nobody heard."],
        ["**Bold.**", "Next one.", "*So it is!*", "Use `a. B` here.", "_Really?_ he asked."],
        ["It is tall.[1]", "It is old.[2](https://a.example/x)", "It is wide.¹", "So be it."],
        ["Great!🎉", "On we go 🙂.", "Done👍🏽!", "Cafe\u0301.", "Ok."],
        ["It's light.", "iPhone 15 is new.", "The pH is low."],
        ["Really?", "– Yes, really.", "Is it? – yes."],
        ["What a day!!", "Why?!", "Told you."],
        [
            "It was I who told me.",
            "Paris fell ill.",
            "In May.",
            "Germany won.",
            "Did it?",
            "No.",
            "Berlin did.",
        ],
        ["Steps: 1. Mix the flour.", "2. Bake it.", "Done."],
        ["In 1990.", "The next year.", "He was 5.", "The cat was 7."],
        ["Yahoo! Japan is big.", "Wow!", "Japan is big."],
        ['A 6" pipe.', "Sad :( day.", "An open (bracket."],
        ["هل أنت هنا؟", "نعم، أنا هنا.", "شكرا."],
        ["שלום לך.", "מה שלומך?", "טוב."],
    ],
    ids=lambda expected: expected[0][:30],
)
def test_sentences_on_one_line(expected: list[str]) -> None:
    assert wordings(" ".join(expected)) == expected


def test_full_width_stops_need_no_space() -> None:
    assert wordings("他来了。她走了！真的？「是。对。」他说。") == [
        "他来了。",
        "她走了！",
        "真的？",
        "「是。对。」",
        "他说。",
    ]


def test_abbreviations_follow_the_language() -> None:
    assert wordings("Am 5. Mai kam er. Gut.", language="de") == ["Am 5. Mai kam er.", "Gut."]
    assert wordings("Am 5. Mai kam er. Gut.") == ["Am 5.", "Mai kam er.", "Gut."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a soft\nbreak. Then\r\nmore.", ["a soft\nbreak.", "Then\r\nmore."]),
        ("no stop\n\nand a blank line", ["no stop", "and a blank line"]),
        ("A heading\nWith text\nAnd\r\nmore", ["A heading", "With text", "And\r\nmore"]),
        ("Call Dr.\nSmith, or e.g.\nPaul.\nThen go", ["Call Dr.\nSmith, or e.g.\nPaul.", "Then go"]),
        ("Of Acme Inc.\nOf Foo Corp.", ["Of Acme Inc.", "Of Foo Corp."]),
        ("an open “quote.\nNext", ["an open “quote.", "Next"]),
        ("It was made by\nPaul Smith.", ["It was made by\nPaul Smith."]),
        ("It was made in \n**1990**. Yes", ["It was made in \n**1990**.", "Yes"]),
        ("In the north,\nSmith lives", ["In the north,\nSmith lives"]),
        ("It was made by... Paul Smith. Yes", ["It was made by... Paul Smith.", "Yes"]),
        ("It was made... Paul came", ["It was made...", "Paul came"]),
        ("pets allowed: no\nparking: yes\nopen", ["pets allowed: no", "parking: yes", "open"]),
        ("prices:\n  single: 90 EUR\n  double: 120 EUR", ["prices:", "single: 90 EUR", "double: 120 EUR"]),
        ("plan;price\nbasic;5 euros\npro;15 euros", ["plan;price", "basic;5 euros", "pro;15 euros"]),
        ("plan,price\nbasic,5 euros", ["plan,price", "basic,5 euros"]),
        ("Plan\tPrice\nbasic\t5\npro | 6\nfree | 0", ["Plan\tPrice", "basic\t5\npro | 6", "free | 0"]),
        ("note: it is open in the\nsummer", ["note: it is open in the\nsummer"]),
        (
            "it has one rule that all of us know: never come\nlate",
            ["it has one rule that all of us know: never come\nlate"],
        ),
        (
            "it has 1,000 rooms, of which\nsome, 1,200 say, are old",
            ["it has 1,000 rooms, of which\nsome, 1,200 say, are old"],
        ),
    ],
)
def test_newlines(text: str, expected: list[str]) -> None:
    assert wordings(text) == expected


KINDS = {
    "1. First item\n2. Second. More\n": ["M 1.", "T First item", "M 2.", "T Second.", "T More"],
    "- one\n* two\n  + three\n• four": ["M -", "T one", "M *", "T two", "M +", "T three", "M •", "T four"],
    "a) one\n(2) two\n12) x": ["M a)", "T one", "M (2)", "T two", "M 12)", "T x"],
    "1990. So it went\n3.14 is pi": ["T 1990.", "T So it went", "T 3.14 is pi"],
    "# Step 1. Mix. Bake\nText": ["T # Step 1. Mix. Bake", "T Text"],
    "#tag is fine. Yes": ["T #tag is fine.", "T Yes"],
    "Title\n=====\nText\n\n---\n\n* * *\nEnd": ["T Title", "M =====", "T Text", "M ---", "M * * *", "T End"],
    "| a. B | c |\n|---|:-:|\n| 1. X | 2 |\nEnd": [
        "T | a. B | c |",
        "M |---|:-:|",
        "T | 1. X | 2 |",
        "T End",
    ],
    "> Said. So\n> it was": ["M >", "T Said.", "T So", "M >", "T it was"],
    "- built in\n  1899. So\n- by\n- of,\n  **Moss**": [
        "M -",
        "T built in\n  1899.",
        "T So",
        "M -",
        "T by",
        "M -",
        "T of,\n  **Moss**",
    ],
    "> built in\n> 1899. So": ["M >", "T built in\n> 1899.", "T So"],
    "- a list of\n```\nx\n```\n- made of\n| a |\n- the": [
        *("M -", "T a list of", "C ```\n", "C x\n", "C ```\n", "M -", "T made of", "T | a |", "M -", "T the"),
    ],
    "A.\n```py\na = 1. \n\n# b\n```\nB": [
        "T A.",
        "C ```py\n",
        "C a = 1. \n",
        "C \n",
        "C # b\n",
        "C ```\n",
        "T B",
    ],
    "~~~\n```\nx\n~~~~\nB": ["C ~~~\n", "C ```\n", "C x\n", "C ~~~~\n", "T B"],
    "At most 3 g. For more, ask. Use 5 ml.": ["T At most 3 g.", "T For more, ask.", "T Use 5 ml."],
    "Open to 6 p.m. Children pay.": ["T Open to 6 p.m.", "T Children pay."],
    "At 5 p.m. Monday or 6 p.m. EST. Far.": ["T At 5 p.m. Monday or 6 p.m. EST.", "T Far."],
    "It yields 2% p.a. Fees apply.": ["T It yields 2% p.a.", "T Fees apply."],
    "> ```\n> x\n> ```\nB": ["M >", "C ```\n", "C > x\n", "C > ```\n", "T B"],
    "> ```\n> x\nB": ["M >", "C ```\n", "C > x\n", "T B"],
    "- ```\n  ```\nB": ["M -", "C ```\n", "C   ```\n", "T B"],
    "- ```\n  x\n- B": ["M -", "C ```\n", "C   x\n", "M -", "T B"],
    "- ```\nx\n```\nB": ["M -", "C ```\n", "C x\n", "C ```\n", "T B"],
    "```\n> a\n- b\n```\nB": ["C ```\n", "C > a\n", "C - b\n", "C ```\n", "T B"],
    "```\nnever closed. No": ["C ```\n", "C never closed. No"],
    "  ```\r\n  x\r\n  ```\r\nB": ["C ```\r\n", "C   x\r\n", "C   ```\r\n", "T B"],
    "```inline. Code``` is prose. Yes": ["T ```inline. Code``` is prose.", "T Yes"],
    "**Bold** start. *Slanted* one": ["T **Bold** start.", "T *Slanted* one"],
    "👍": ["M 👍"],
    "-\n1.": ["M -", "T 1."],
    "35.": ["T 35."],
    "35. \r\nIt is": ["T 35.", "T It is"],
    "- 35.\n\n1.\n   Mix it.\n2.\n": ["M -", "T 35.", "M 1.", "T Mix it.", "T 2."],
}
LETTERS = {SegmentKind.SENTENCE: "T", SegmentKind.MARKUP: "M", SegmentKind.CODE: "C"}


@pytest.mark.parametrize("text", KINDS, ids=lambda text: text[:20])
def test_blocks(text: str) -> None:
    found = [s for s in segments(list(text)) if s.kind is not SegmentKind.SPACE]
    assert [f"{LETTERS[s.kind]} {s.text}" for s in found] == KINDS[text]


@pytest.mark.parametrize(
    ("held", "settling", "released"),
    [
        ("The cat sat. ", "O", "The cat sat."),
        ("The cat sat! ", "9", "The cat sat!"),
        ("The cat sat? ", '"', "The cat sat?"),
        ("**The cat sat.** ", "*", "**The cat sat.**"),
        ("The cat sat", "\n", None),
        ("The cat sat.", "\n", "The cat sat."),
        ("The cat sat.\r", "\n", "The cat sat."),
        ("The cat sat", "\nO", "The cat sat"),
        ("In 1990. ", "O", "In 1990."),
        ("He is in the U.S. The", " ", "He is in the U.S."),
        ("他来了", "。", "他来了。"),
        ("他来了！", "她", "他来了！"),
        ("هل أنت هنا؟ ", "ن", "هل أنت هنا؟"),
    ],
)
def test_a_sentence_is_released_at_the_character_that_settles_it(
    held: str, settling: str, released: str | None
) -> None:
    segmenter = Segmenter()
    assert segmenter.feed(held) == []
    assert [s.text for s in segmenter.feed(settling)][:1] == ([released] if released else [])


def test_a_fence_is_released_line_by_line() -> None:
    segmenter = Segmenter()
    assert [s.text for s in segmenter.feed("```\na = 1\nb")] == ["```\n", "a = 1\n"]
    assert segmenter.pending == "b"


def test_feeding_a_finished_segmenter_is_refused() -> None:
    segmenter = Segmenter()
    segmenter.finish()
    assert segmenter.finish() == []
    with pytest.raises(SessionStateError, match="finish"):
        segmenter.feed("x")


@pytest.mark.parametrize(
    ("text", "probable"),
    [
        ("It is old.", "It is old."),
        ('He said "no."', 'He said "no."'),
        ("It is", ""),
        ("It is old. ", "It is old."),
        ("It is old. It", ""),
        ("One. Is it (old?)", "Is it (old?)"),
        ("She met Dr. ", "She met Dr."),
        ("It fell in 226 B.C.", "It fell in 226 B.C."),
        ("It sells food (bread, etc.).", "It sells food (bread, etc.)."),
        ('She said "in the U.S.".', 'She said "in the U.S.".'),
        ("It fell.[1", ""),
        ("1.", ""),
        ("```\nEnd.", ""),
    ],
)
def test_a_probable_sentence_waits_only_for_what_comes_next(text: str, probable: str) -> None:
    segmenter = Segmenter()
    before = segmenter.feed(text)
    found = segmenter.probable
    assert ("" if found is None else found.text) == probable
    assert found is None or [*before, found] == [*before, *segmenter.finish()][: len(before) + 1]


def test_a_probable_sentence_stays_while_the_text_after_its_stop_decides_nothing() -> None:
    segmenter = Segmenter()
    told = []
    for delta in ("It fell in 226", " B.C.", " The", " statue", " lay"):
        certain = [each.text for each in segmenter.feed(delta)]
        told.append((certain, segmenter.probable and segmenter.probable.text))
    sentence = "It fell in 226 B.C."
    assert told == [([], None), ([], sentence), ([], sentence), ([sentence, " "], None), ([], None)]


def test_sentences_of_a_writer_without_capitals_end_too() -> None:
    text = (
        'the mill was built in 1820. is it old? yes! "stop!" he said... maybe. see dr. who vs. mr. bean. ok'
    )
    segmenter = Segmenter()
    cut = [s.text for s in segmenter.feed(text) + segmenter.finish() if s.kind is SegmentKind.SENTENCE]
    assert cut == [
        "the mill was built in 1820.",
        "is it old?",
        "yes!",
        '"stop!" he said... maybe.',
        "see dr. who vs. mr. bean.",
        "ok",
    ]
