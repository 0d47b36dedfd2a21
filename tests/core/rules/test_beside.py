"""Numbers that may be true beside another one of the evidence."""

import pytest

from vista_stream.core.rules.beside import holds_beside
from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.near_copy import differs_in_copy
from vista_stream.core.rules.other_values import differs_in_value, lacks_value
from vista_stream.core.rules.wording import atoms_of

WATCH = "The watch is waterproof to a depth of 50 m."
SAVERS = "Savers with over 5,000 euros earn 2 %, others 1 %."
TRIPS = "Trips over 100 km cost 30 euros, shorter ones 12 euros."
ORDERS = "Delivery is free for orders over 60 euros and costs 5 euros otherwise."


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("Savers with 800 euros earn 1 %.", SAVERS, True),
        ("Savers with 800 euros earn 2 %.", SAVERS, False),
        ("Savers with 800 euros earn interest.", SAVERS, False),
        ("Trips of 40 km cost 12 euros.", TRIPS, True),
        ("Trips of 40 km cost 12 euros.", "Trips over 100 km cost 30 euros, not less than 12 euros.", False),
    ],
)
def test_what_holds_beside_a_bound(claim: str, sentence: str, expected: bool) -> None:
    own = atoms_of(claim)
    first = next(atom for atom in own if atom.value is not None)
    assert holds_beside(first, own, atoms_of(sentence)) is expected


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The watch is waterproof at a depth of 30 m.", WATCH),
        ("Savers with 800 euros earn 1 %.", SAVERS),
        ("Delivery costs 5 euros for an order of 40 euros.", ORDERS),
    ],
)
def test_no_rule_objects_to_it(claim: str, sentence: str) -> None:
    own, evidence = prepare(claim), [prepare(sentence)]
    assert differs_in_copy(own, evidence) is None
    assert differs_in_value(own, evidence) is None
    assert not lacks_value(own, evidence)
