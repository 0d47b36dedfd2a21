import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Importance, Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.errors import InferenceError, LanguageUnsupported, Overload, VerifierError
from vista_stream.verifiers.pool.wire import (
    STATUS,
    Description,
    Refusal,
    WindowTexts,
    decode_pairs,
    decode_scope,
    decode_scores,
    decode_windows,
    encode_pairs,
    encode_scores,
    encode_windows,
    window_digest,
)

NUMBERS = Description(name="numbers", kind="Numbers", thresholds=Thresholds(entailment=0.6), reads=False)
TEXTS = st.text(st.characters(), max_size=20)


def sent(body):
    """What arrives: JSON in ASCII."""
    return json.loads(json.dumps(body).encode("ascii"))


@st.composite
def pairs(draw):
    windows = draw(st.lists(TEXTS, max_size=3))
    premise = draw(st.one_of(TEXTS, st.just("\n".join(windows))))
    deadline = draw(st.one_of(st.just(inf), st.floats(10.5, 1000)))
    importance = draw(st.sampled_from(Importance))
    return Pair(premise, draw(TEXTS), windows=tuple(windows), importance=importance, deadline=deadline)


@given(st.lists(pairs(), min_size=1, max_size=4))
def test_pairs_arrive_as_they_were_sent_with_what_is_left_of_their_deadlines(asked):
    body = sent(encode_pairs(asked, 10.0, known=lambda digest: False))
    got = decode_pairs(body, 3.0, held=WindowTexts(1000))
    assert got == asked
    assert [each.importance for each in got] == [each.importance for each in asked]
    assert [each.deadline for each in got] == pytest.approx([each.deadline - 7.0 for each in asked], abs=1e-5)


def test_windows_are_sent_once_and_then_named_by_digest():
    held, told = WindowTexts(1000), set()
    asked = [Pair("one\ntwo", "claim", windows=("one", "two"))]
    first = encode_pairs(asked, 0.0, known=told.__contains__)
    assert first["windows"] == ["one", "two"]
    assert "premise" not in first["pairs"][0]
    assert decode_pairs(sent(first), 0.0, held=held) == asked
    told |= {window_digest("one"), window_digest("two")}
    again = encode_pairs(asked, 0.0, known=told.__contains__)
    assert again["windows"] == []
    assert "one" not in json.dumps(again)
    assert decode_pairs(sent(again), 0.0, held=held) == asked


def test_a_scope_arrives_as_a_digest():
    asked = {scope: encode_pairs([Pair("a", "b")], 0.0, known=bool, scope=scope) for scope in ("", "x", "y")}
    scopes = [decode_scope(sent(body)) for body in asked.values()]
    assert scopes[0] == ""
    assert len({*scopes, "x", "y"}) == 5
    with pytest.raises(Refusal, match="scope must be a string"):
        decode_scope({"scope": None})


def test_a_window_that_is_not_held_is_asked_for():
    body = encode_pairs([Pair("a\nb", "c", windows=("a", "b"))], 0.0, known=lambda digest: True)
    held = WindowTexts(1000)
    held.keep("b")
    with pytest.raises(Refusal) as refused:
        decode_pairs(body, 0.0, held=held)
    assert (refused.value.code, refused.value.missing) == ("unknown_windows", {window_digest("a")})
    assert Refusal.from_json(sent(refused.value.to_json())).missing == {window_digest("a")}


def test_windows_of_one_request_are_found_although_too_large_to_be_kept():
    asked = [Pair("one\ntwo", "claim", windows=("one", "two"))]
    body = encode_pairs(asked, 0.0, known=lambda digest: False)
    assert decode_pairs(body, 0.0, held=WindowTexts(2)) == asked


def test_held_windows_are_bounded_and_the_least_recently_used_goes_first():
    held = WindowTexts(6)
    one, two = held.keep("one"), held.keep("two")
    assert held.get(one) == "one"
    held.keep("one")
    held.keep("six")
    assert (held.get(one), held.get(two)) == ("one", None)


def test_windows_to_read_are_held():
    held = WindowTexts(100)
    assert decode_windows(sent(encode_windows(["a", "b"])), held=held) == ["a", "b"]
    assert held.get(window_digest("b")) == "b"


def test_a_request_whose_every_deadline_has_passed_is_refused():
    late, never = Pair("a", "b", deadline=5.0), Pair("a", "b")
    with pytest.raises(Refusal) as refused:
        decode_pairs(encode_pairs([late], 6.0, known=bool), 100.0, held=WindowTexts(0))
    assert refused.value.code == "deadline"
    body = encode_pairs([late, never], 6.0, known=bool)
    assert [each.deadline for each in decode_pairs(body, 100.0, held=WindowTexts(0))] == [99.0, inf]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ([], "a JSON object of version 1"),
        ({"version": 2, "pairs": []}, "a JSON object of version 1"),
        ({"version": 1}, "pairs must be a list"),
        ({"version": 1, "pairs": []}, "pairs must be a list"),
        ({"version": 1, "pairs": ["a"]}, r"pairs\[0\] must have hypothesis"),
        ({"version": 1, "pairs": [{"premise": "a"}]}, r"pairs\[0\] must have hypothesis"),
        ({"version": 1, "pairs": [{"hypothesis": "a"}]}, r"pairs\[0\] must have hypothesis"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": None, "windows": []}]}, "hypothesis"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "windows": "b"}]}, "windows must be a list"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "windows": [1]}]}, "windows must be a list"),
        ({"version": 1, "windows": {}, "pairs": [1]}, "windows must be a list"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "importance": "vitl"}]}, "vitl"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "importance": []}]}, "Importance"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "remaining_ms": "1"}]}, "remaining_ms"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "remaining_ms": True}]}, "remaining"),
        ({"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "remaining_ms": float("nan")}]}, "rem"),
        (
            {"version": 1, "pairs": [{"hypothesis": "a", "premise": "b", "remaining_ms": 10**400}]},
            "remaining",
        ),
    ],
)
def test_what_is_no_request_is_refused_with_what_is_wrong(body, told):
    with pytest.raises(Refusal, match=told) as refused:
        decode_pairs(body, 0.0, held=WindowTexts(10))
    assert refused.value.code == "bad_request"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_scores_arrive_to_the_last_bit(shares):
    scores = [Scores(share, 1 - share, 0.0) for share in shares]
    assert decode_scores(sent(encode_scores(scores, NUMBERS)), len(scores), NUMBERS) == scores


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"digest": "0" * 16},
        {"scores": None},
        {"scores": []},
        {"scores": [[1.0, 0.0]]},
        {"scores": [[1.0, 0.0, None]]},
        {"scores": [[1.0, 1.0, 0.0]]},
        {"scores": [[10**400, 0.0, 0.0]]},
        {"scores": [1.0]},
    ],
)
def test_an_answer_with_other_scores_or_of_another_verifier_is_refused(change):
    body = encode_scores([Scores(1.0, 0.0, 0.0)], NUMBERS) | change
    with pytest.raises(ValueError, match=r"scores|version|numbers"):
        decode_scores(body, 1, NUMBERS)


def test_a_description_arrives_whole_and_differs_by_thresholds():
    assert Description.from_json(sent(NUMBERS.to_json())) == NUMBERS
    other = Description(name="numbers", kind="Numbers", thresholds=Thresholds(), reads=False)
    assert other.digest != NUMBERS.digest


@pytest.mark.parametrize("change", [{"version": 0}, {"name": 1}, {"thresholds": {"x": 1}}, {"reads": None}])
def test_what_is_no_description_is_refused(change):
    with pytest.raises(ValueError, match=r"must|thresholds"):
        Description.from_json(NUMBERS.to_json() | change)


def test_a_verifier_without_a_name_goes_by_its_class():
    class Own:
        async def score(self, pairs):
            return []

    described = Description.of(Own())
    assert described.name.endswith("Own")
    assert (described.kind, described.thresholds, described.reads) == ("Own", Thresholds(), False)


@pytest.mark.parametrize(
    ("raised", "code", "kind"),
    [
        (Overload("late"), "overload", Overload),
        (LanguageUnsupported("French"), "language", LanguageUnsupported),
        (InferenceError("too long"), "inference", InferenceError),
        (RuntimeError("odd"), "inference", InferenceError),
    ],
)
def test_what_a_verifier_raises_arrives_as_the_same(raised, code, kind):
    refusal = Refusal.from_json(sent(Refusal.of(raised).to_json()))
    assert refusal.code == code
    assert type(refusal.error) is kind
    assert str(raised) in str(refusal.error)


def test_every_code_has_an_error():
    assert all(isinstance(Refusal(code, "told").error, VerifierError) for code in STATUS)


@pytest.mark.parametrize("body", [{}, {"version": 1, "error": {"code": "odd", "message": "?"}}])
def test_what_is_no_refusal_is_no_replicas_answer(body):
    with pytest.raises(ValueError, match="must"):
        Refusal.from_json(body)
