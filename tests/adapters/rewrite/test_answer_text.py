import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream import (
    Category,
    Importance,
    Policy,
    Session,
    Span,
    TextReleased,
    TurnEnded,
    annotate,
    replace,
    stop,
    withhold,
)
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.rewrite.answer_text import JsonText

pytestmark = pytest.mark.anyio

VITAL_FALSE = (Category.CONTRADICTED, Importance.VITAL)
ANSWER = {
    "capital": "Berlin has the mill. It is a bad lie. It stands in Mitte.",
    "year": 1900,
    "notes": ['Bad as well: the lie "grew".', "Fine\nand good.", "", "😀 fine."],
    "ok": True,
}


async def sent(document, policy, cuts=(), **settings):
    stages = ScriptedStages({"lie": Category.CONTRADICTED, "1901": Category.CONTRADICTED}).stages()
    answer, out = JsonText(**settings), []
    edges = [0, *sorted(cut % (len(document) + 1) for cut in cuts), len(document)]
    deltas = []
    for start, end in pairwise(edges):
        deltas.append(answer.feed(document[start:end]))
        out.append(answer.passing())
    deltas.append(answer.end())
    async with Session(stages=stages, policy=policy).turn(deltas) as turn:
        async for event in turn:
            if event.type in ("text.released", "text.replaced", "text.withheld"):
                out += [answer.receive(event), answer.passing()]
            elif isinstance(event, TurnEnded):
                out.append(answer.finish(stopped=event.report.stopped))
    return "".join(out)


SCALARS = (
    '{"name": "The mill", "year": 1901, "height": 12.50, "old":true, "n": null, "note": "Caf\\u00e9 \\/."}'
)


@pytest.mark.parametrize("cut", [*[[at] for at in range(1, len(SCALARS), 3)], range(len(SCALARS))])
async def test_a_number_that_is_not_released_is_null_however_the_document_is_cut(cut):
    for rule in (replace("No."), withhold()):
        out = await sent(SCALARS, Policy(rules={VITAL_FALSE: rule}), cut)
        assert out == SCALARS.replace("1901", "null")


@pytest.mark.parametrize("policy", [Policy.observing(), Policy(rules={VITAL_FALSE: annotate(" [?]")})])
async def test_a_number_that_is_released_has_no_mark(policy):
    assert await sent(SCALARS, policy) == SCALARS


async def test_a_number_passes_where_values_do():
    assert await sent(SCALARS, Policy(), values=False) == SCALARS


async def test_a_stop_at_a_number_closes_the_document():
    out = await sent(SCALARS, Policy(rules={VITAL_FALSE: stop("Stop.")}))
    assert json.loads(out) == {"name": "The mill", "year": None}


async def test_a_number_in_which_the_document_breaks_off_is_checked():
    assert await sent('{"year": 1901', Policy()) == '{"year": null'
    assert await sent('{"year": 1902', Policy()) == '{"year": 1902'


@pytest.mark.parametrize("end", ["\\", "\\u", "\\u20", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude"])
async def test_an_escape_in_which_the_document_breaks_off_comes_out_as_it_went_in(end):
    document = f'{{"a": "It is 5 {end}'
    for cut in range(len(document)):
        assert await sent(document, Policy(), [cut]) == document


@pytest.mark.parametrize("ascii_only", [True, False])
async def test_a_replaced_field_sentence_keeps_the_document(ascii_only):
    document = json.dumps(ANSWER, ensure_ascii=ascii_only, indent=1)
    out = json.loads(await sent(document, Policy(rules={VITAL_FALSE: replace('"No."\n')}), range(400)))
    assert out == {
        "capital": 'Berlin has the mill. "No."\n It stands in Mitte.',
        "year": 1900,
        "notes": ['"No."\n', "Fine\nand good.", "", "😀 fine."],
        "ok": True,
    }


async def test_a_withheld_sentence_leaves_its_field_shorter():
    out = json.loads(await sent(json.dumps(ANSWER), Policy(rules={VITAL_FALSE: withhold()})))
    assert out["notes"][0] == ""
    assert out["capital"] == "Berlin has the mill.  It stands in Mitte."


async def test_a_stop_closes_what_is_open():
    out = json.loads(await sent(json.dumps(ANSWER), Policy(rules={VITAL_FALSE: stop('"Stop"')})))
    assert out["capital"] == 'Berlin has the mill. "Stop"'
    assert "lie" not in json.dumps(out)


async def test_a_mark_stands_in_its_field():
    rules = {VITAL_FALSE: annotate(' ["?"]')}
    out = json.loads(await sent(json.dumps(ANSWER), Policy(rules=rules)))
    assert out["notes"][0].startswith('Bad as well: the lie "grew".')
    assert out["notes"][0].endswith(' ["?"]')


async def test_prose_in_the_place_of_json_is_guarded_as_it_is():
    out = await sent('I "say" so. A lie. The end.', Policy(rules={VITAL_FALSE: replace("No.")}), range(30))
    assert out == 'I "say" so. No. The end.'


TEXT = st.text(st.sampled_from(list('ab "\\\n.lie{}[],:😀')), max_size=20)


@given(
    st.dictionaries(TEXT, TEXT | st.lists(TEXT | st.none(), max_size=2) | st.integers(), max_size=3),
    st.lists(st.integers(0, 10**4), max_size=9),
    st.booleans(),
)
def test_any_released_document_comes_out_as_it_went_in(value, cuts, ascii_only):
    document = json.dumps(value, ensure_ascii=ascii_only)
    answer, read = JsonText(), ""
    edges = [0, *sorted(cut % (len(document) + 1) for cut in cuts), len(document)]
    for start, end in pairwise(edges):
        read += answer.feed(document[start:end])
    read += answer.end()
    out, at = "", 0
    for end in [*range(3, len(read), 7), len(read)]:
        out += answer.receive(TextReleased(text=read[at:end], span=Span(at, end)))
        at = end
    assert out + answer.finish(stopped=False) == document
