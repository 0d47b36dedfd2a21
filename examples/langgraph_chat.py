"""A LangGraph chat whose thread is the conversation: its second turn is held to what the first one said.

`--model NAME` asks the service of OPENAI_BASE_URL, by way of langchain-openai.
"""

import argparse

from vista_stream_adapters.guard import Guard

try:
    from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, MessagesState, StateGraph

    from vista_stream_adapters.langchain import GuardedChatModel
except ImportError as error:
    raise SystemExit(f"{error.name} is missing: pip install langgraph langchain-core") from None

REFERENCE = "The Skerry lighthouse was built in 1854 by the engineer Thomas Hale."
QUESTIONS = ("When was the lighthouse built?", "Are you sure that it was built then?")
SCRIPT = ("The Skerry lighthouse was built in 1854.", "No, the Skerry lighthouse was built in 1874.")


def main(model: BaseChatModel) -> None:
    # The second question comes without the reference: only the common ground can contradict its answer.
    guard = Guard(references=lambda messages: [REFERENCE] if len(messages) == 1 else [])
    guarded = GuardedChatModel(model, guard)

    def reply(state: MessagesState) -> dict[str, list[AIMessage]]:
        return {"messages": [guarded.invoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply")
    chat = graph.compile(checkpointer=InMemorySaver())
    for question in QUESTIONS:
        print(f"> {question}")
        asked = {"messages": [{"role": "user", "content": question}]}
        stream = chat.stream(asked, {"configurable": {"thread_id": "talk-17"}}, stream_mode="messages")
        print(*(chunk.text for chunk, _ in stream), sep="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    name = parser.parse_args().model
    if name is None:
        main(GenericFakeChatModel(messages=iter([AIMessage(text) for text in SCRIPT])))
    else:
        try:
            from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]
        except ImportError:
            raise SystemExit("langchain_openai is missing: pip install langchain-openai") from None
        main(ChatOpenAI(model=name))
