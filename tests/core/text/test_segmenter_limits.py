"""What bounds the segmenter: the length of a segment, what is held back, the work for a delta."""

import re
import sys
from collections.abc import Callable

import pytest

from segmenting import PIECES, segments
from vista_stream.core.text import abbreviations
from vista_stream.core.text.segmenter import BOUND, RUN_ON, Segmenter, SegmentKind


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("word " * 250 + "one, " + "word " * 200, (" one,", "word")),
        ("word " * 600, ("word", "word")),
        ("x" * 3000, ("x", "x")),
        ("| cell " * 500, ("|", "l")),
    ],
)
def test_text_with_no_stop_is_cut_at_the_bound(text: str, ends: tuple[str, str]) -> None:
    found = [s for s in segments([text]) if s.kind is not SegmentKind.SPACE]
    assert len(found) > 1
    assert max(len(s.text) for s in found) <= BOUND
    assert any(s.text.endswith(ends) for s in found)


FACTS = ["the canal was opened in 1914", "it is 82 km long", "the harbour of Kew was dredged by hand"]


@pytest.mark.parametrize("joint", [" and ", ", and ", ", but ", "; ", "\n", ", it is said, and "])
def test_prose_without_a_stop_is_cut_between_clauses(joint: str) -> None:
    text = joint.join(FACTS * 40)
    assert len(text) > 3000
    found = [s.text for s in segments([text]) if s.kind is SegmentKind.SENTENCE]
    assert max(map(len, found)) <= RUN_ON
    for piece in found:
        assert re.match(r"(?:(?:and|but) )?(?:the canal|it is|the harbour)", piece)
        assert re.search(r"(?:1914|long|hand|said)[,;]?$", piece)


@pytest.mark.parametrize(
    "text",
    [
        "The towns on the river are " + ", ".join(["Aldeburgh", "the village of Orford", "Iken"] * 14) + ".",
        "The road, which was built " + "of stone and gravel and " * 14 + "sand, is closed.",
    ],
)
def test_a_long_sentence_of_one_clause_stays_whole(text: str) -> None:
    assert RUN_ON < len(text) < BOUND
    assert [s.text for s in segments([text])] == [text]


@pytest.mark.parametrize("size", [1, 2, 7, 100, RUN_ON - 1, RUN_ON, RUN_ON + 1])
def test_prose_without_a_stop_is_cut_alike_in_every_chunking(size: int) -> None:
    text = " and ".join(FACTS * 20) + ". " + ", it is said ".join(FACTS * 9)
    for shift in range(5):
        shifted = "x" * shift + text
        deltas = [shifted[at : at + size] for at in range(0, len(shifted), size)]
        assert segments(deltas) == segments([shifted])


@pytest.mark.parametrize(
    "cluster", ["👨\u200d👩\u200d👧", "👍🏽", "🇫🇷", "e\u0301\u0323", "\r\n", "각", "\ud83d\ude00", "क्ष"]
)
@pytest.mark.parametrize("shift", range(8))
def test_a_forced_cut_divides_no_cluster(cluster: str, shift: int) -> None:
    text = "x" * shift + cluster * 800
    start = 0
    for segment in segments([text])[:-1]:
        start = segment.span.end
        assert (start - shift) % len(cluster) == 0


@pytest.mark.parametrize(
    "unit",
    [
        "The cat sat on the mat. ",
        "x",
        "word ",
        ". ",
        "A. ",
        '"',
        "(",
        "- ",
        "`",
        "Yes.[",
        "\n",
        "|",
        "他。",
        "Inc. X",
    ],
)
def test_work_for_a_delta_does_not_grow_with_the_text(unit: str) -> None:
    def calls(length: int) -> int:
        segmenter, count = Segmenter(), 0

        def on_call(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += 1

        deltas = list((unit * length)[:length])
        sys.setprofile(on_call)
        try:
            for delta in deltas:
                segmenter.feed(delta)
        finally:
            sys.setprofile(None)
        return count

    early, middle, late = calls(2 * BOUND), calls(6 * BOUND), calls(10 * BOUND)
    assert late - middle < 1.2 * (middle - early) + 500


@pytest.mark.parametrize("unit", [*PIECES, "Yes.[", "Inc. X", "A.[1](b)"])
def test_little_is_held_back(unit: str) -> None:
    segmenter = Segmenter()
    for _ in range(3000 // len(unit)):
        segmenter.feed(unit)
        assert len(segmenter.pending) < 2 * BOUND


@pytest.mark.parametrize("unit", [">", "> ", ">\t", " ", "**", "`", "- ", ">a"])
def test_little_is_held_back_after_an_item_that_breaks_off(unit: str) -> None:
    segmenter = Segmenter()
    segmenter.feed("- It was built in\n")
    for _ in range(3000 // len(unit)):
        segmenter.feed(unit)
        assert len(segmenter.pending) < 2 * BOUND


def test_the_library_sees_two_words_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    ask: Callable[..., bool] = abbreviations.library_ends

    def watched(token: str, following: str, *, language: str) -> bool:
        seen.append(len(token) + len(following))
        return ask(token, following, language=language)

    monkeypatch.setattr(abbreviations, "library_ends", watched)
    text = "The words go on and on until Mr. Smith of Acme Inc. Limited stops. " * 50
    segments(list(text))
    assert 0 < max(seen) <= 50
    assert sum(seen) < 5 * len(text)


@pytest.mark.parametrize(
    "opening", ["[the list](https://a.example/", "![it](data:image/png;base64,", "https://a.example/"]
)
@pytest.mark.parametrize("size", [1, 50, BOUND, 5000])
def test_what_follows_in_an_address_that_was_cut_is_markup(opening: str, size: int) -> None:
    address = opening + "Zm9v/2E+x." * 300
    text = f"Take {address}) and read it. The canal is long."
    found = segments([text[at : at + size] for at in range(0, len(text), size)])
    assert "".join(s.text for s in found) == text
    prose = [s.text for s in found if s.kind is SegmentKind.SENTENCE]
    assert prose[0].startswith(f"Take {opening}")
    assert prose[1:] == ["and read it.", "The canal is long."]


@pytest.mark.parametrize("behind", ["|$90|", '"price": "$90"', ">Tickets cost $90", "The fee is $90."])
@pytest.mark.parametrize("size", [1, 50, 5000])
def test_what_stands_behind_an_address_is_read(behind: str, size: int) -> None:
    text = "[Gate](https://a.example/" + "Zm9v/2E+x." * 120 + ")" + behind
    found = segments([text[at : at + size] for at in range(0, len(text), size)])
    assert "".join(s.text for s in found) == text
    assert found[-1].text == behind
    assert found[-1].kind is SegmentKind.SENTENCE


def test_a_long_word_that_is_no_address_stays_text() -> None:
    assert {s.kind for s in segments(["x" * 3000])} == {SegmentKind.SENTENCE}
