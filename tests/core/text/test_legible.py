"""Look-alikes, invisible characters and broken words are read as a person reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.text.legible import legible, legible_text
from vista_stream.core.text.plaintext import strip_markup


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("th\u200bree ye\u00adars\u2060", "three years"),
        ("thr\u0435\u0435 \u0412uzz D\u03b1nube intο", "three Buzz Danube into"),
        ("\uff33ix \U0001d7d9\U0001d7d8 \u2162 \ufb01ne", "Six 10 III fine"),
        ("1\ufe0f\u20e38\ufe0f\u20e3 \u0661\u0668\u0669\u0669 \u096b,\u0966\u0966\u0966", "18 1899 5,000"),
        ("in \u202e9981\u202c, Paris", "in 1899, Paris"),
        ("\u2067Paralin\u2069\x00", "Paralin"),
        ("a war-\nranty, war\u00ad\r\n  ranty", "a warranty, warranty"),
        ("a three-\nyear and 24-\nhour plan", "a three-year and 24-hour plan"),
        ("10,\n000 at 19:\n40", "10,000 at 19:40"),
        ("l899 and 2O0 and 2\u04172", "1899 and 200 and 232"),
        ("\u1d00\u029f\u029f", "all"),
    ],
)
def test_what_looks_alike_is_read_alike(text: str, seen: str) -> None:
    assert legible_text(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "Эйфелева башня",
        "Η Αθήνα",
        "TNFα and 5 μm, 3 kΩ",
        "m² and ½ and 20 ℃",
        "① First",
        "naïve café, “quoted” – it’s",
        "H2O and 18O, 10l",
        "a well-known\nname, 3,\n5 and 7",
        "寵物",
        "",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert legible_text(text) == text


@given(st.text(max_size=60))
def test_each_character_keeps_its_offset(text: str) -> None:
    seen, offsets = legible(text)
    assert len(seen) == len(offsets)
    assert all(0 <= at < len(text) for at in offsets)
    assert legible_text(seen) == legible_text(legible_text(seen))


@given(st.text(alphabet="ab1\u0435\u200b\u202e\u202c-\n <>b/&#;$\\{}*", max_size=40))
def test_spans_of_stripped_text_lie_in_the_text(marked: str) -> None:
    plain = strip_markup(marked)
    assert len(plain.text) == len(plain.offsets)
    if plain.text:
        start, end = plain.origin(0, len(plain.text))
        assert 0 <= start < end <= len(marked)
