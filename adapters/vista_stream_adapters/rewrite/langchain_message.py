"""Turns a whole LangChain message into chunks, and guarded chunks back into the message. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    message_chunk_to_message,
)

from vista_stream_adapters.rewrite.langchain import OF_TEXT, Block, without_raw_calls


def chunks_of(message: BaseMessage) -> Iterator[AIMessageChunk]:
    """The chunks of a message: one for each content block, with its index and tool call, then the rest."""
    if isinstance(message, AIMessageChunk) or not isinstance(message, AIMessage):
        yield message  # type: ignore[misc]
        return
    calls = AIMessageChunk(
        content="", tool_calls=message.tool_calls, invalid_tool_calls=message.invalid_tool_calls
    ).tool_call_chunks
    base: dict[str, Any] = {"id": message.id}
    if isinstance(message.content, list):
        for index, block in enumerate(message.content):
            its = [call for call in calls if call["id"] is not None and call["id"] == _call_id(block)]
            calls = [call for call in calls if call not in its]
            for call in its:
                call["index"] = index
            yield AIMessageChunk(content=[_numbered(block, index)], tool_call_chunks=its, **base)
        base["content"] = []
    else:
        base["content"] = message.content
    yield AIMessageChunk(
        **base,
        additional_kwargs=without_raw_calls(message.additional_kwargs),
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        tool_call_chunks=calls,
    )


def message_of(chunks: Sequence[AIMessageChunk], whole: AIMessage) -> AIMessage:
    """The message `whole` with the content of its guarded chunks.

    Metadata and usage are kept even after a stop: the answer was generated whole, and was paid for.
    """
    message: Any = message_chunk_to_message(chunks[0] + list(chunks[1:]))
    told = {
        key: value for key, value in whole.response_metadata.items() if key not in OF_TEXT or value is None
    }
    if any(entry.get("stopped") for entry in message.additional_kwargs.get("vista", ())):
        told.pop("stop_reason", None)
    content = message.content
    if isinstance(whole.content, list) and isinstance(content, list):
        calls = {call["id"]: call["args"] for call in message.tool_calls}
        content = [_restored(block, whole.content[block["index"]], calls) for block in content]
    update = {
        "content": content,
        "response_metadata": {**told, **message.response_metadata},
        "usage_metadata": whole.usage_metadata,
        "id": whole.id,
        "name": whole.name,
    }
    restored: AIMessage = message.model_copy(update=update)
    return restored


def _numbered(block: Block, index: int) -> dict[str, Any]:
    return {**({"type": "text", "text": block} if isinstance(block, str) else block), "index": index}


def _restored(block: dict[str, Any], was: Block, calls: dict[str | None, Any]) -> Block:
    """The original block with its guarded text, or with its guarded tool-call arguments."""
    if isinstance(was, str):
        return str(block["text"])
    block = {key: value for key, value in block.items() if key != "index"}
    if "index" in was:
        block["index"] = was["index"]
    arguments = calls.get(_call_id(was))
    if arguments is None:
        return block
    for key in ("input", "args"):
        if key in block:
            block[key] = arguments
    return block


def _call_id(block: Block) -> Any:
    """The id of the tool call that a content block repeats; None for any other block."""
    if isinstance(block, str) or block.get("type") not in ("tool_use", "function_call", "tool_call"):
        return None
    return block.get("call_id") or block.get("id")
