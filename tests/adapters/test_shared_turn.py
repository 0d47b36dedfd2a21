"""Two guards on one store, as two replicas have it."""

import pytest

from vista_stream import Category
from vista_stream.stores import MemoryStore
from vista_stream.stores.sqlite import SqliteStore
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.course import Asked
from vista_stream_adapters.guard import BoundedStore, Guard

pytestmark = pytest.mark.anyio


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def guard(store):
    return Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages(), store=store)


@pytest.fixture(params=["sqlite", "bounded", "memory"])
async def replicas(request, tmp_path):
    """Two guards that share a file, or one guard alone, which must do the same."""
    if request.param != "sqlite":
        alone = guard(BoundedStore() if request.param == "bounded" else MemoryStore())
        yield alone, alone
        return
    async with SqliteStore(tmp_path / "a.db") as one, SqliteStore(tmp_path / "a.db") as other:
        yield guard(one), guard(other)


async def ground(shared, messages, text, **settings):
    """What an answer to `messages` was held against."""
    session, query = shared.session_for(messages, "a", **settings)
    await session.prepare()
    held = [statement.text for statement in session.common_ground]
    async with session.turn([text], query=query) as turn:
        await turn.drain()
    return held


async def known(shared):
    return [statement.text for statement in await shared.common_ground("a")]


async def test_a_conversation_goes_on_on_another_replica(replicas):
    one, other = replicas
    assert await ground(one, [user("Where?")], "The mill stands in Kew.") == []
    later = [user("Where?"), assistant("In Kew."), user("Who?")]
    assert await ground(other, later, "Ada runs the mill.") == ["The mill stands in Kew."]
    kept = await one.store.load("a")
    assert [(statement.text, statement.turn) for statement in kept] == [
        ("The mill stands in Kew.", 0),
        ("Ada runs the mill.", 1),
    ]


async def test_an_answer_thrown_away_on_one_replica_is_no_ground_on_another(replicas):
    one, other = replicas
    first, red, blue = [user("Which mill?")], "The red mill.", "The blue mill."
    assert await ground(one, first, red) == []
    assert await ground(other, first, blue) == []
    second = [*first, assistant(blue), user("And the barn?")]
    assert await ground(one, second, "The barn is old.") == [blue]
    third = [*second, assistant("The barn is old."), user("Who?")]
    assert await ground(other, third, "Ada.") == [blue, "The barn is old."]
    assert await ground(one, list(second), "The barn is new.") == [blue]
    assert await known(other) == [blue, "The barn is new."]
    assert await ground(other, first, red) == []
    assert await known(one) == [red]


async def test_all_texts_of_an_answer_share_what_was_said(replicas):
    one, other = replicas
    asked = Asked([user("Where?")])
    assert await ground(one, asked, "The mill stands in Kew.") == []
    assert await ground(one, asked, "The mill is red.") == ["The mill stands in Kew."]
    again = Asked([user("Where?")])
    assert await ground(other, again, "The mill is blue.") == []
    assert await ground(other, again, "The mill is old.") == ["The mill is blue."]
    assert await known(one) == ["The mill is blue.", "The mill is old."]


async def test_an_alternative_answer_reads_the_common_ground_and_adds_nothing(replicas):
    one, other = replicas
    await ground(one, [user("Where?")], "The mill stands in Kew.")
    alternative, _ = other.session_for([user("Where?")], "a", keeps=False)
    async with alternative.turn(["The mill is made of oak."]) as turn:
        await turn.drain()
    assert len(alternative.common_ground) == 2
    assert await known(one) == ["The mill stands in Kew."]


async def test_a_client_that_sends_the_latest_messages_only_keeps_its_common_ground(replicas):
    for number, question in enumerate(("Where?", "Who?", "When?")):
        shared = replicas[number % 2]
        assert len(await ground(shared, [user(question)], f"Fact {number} is here.")) == number
    assert await ground(replicas[0], [user("When?")], "Fact 3 is here.") == [
        "Fact 0 is here.",
        "Fact 1 is here.",
    ]
    assert [statement.turn for statement in await replicas[1].common_ground("a")] == [0, 1, 2]


async def test_all_texts_of_an_answer_are_one_turn(replicas):
    for number, shared in enumerate(replicas):
        asked = Asked([user(f"Question {number}?")])
        for part in "ab":
            await ground(shared, asked, f"Fact {number}{part} is here.")
    assert [statement.turn for statement in await replicas[0].common_ground("a")] == [0, 0, 1, 1]


async def test_the_same_words_at_another_place_are_another_question(replicas):
    one, other = replicas

    def asked(place):
        return Asked([user("Go on.")], place=place)

    mill, cow, barn = "The mill stands in Kew.", "Bo has a cow.", "Ada has a barn."
    assert await ground(one, asked(""), mill) == []
    assert await ground(other, asked("response 1"), cow) == [mill]
    assert await ground(one, asked("response 2"), barn) == [mill, cow]
    assert await ground(other, asked("response 1"), "Bo has a goat.") == [mill]


async def test_requests_that_overlap_are_each_known_again(replicas):
    sessions = []
    for shared, question in zip(replicas, ("Who has a barn?", "Who has a cow?"), strict=True):
        session, _ = shared.session_for([user(question)], "a")
        sessions.append(session)
    for session, text in zip(sessions, ("Ada has a barn.", "Bo has a cow."), strict=True):
        async with session.turn([text]) as turn:
            await turn.drain()
    assert await known(replicas[0]) == ["Ada has a barn.", "Bo has a cow."]
    assert await ground(replicas[1], [user("Who has a barn?")], "Cy has a barn.") == []
    assert await known(replicas[0]) == ["Cy has a barn."]


async def test_of_two_answers_to_a_question_at_once_one_holds(replicas):
    if isinstance(replicas[0].store, MemoryStore):
        pytest.skip("a store without end_turn does not tell which answer a statement is of")
    turns = []
    for shared in replicas:
        session, _ = shared.session_for([user("How many mills?")], "a")
        await session.prepare()
        turns.append(session)
    for session, text in zip(turns, ("Kew has one mill.", "Kew has two mills."), strict=True):
        async with session.turn([text]) as turn:
            await turn.drain()
    assert await known(replicas[0]) == ["Kew has two mills."]


async def test_a_request_that_tells_no_place_withdraws_nothing(replicas):
    mill, cow = "The mill stands in Kew.", "Bo has a cow."
    for shared, text, held in zip(replicas, (mill, cow), ([], [mill]), strict=True):
        assert await ground(shared, Asked([user("Go on.")], place=None), text) == held
