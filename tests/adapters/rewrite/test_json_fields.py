import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream_adapters.rewrite.json_fields import FieldEnd, FieldText, JsonFields, Prose, Structure, Value

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    TEXT | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(TEXT, VALUES, max_size=3) | st.lists(VALUES, max_size=3) | TEXT


def read(document, cuts=()):
    fields = JsonFields()
    edges = [0, *sorted(cut % (len(document) + 1) for cut in cuts), len(document)]
    pieces = [piece for start, end in pairwise(edges) for piece in fields.feed(document[start:end])]
    return fields, [*pieces, *fields.end()]


def values_in(value):
    if isinstance(value, str):
        return [value]
    if value is None or isinstance(value, bool | int | float):
        return [] if value is None else [json.dumps(value)]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in children for text in values_in(child)]


def texts(pieces):
    found = [""]
    for piece in pieces:
        if isinstance(piece, FieldText):
            found[-1] += piece.text
        elif isinstance(piece, Value):
            found[-1] += piece.raw
        elif isinstance(piece, FieldEnd):
            found.append("")
    return found[:-1]


def as_written(pieces):
    raw = ""
    for piece in pieces:
        if isinstance(piece, Structure | Value):
            raw += piece.raw
        elif isinstance(piece, FieldText):
            raw += piece.escape or piece.text
        elif isinstance(piece, Prose):
            raw += piece.text
    return raw


CUTS = st.lists(st.integers(0, 10**6), max_size=20)


@given(DOCUMENTS, CUTS, st.booleans(), st.sampled_from([None, 2]))
def test_the_fields_of_any_document_cut_anywhere(value, cuts, ascii_only, indent):
    document = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    fields, pieces = read(document, cuts)
    assert texts(pieces) == values_in(value)
    assert not any(isinstance(piece, Prose) for piece in pieces)
    assert fields.closing() == ""


@given(DOCUMENTS, CUTS, st.booleans())
def test_the_pieces_as_written_are_the_document(value, cuts, ascii_only):
    document = json.dumps(value, ensure_ascii=ascii_only)
    assert as_written(read(document, cuts)[1]) == document


@given(st.dictionaries(TEXT, VALUES, max_size=3), st.text("abc ", min_size=1), st.data())
def test_a_document_closes_validly_inside_any_value(value, last, data):
    document = json.dumps({**value, "last": [{"deep": last}]}, ensure_ascii=False)
    end = document.rindex(last) + data.draw(st.integers(0, len(last)))
    assert json.loads(document[:end] + read(document[:end])[0].closing())["last"]


@pytest.mark.parametrize(
    ("document", "prose"),
    [
        ("Sure! Here it is: {}", "Sure! Here it is: {}"),
        ('{"a": 1} The mill is red.', "The mill is red."),
        ('{"a": The mill}', "The mill}"),
        ("[tru, x]", "x]"),
        ("12 mills", "12 mills"),
        ('["a"}', "}"),
        ("]", "]"),
        ('{"a": nullify}', "nullify}"),
        ('{"a": 12 mills}', "mills}"),
        ('```json\n{"a": 1}\n```\nDone, ``so.', "Done, ``so."),
        ("```json\nThe mill", "The mill"),
        ("```python\nmill\n```", "python\nmill\n"),
        ("```yes", "yes"),
        ("`` `", "`` `"),
    ],
)
def test_what_is_no_json_is_prose_from_there(document, prose):
    for cuts in ((), range(len(document))):
        fields, pieces = read(document, cuts)
        found = "".join(piece.text for piece in pieces if isinstance(piece, Prose))
        assert found == prose
        assert fields.closing() == ""


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
@pytest.mark.parametrize("label", ["json", "JSON5", ""])
@pytest.mark.parametrize("before", ["", "\ufeff", "Here it is:\n", '{"cut": tr\n'])
def test_a_document_in_a_fence_is_read_however_it_is_cut(fence, label, before):
    document = f'{before}{fence}{label}\n{{"a": "The mill `x`", "b": [3]}}\n{fence}\n'
    for cuts in ((), range(len(document))):
        _, pieces = read(document, cuts)
        assert texts(pieces)[-2:] == ["The mill `x`", "3"]
        assert as_written(pieces) == document


def test_a_fence_that_is_open_is_closed_too():
    assert read('```json\n{"a": ["The mi')[0].closing() == '"]}\n```'
    assert read('```json\n{"a": 1}\n```')[0].closing() == ""


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_passes_as_null_does(value):
    document = f'\ufeff{{"a": {value}, "b": [{value}], "c": "The mill"}}'
    for cuts in ((), range(len(document))):
        _, pieces = read(document, cuts)
        assert texts(pieces) == ["The mill"]
        assert not any(isinstance(piece, Prose) for piece in pieces)


def test_half_a_surrogate_pair_is_one_replacement_character():
    assert texts(read(r'["\ud83d\ude00", "\ud83d", "\ude00!", "\ud83dx", "\uZZZZ"]')[1]) == [
        "😀",
        "�",
        "�!",
        "�x",
        "�",
    ]


@pytest.mark.parametrize("value", ["7" * 50_000, "-" + "7" * 50_000 + ".5e+3"])
def test_a_number_is_structure_however_long_it_is(value):
    document = f'{{"a": {value}}}'
    assert JsonFields().feed(document) == [Structure(document)]


@pytest.mark.parametrize("value", ["1x", "12345y", "truee", "-x"])
def test_what_only_begins_as_a_number_or_literal_is_prose(value):
    *_, last = JsonFields().feed(f'{{"a": {value}')
    assert last == Prose(value)
