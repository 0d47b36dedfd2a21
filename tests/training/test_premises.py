"""Parts of written documents that claims are learnt with."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.training.documents import Document, WrittenClaim
from vista_stream.training.premises import cut_row, cut_rows

_LINES = st.lists(st.integers(1, 60), min_size=1, max_size=12).map(
    lambda lengths: tuple(f"L{row}. " + "word " * length + f"end{row}." for row, length in enumerate(lengths))
)


@st.composite
def _documents(draw):
    lines = draw(_LINES)
    claims = tuple(
        WrittenClaim(
            f"Claim {number} about end{number}.",
            draw(st.sampled_from(["entailment", "neutral", "contradiction"])),
            frozenset(draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=2))),
        )
        for number in range(draw(st.integers(1, 6)))
    )
    return Document("d", "written:made", lines, claims)


@given(document=_documents(), seed=st.integers(0, 10_000))
def test_a_claim_keeps_its_label_just_where_all_that_decides_it_is_shown(document, seed):
    for claim, row in zip(document.claims, cut_rows([document], random.Random(seed)), strict=True):
        assert (row.hypothesis, row.source) == (claim.text, document.source)
        whole = all(document.lines[number] in row.premise for number in claim.deciding)
        assert row.label == (claim.label if whole else "neutral")


@given(document=_documents(), seed=st.integers(0, 10_000))
def test_a_part_has_whole_lines_of_its_document_in_their_order_and_one_at_least(document, seed):
    for row in cut_rows([document], random.Random(seed)):
        found = [line for line in document.lines if line in row.premise]
        assert found
        places = [row.premise.index(line) for line in found]
        assert places == sorted(places)


def test_parts_are_of_many_lengths_and_some_have_lines_of_a_stranger():
    lines = tuple(f"L{row}. " + "word " * 20 + f"end{row}." for row in range(10))
    own = Document(
        "own",
        "written:own",
        lines,
        tuple(WrittenClaim(f"Claim {n}.", "entailment", frozenset({4})) for n in range(300)),
    )
    other = Document("other", "written:other", ("Nothing of it.",), ())
    premises = [row.premise for row in cut_rows([own, other], random.Random(3))]
    strangers = sum("Nothing of it." in premise for premise in premises)
    assert 5 < strangers < 60
    assert {len(premise.split()) // 40 for premise in premises} >= {0, 1, 2, 3, 4}


@pytest.mark.parametrize(("lines", "deciding", "share"), [(4, {1}, 0.5), (3, {0, 1, 2}, 0.5), (1, {0}, 0.0)])
def test_the_open_share_is_of_all_claims_whose_document_has_several_lines(lines, deciding, share):
    claim = WrittenClaim("A claim.", "entailment", frozenset(deciding))
    own = Document("d", "written:made", tuple(f"Line {row} is here." for row in range(lines)), (claim,))
    chance = random.Random(0)
    rows = [cut_row(own, claim, others=(), chance=chance, open_share=0.5) for _ in range(4000)]
    assert sum(row.label == "neutral" for row in rows) / len(rows) == pytest.approx(share, abs=0.02)
