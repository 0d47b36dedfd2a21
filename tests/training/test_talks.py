import random
from pathlib import Path

import pytest

from vista_stream.training.talk_units import talk_units
from vista_stream.training.talks import Place, Said, divided, read_talks

OWN = Path(__file__).parents[2] / "vista_stream/training/written/talks"

TALK = """#conversation field=trains
R: The train leaves at 8:15. Dogs pay half.
U: when does it leave?
S | It leaves at 8:15.
+C | At 8:45.
+N | From platform 6.
T | Enjoy the trip!
U: take 14 May then
C | You travel on 13 May.
+S | You travel on 14 May.

#conversation field=games
U: Are you a person?
S | No, I am a program.
"""


@pytest.fixture
def talks(tmp_path):
    (tmp_path / "part-01.txt").write_text(TALK)
    return read_talks(tmp_path)


def test_the_project_s_own_talks_are_read_and_one_in_twelve_is_held_out():
    learnt, held = divided([OWN])
    talks = [*learnt, *held]
    assert len({talk.key for talk in talks}) == len(talks) == 384
    assert 20 < len(held) < 45
    said = [p for talk in talks for each in talk.exchanges for p in each.places]
    assert sum(1 + len(place.instead) for place in said) == 13_925


def test_a_file_is_read_as_it_is_written(talks, tmp_path):
    first, second = talks
    assert len({each.key for each in talks}) == 2
    assert first.reference.startswith("The train")
    assert second.reference == ""
    assert [each.message for each in first.exchanges] == ["when does it leave?", "take 14 May then"]
    assert first.exchanges[0].places == [
        Place(Said("S", "It leaves at 8:15."), [Said("C", "At 8:45."), Said("N", "From platform 6.")]),
        Place(Said("T", "Enjoy the trip!"), []),
    ]
    assert read_talks(tmp_path / "part-01.txt") == talks


@pytest.mark.parametrize(
    "wrong",
    [
        "S | At the start.",
        "U: Hello?\n+C | Instead of nothing.",
        "U: Hello?\nX | A letter.",
        "U: A\nR: late",
        "R: One.\nR: Two.",
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, wrong):
    path = tmp_path / "bad.txt"
    path.write_text(f"#conversation field=x\n{wrong}\n")
    with pytest.raises(ValueError, match=r"bad.txt, line \d: a talk has lines"):
        read_talks(path)


def test_a_talk_without_a_sentence_is_none(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("#conversation\nU: Hi\n#conversation\nU: Hi\nT | Hello!\n#conversation\nU: Bye\n")
    (talk,) = read_talks(path)
    assert talk.exchanges[0].places[0].said.text == "Hello!"


def test_a_sentence_is_read_with_the_reference_and_what_was_said_before_it(talks):
    units = talk_units(talks[0], random.Random(1))
    twins = units[0]
    assert [(row.hypothesis, row.label) for row in twins] == [
        ("It leaves at 8:15.", "entailment"),
        ("At 8:45.", "contradiction"),
    ]
    assert {row.premise for row in twins} == {
        "The train leaves at 8:15. Dogs pay half.\nUser: when does it leave?"
    }
    last = units[-1][0].premise
    assert last.endswith("User: take 14 May then")
    assert "Assistant: It leaves at 8:15.\nAssistant: Enjoy the trip!\nUser:" in last
    assert not {"8:45", "13"} & set(last.split())


def test_a_false_sentence_that_was_said_is_heard_now_and_then(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(
        "#conversation\nU: who?\nC | Anna.\n+S | Berta.\nS | She sings.\nU: what?\nS | Songs, mostly.\n"
    )
    (talk,) = read_talks(path)
    drawn = [[rows[0].premise for rows in talk_units(talk, random.Random(seed))] for seed in range(60)]
    assert 10 < sum("Anna." in premises[-1] for premises in drawn) < 40
    assert all("Assistant: She sings.\n" in premises[-1] for premises in drawn)
    assert not any("Assistant" in premise for premises in drawn for premise in premises[:-1])


def test_of_a_long_reference_the_nearest_sentences_are_read(tmp_path):
    others = " ".join(f"Room {n} has a bed and a chair." for n in range(30))
    path = tmp_path / "t.txt"
    path.write_text(
        f"#conversation\nR: {others} The sauna closes at ten.\nU: sauna?\nS | The sauna closes at ten.\n"
    )
    ((row,),) = talk_units(read_talks(path)[0], random.Random(0))
    assert "The sauna closes at ten." in row.premise
    assert len(row.premise.split()) < 90
