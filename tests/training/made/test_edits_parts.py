from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.training.made.edits_parts import claims, resolved, shortened
from vista_stream.training.made.passages import Parsed


@pytest.mark.parametrize(
    ("text", "edit", "claim"),
    [
        (
            "Anna Brown, a singer from Leeds, won the prize.",
            "apposition",
            "Anna Brown was a singer from Leeds.",
        ),
        ("Anna Brown, who was born in Leeds, won the prize.", "relative", "Anna Brown was born in Leeds."),
        ("The mill was built in 1871 and was sold to Oda.", "predicate_first", "The mill was built in 1871."),
        ("The mill was built in 1871 and was sold to Oda.", "predicate_second", "The mill was sold to Oda."),
        ("Anna Brown is an American singer.", "attribute", "Anna Brown is a singer."),
    ],
)
def test_a_claim_is_taken_out(sentence: Callable[[str], Span], text: str, edit: str, claim: str) -> None:
    assert claim in [made for name, made in claims(sentence(text)) if name == edit]


def test_nothing_is_taken_out_under_a_condition_or_negation(sentence: Callable[[str], Span]) -> None:
    assert not list(claims(sentence("The mill was never built in Leeds and was not sold.")))
    assert not list(shortened(sentence("The mill was not built in 1871.")))


def test_a_modifier_is_left_out(sentence: Callable[[str], Span]) -> None:
    shorter = [made for _, made in shortened(sentence("The mill closed in 1871."))]
    assert shorter == ["The mill closed."]


def test_a_pronoun_is_resolved_where_one_person_is_named(parsed: Callable[[str], Parsed]) -> None:
    passage = parsed("Anna Brown was born in Leeds. She won two prizes.")
    assert list(resolved(passage)) == [(passage.doc.text, "Anna Brown won two prizes.")]
    assert not list(resolved(parsed("Anna Brown met Maria Hill in Leeds. She won two prizes.")))
