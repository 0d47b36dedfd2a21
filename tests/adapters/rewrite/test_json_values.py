import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vista_stream.core.text.segmenter import Segmenter, SegmentKind
from vista_stream_adapters.rewrite.json_fields import JsonFields, Value
from vista_stream_adapters.rewrite.json_values import LONGEST


def sentences(document, **how):
    document = document if isinstance(document, str) else json.dumps(document)
    fields = JsonFields(**how)
    pieces = [*fields.feed(document), *fields.end()]
    return [piece.text for piece in pieces if isinstance(piece, Value)]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"price_eur": 120}, "The price is 120 eur."),
        ({"kg": 3}, "The kg is 3."),
        ({"priceEUR": -1.5}, "The price is -1.5 eur."),
        ({"name": "Aldo lamp", "weight_kg": 2.5}, "The weight of the Aldo lamp is 2.5 kg."),
        ({"product_name": "St. Moritz!", "year": 1914}, "The year of the St Moritz is 1914."),
        ({"title": "The Mill", "year": 1914}, "The year of the Mill is 1914."),
        ({"lamp": {"year": 1962}}, "The year of the lamp is 1962."),
        ({"name": "Aldo", "size": {"height": 4}}, "The height of the Aldo is 4."),
        ({"name": "Aldo", "years": [1914]}, "The years of the Aldo includes 1914."),
        ({"lamps": [{"year": 1962}]}, "The year is 1962."),
        ({"name": "Aldo lamp", "dimmable": False}, "The Aldo lamp is not dimmable."),
        ({"name": "Aldo lamp", "is_dimmable": True}, "The Aldo lamp is dimmable."),
        ({"name": "Aldo lamp", "has_dimmer": False}, "The Aldo lamp has no dimmer."),
        ({"name": "Aldo lamp", "canBeDimmed": False}, "The Aldo lamp can not be dimmed."),
        ({"open": True}, "It is open."),
        ({"name": "one two three four five six seven eight nine", "n": 1}, "The n is 1."),
        ({"title": "Aldo", "name": "Second", "n": 1}, "The n of the Aldo is 1."),
        ({"colour": "red", "n": 1}, "The n is 1."),
        ({"": 1}, "The value is 1."),
        ([True], "It is true."),
    ],
)
def test_a_number_or_boolean_is_worded_as_a_sentence_about_its_object(document, told):
    assert sentences(document)[-1:] == [told]


def test_nobody_reads_null_or_a_number_of_many_digits():
    assert sentences({"a": None, "b": int("7" * (LONGEST + 5)), "c": [1]}) == ["The c includes 1."]


def test_values_may_pass():
    assert sentences({"a": 1, "b": [True]}, values=False) == []


def test_a_number_in_which_the_document_breaks_off_is_read_at_its_end():
    assert sentences('{"a": 12') == ["The a is 12."]
    assert sentences('{"a": tru') == []


@settings(deadline=None)
@given(
    st.text(max_size=100), st.text(max_size=100), st.integers() | st.booleans() | st.floats(allow_nan=False)
)
def test_what_is_read_of_a_value_is_one_sentence_whatever_its_key_and_name(key, name, value):
    told = sentences(json.dumps({"name": name, key: value}).replace("Infinity", "1e999"))
    segmenter = Segmenter()
    text = "Before.\n\n" + "\n\n".join(told) + "\n\nAfter."
    segments = [*segmenter.feed(text), *segmenter.finish()]
    found = [each.text for each in segments if each.kind is SegmentKind.SENTENCE]
    assert found == ["Before.", *told, "After."]
