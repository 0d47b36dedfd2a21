"""Epochs: the same in every process, other parts each time, twins in one batch."""

import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")

pytest.importorskip("sklearn", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

import tiny_base  # noqa: E402
from vista_stream.training.batches import unit_batches  # noqa: E402
from vista_stream.training.documents import Document, WrittenClaim  # noqa: E402
from vista_stream.training.epochs import Epochs  # noqa: E402
from vista_stream.training.made.scenes import read_scenes  # noqa: E402
from vista_stream.training.rows import Row  # noqa: E402
from vista_stream.training.verifier import _later  # noqa: E402

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


SCENE = """#scene red
let a = 2..90
1. The thing1 is red {a}.
2. The thing2 is blue.
#claims
V 1 | The thing1 is red {}. | a | a+1 ; a-1
T 1 | a < 50 | The thing1 is not tall. | The thing1 is tall.
"""


@pytest.fixture
def scenes(tmp_path):
    path = tmp_path / "red.txt"
    path.write_text(SCENE)
    return read_scenes(path)


def epochs(base, *, documents=1, rows=ROWS, more=(), scenes=()) -> Epochs:
    claims = tuple(WrittenClaim(text, label, frozenset({line})) for text, label, line in (*CLAIMS, *more))
    made = [Document(f"d{n}", "written:made", LINES, claims) for n in range(documents)]
    return Epochs(rows=rows, documents=made, base=base, length=64, seed=3, scenes=scenes)


def flat(units):
    return [[(row.ids.tolist(), row.label) for row in unit] for unit in units]


def test_workers_prepare_what_one_process_prepares_in_order(base):
    found = epochs(base, documents=3)
    loaded = iter(_later(found, 2))
    assert [flat(next(loaded)) for _ in range(3)] == [flat(found[number]) for number in (1, 2, 3)]
    assert flat(found[0]) != flat(found[1])


def test_without_documents_each_epoch_has_every_row_once(base):
    assert sorted(flat(epochs(base, documents=0)[0])) == sorted(flat(epochs(base, documents=0)[1]))
    assert [len(unit) for unit in epochs(base, documents=0)[0]] == [1] * len(ROWS)


@pytest.mark.parametrize("tokens", [16, 64, 4096])
def test_twins_stand_side_by_side_in_one_batch_whatever_its_size(base, tokens):
    units = epochs(base, documents=4)[0]
    seen = 0
    for batch in unit_batches(units, tokens=tokens, pad=1, seed=0):
        for first, second in batch.twins.tolist():
            seen += 1
            assert second == first + 1
            assert batch.labels[first] == 0
            assert batch.labels[second] != 0
    assert seen == sum(len(unit) == 2 for unit in units) > 0


def test_a_claim_that_leaves_no_room_goes_and_takes_its_twin_along(base):
    long = "word " * 40
    assert len(epochs(base, rows=[*ROWS, Row("a", long, "neutral")], documents=0)[0]) == len(ROWS)
    more = ((f"{long}is red.", "entailment", 0), (f"{long}is blue.", "contradiction", 0))
    few, many = (sum(map(len, epochs(base, rows=[], more=each)[0])) for each in ((), more))
    assert few == many


def test_rows_of_other_sources_are_half_as_many_as_those_about_documents(base):
    for number in range(5):
        alone = sum(map(len, epochs(base, documents=6, rows=[])[number]))
        assert sum(map(len, epochs(base, documents=6, rows=ROWS * 20)[number])) == alone + round(alone / 2)


@pytest.mark.parametrize("documents", [0, 9])
def test_scenes_come_in_their_share_of_the_rows_about_documents_or_of_all(base, scenes, documents):
    rows = ROWS * 10
    without, some = (epochs(base, documents=documents, rows=rows, scenes=each) for each in ((), scenes))
    of_documents = sum(map(len, epochs(base, documents=documents, rows=[])[0])) or len(rows)
    plain, found = flat(without[0]), flat(some[0])
    assert found[: len(plain)] == plain
    more = sum(map(len, found[len(plain) :]))
    assert 0 <= more - 0.12 * of_documents <= 4
    assert flat(some[1])[-3:] != found[-3:]
    assert without.repeated == (not documents)
    assert not some.repeated
