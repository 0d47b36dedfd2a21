"""Laying a claim over its evidence."""

from vista_stream.core.rules.alignment import Alignment, align, alike, sort_of
from vista_stream.core.rules.wording import atoms_of


def lay(claim: str, evidence: str) -> Alignment | None:
    return align(atoms_of(claim), atoms_of(evidence))


def test_equal_sentences_lie_side_by_side() -> None:
    found = lay("The cat sat in 1990.", "The cat sat in 1991.")
    assert found is not None
    assert found.complete
    assert [own.key for own, _ in found.pairs] == ["cat", "sat", "1990"]


def test_what_the_evidence_adds_is_told_by_place() -> None:
    found = lay("The cat sat.", "In 1990, the cat, who was old, sat on a mat.")
    assert found is not None
    lead, skipped, rest = ([atom.key for atom in atoms] for atoms in (found.lead, found.skipped, found.rest))
    assert lead == ["1990"]
    assert skipped == ["who", "was", "old"]
    assert rest == ["on", "mat"]


def test_another_order_or_a_missing_word_finds_no_place() -> None:
    assert lay("The dog bit the man.", "The man bit the dog.") is None
    assert lay("The old cat sat.", "The cat sat.") is None
    assert lay("The cat sat.", "The cat often sat.") is None


def test_an_insertion_needs_both_its_borders() -> None:
    assert lay("Tom sat.", "Tom, who was old, sat.") is not None
    assert lay("Tom sat.", "Tom, who was old sat.") is None
    assert lay("Tom sat.", "Tom, Ann, sat.") is None


def test_values_lie_only_over_values_of_their_sort() -> None:
    number, date, ordinal, word = (atoms_of(f"cat {text}")[1] for text in ("7 km", "in 1990", "third", "sat"))
    assert [sort_of(atom) for atom in (number, date, ordinal, word)] == ["number", "date", "ordinal", ""]
    assert alike(number, atoms_of("8")[0])
    assert not alike(number, date)
    assert not alike(number, ordinal)
    assert not alike(number, word)
