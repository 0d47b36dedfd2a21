import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Scores
from vista_stream.core.pooling import Pooling
from vista_stream.retrieval.ranges import rough_tokens
from vista_stream.retrieval.reference import PART_TOKENS, Reference
from vista_stream.retrieval.relevance import nearest
from vista_stream.retrieval.search import (
    SURE,
    bst,
    entailing,
    in_step,
    linear,
    places,
    preselect,
    published_bst,
    settling,
)


def document(count):
    return Reference(" ".join(f"Fact number {row} holds." for row in range(count)), name="facts")


def containing(needle, *, contradiction=False):
    """An oracle: a premise settles the claim where it holds the needle, the shorter the more."""

    def score(pair):
        p = 0.5 + 0.4 / len(pair.premise.split()) if needle in pair.premise else 0.01
        return Scores(0.0, 1 - p, p) if contradiction else Scores(p, 1 - p, 0.0)

    return score


def run(search, score):
    rounds = []
    try:
        pairs = next(search)
        while True:
            rounds.append(pairs)
            pairs = search.send([score(pair) for pair in pairs])
    except StopIteration as end:
        return end.value, rounds


@given(st.integers(1, 200), st.sampled_from([bst, published_bst]), st.data())
def test_a_tree_finds_the_sentence_with_two_calls_a_level(count, tree, data):
    row = data.draw(st.integers(0, count - 1))
    found, rounds = run(tree(document(count), "claim"), containing(f" {row} "))
    assert found.evidence.text == f"Fact number {row} holds."
    assert found.evidence.sentence == row
    assert found.model_calls == sum(map(len, rounds))
    assert found.model_calls <= 3 * max(1, math.ceil(math.log2(count)))  # 3 parts where it does not halve
    assert len(found.path) == len(rounds)
    assert found.path[-1] == (row, row + 1)


def test_bst_cuts_as_the_released_code_does():
    found, rounds = run(bst(document(5), "claim"), containing(" 4 "))
    assert [pair.premise.count("Fact") for pair in rounds[0]] == [2, 2, 1]
    assert found.evidence.sentence == 4
    _, rounds = run(bst(document(7), "claim", branches=3), containing(" 0 "))
    assert [pair.premise.count("Fact") for pair in rounds[0]] == [2, 2, 2, 1]


def reading(tokens, score):
    """A model that reads no further."""

    def read(pair):
        words = pair.premise.split()
        while rough_tokens(" ".join(words)) > tokens:
            words.pop()
        return score(replace(pair, premise=" ".join(words)))

    return read


@pytest.mark.parametrize("row", [0, 130, 399])
def test_bst_begins_with_parts_that_the_model_reads_whole(row):
    score = reading(PART_TOKENS, containing(f" {row} "))
    long = document(400)
    found, rounds = run(bst(long, "claim"), score)
    assert found.evidence.sentence == row
    assert [len(pairs) for pairs in rounds[:1]] == [len(long.parts)]
    assert all(rough_tokens(pair.premise) <= PART_TOKENS for pairs in rounds for pair in pairs)
    assert found.path[0] in long.parts
    assert all(outer.start <= inner.start and inner.end <= outer.end for outer, inner in pairwise(found.path))
    assert found.model_calls == sum(map(len, rounds))


def test_the_published_tree_is_lost_where_its_parts_are_cut_short():
    score = reading(PART_TOKENS, containing(" 399 "))
    found, rounds = run(published_bst(document(400), "claim"), score)
    assert [pair.premise.count("Fact") for pair in rounds[0]] == [200, 200]
    assert found.evidence.sentence == 0


@given(st.integers(1, 60), st.data())
def test_a_document_that_fits_is_searched_as_published(count, data):
    score = containing(f" {data.draw(st.integers(0, count - 1))} ")
    assert run(bst(document(count), "claim"), score) == run(published_bst(document(count), "claim"), score)


def test_bst_takes_the_first_among_equals_as_argmax_does():
    found, _ = run(bst(document(16), "claim"), lambda pair: Scores(0.5, 0.5, 0.0))
    assert found.evidence.sentence == 0


def misled(pair):
    """The true sentence 12 is in a half that scores lower than the other one."""
    words = pair.premise.split()
    if " 12 " in pair.premise:
        p = 0.95 if len(words) <= 8 else 0.4
    else:
        p = 0.5 if " 3 " in pair.premise else 0.1
    return Scores(p, 1 - p, 0.0)


def test_a_beam_finds_what_the_greedy_search_misses():
    greedy, _ = run(bst(document(16), "claim"), misled)
    wide, rounds = run(bst(document(16), "claim", beam=2), misled)
    assert greedy.evidence.sentence == 3
    assert wide.evidence.sentence == 12
    assert max(map(len, rounds)) == 4


def together_only(pair):
    """Sentences 2 and 3 support the claim only together."""
    both = " 2 " in pair.premise and " 3 " in pair.premise
    p = 0.8 if both and len(pair.premise.split()) == 8 else 0.6 if both else 0.2
    return Scores(p, 1 - p, 0.0)


def test_a_margin_stops_where_no_part_beats_the_whole():
    found, _ = run(bst(document(8), "claim", margin=0.0), together_only)
    assert found.evidence.text == "Fact number 2 holds. Fact number 3 holds."
    assert found.scores.entailment == 0.8
    assert found.path == ((0, 4), (2, 4))
    to_the_end, _ = run(bst(document(8), "claim"), together_only)
    assert to_the_end.path[-1] == (2, 3)


def test_bst_descends_into_contradictions_where_it_is_told_to():
    score = containing(" 9 ", contradiction=True)
    found, _ = run(bst(document(16), "claim", by=settling), score)
    assert found.evidence.sentence == 9
    blind, _ = run(bst(document(16), "claim", by=entailing), score)
    assert blind.evidence.sentence == 0


@pytest.mark.parametrize(("name", "value"), [("branches", 1), ("beam", 0)])
def test_bst_names_an_argument_out_of_range(name, value):
    with pytest.raises(ValueError, match=name):
        next(bst(document(3), "claim", **{name: value}))


def test_linear_scores_every_sentence_once():
    found, rounds = run(linear(document(9), "claim"), containing(" 7 "))
    assert found.evidence.sentence == 7
    assert [len(pairs) for pairs in rounds] == [9]
    assert found.model_calls == 9


def test_a_margin_may_end_at_a_part_that_fits():
    found, rounds = run(bst(document(400), "claim", margin=0.0), lambda pair: Scores(0.5, 0.5, 0.0))
    assert len(rounds) == 2
    assert found.path == document(400).parts[:1]


def test_preselect_scores_only_the_k_windows_nearest_to_the_claim():
    claim = "Facts 7, 21 and 31 hold"
    found, rounds = run(preselect([document(40)], claim, k=3), containing(" 31 "))
    assert sum(len(pairs) for pairs in rounds) == found.model_calls <= 3 + 1
    assert " 31 " in found.evidence.text
    _, rounds = run(preselect([document(40)], claim, k=2), lambda pair: Scores(0.0, 1.0, 0.0))
    assert [len(pairs) for pairs in rounds] == [1, 2]  # the other window, and a sentence by itself


def test_preselect_scores_no_further_window_where_the_nearest_surely_entails():
    claim = "Facts 7, 21 and 31 hold"
    found, rounds = run(preselect([document(40)], claim, k=3), lambda pair: Scores(SURE, 1 - SURE, 0.0))
    assert [len(pairs) for pairs in rounds] == [1]
    assert found.model_calls == 1
    _, rounds = run(preselect([document(40)], claim, k=3), lambda pair: Scores(SURE - 0.01, 0.11, 0.0))
    assert [len(pairs) for pairs in rounds] == [1, 2 + 1]


def test_preselect_scores_the_nearest_sentence_by_itself_and_cites_it_where_it_decides():
    text = "Anna Weil opened the race. Tom Hart was the first to reach the hut. Ida Moe followed him."
    found, rounds = run(
        preselect([Reference(text, name="race")], "Ida Moe was the first to reach the hut."),
        lambda pair: Scores(0.1, 0.0, 0.9) if pair.premise.startswith("Tom") else Scores(0.4, 0.1, 0.5),
    )
    assert [pair.premise for pair in rounds[1]] == ["Tom Hart was the first to reach the hut."]
    assert found.evidence.text == "Tom Hart was the first to reach the hut."
    assert found.scores.contradiction > 0.7


def test_preselect_scores_no_sentence_twice():
    _, rounds = run(
        preselect([Reference("The roof is red.", name="roof")], "The roof is blue."),
        lambda pair: Scores(0.0, 0.1, 0.9),
    )
    assert [len(pairs) for pairs in rounds] == [1]


# The nearest sentence alone decides: a pooling that sees only its log odds.
BY_SENTENCE = Pooling(entailment=(0, 0, 1, *[0] * 4), contradiction=(0, 0, 0, 1, *[0] * 3))


def test_preselect_with_a_pooling_scores_all_passages_in_one_round_and_cites_what_speaks_for_the_triple():
    text = "Anna Weil opened the race. Tom Hart was the first to reach the hut. Ida Moe followed him."
    found, rounds = run(
        preselect(
            [Reference(text, name="race")], "Ida Moe was the first to reach the hut.", pooling=BY_SENTENCE
        ),
        lambda pair: Scores(0.05, 0.05, 0.9) if pair.premise.startswith("Tom") else Scores(0.95, 0.05, 0.0),
    )
    assert [[pair.premise for pair in pairs] for pairs in rounds] == [
        [text, "Tom Hart was the first to reach the hut."]
    ]
    assert found.evidence.text == "Tom Hart was the first to reach the hut."
    assert found.scores == pytest.approx(BY_SENTENCE.alone(Scores(0.05, 0.05, 0.9)))
    window, sentence = [told.scores for told in found.told]
    assert window == pytest.approx(BY_SENTENCE.alone(Scores(0.95, 0.05, 0.0)))
    assert found.scores.contradiction > sentence.contradiction > 0.7


def test_preselect_with_a_pooling_takes_a_sentence_that_is_a_window_from_its_row():
    roofs = [Reference(text, name="roof") for text in ("The roof is red.", "The door of it is blue.")]
    found, rounds = run(
        preselect(roofs, "The roof is blue.", pooling=BY_SENTENCE),
        lambda pair: Scores(0.0, 0.1, 0.9) if "red" in pair.premise else Scores(0.0, 0.9, 0.1),
    )
    assert [len(pairs) for pairs in rounds] == [2]
    assert found.scores == pytest.approx(BY_SENTENCE.alone(Scores(0.0, 0.1, 0.9)))


# The premise with the nearest window alone decides.
BY_NEAREST = Pooling(entailment=(1, *[0] * 6), contradiction=(0, 1, *[0] * 5))
FERRY = """\
The ferry to Lund sails daily in summer.
It takes two hours and carries forty cars. Tickets are sold on board by the crew. Dogs must be on a lead.
A café opens after the first stop. Its owner is a cook from Ystad. He bakes the bread himself.
Bicycles travel free of charge on all boats. The ferry to Lund is paid for by the county council.
"""


def about_the_ferry(*, both, one):
    """Claim what its first and last line say; `both` for a premise that holds the two, else `one`."""
    claim = "The ferry to Lund that sails in summer is paid for by the county."
    return run(
        preselect([Reference(FERRY, name="ferry")], claim, pooling=BY_NEAREST),
        lambda pair: both if "daily" in pair.premise and "council" in pair.premise else one,
    )


def test_preselect_with_a_pooling_reads_the_nearest_window_with_sentences_of_others_in_the_texts_order():
    found, rounds = about_the_ferry(both=Scores(0.9, 0.06, 0.04), one=Scores(0.2, 0.7, 0.1))
    ((widened, sentence),) = [[pair.premise for pair in pairs] for pairs in rounds]
    assert sentence in widened
    assert widened.index("sails daily") < widened.index("council")
    assert widened.count("The ferry to Lund sails daily") == 1
    assert found.scores == pytest.approx(BY_NEAREST.alone(Scores(0.9, 0.06, 0.04)))
    assert found.evidence.text in FERRY
    assert found.evidence.text in widened
    assert len(found.evidence.text) > len(sentence), "the sentence does not say so by itself"
    assert found.model_calls == len(found.told) == 2


def test_preselect_takes_three_sentences_of_other_windows_at_most():
    text = " ".join(f"The ferry to Lund number {number} is old. Few like it much." for number in range(40))
    reference = Reference(text, name="towns")
    _, rounds = run(
        preselect([reference], "The ferry to Lund is new.", pooling=BY_NEAREST),
        lambda pair: Scores(0.1, 0.8, 0.1),
    )
    ((widened, *_),) = [[pair.premise for pair in pairs] for pairs in rounds]
    (window,) = nearest("The ferry to Lund is new.", [reference], k=1)
    sentences = reference.sentences_in(window.evidence)
    assert widened.count(".") == len(sentences) + 3


def test_preselect_cites_the_sentence_that_says_so_by_itself_before_what_is_read_together():
    found, rounds = about_the_ferry(both=Scores(0.95, 0.03, 0.02), one=Scores(0.6, 0.3, 0.1))
    ((_, sentence),) = [[pair.premise for pair in pairs] for pairs in rounds]
    assert found.evidence.text == sentence
    assert found.scores == pytest.approx(BY_NEAREST.alone(Scores(0.95, 0.03, 0.02)))


def test_preselect_reads_no_sentence_of_another_text_with_a_window():
    roofs = [Reference(text, name="roof") for text in ("The old roof is red.", "The old roof is high.")]
    nearest_one = Scores(0.3, 0.6, 0.1)
    found, rounds = run(
        preselect(roofs, "The old roof is high, they say today.", pooling=BY_NEAREST),
        lambda pair: nearest_one if "high" in pair.premise else Scores(0.8, 0.1, 0.1),
    )
    assert [[pair.premise for pair in pairs] for pairs in rounds] == [
        ["The old roof is high.", "The old roof is red."]
    ]
    assert found.scores == pytest.approx(BY_NEAREST.alone(nearest_one))


def test_preselect_tells_what_each_scored_window_says_with_the_place_of_its_text():
    texts = ["The roof of the hall is blue.", "The roof of the hall is red, they say."]
    roofs = [Reference(text, name="roof") for text in texts]
    found, rounds = run(
        preselect(roofs, "The roof of the hall is painted."),
        lambda pair: Scores(0.0, 0.1, 0.9) if "blue" in pair.premise else Scores(0.9, 0.1, 0.0),
    )
    assert [(told.place, told.evidence.text) for told in found.told] == list(enumerate(texts))
    assert found.told[0].scores == pytest.approx((0.0, 0.1, 0.9))
    assert found.told[1].scores == pytest.approx((0.9, 0.1, 0.0))
    assert found.model_calls == sum(map(len, rounds)) == len(found.told)


def test_what_a_less_relevant_window_contradicts_is_told_with_less_weight():
    roofs = [
        Reference(text, name="roof")
        for text in ("The tiled roof of the hall is red.", "The tiled roof of old is gone.")
    ]
    found, _ = run(
        preselect(roofs, "The tiled roof of the hall is blue."),
        lambda pair: Scores(0.0, 0.05, 0.95) if "old" in pair.premise else Scores(0.7, 0.3, 0.0),
    )
    assert [told.place for told in found.told] == [0, 1]
    assert found.told[1].scores.contradiction < 0.5


def test_a_text_among_the_documents_twice_has_the_last_of_its_places():
    one, other = document(1), document(2)
    assert places([one, other, Reference(one.text, name="copy")]) == {one.digest: 2, other.digest: 1}


@pytest.mark.parametrize(("documents", "k"), [([], 3), (["doc"], 0)])
def test_preselect_needs_a_document_and_a_k(documents, k):
    with pytest.raises(ValueError, match="preselect takes"):
        next(preselect(documents, "claim", k=k))


def test_searches_in_step_share_their_rounds_and_find_what_each_alone_finds():
    asked = [(document(16), " 5 "), (document(3), " 1 "), (document(33), " 32 "), (document(150), " 149 ")]

    def score(pair):
        return containing(f" {pair.hypothesis} ")(pair)

    alone = [run(bst(doc, needle.strip()), score) for doc, needle in asked]
    joint, rounds = run(in_step([bst(doc, needle.strip()) for doc, needle in asked]), score)
    assert joint == [found for found, _ in alone]
    assert len(rounds) == max(len(each) for _, each in alone)
    assert len(rounds[0]) == sum(len(each[0]) for _, each in alone)


def test_no_searches_take_no_round():
    assert run(in_step([]), None) == ([], [])


@given(st.text(alphabet="ab .!?\n1", min_size=1), st.sampled_from(["bst", "linear", "preselect"]))
def test_evidence_is_what_stands_at_its_span(text, strategy):
    try:
        doc = Reference(text, name="any")
    except ValueError:
        return
    search = {
        "bst": lambda: bst(doc, "a b", beam=2),
        "linear": lambda: linear(doc, "a b"),
        "preselect": lambda: preselect([doc], "a b"),
    }[strategy]()
    found, _ = run(search, containing("b"))
    assert text[found.evidence.span.start : found.evidence.span.end] == found.evidence.text
