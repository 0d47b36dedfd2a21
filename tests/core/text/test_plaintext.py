from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.text.plaintext import is_heading, is_item, strip_markup


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**Paris** is _old_.", "Paris is old."),
        ("snake_case and 2 * 3 * 4 stay.", "snake_case and 2 * 3 * 4 stay."),
        ("See [the docs](https://example.org/a_(b)) now.", "See the docs now."),
        ("See [the docs](https://example.org/" + "a" * 300, "See the docs"),
        ("It grew.[1][2, 3] Fast [4].", "It grew. Fast."),
        ("3. Third", "Third"),
        ("2.2 The tenant pays.", "The tenant pays."),
        ("2.2) The tenant pays.", "The tenant pays."),
        ("1.2.3 Tenants pay.", "Tenants pay."),
        ("§ 3 Tenants pay.", "Tenants pay."),
        ("Art. 3 (1) Tenants pay.", "(1) Tenants pay."),
        ("2.2 million people live here.", "2.2 million people live here."),
        ("4.5 Stars from 200 guests", "4.5 Stars from 200 guests"),
        ("10.30 The tour begins.", "10.30 The tour begins."),
        ("3.11.2 is the version.", "3.11.2 is the version."),
        ("§ 3 applies.", "§ 3 applies."),
        ("- [x] done", "done"),
        ("## A heading", "A heading"),
        ("a\r\n  b", "a b"),
        ("built in\n> > 1899 and 3 > 2", "built in 1899 and 3 > 2"),
        ("E = `mc`<sup>2</sup>", "E = mc2"),
        ("It drew 10<sup>6</sup> people on the 1<sup>st</sup>.", "It drew 10^6 people on the 1st."),
        ("9-5<br>10-2<br/>daily", "9-5 10-2 daily"),
        ("2**10 is 1024.", "2**10 is 1024."),
        ("Call `__init__` and ``a`b``, **now**.", "Call __init__ and a`b, now."),
        (
            "Call ```*a* `*b*` ``*c*`` d``` or ``__e__` or `__f__``.",
            "Call *a* `*b*` ``*c*`` d or __e__` or `__f__.",
        ),
        ("A run of two ``__opens__` no code of one.", "A run of two opens no code of one."),
        ("````", ""),
        ('<div class="a">The <b id=1>rent</b></div><ul><li>Pets</li></ul>', "The rent Pets"),
        (
            "A bed costs 1<!-- x -->89&nbsp;euros, &#51; beds &nosuch; 1 < 2 and 3 > 2",
            "A bed costs 189 euros, 3 beds &nosuch; 1 < 2 and 3 > 2",
        ),
        (
            r"It is $3$ years, $4{,}850$ km, \(50\,\text{grams}\) and \textbf{old}.",
            "It is 3 years, 4,850 km, 50 grams and old.",
        ),
        (r"It costs \$599 \- net.", "It costs $599 - net."),
        ("[^1]: A note.", "A note."),
        ("🎧 Paris is old 🎉.", "Paris is old."),
        ("🚲 are 👍 allowed", "🚲 are 👍 allowed"),
        ("**", ""),
    ],
)
def test_markup_goes_and_wording_stays(marked: str, plain: str) -> None:
    assert strip_markup(marked).text == plain


@given(st.text(alphabet="ab *_[]()`#-1.\n", max_size=40))
def test_each_character_stands_where_its_offset_says(marked: str) -> None:
    plain = strip_markup(marked)
    assert len(plain.text) == len(plain.offsets)
    assert all(
        marked[o] == c or (c == " " and marked[o].isspace())
        for c, o in zip(plain.text, plain.offsets, strict=True)
    )
    assert list(plain.offsets) == sorted(set(plain.offsets))


def test_markers_are_told_apart() -> None:
    assert [is_item(text) for text in ("- a", "12. a", "a - b", "# a")] == [True, True, False, False]
    assert [is_heading(text) for text in ("## a", "- a", "#tag")] == [True, False, False]
