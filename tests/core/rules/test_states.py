"""States that last between the moments of their start and end."""

import pytest

from vista_stream.core.rules.states import holds_then, lies_within, tells_event
from vista_stream.core.rules.wording import atoms_of


@pytest.mark.parametrize(
    ("clock", "within"), [("noon", False), ("11 p.m.", True), ("1 a.m.", True), ("3 a.m.", False)]
)
def test_a_span_of_clock_times_may_pass_midnight(clock: str, within: bool) -> None:
    values = [atoms_of(f"at {each}")[-1].value for each in (clock, "9 p.m.", "2 a.m.")]
    assert lies_within(*values) is within


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("The gate is closed at 23:00.", "The gate closes at 22:00.", True),
        ("The gate is closed at 21:00.", "The gate closes at 22:00.", False),
        ("The gate is closed at 23:00.", "The gate is closed at 22:00.", False),
        ("The gate is closing at 23:00.", "The gate closes at 22:00.", False),
    ],
)
def test_a_state_holds_from_its_start(claim: str, sentence: str, expected: bool) -> None:
    own = atoms_of(claim)
    assert holds_then(own[-1], own, atoms_of(sentence)) is expected


def test_an_event_is_no_state() -> None:
    assert tells_event(atoms_of("The shop opens at ten."))
    assert not tells_event(atoms_of("The shop is open at ten."))
