from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream_adapters.rewrite.sse import SseDecoder, SseEvent, encode, encode_comment

ONE_LINE = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=("Cs",)), max_size=12)
DATA = st.lists(ONE_LINE, min_size=1, max_size=4).map("\n".join)
EVENTS = st.builds(
    SseEvent,
    data=DATA,
    event=st.none() | ONE_LINE.filter(bool),
    id=st.none() | ONE_LINE,
    retry=st.none() | st.integers(0, 10**6),
)


def decode(wire, cuts=()):
    decoder = SseDecoder()
    edges = [0, *sorted(cut % (len(wire) + 1) for cut in cuts), len(wire)]
    events = []
    for start, end in pairwise(edges):
        events += decoder.feed(wire[start:end])
    return events + decoder.finish()


@given(
    st.lists(EVENTS, max_size=5),
    st.lists(st.integers(0, 10**6), max_size=20),
    st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_every_cut_of_every_encoding_gives_the_events_back(events, cuts, line_end):
    wire = b"".join(map(encode, events)).replace(b"\n", line_end.encode())
    assert decode(wire, cuts) == events


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=20))
def test_cuts_never_matter_whatever_the_bytes_are(wire, cuts):
    assert decode(wire, cuts) == decode(wire)


@given(st.lists(EVENTS, max_size=4))
def test_comments_between_frames_change_nothing(events):
    wire = encode_comment("up") + b"".join(encode(event) + encode_comment("still up") for event in events)
    assert decode(wire) == events


@pytest.mark.parametrize(
    ("wire", "events"),
    [
        (b"data: a\n\n", [SseEvent(data="a")]),
        (b"data:a\ndata: b\n\n", [SseEvent(data="a\nb")]),
        (b"data\n\n", [SseEvent(data="")]),
        (b"data:  a\n\n", [SseEvent(data=" a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [SseEvent(data="a")]),
        (b"event: x\n\ndata: a\n\n", [SseEvent(data="a")]),
        (
            b"id: 7\nretry: 30\n\ndata: a\n\ndata: b\n\n",
            [SseEvent(data="a", id="7", retry=30), SseEvent(data="b")],
        ),
        (b"retry: soon\nid: a\0b\nunknown: x\ndata: a\n\n", [SseEvent(data="a")]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [SseEvent(data=c) for c in "abc"]),
        (b"data: \xff\n\n", [SseEvent(data="�")]),
        (b":data: a\n: b\n:\ndata: c\n\n", [SseEvent(data="c")]),
        (b"data: a\r\ndata: b\rdata: c\n\r\n", [SseEvent(data="a\nb\nc")]),
        (b"data\ndata\n\n", [SseEvent(data="\n")]),
        (b"data:\n\n", [SseEvent(data="")]),
        (b"data : a\n data: b\ndata: c\n\n", [SseEvent(data="c")]),
        (b"data: a\nfoo: b\nfoo\n\n", [SseEvent(data="a")]),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [SseEvent(data="b")]),
        (b"data: \xef\xbb\xbf\n\n", [SseEvent(data="\ufeff")]),
        (b"event: a\nevent: b\ndata: c\n\n", [SseEvent(data="c", event="b")]),
        (b"event\ndata: c\n\n", [SseEvent(data="c")]),
        (b"id\ndata: a\n\n", [SseEvent(data="a", id="")]),
        (b"id: 1\nid: a\0\ndata: a\n\n", [SseEvent(data="a", id="1")]),
        (b"retry: -1\nretry: 1.5\nretry: \xd9\xa1\ndata: a\n\n", [SseEvent(data="a")]),
        (b"retry: 3 \ndata: a\n\n", [SseEvent(data="a")]),
        (b"retry: " + b"9" * 5000 + b"\ndata: a\n\n", [SseEvent(data="a")]),
        (b"data: a\x00\x0b\x0c\xc2\x85\xe2\x80\xa8b\n\n", [SseEvent(data="a\0\x0b\x0c\x85\u2028b")]),
        (b"data: a\n\n\n\n\ndata: b\n\n", [SseEvent(data="a"), SseEvent(data="b")]),
        (b"\r\n\r\n", []),
    ],
)
def test_the_standard_in_examples(wire, events):
    assert decode(wire) == events
    assert decode(wire, range(len(wire))) == events


def test_the_end_completes_a_frame_but_not_a_line():
    assert decode(b"data: a\n") == [SseEvent(data="a")]
    assert decode(b"data: a") == []
    assert decode(b"data: a\ndata: b") == []


@pytest.mark.parametrize("data", ['{"a": "}"}', "[DONE]"])
def test_a_last_line_of_data_may_lack_its_end_where_it_is_whole(data):
    wire = b"event: x\ndata: " + data.encode()
    assert decode(wire) == [SseEvent(data=data, event="x")]
    for end in range(len(wire) - 1, wire.index(b"data"), -1):
        assert decode(wire[:end]) == []
    assert decode(wire + b"\nid: 1") == []
    assert decode(b"data: 1") == []


def test_a_frame_without_end_is_refused():
    decoder = SseDecoder(limit=100)
    decoder.feed(b"data: " + b"a" * 50 + b"\n\n" + b"data: " + b"a" * 50)
    with pytest.raises(ValueError, match="100 bytes"):
        decoder.feed(b"a" * 50)


def test_a_type_may_hold_nul_as_in_the_standard():
    event = SseEvent(data="a", event="b\0c")
    assert decode(encode(event)) == [event]


def test_comments_do_not_count_against_the_limit():
    decoder = SseDecoder(limit=100)
    for _ in range(100):
        assert decoder.feed(b": waiting\n") == []


def test_lines_without_a_value_count_against_the_limit_whatever_is_between_them():
    decoder = SseDecoder(limit=100)
    with pytest.raises(ValueError, match="100 bytes"):
        for _ in range(100):
            decoder.feed(b"data:\n:\n")


def test_what_no_frame_can_carry_is_refused():
    with pytest.raises(ValueError, match="event must not"):
        encode(SseEvent(data="", event="a\nb"))
    with pytest.raises(ValueError, match="id must not"):
        encode(SseEvent(data="", id="a\0b"))
    with pytest.raises(ValueError, match="text must be one line"):
        encode_comment("a\nb")
    with pytest.raises(ValueError, match="limit must be"):
        SseDecoder(limit=0)


def test_a_carriage_return_in_data_stays_one_event():
    assert decode(encode(SseEvent(data="a\rb\r\nc"))) == [SseEvent(data="a\nb\nc")]
