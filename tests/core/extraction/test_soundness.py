"""Clauses that can stand alone, and some that cannot; parsed by hand."""

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import Clause, Piece
from vista_stream.core.extraction.soundness import all_sound


def tree(*words: str) -> Tree:
    """A tree of words written as text/TAG/dep/head."""
    made = []
    for index, each in enumerate(words):
        text, tag, dep, head = each.split("/")
        made.append(Word(index, text, index * 9, index * 9 + len(text), tag, dep, int(head)))
    return Tree(made)


THERE = tree(
    "There/EX/expl/1", "are/VBP/ROOT/1", "books/NNS/attr/1", "and/CC/cc/1", "one/NN/nsubj/5", "won/VBD/conj/1"
)
MILL = tree(
    "Anna/NNP/nsubj/1", "owns/VBZ/ROOT/1", "a/DT/det/3", "mill/NN/dobj/1", "and/CC/cc/1", "there/EX/expl/6",
    "are/VBP/conj/1", "two/CD/nummod/8", "rooms/NNS/attr/6",
)  # fmt: skip


def cut(of: Tree, *ranges: range) -> list[Clause]:
    return [Clause.of([of.words[n] for n in each]) for each in ranges]


def test_clauses_with_subject_and_verb_stand_alone() -> None:
    assert all_sound(cut(MILL, range(4), range(5, 9)))


def test_a_clause_without_a_verb_does_not() -> None:
    assert not all_sound(cut(MILL, range(4), range(7, 9)))


def test_a_clause_without_a_subject_does_not_unless_its_sentence_begins_so() -> None:
    assert not all_sound(cut(MILL, range(4), range(6, 9)))
    told = tree("Try/VBP/ROOT/0", "it/PRP/dobj/0", "and/CC/cc/0", "it/PRP/nsubj/4", "works/VBZ/conj/0")
    assert all_sound(cut(told, range(2), range(3, 5)))


def test_there_needs_a_verb_of_existence() -> None:
    assert all_sound(cut(THERE, range(3), range(4, 6)))
    there, won = THERE.words[0], THERE.words[5]
    assert not all_sound([*cut(THERE, range(3)), Clause.of([there, won])])


def test_a_clause_that_points_back_does_not_stand_alone() -> None:
    kept = tree(
        "Anna/NNP/nsubj/1", "slept/VBD/ROOT/1", "with/IN/prep/4", "whom/WP/pobj/2", "lived/VBD/conj/1",
    )  # fmt: skip
    assert not all_sound(cut(kept, range(2), range(2, 5)))
    assert not all_sound(cut(kept, range(2), range(3, 5)))


def test_a_clause_that_is_cut_off_after_a_possessive_does_not_stand_alone() -> None:
    hers = tree(
        "Anna/NNP/nsubj/1",
        "owns/VBZ/ROOT/1",
        "her/PRP$/poss/3",
        "mill/NN/dobj/1",
        "it/PRP/nsubj/5",
        "runs/VBZ/conj/1",
    )
    assert all_sound(cut(hers, range(4), range(4, 6)))
    assert not all_sound(cut(hers, range(3), range(4, 6)))


def test_a_verb_that_stands_for_another_one_does_not_unless_its_sentence_begins_so() -> None:
    told = tree(
        "I/PRP/nsubj/1", "do/VBP/ROOT/1", "and/CC/cc/1", "it/PRP/nsubj/4", "is/VBZ/conj/1", "old/JJ/acomp/4"
    )
    assert all_sound(cut(told, range(2), range(3, 6)))
    assert not all_sound(cut(told, range(2), range(3, 5)))


def test_a_clause_that_ends_in_a_conjunction_or_a_modal_verb_does_not_stand_alone() -> None:
    cut_off = tree("Anna/NNP/nsubj/1", "slept/VBD/ROOT/1", "but/IN/prep/1", "can/MD/aux/1")
    assert not all_sound(cut(cut_off, range(2), range(3)))
    assert not all_sound(cut(cut_off, range(2), range(4)))


def test_a_filler_does_not_stand_alone() -> None:
    said = tree("It/PRP/nsubj/1", "rained/VBD/ROOT/1", "you/PRP/nsubj/3", "know/VBP/parataxis/1")
    assert not all_sound(cut(said, range(2), range(2, 4)))


def test_a_clause_that_lacks_a_part_between_two_conjunctions_does_not_stand_alone() -> None:
    written = tree("It/PRP/nsubj/1", "was/VBD/ROOT/1", "old/JJ/acomp/1", "and/CC/cc/1", "or/CC/cc/1")
    assert all_sound(cut(written, range(3), range(3)))
    assert not all_sound(cut(written, range(3), range(5)))


def test_a_noun_that_was_taken_for_a_verb_shows_by_its_plural_subject() -> None:
    games = tree("Examples/NNS/nsubj/2", "of/IN/prep/0", "consoles/VBZ/ROOT/2")
    sold = tree("Examples/NNS/nsubj/1", "sold/VBD/ROOT/1")
    assert not all_sound([*cut(MILL, range(4)), *cut(games, range(3))])
    assert all_sound([*cut(MILL, range(4)), *cut(sold, range(2))])


def test_a_lone_clause_is_its_sentence() -> None:
    assert all_sound(cut(MILL, range(7, 9)))


def test_a_verb_that_was_put_in_counts() -> None:
    rooms = Clause((Piece("rooms", MILL.words[8]), Piece("are"), Piece("two", MILL.words[7])))
    assert all_sound([*cut(MILL, range(4)), rooms])
