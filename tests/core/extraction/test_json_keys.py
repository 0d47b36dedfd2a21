"""Statements in the keys of a JSON object."""

import pytest

from decomposing import claims
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.json_keys import stated_keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"pets are allowed in the flat": {"since": 2020}}', ["pets are allowed in the flat"]),
        ('{"a": {"the roof is red": true}, "b": 1}', ["the roof is red"]),
        ('{"price_eur": 12, "city": "Basel"}', []),
        ('{"the roof is red": ', []),
        ("The roof is {red} today.", []),
        ("{" * 5_000 + "}" * 5_000, []),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, []),
    ],
)
def test_keys_with_the_words_of_a_statement_are_found(text: str, keys: list[str]) -> None:
    assert stated_keys(text) == keys


def test_a_key_that_states_something_is_a_claim_beside_the_whole() -> None:
    text = '{"pets are allowed in the flat": {"since": 2020}}'
    found = claims(Discourse(None), text)
    assert found[0] == "Pets are allowed in the flat."
    assert len(found) == 2
