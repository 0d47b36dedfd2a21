"""The head of the claim-type recipe: rows of conversations, and a head that is learnt and loaded again."""

import json
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="the recipe needs the extra [score]")
pytest.importorskip("openai", reason="claims are located by a module of the LLM stages")

from vista_stream.claims import ClaimKind
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.training.__main__ import main
from vista_stream.training.kind_rows import KindRow, conversations, plain_facts, written_facts
from vista_stream.verifiers.embedded import EmbeddedEmbedder

WRITTEN = """#dialogue domain=music form=chit-chat
R: The mill of Lund has {n} rooms.
U: do you know it?
A: I do! I slept there {n} times. It has {n} rooms, and it is lovely. I don't know who owns it.
#claims
O | The assistant slept in the mill of Lund {n} times.
V | The mill of Lund has {n} rooms.
O | The mill of Lund is lovely.
B | The assistant does not know who owns the mill of Lund.
"""


def test_a_head_is_learnt_written_and_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    (folder / "part-01.txt").write_text("\n".join(WRITTEN.format(n=n) for n in range(2, 32)))
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"text": "The mill is old.", "label": "factual"}))
    out = tmp_path / "out"
    pairs = tmp_path / "pairs.jsonl"
    pair = {"premise": "A mill.", "hypothesis": "A mill stands in Lund.", "label": "neutral"}
    pairs.write_text(json.dumps(pair))
    given = ["--data", str(own), "--conversations", str(folder), "--facts", str(pairs), "--out", str(out)]
    assert main(["claim-type", *given]) == 0
    assert str(out / "kinds") in capsys.readouterr().out
    manifest = json.loads((out / "kinds" / "manifest.json").read_text())
    assert manifest["rows"] == {"own": 1, "pairs: own": 1, "written": 120}
    assert manifest["kept apart"]["written"]["head"]["accuracy"] > 90
    assert {"mill", "the mill", "not know"} <= json.loads((out / "kinds" / "head.json").read_text())[
        "phrases"
    ].keys()
    teller = EmbeddedKinds.from_pretrained(EmbeddedEmbedder.from_pretrained(threads=1), out / "kinds")
    claims = ["The mill of Lund has forty rooms.", "The assistant does not know who owns the mill of Lund."]
    assert teller.told(claims, claims) == [ClaimKind.FACT, ClaimKind.REFUSAL]


def test_a_conversation_gives_its_claims_with_their_words(tmp_path: Path) -> None:
    turn = {"role": "assistant", "text": "I like it. It has two rooms."}
    claims = [{"text": "The mill has two rooms.", "label": "contradicted"}]
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"id": "a", "turns": [turn | {"claims": claims}]}))
    assert conversations(path) == [
        KindRow("The mill has two rooms.", "It has two rooms.", "factual", "own.jsonl/a", "own.jsonl")
    ]


def test_plain_facts_are_hypotheses_that_the_rules_take_for_facts(tmp_path: Path) -> None:
    hypotheses = ["The mill is old.", "I love the mill.", "Is the mill old?", "The mill is old."]
    rows = [{"premise": "A mill.", "hypothesis": text, "label": "neutral"} for text in hypotheses]
    rows.append(rows[0] | {"hypothesis": "Fish swim.", "source": "fever_rte_dev"})
    rows += [rows[0] | {"hypothesis": f"Mill {n} is old.", "source": "cad_nli"} for n in range(400)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = plain_facts(path)
    own = "The mill is old."
    assert [row for row in found if row.source == "pairs: own"] == [
        KindRow(own, own, "factual", f"own/{own}", "pairs: own")
    ]
    assert len({row.claim for row in found if row.source == "pairs: cad_nli"}) == 300
    assert {row.source for row in found} == {"pairs: own", "pairs: cad_nli"}


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": "a", "turns": [{"claims": [{"text": "A.", "label": "x"}]}]}']
)
def test_a_line_that_is_no_conversation_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"own\.jsonl, line 1: a conversation has"):
        conversations(path)


def test_conversations_of_one_kind_are_no_ground_to_learn_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"text": "The mill is old.", "label": "factual"}))
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"id": "a", "turns": []}))
    assert main(["claim-type", "--data", str(own), "--conversations", str(talk), "--out", str(tmp_path)]) == 2
    assert "must hold claims of each of fact" in capsys.readouterr().err


def test_claims_about_documents_are_facts_worded_as_a_session_words_them(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "part-01.txt").write_text(
        "#doc form=policy domain=bus\n1. Dogs may ride with you.\n#claims\n"
        "E 1 | You may bring your dog.\nC 1 | Dogs have to stay outside.\n"
        "N 1 | You should bring a muzzle.\nN 1 | The bus is red and the train is blue.\n"
    )
    talk = tmp_path / "turns_talk_1"
    talk.mkdir()
    (talk / "part-01.txt").write_text(
        "#doc form=chat domain=bus\n1. The user has a dog.\n#claims\nE 1 | You own a dog.\n"
    )
    found = written_facts(tmp_path)
    assert {(row.claim, row.words) for row in found} == {
        ("The user may bring the user's dog.", "You may bring your dog."),
        ("Dogs have to stay outside.", "Dogs have to stay outside."),
    }
    assert {(row.label, row.source) for row in found} == {("factual", "pairs: written")}
