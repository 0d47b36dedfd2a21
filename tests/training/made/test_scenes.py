import random
import re
from pathlib import Path

import pytest

from vista_stream.training.made.lexicon import NUMBER_WORDS
from vista_stream.training.made.reckoning import reckoned
from vista_stream.training.made.scenes import Decided, Scene, _draws, drawn, read_scenes, scene_units

SHIPPED = sorted((Path(__file__).parents[3] / "vista_stream/training/written/scenes").glob("part-*.txt"))
POOL = """#scene pool
let a = 6..14
let c = 2,3,5
let n = 2..9
let k = 2..9
where c < a
1. Adults pay {a:plain} euros.
2. Children pay {c:plain} euros.
3. Children under {k:plain} swim with a float.
4. Towels cost 40 euros.
#claims
V 1,2 | One adult and {n} children pay {}. / {n} children and one adult? {}. | a+n*c | a+c ; n*(a+c) ; a
T 3 | n < k | A child of {n:plain} needs a float. | A child of {n:plain} needs no float.
"""


def read(folder: Path, text: str) -> list[Scene]:
    (folder / "part-01.txt").write_text(text, encoding="utf-8")
    return read_scenes(folder)


def one(folder: Path, *, claim: str, line: str = "It is {a:plain}.") -> Scene:
    """A scene with a slot `a` of 1 to 99, one line and one claim."""
    (scene,) = read(folder, f"#scene s\nlet a = 1..99\n1. {line}\n#claims\n{claim}\n")
    return scene


def numbers(text: str) -> list[int]:
    return [
        int(NUMBER_WORDS.get(word.lower(), word))
        for word in re.findall(r"\d+|\w+", text)
        if word.lower() in NUMBER_WORDS or word.isdigit()
    ]


def test_values_are_reckoned_and_a_false_twin_has_another_value_and_the_same_words(tmp_path):
    (scene,) = read(tmp_path, POOL)
    wordings = set()
    for seed in range(80):
        document, twins = drawn(scene, random.Random(seed))
        (adult,), (child,), (float_to,), _ = map(numbers, document.lines)
        assert child < adult
        true, false = twins[0]
        assert (true.label, false.label) == ("entailment", "contradiction")
        wordings.add(true.text.startswith("One"))
        said, other = numbers(true.text.replace("ne adult", "")), numbers(false.text.replace("ne adult", ""))
        children, paid = said
        assert paid == adult + children * child
        assert other[0] == children
        assert other[1] in {adult + child, children * (adult + child), adult} - {paid}
        true, false = twins[1]
        assert ("needs a" in true.text) == (numbers(true.text)[0] < float_to) == ("needs no" in false.text)
        assert numbers(true.text) == numbers(false.text)
        assert document.claims == tuple(claim for both in twins for claim in both)
    assert wordings == {True, False}


def test_rows_alone_and_twins_have_the_lines_that_they_need_or_are_neutral(tmp_path):
    (scene,) = read(tmp_path, POOL)
    seen = set()
    for seed in range(300):
        for unit in scene_units(scene, random.Random(seed)):
            labels = [row.label for row in unit]
            for row in unit:
                needed = ("Adults", "Children pay") if "adult" in row.hypothesis else ("under",)
                assert all(word in row.premise for word in needed) == (row.label != "neutral")
                assert row.source == "scene"
            if len(unit) == 2:
                assert labels == ["entailment", "contradiction"]
                assert unit[0].premise == unit[1].premise
                assert unit[0].hypothesis != unit[1].hypothesis
            seen.add(tuple(labels))
    assert seen == {("entailment", "contradiction"), ("entailment",), ("contradiction",), ("neutral",)}


def test_values_with_which_something_is_divided_by_zero_are_not_drawn(tmp_path):
    text = (
        "#scene s\nlet a = 1..99\nlet b = 0..2\n{}1. {{b:plain}} of {{a:plain}}.\n"
        "#claims\nV 1 | It is {{}}. | {} | a+1\n"
    )
    shown = {}
    for where, right in (("", "a // b"), ("where a % b == 0\n", "a"), ("where b == 0 or a // b > 1\n", "a")):
        (scene,) = read(tmp_path, text.format(where, right))
        lines = [drawn(scene, random.Random(seed)).document.lines[0] for seed in range(60)]
        shown[where or right] = {numbers(line)[0] for line in lines}
    assert list(shown.values()) == [{1, 2}, {1, 2}, {0, 1, 2}]


@pytest.mark.parametrize(
    "claim",
    [
        "V 1 | It is {} euros for {n} people. | a:cents | a+50 ; a+100",
        "V 1 | It takes {} for {n} people. | a:span | a+20 ; a+60",
    ],
)
def test_twins_have_the_same_words_behind_a_value_that_is_written_in_several_ways(tmp_path, claim: str):
    (scene,) = read(
        tmp_path, f"#scene s\nlet a = 20..500 step 10\nlet n = 2..9\n1. It is.\n#claims\n{claim}\n"
    )
    ends = [
        tuple(each.text.split(" for ")[1] for each in both)
        for seed in range(200)
        for both in drawn(scene, random.Random(seed)).twins
    ]
    assert all(true == false for true, false in ends)


@pytest.mark.parametrize(
    ("slot", "written"),
    [
        ("5", {"five", "5"}),
        ("5:plain", {"5"}),
        ("25", {"25"}),
        ("12345", {"12,345"}),
        ("450:cents", {"4.50"}),
        ("400:cents", {"4", "4.00"}),
        ("17:30:clock", {"17:30", "5:30 p.m."}),
        ("24:00:clock", {"0:00", "12 a.m."}),
        ("12:05:clock", {"12:05", "12:05 p.m."}),
        ("8 - 7:weekday", {"Tuesday"}),
        ("13:month", {"January"}),
        ("45:span", {"45 minutes"}),
        ("60:span", {"60 minutes", "an hour"}),
        ("90:span", {"90 minutes", "an hour and a half"}),
        ("150:span", {"150 minutes", "two and a half hours"}),
        ("121:span", {"121 minutes", "2 hours and 1 minute"}),
        ("15*60:span", {"900 minutes", "15 hours"}),
    ],
)
def test_values_are_written_in_their_form(tmp_path, slot: str, written: set[str]):
    scene = one(tmp_path, line=f"It is |{{{slot}}}|.", claim="T 1 | a < 50 | Yes. | No.")
    lines = {drawn(scene, random.Random(seed)).document.lines[0] for seed in range(60)}
    assert {line.split("|")[1] for line in lines} == written


def test_a_slot_that_opens_a_text_has_a_capital_and_a_time_that_ends_it_one_stop(tmp_path):
    scene = one(
        tmp_path, line="{5} come at {8:00:clock}.", claim="T 1 | a < 50 | ok so {5}? Yes. | ok so {5}? No."
    )
    found = [drawn(scene, random.Random(seed)) for seed in range(60)]
    starts = {"5 come at", "Five come at"}
    assert {each.document.lines[0] for each in found} == {
        f"{a} {b}" for a in starts for b in ("8:00.", "8 a.m.")
    }
    assert all(both[0].text.startswith("ok so") for each in found for both in each.twins)


def test_mistaken_values_are_passed_over_where_they_are_right_or_nothing(tmp_path):
    scene = one(tmp_path, claim="V 1 | It is {}. | a | a ; a-a ; a-2*a ; 2*a-a")
    _, ((true, false),) = drawn(scene, random.Random(0))
    assert false is None
    assert {len(unit) for seed in range(30) for unit in scene_units(scene, random.Random(seed))} == {1}
    scene = one(tmp_path, claim="V 1 | It is on {}. | 1:weekday | 8 ; 0-1")
    _, ((true, false),) = drawn(scene, random.Random(0))
    assert (true.text, false.text) == ("It is on Tuesday.", "It is on Sunday.")


@pytest.mark.parametrize(
    ("old", "new", "number", "message"),
    [
        ("let c = 2,3,5", "let c = 2;3", 3, "not an expression"),
        ("let n = 2..9", "let n = 9..2", 4, "no value from 9 to 2"),
        ("let n = 2..9", "let n = 2..9 step -1", 4, "a step is 1 or more, not -1"),
        ("let n = 2..9", "let n = 2..9 step 0", 4, "a step is 1 or more, not 0"),
        ("let n = 2..9", "let n = 1 // 0", 4, "a value is divided by zero: '1 // 0'"),
        ("where c < a", "where c < d", 6, "'d' is none of"),
        ("where c < a", "provided c < a", 6, "none of: let, where"),
        ("2. Ch", "3. Ch", 8, "the next line has the number 2, not 3"),
        ("{k:plain}", "{k:plan}", 9, "not an expression: 'k:plan'"),
        ("{k:plain}", "{k:plain", 9, "not a bare {"),
        ("V 1,2 |", "V 1,5 |", 12, "no such line"),
        ("V 1,2 |", "V one |", 12, "a claim has V or T and the numbers"),
        ("| a+n*c |", "|", 12, "three parts behind"),
        ("pay {}.", "pay.", 12, "each wording of a value has one {}"),
        ("a+c ;", "a+z ;", 12, "'z' is none of"),
        ("{n} children and", "{m} children and", 12, "'m' is none of"),
        ("| n < k |", "| n < |", 13, "not an expression"),
        ("needs no float.", "needs none. / He needs none.", 13, "1 and 2 wordings"),
        ("needs no float.", "needs a float.", 13, "are the same"),
        ("where c < a", "where c > a and c < a", 1, "no values in 500 draws"),
        ("where c < a", "where a // (c-c) > 1", 1, "or something is divided by zero"),
        ("#scene pool", "#pool", 1, "a scene begins with '#scene name'"),
    ],
)
def test_what_is_not_in_the_form_is_named_with_file_and_line(tmp_path, old, new, number, message):
    assert old in POOL
    with pytest.raises(ValueError, match=re.escape(f"part-01.txt, line {number}: ")) as error:
        read(tmp_path, POOL.replace(old, new))
    assert message in str(error.value)


def test_a_scene_without_claims_and_a_folder_without_scenes_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no part-\*\.txt"):
        read_scenes(tmp_path)
    with pytest.raises(ValueError, match=r"part-01\.txt, line 1: a scene has lines and claims"):
        read(tmp_path, "#scene a\n1. It is.\n" + POOL)
    with pytest.raises(ValueError, match=r"part-01\.txt has no '#scene name'"):
        read(tmp_path, "\n")


def test_a_draw_is_the_same_with_the_same_chance(tmp_path):
    first, second = read(tmp_path, POOL + POOL.replace("pool", "bath"))
    assert read_scenes(tmp_path / "part-01.txt") == [first, second]
    assert scene_units(first, random.Random(4)) == scene_units(first, random.Random(4))
    assert scene_units(first, random.Random(4)) != scene_units(first, random.Random(5))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenes_can_be_drawn_and_their_conditions_hold_and_fail(path: Path):
    for scene in read_scenes(path):
        for seed in range(20):
            document, twins = drawn(scene, random.Random(seed))
            assert len(twins) == len(scene.frames)
            assert not any(
                mark in text
                for text in (*document.lines, *(c.text for c in document.claims))
                for mark in "{}"
            )
            assert all(false is None or true.text != false.text for true, false in twins)
        values = [next(_draws(scene, random.Random(seed))) for seed in range(60)]
        for frame in scene.frames:
            if isinstance(frame, Decided):
                assert {bool(reckoned(frame.condition, each)) for each in values} == {True, False}, frame


def test_all_scenes_are_shipped():
    assert sum(len(read_scenes(path)) for path in SHIPPED) == 140
