import threading

import pytest

from plain_facts import PlainFacts
from vista_stream import Category, ClaimSettled, Policy, Reference, TurnReport
from vista_stream.policy import EARLIER_NOTICE
from vista_stream.stages import defaults
from vista_stream.testing import ScriptedStages, ScriptedVerifier
from vista_stream_adapters import guard as guard_module
from vista_stream_adapters.course import Asked
from vista_stream_adapters.guard import BoundedStore, Guard

pytestmark = pytest.mark.anyio


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def guard(**settings):
    return Guard(**{"stages": ScriptedStages({"moon": Category.CONTRADICTED}).stages(), **settings})


async def answer(session, query, text):
    async with session.turn([text], query=query) as turn:
        return "".join([piece async for piece in turn.text()])


async def test_the_query_is_the_last_user_message():
    _, query = guard().session_for([user("Who?"), assistant("Ada."), user("When?"), {"role": "tool"}])
    assert query == "When?"
    assert guard().session_for([{"role": "system", "content": "Be kind."}])[1] is None


async def test_common_ground_is_kept_by_conversation():
    shared = guard()
    session, query = shared.session_for([user("Where?")], "a")
    await answer(session, query, "The mill stands in Kew.")
    later, _ = shared.session_for([user("Where?"), assistant("In Kew."), user("Who?")], "a")
    await answer(later, "Who?", "Ada runs the mill.")
    await answer(shared.session_for([user("Where?")], "b")[0], None, "Nothing.")
    kept = await shared.store.load("a")
    assert [(statement.text, statement.turn) for statement in kept] == [
        ("The mill stands in Kew.", 0),
        ("Ada runs the mill.", 1),
    ]
    assert next(iter(later.common_ground)).text == "The mill stands in Kew."


async def test_what_was_superseded_in_one_turn_decides_nothing_in_the_next():
    shared = Guard(stages=PlainFacts().stages())
    known, _ = shared.session_for([user("Where?")], "a")
    known.add_reference("The parcel is here.")
    await answer(known, "Where?", "The parcel is here.")
    changed, _ = shared.session_for([user("Where?"), assistant("Here."), user("Send it.")], "a")
    await answer(changed, "Send it.", "The parcel is now there.")
    assert [each.text for each in await shared.common_ground("a")] == ["The parcel is there."]
    later, _ = shared.session_for([user("Where?"), assistant("There."), user("So?")], "a")
    assert await answer(later, "So?", "The parcel is here.") == EARLIER_NOTICE


async def test_an_alternative_answer_reads_the_common_ground_and_adds_nothing():
    shared = guard()
    await answer(shared.session_for([user("Where?")], "a")[0], None, "The mill stands in Kew.")
    alternative, _ = shared.session_for([user("Where?")], "a", keeps=False)
    await answer(alternative, None, "The mill is made of oak.")
    assert len(alternative.common_ground) == 2
    assert len(await shared.store.load("a")) == 1


async def ground(shared, messages, text, **settings):
    """What an answer to `messages` was held against."""
    session, query = shared.session_for(messages, "a", **settings)
    await session.prepare()
    held = [statement.text for statement in session.common_ground]
    await answer(session, query, text)
    return held


async def test_an_answer_that_is_asked_for_again_is_not_held_against_the_one_thrown_away():
    shared = guard()
    first, red, blue = [user("Which mill?")], "The red mill.", "The blue mill."
    assert await ground(shared, first, red) == []
    assert await ground(shared, first, blue) == []
    second = [*first, assistant(blue), user("And the barn?")]
    assert await ground(shared, second, "The barn is old.") == [blue]
    assert await ground(shared, [*second, assistant("The barn is old."), user("Who?")], "Ada.") == [
        blue,
        "The barn is old.",
    ]
    assert await ground(shared, list(second), "The barn is new.") == [blue]
    assert await ground(shared, first, red) == []


async def test_a_client_that_sends_the_latest_messages_only_keeps_its_common_ground():
    shared = guard()
    for number, question in enumerate(("Where?", "Who?", "When?")):
        assert len(await ground(shared, [user(question)], f"Fact {number} is here.")) == number


async def test_all_texts_of_an_answer_share_what_was_said():
    shared, asked = guard(), Asked([user("Where?")])
    assert await ground(shared, asked, "The mill stands in Kew.") == []
    assert await ground(shared, asked, "The mill is red.") == ["The mill stands in Kew."]
    assert await ground(shared, Asked([user("Where?")]), "The mill is red.") == []


async def test_a_store_that_has_forgotten_begins_anew():
    shared = guard(store=BoundedStore(1))
    await ground(shared, [user("Where?")], "The mill stands in Kew.")
    await answer(shared.session_for([user("?")], "b")[0], None, "The barn is blue.")
    assert await ground(shared, [user("Where?")], "The mill is red.") == []
    assert await ground(shared, [user("Who?")], "Ada runs the mill.") == ["The mill is red."]


async def test_a_request_without_a_key_keeps_nothing():
    shared = guard()
    await answer(shared.session_for([user("Where?")])[0], None, "The mill stands in Kew.")
    assert shared.session_for([user("Where?")])[0].common_ground == ()


async def test_a_bounded_store_forgets_the_conversation_used_least_recently():
    shared = guard(store=BoundedStore(2))
    for key in ("a", "b", "a", "c"):
        await answer(shared.session_for([user("?")], key)[0], None, f"The mill {key} stands.")
    assert [bool(await shared.store.load(key)) for key in "abc"] == [True, False, True]


async def test_callbacks_hear_every_session():
    settled = []
    shared = guard(callbacks=[(ClaimSettled, lambda event: settled.append(event.verdict.claim.text))])
    for text in ("One mill.", "Two mills."):
        await answer(shared.session_for([user("?")])[0], None, text)
    assert settled == ["One mill.", "Two mills."]


def test_references_are_fixed_or_found_and_indexed_once(tmp_path):
    (tmp_path / "mill.txt").write_text("The mill is red.")
    built = Reference("The barn is blue.", name="barn")
    fixed = guard(references=["The house is white.", tmp_path / "mill.txt", built])
    first, second = fixed.references_for([]), fixed.references_for([])
    assert [reference.name for reference in first] == ["reference 1", "mill.txt", "barn"]
    assert all(a is b for a, b in zip(first, second, strict=True))
    found = guard(references=lambda messages: [messages[-1]["content"]])
    assert found.session_for([user("The mill is red.")])[0].references[0].text == "The mill is red."


def test_texts_that_are_found_in_another_order_are_indexed_once():
    texts = ["The mill is red.", "The barn is blue."]
    found = guard(references=lambda messages: [message["content"] for message in messages])
    first = found.references_for([user(text) for text in texts])
    mill, barn = first
    assert found.references_for([user(text) for text in reversed(texts)]) == [barn, mill]
    assert [each.name for each in first] == [f"reference {each.digest[:8]}" for each in first]


@pytest.mark.parametrize("kind", ["text", "file"])
async def test_a_session_is_opened_without_blocking_the_event_loop(monkeypatch, tmp_path, kind):
    (tmp_path / "mill.txt").write_text("The mill is red.")
    document = "The mill is red." if kind == "text" else tmp_path / "mill.txt"
    threads = []

    class Watched(Reference):
        def __init__(self, text, *, name):
            threads.append(threading.current_thread())
            super().__init__(text, name=name)

    monkeypatch.setattr(guard_module, "Reference", Watched)
    asked = []

    def references(messages):
        asked.append(threading.current_thread())
        return (one for one in [document])

    shared = guard(references=references)
    first, query = await shared.open_session([user("What of it?")])
    second, _ = await shared.open_session([user("What of it?")])
    assert query == "What of it?"
    assert first.references[0] is second.references[0]
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()
    assert asked == [threading.current_thread()] * 2


async def test_a_session_is_opened_without_loading_models_on_the_event_loop(monkeypatch):
    loading = []

    def stages(verifier):
        loading.append(threading.current_thread())
        return ScriptedStages().stages()

    monkeypatch.setattr(defaults, "default_stages", stages)
    await Guard().open_session([user("What of it?")])
    assert loading[0] is not threading.current_thread()


@pytest.mark.parametrize("one", ["The mill is red.", Reference("The mill is red.", name="mill")])
def test_a_callable_may_find_one_document(one):
    (reference,) = guard(references=lambda messages: one).references_for([user("Which?")])
    assert reference.text == "The mill is red."


def test_tokens_saved_are_estimated_from_the_answers_that_ran_to_their_end():
    outcomes = []
    shared = guard(on_outcome=outcomes.append)
    shared.settle(TurnReport(received=10, stopped=True))
    shared.settle(TurnReport(received=400))
    shared.settle(TurnReport(received=40, stopped=True), "a")
    assert [(o.tokens_received, o.tokens_saved) for o in outcomes] == [(3, None), (100, 0), (10, 90)]
    assert outcomes[-1].conversation == "a"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": Policy(mode="optimistic")}, "policy must be in mode 'verify_first'"),
        (
            {"policy": Policy(thresholds={"entailment": 0.9})},
            "thresholds must be empty: the categorise stage",
        ),
        ({"tool_call_arguments": "maybe"}, "tool_call_arguments must be"),
        ({"json_values": "maybe"}, "json_values must be 'pass' or 'guard', not 'maybe'"),
        ({"finish_reason": "end"}, "finish_reason must be"),
        ({"references": "One text."}, "references must be an iterable .* not one str"),
        ({"references": 3}, "references must be an iterable .* not one int"),
        ({"references": [b"One text."]}, "references must hold str, Path and Reference only, not bytes"),
        ({"policy": "strict"}, "policy must be a Policy, not str"),
        ({"policy": None}, "policy must be a Policy, not NoneType"),
        ({"history": -3}, "history must be a number of messages, 0 or more, not -3"),
        ({"history": "3"}, "history must be a number of messages, 0 or more, not '3'"),
        ({"background": "one fact"}, "background must be an iterable of str, not one str"),
        ({"store": 3}, "store must have the async methods load and append, not int"),
        ({"store": None}, "store must have the async methods load and append, not NoneType"),
        ({"stages": 3}, "stages must be Stages, not int"),
        ({"stages": None, "verifier": 3}, "verifier must be an object with an async method score, not int"),
        ({"verifier": ScriptedVerifier()}, "give verifier or stages, not both"),
        ({"callbacks": [(str, print)]}, "event must be one of the Event classes"),
        ({"callbacks": [(ClaimSettled, 3)]}, "callback must be callable, with an event, not int"),
        ({"callbacks": [(ClaimSettled,)]}, "callbacks must hold pairs of an event class and a callback"),
        ({"callbacks": [print]}, "callbacks must hold tuple only"),
        ({"on_outcome": 3}, "on_outcome must be callable, with an Outcome, not 3"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        guard(**settings)
    with pytest.raises(ValueError, match="limit must be"):
        BoundedStore(0)
