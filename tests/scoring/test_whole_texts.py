"""A text against a document: what it states is checked by itself, and the least supported counts."""

import pytest

from vista_stream.claims import Finding, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.whole_texts import NOTHING, least_supported, stated, support

ENTAILED, OPEN, REFUTED = Scores(0.9, 0.1, 0.0), Scores(0.1, 0.9, 0.0), Scores(0.0, 0.2, 0.8)


class ByWord:
    """Verifies what is deep, refutes what is wide; of the rest it finds nothing."""

    async def prepare(self, grounds):
        """Nothing to prepare."""

    async def verify(self, claim, grounds):
        scores = {"deep": ENTAILED, "wide": REFUTED, "old": OPEN}
        return Finding(scores=next((s for word, s in scores.items() if word in claim.text), None))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "decides", "scores"),
    [
        ("It is deep. It is wide. It is old.", "It is wide.", REFUTED),
        ("It is deep. It is old.", "It is old.", OPEN),
        ("Sure! It is deep.", "It is deep.", ENTAILED),
        ("It is red.", "It is red.", NOTHING),
        # What is said of the reader, and advice, count where they are contradicted.
        ("It is deep, and your desk is at the old gate.", "It is deep.", ENTAILED),
        ("It is deep, and your desk is at the wide gate.", "The user's desk is at the wide gate.", REFUTED),
        ("It is deep. You should take the wide gate.", "The user should take the wide gate.", REFUTED),
        ("It is deep. I saw the wide gate myself.", "It is deep.", ENTAILED),
        ("You should take the old gate.", "You should take the old gate.", OPEN),
    ],
)
async def test_the_least_supported_thing_decides(text, decides, scores):
    found = await least_supported(
        ByWord(), Reference("It is deep.", name="a"), text, thresholds=Thresholds(contradiction=0.7)
    )
    assert (found.stated.text, found.scores) == (decides, scores)


def test_a_contradiction_is_worse_than_silence() -> None:
    assert support(REFUTED) < support(OPEN) < support(ENTAILED)


def texts(text: str) -> list[str]:
    return [one.text for one in stated(text)]


def test_only_sentences_that_state_something_are_checked_where_there_are_some() -> None:
    assert texts("I love it! It is deep. It is wide.") == ["It is deep.", "It is wide."]
    assert texts("I love it!") == ["I love it!"]
    assert texts("#") == ["#"]


def test_one_claim_is_read_as_it_is_worded_for_the_stream() -> None:
    assert texts("Did you know the harbour is deep?") == ["The harbour is deep."]
    assert texts("Well, the harbour is deep, if I remember correctly") == ["The harbour is deep."]
    both = "The harbour is deep and the mill is old."
    assert texts(both) == [both]


def test_lower_cased_text_is_split_at_its_full_stops_but_not_at_abbreviations() -> None:
    assert texts("the u.s. harbour is deep. the mill is old.") == [
        "The u.s. harbour is deep.",
        "The mill is old.",
    ]


def test_what_a_sentence_says_of_its_speaker_is_left_out() -> None:
    assert texts("i ' m not sure , but i do know it was built in 1914 .") == ["It was built in 1914."]
    assert texts("it burnt down , and it was rebuilt .") == ["it burnt down, and it was rebuilt."]
