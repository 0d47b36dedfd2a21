import json

import pytest

from vista_stream.training.talk_rows import talk_rows

WRITTEN = """#dialogue domain=bus form=chat
R: The bus is red. It leaves at ten.
U: the bus?
A: It's red, I think it is lovely. It has ten seats. It leaves at nine.
#claims
V | The bus is red.
O | The bus is lovely.
L | The bus has ten seats.
X | The bus leaves at nine.
R: Tickets cost 3 euros.
U: and tickets?
A: They cost 3 euros. I don't know who checks them.
#claims
V | Tickets cost 3 euros.
B | The assistant does not know who checks tickets.

#dialogue domain=ferry form=chat
U: the ferry?
A: It is blue.
#claims
L | The ferry is blue.
"""


def test_claims_meet_their_reference_and_what_was_said_before(tmp_path):
    (tmp_path / "part-01.txt").write_text(WRITTEN, encoding="utf-8")
    rows = talk_rows(tmp_path)
    first, later = (
        "The bus is red. It leaves at ten.",
        "Tickets cost 3 euros.\nThe bus is red.\nThe bus is lovely.",
    )
    assert [(row.premise, row.hypothesis, row.label) for row in rows] == [
        (first, "The bus is red.", "entailment"),
        (first, "The bus has ten seats.", "neutral"),
        (first, "The bus leaves at nine.", "contradiction"),
        (later, "Tickets cost 3 euros.", "entailment"),
    ]
    assert {(row.source, row.licence) for row in rows} == {("conversation", "Apache-2.0")}


def test_a_file_of_lines_is_read_alike(tmp_path):
    given = {"role": "assistant", "text": "Red.", "references": ["The bus is red."]}
    turns = [
        {"role": "user", "text": "the bus?"},
        {**given, "claims": [{"text": "The bus is red.", "label": "verified"}]},
        {
            "role": "assistant",
            "text": "Blue.",
            "claims": [{"text": "The bus is blue.", "label": "contradicted"}],
        },
        {**given, "references": ["word " * 201], "claims": [{"text": "A.", "label": "verified"}]},
    ]
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"id": "a", "turns": turns}))
    assert [(row.premise, row.hypothesis, row.label) for row in talk_rows(path)] == [
        ("The bus is red.", "The bus is red.", "entailment"),
        ("The bus is red.\nThe bus is red.", "The bus is blue.", "contradiction"),
    ]


@pytest.mark.parametrize("line", ["{", '{"turns": [{"text": "a"}]}', '{"turns": 1}'])
def test_a_line_that_is_no_conversation_is_named(tmp_path, line):
    path = tmp_path / "talk.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=r"talk\.jsonl, line 2: a conversation has turns"):
        talk_rows(path)
