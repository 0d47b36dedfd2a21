import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.text.surrogates import SurrogateJoiner, encodable


def joined(deltas: list[str]) -> str:
    joiner = SurrogateJoiner()
    return "".join(map(joiner.feed, deltas)) + joiner.finish()


@pytest.mark.parametrize(
    ("deltas", "text"),
    [
        (["a\ud83d", "\ude00b"], "a😀b"),
        (["\ud83d\ude00"], "😀"),
        (["\ud83d", "x"], "\ud83dx"),
        (["\ude00"], "\ude00"),
        (["\ud83d", "", "\ude00"], "😀"),
        (["\ud83d", "\ud83d", "\ude00"], "\ud83d😀"),
        (["end\ud83d"], "end\ud83d"),
    ],
)
def test_halves_are_joined_and_strays_kept(deltas, text):
    assert joined(deltas) == text


@given(st.text(st.sampled_from("a\ud83d\ude00é😀\udc00")), st.data())
def test_any_cut_gives_the_same_text(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    deltas = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert joined(deltas) == joined([text])


@pytest.mark.parametrize(
    ("text", "same"), [("a\ud83db", "a?b"), ("\ude00", "?"), ("é😀", "é😀"), ("abc", "abc")]
)
def test_strays_are_made_encodable_in_place(text, same):
    assert encodable(text) == same
