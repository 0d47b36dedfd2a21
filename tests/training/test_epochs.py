"""Epochs: the same in every process, other parts each time, twins in one batch."""

import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")

from torch.utils.data import DataLoader  # noqa: E402

import tiny_base  # noqa: E402
from vista_stream.training.documents import Document, WrittenClaim  # noqa: E402
from vista_stream.training.epochs import Epochs  # noqa: E402
from vista_stream.training.rows import Row  # noqa: E402

LINES = ("The thing1 is red 5.", "The thing2 is blue 9.", "The thing3 is red 7.")
CLAIMS = (
    ("The thing1 is red 5.", "entailment", 0),
    ("The thing1 is red 6.", "contradiction", 0),
    ("The thing2 is blue.", "entailment", 1),
    ("The thing2 is tall.", "neutral", 1),
)
ROWS = [Row(f"The thing{n} is red.", f"The thing{n} is blue.", "contradiction") for n in range(1, 9)]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base.write(tmp_path_factory.mktemp("base"))


def epochs(base, *, documents=1, rows=ROWS, tokens=64) -> Epochs:
    claims = tuple(WrittenClaim(text, label, frozenset({line})) for text, label, line in CLAIMS)
    made = [Document(f"d{n}", "written:made", LINES, claims) for n in range(documents)]
    return Epochs(rows=rows, documents=made, base=base, pad=1, tokens=tokens, length=64, seed=3)


def flat(batches):
    return [(batch.ids.tolist(), batch.labels.tolist(), batch.twins.tolist()) for batch in batches]


def test_workers_prepare_what_one_process_prepares_in_order(base):
    found = epochs(base, documents=3)
    loaded = iter(DataLoader(found, batch_size=None, num_workers=2))
    assert [flat(next(loaded)) for _ in range(3)] == [flat(found[number]) for number in range(3)]
    assert flat(found[0]) != flat(found[1])


def test_without_documents_each_epoch_has_every_row_once(base):
    batches = epochs(base, documents=0)[0]
    assert sum(len(batch.labels) for batch in batches) == len(ROWS)
    assert all(batch.twins.shape == (0, 2) for batch in batches)


def test_twins_stand_side_by_side_in_one_batch_whatever_its_size(base):
    for tokens in (16, 64, 4096):
        for batch in epochs(base, documents=4, tokens=tokens)[0]:
            for first, second in batch.twins.tolist():
                assert second == first + 1
                assert batch.labels[first] == 0
                assert batch.labels[second] != 0


def test_a_claim_that_leaves_no_room_goes_with_its_twin_and_other_rows_are_a_share(base):
    found = epochs(base, rows=[*ROWS, Row("a", "word " * 40, "neutral")], documents=0)
    assert len(found.units(0)) == len(ROWS)
    units = epochs(base, rows=ROWS * 20, documents=6).units(0)
    written = sum(map(len, units)) / 1.5
    assert abs(written - round(written)) < 0.5
