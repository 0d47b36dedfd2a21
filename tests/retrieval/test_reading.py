import pytest

from vista_stream.claims import Scores
from vista_stream.retrieval.ranges import rough_tokens
from vista_stream.retrieval.reading import READ_TOKENS, nearest_sentences, read_together
from vista_stream.retrieval.reference import UNIT_TOKENS, Reference, split_windows
from vista_stream.retrieval.search import Found

ENTAILED, OPEN = Scores(0.9, 0.1, 0.0), Scores(0.1, 0.9, 0.0)
LONG = " ".join(f"Room {number} holds {number} pictures of the sea." for number in range(1, 120))


def found(search, score) -> tuple[Found, list]:
    """What a search finds where `score` scores a pair, and the pairs of each round."""
    rounds, pairs = [], next(search)
    while True:
        rounds.append(pairs)
        try:
            pairs = search.send([score(pair) for pair in pairs])
        except StopIteration as end:
            return end.value, rounds


def test_a_short_text_is_one_unit_and_a_long_one_is_divided_without_a_rest() -> None:
    assert len(Reference("The hall is old. The roof is red.", name="a").units) == 1
    reference = Reference(LONG, name="a")
    assert [unit.sentence for unit in reference.units][:2] == [0, len(_sentences(reference, 0))]
    covered = [row for n in range(len(reference.units)) for row in _sentences(reference, n)]
    assert covered == list(range(len(reference.sentences)))
    assert all(rough_tokens(unit.text) <= UNIT_TOKENS for unit in reference.units)


def _sentences(reference: Reference, number: int) -> list[int]:
    start, end = reference.units[number].span
    return [row for row, span in enumerate(reference.sentences) if start <= span.start < end]


def test_references_that_fit_are_read_whole_in_their_order() -> None:
    documents = [Reference("The hall is old.", name="a"), Reference("The roof is red.", name="b")]
    found_, (together, alone) = found(
        read_together(documents, "The roof of the hall is red and old."),
        lambda pair: ENTAILED if "roof" in pair.premise else OPEN,
    )
    assert together[0].windows == ("The hall is old.", "The roof is red.")
    assert together[0].premise == "The hall is old.\nThe roof is red."
    assert [pair.premise for pair in alone] == ["The hall is old.", "The roof is red."]
    assert (found_.evidence.document, found_.evidence.text) == ("b", "The roof is red.")
    assert found_.scores == ENTAILED


def test_of_long_references_the_units_most_about_the_claim_are_read() -> None:
    claim = "Room 97 holds 97 pictures."
    found_, rounds = found(
        read_together([Reference(LONG, name="a")], claim),
        lambda pair: ENTAILED if "Room 97 " in pair.premise else OPEN,
    )
    windows = rounds[0][0].windows
    assert any("Room 97 " in window for window in windows)
    assert sum(map(rough_tokens, windows)) <= READ_TOKENS
    assert found_.evidence.text == "Room 97 holds 97 pictures of the sea."
    assert found_.model_calls == sum(map(len, rounds))


def test_one_sentence_is_its_own_evidence() -> None:
    found_, rounds = found(read_together([Reference("It is so.", name="a")], "It is."), lambda pair: OPEN)
    assert len(rounds) == 1
    assert found_.evidence.text == "It is so."


def test_a_single_sentence_is_not_asked_again_and_told_in_its_own_place() -> None:
    documents = [Reference("Boats leave daily.", name="a"), Reference("Tea: the hall is old.", name="b")]
    search = read_together(documents, "The hall is old.", sentences=1)
    found_, rounds = found(search, lambda pair: ENTAILED)
    assert (len(rounds), found_.model_calls) == (1, 1)
    (told,) = found_.told
    assert (told.place, told.evidence, told.scores) == (1, found_.evidence, ENTAILED)


def test_what_each_sentence_says_is_told_once_with_the_last_place_of_its_text() -> None:
    roofs = [Reference(text, name="roof") for text in ("The roof is red.", "The roof is blue.")]
    refuted = Scores(0.0, 0.1, 0.9)
    search = read_together([*roofs, roofs[0]], "The roof is painted.")
    found_, rounds = found(search, lambda pair: refuted if "blue" in pair.premise else ENTAILED)
    assert [(told.place, told.evidence.text, told.scores) for told in found_.told] == [
        (2, "The roof is red.", ENTAILED),
        (1, "The roof is blue.", refuted),
    ]
    assert found_.model_calls == sum(map(len, rounds))


def test_no_document_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one document"):
        next(read_together([], "It is."))


@pytest.mark.parametrize("text", ["", "…", "one two", LONG])
def test_the_windows_of_a_text_hold_all_of_it(text: str) -> None:
    windows = split_windows(text)
    assert "".join(" ".join(windows).split()) == "".join(text.split())


def test_for_pairs_the_sentences_of_the_nearest_windows_are_read_in_their_order() -> None:
    claim = "Room 97 holds as many pictures as room 12."
    documents = [Reference(LONG, name="a"), Reference("The hall is old.", name="b")]
    found_, ((together, *_), _) = found(
        read_together(documents, claim, tokens=80, choose=nearest_sentences),
        lambda pair: ENTAILED if "Room 97 " in pair.premise else OPEN,
    )
    lines = together.premise.split("\n")
    assert "Room 97 holds 97 pictures of the sea." in together.premise
    assert [LONG.index(line) for line in lines] == sorted(LONG.index(line) for line in lines)
    assert rough_tokens(together.premise) <= 80
    assert found_.evidence.text == "Room 97 holds 97 pictures of the sea."


def test_for_pairs_short_references_are_read_whole() -> None:
    documents = [Reference("The hall is old. It is red.", name="a"), Reference("So is the roof.", name="b")]
    _, rounds = found(
        read_together(documents, "The roof is red.", choose=nearest_sentences), lambda pair: OPEN
    )
    assert rounds[0][0].premise == "The hall is old. It is red.\nSo is the roof."
