"""A LangChain chain whose chat model is guarded. Any chat model works; this one is langchain-openai's."""

from langchain_core.language_models import BaseChatModel
from langchain_core.prompts import ChatPromptTemplate

from vista_stream_adapters.guard import Guard
from vista_stream_adapters.langchain import GuardedChatModel

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."
PROMPT = ChatPromptTemplate.from_messages([("human", "When was {thing} opened?")])


def main(model: BaseChatModel) -> None:
    chain = PROMPT | GuardedChatModel(model, Guard(references=[REFERENCE]))
    for chunk in chain.stream({"thing": "the Panama Canal"}):
        print(chunk.text, end="", flush=True)


if __name__ == "__main__":
    from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]

    main(ChatOpenAI(model="gpt-4o-mini"))
