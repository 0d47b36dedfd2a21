from time import process_time

import pytest

from vista_stream.core.rules.exchanges import exchanged
from vista_stream.core.rules.wording import atoms_of


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("It is 3 m long and 20 m wide.", "It is 20 m long and 3 m wide.", True),
        ("Bags go in the hold and boots in the cabin.", "Bags go in the cabin and boots in the hold.", True),
        ("Always add water to acid.", "Always add acid to water.", True),
        ("The door is red, the gate blue.", "The gate is blue, the door red.", False),
        ("Trams and buses run at night.", "Buses and trams run at night.", False),
        ("It lies between Bern and Thun.", "It lies between Thun and Bern.", False),
        ("The church is 2 km from the school.", "The school is 2 km from the church.", False),
        ("The cabin is a mile away from the lake.", "The lake is a mile away from the cabin.", False),
        ("Ben is a cousin of Ada.", "Ada is a cousin of Ben.", False),
        ("The cart rolled 2 km from the van.", "The van rolled 2 km from the cart.", True),
        ("It is 3 km from Bern and 2 km from Thun.", "It is 2 km from Bern and 3 km from Thun.", True),
        ("It rang because she left.", "It rang because she left.", False),
        (
            "Limits are 120 km/h on motorways, 80 km/h on roads and 50 km/h in towns.",
            "Limits are 50 km/h in towns, 80 km/h on roads and 120 km/h on motorways.",
            False,
        ),
        (
            "In June 5 cm, in May 6 cm and in April 7 cm fell.",
            "In April 7 cm, in May 6 cm and in June 5 cm fell.",
            False,
        ),
        (
            "Bring one bag of 8 kg and one case of 23 kg.",
            "Bring one case of 23 kg and one bag of 8 kg.",
            False,
        ),
        (
            "Limits are 120 km/h in towns, 80 km/h on roads and 50 km/h on motorways.",
            "Limits are 50 km/h in towns, 80 km/h on roads and 120 km/h on motorways.",
            True,
        ),
        (
            "Mills (5 m), Rowe (6 m) and Hill (9 m) lie east.",
            "Mills (9 m), Rowe (6 m) and Hill (5 m) lie east.",
            True,
        ),
        (
            "Children, students and adults pay 9, 7 and 5.",
            "Adults, students and children pay 9, 7 and 5.",
            True,
        ),
    ],
)
def test_two_parts_that_changed_places(claim, sentence, expected):
    assert exchanged(atoms_of(claim), atoms_of(sentence)) is expected


def test_clauses_told_in_another_order_with_a_subordinate_clause_stay():
    sentence = "The cavalry crossed the river by night, surprised the army at breakfast and took its guns."
    claim = "The guns of the army, which was surprised at breakfast, were taken after the river was crossed."
    assert not exchanged(atoms_of(claim), atoms_of(sentence))


def test_a_long_list_in_another_order_takes_no_time() -> None:
    towns = [f"Ham{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(120)]
    there, back = (f"The line stops at {', '.join(each)}." for each in (towns, towns[::-1]))
    started = process_time()
    assert not exchanged(atoms_of(there), atoms_of(back))
    assert process_time() - started < 0.5
