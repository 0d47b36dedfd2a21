"""The dialect of a LangChain chat model's chunks. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from langchain_core.messages import AIMessageChunk, ToolCallChunk
from pydantic import BaseModel

from vista_stream import UpstreamError
from vista_stream_adapters.guard import Message
from vista_stream_adapters.rewrite.dialect import Done, Pass
from vista_stream_adapters.rewrite.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement, placed
from vista_stream_adapters.rewrite.wire import objects_in

OF_TEXT = ("logprobs", "message", "text", "token_ids")
"""Fields of a response's metadata that repeat or reveal its text."""
_ENVELOPE = ("model_provider", "output_version")
"""Fields of a response's metadata that say how to read a chunk: every chunk has them."""
_ARGUMENTS = {"input_json_delta": "partial_json", "function_call": "arguments", "tool_call_chunk": "args"}
"""Types of content blocks that repeat a tool call's arguments, and the field with the copy."""
_CITING = ("annotations", "citations")
"""Fields of content blocks that cite the block's text or the sources of it."""
_REASONING = ("reasoning", "reasoning_content", "redacted_thinking", "thinking")
"""Types of content blocks that are no text of the answer, also where they have a field `text`."""
_OF_ANSWER = (None, "output_text", "text")
"""Types of content blocks whose text may come after their citations."""

Chunk: TypeAlias = AIMessageChunk | None
"""A chunk of a stream; None is the stream's end."""

Block: TypeAlias = str | dict[str, Any]
Steps: TypeAlias = Iterator[Text | Done | Pass[Chunk]]


class _Run(NamedTuple):
    """Names the text of successive content blocks without an index, where others name their index."""

    number: int = 0


class ChunkDialect:
    """The dialect of LangChain's message chunks, for one answer.

    It guards the text (in a string or in blocks of any type), the transcript of audio and, with `arguments`,
    the arguments of tool calls. Each is a lane, and all are one track. All else passes, as reasoning does,
    except data that may reveal withheld text: log-probabilities, a parsed document, audio data. These are
    held until the end.
    A block's citations are held until its text ends: those of withheld text are dropped, the others moved.
    Blocks without an index form one text as long as their type is the same; one with text and citations,
    whose positions count from its begin, is a text of its own.
    """

    def __init__(
        self, messages: Sequence[Message], *, json: bool, arguments: bool, finish_reason: str | None
    ) -> None:
        self.messages = messages
        self._json = json
        self._arguments = arguments
        self._finish_reason = finish_reason or "content_filter"
        self._open: list[Lane] = []
        self._copies: dict[Any, str] = {}
        self._types: dict[Any, Payload] = {}
        """The `type` field of each block with text or reasoning, empty where it has none; by index or run."""
        self._cited: dict[Any, list[Payload]] = {}
        """Citations of blocks whose text has not ended or may still come; by index or run."""
        self._run = _Run()
        self._run_ended = False
        self._placements: dict[Any, Placement] = {}
        self._unnumbered: dict[str | None, int] = {}
        self._id: str | None = None
        self._envelope: Payload = {}
        self._empty: str | list[Block] = ""
        self._held: list[AIMessageChunk] = []
        self._said = ""
        self._changed = False

    # -- in

    def receive(self, event: Chunk) -> list[Text | Done | Pass[Chunk]]:
        """The steps of the next chunk."""
        if event is None:
            last = self._chunk(chunk_position="last")
            done = self._done(self._open)
            return [*done, *self._citing(list(self._cited)), Pass(track=0, event=last + self._held)]
        self._learn(event)
        steps = list(self._steps(event))
        of_text = {key: told for key, told in event.response_metadata.items() if key in OF_TEXT}
        texts = [step for step in steps if isinstance(step, Text)]
        if of_text and len(texts) == 1:
            told = replace(texts[0], logprobs=[of_text])
            return [told if step is texts[0] else step for step in steps]
        if of_text:
            self._held.append(self._chunk(response_metadata=of_text))
        return steps

    def _learn(self, chunk: AIMessageChunk) -> None:
        """Take in what all chunks share. LangChain's own ids (`lc_…`) name the inner run and are dropped."""
        if chunk.id and not chunk.id.startswith("lc_"):
            self._id = chunk.id
        told = chunk.response_metadata
        self._envelope |= {key: told[key] for key in _ENVELOPE if key in told}
        if isinstance(chunk.content, list):
            self._empty = []

    def _steps(self, chunk: AIMessageChunk) -> Steps:
        fields = without_raw_calls(chunk.additional_kwargs)
        audio = dict(fields.pop("audio", None) or {})
        function = dict(fields.pop("function_call", None) or {}) if self._arguments else {}
        if "parsed" in fields:
            self._held.append(self._chunk(additional_kwargs={"parsed": fields.pop("parsed")}))
        if fields:
            yield self._pass(additional_kwargs=fields)
        yield from self._content(chunk.content)
        if transcript := audio.pop("transcript", ""):
            yield self._text(("transcript", None), transcript)
        if audio:
            self._held.append(self._chunk(additional_kwargs={"audio": audio}))
        if arguments := function.pop("arguments", ""):
            yield self._text(("function_call", None), arguments)
        if function:
            yield self._pass(additional_kwargs={"function_call": {**function, "arguments": ""}})
        yield from self._calls(chunk.tool_call_chunks)
        told = {
            key: value
            for key, value in chunk.response_metadata.items()
            if key not in OF_TEXT and key not in _ENVELOPE
        }
        if told or chunk.usage_metadata:
            yield self._pass(response_metadata=told, usage_metadata=chunk.usage_metadata)

    def _content(self, content: str | list[Block]) -> Steps:
        if isinstance(content, str):
            if content:
                yield self._text(("text", None), content)
            return
        for block in content:
            if isinstance(block, dict) and self._reasons(block):
                yield from self._citing([name for name in self._cited if not self._awaits(name)])
                yield self._pass(content=[block])
            else:
                yield from self._block_steps(block)

    def _reasons(self, block: dict[str, Any]) -> bool:
        """Whether a content block is reasoning; a part of it without a type has that of its first part."""
        index, kind = block.get("index"), _type_of(block)
        known = {} if index is None else self._types.get(index, {})
        reasons = (kind or known).get("type") in _REASONING
        if reasons and index is not None:
            self._types[index] = kind or known
        return reasons

    def _block_steps(self, block: Block) -> Steps:
        text, rest = _apart(block)
        cites = rest is not None and any(rest.get(key) for key in _CITING)
        name = self._named(block, alone=cites) if text else self._name(block)
        part = ("block", name)
        if text:
            # A block's text ends where another block's text begins.
            yield from self._done([o for o in self._open if o.part[0] == "block" and o.part != part])
        yield from self._citing([n for n in self._cited if n != name and not self._awaits(n)])
        if text:
            yield self._text(part, text)
        if rest and cites:
            objects_in(rest, "annotations")
            self._cited.setdefault(name, []).append(rest)
        elif rest and (rest := self._without_arguments(rest)):
            yield self._pass(content=[rest])
        if text and self._run_ended and name == self._run:
            yield from self._done([o for o in self._open if o.part == part])

    def _name(self, block: Block) -> Any:
        """The index or run of a content block's text."""
        index = None if isinstance(block, str) else block.get("index")
        return self._run if index is None else index

    def _named(self, block: Block, *, alone: bool) -> Any:
        """The name of a block with text, whose type is kept; without an index it may begin the next run."""
        kind, name = _type_of(block), self._name(block)
        if name == self._run:
            known = self._types.get(name)
            if known is not None and (alone or self._run_ended or kind not in ({}, known)):
                name = self._run = _Run(name.number + 1)
            self._run_ended = alone
        self._types[name] = kind or self._types.get(name, {})
        return name

    def _awaits(self, name: Any) -> bool:
        """Whether the text of held citations goes on, or may still come."""
        goes_on = any(lane.part == ("block", name) for lane in self._open)
        of_answer = any(block.get("type") in _OF_ANSWER for block in self._cited[name])
        return goes_on or (of_answer and name not in self._types)

    def _citing(self, names: Sequence[Any]) -> list[Pass[Chunk]]:
        """The held citations of blocks whose text has ended, or which have none."""
        held = [(name, block) for name in names for block in self._cited.pop(name)]
        return [
            Pass(track=0, event=self._chunk(content=[block]), payload={"of": name}) for name, block in held
        ]

    def _calls(self, calls: Sequence[ToolCallChunk]) -> Steps:
        if not self._arguments:
            if calls:
                yield self._pass(tool_call_chunks=list(calls))
            return
        for call in calls:
            index: Any = call["index"]
            if index is None:  # such a call comes whole; its parts need a number to be merged again
                index = self._unnumbered.setdefault(call["id"], -1 - len(self._unnumbered))
            if call["name"] or call["id"]:
                yield self._pass(tool_call_chunks=[{**call, "index": index, "args": ""}])
            if call["args"]:
                yield self._text(("call", index), call["args"])

    def _without_arguments(self, block: dict[str, Any]) -> dict[str, Any] | None:
        """A content block without the arguments that a lane carries; None where nothing else is left."""
        key = _ARGUMENTS.get(block.get("type", ""))
        if not self._arguments or key is None:
            return block
        self._copies[block.get("index")] = block["type"]
        rest = {**block, key: ""}
        return rest if rest.keys() - {"type", "index", key} else None

    def _text(self, part: tuple[str, Any], text: str) -> Text:
        call = part[0] in ("call", "function_call")
        json = call or (self._json and part[0] != "transcript")
        lane = Lane(track=0, part=part, json=json, keeps=not call)
        if lane not in self._open:
            self._open.append(lane)
        return Text(lane=lane, text=text)

    def _done(self, lanes: Sequence[Lane]) -> list[Done]:
        self._open = [lane for lane in self._open if lane not in lanes]
        return [Done(lane=lane) for lane in lanes]

    def _pass(self, **fields: Any) -> Pass[Chunk]:
        return Pass(track=0, event=self._chunk(**fields))

    # -- out

    def say(self, lane: Lane, sent: Sent) -> list[Chunk]:
        """One chunk with released text; its verdicts are in `additional_kwargs["vista"]`."""
        kind, index = lane.part
        fields: Payload = {}
        if kind in ("text", "block"):
            self._said += sent.text
            fields["content"] = sent.text if kind == "text" else [self._block(index, sent)]
        elif kind == "call":
            fields["tool_call_chunks"] = [{"name": None, "args": sent.text, "id": None, "index": index}]
            if index in self._copies:
                copied = self._copies[index]
                fields["content"] = [{"type": copied, _ARGUMENTS[copied]: sent.text, "index": index}]
        elif kind == "function_call":
            fields["additional_kwargs"] = {"function_call": {"arguments": sent.text}}
        else:
            fields["additional_kwargs"] = {"audio": {"transcript": sent.text}}
        if sent.vista:
            fields["additional_kwargs"] = {**fields.get("additional_kwargs", {}), "vista": [sent.vista]}
        told = [self._chunk(response_metadata=of_text) for of_text in sent.logprobs]
        return [self._chunk(**fields) + told]

    def _block(self, index: Any, sent: Sent) -> Payload:
        self._placements.setdefault(index, Placement()).add(sent)
        numbered = {} if isinstance(index, _Run) else {"index": index}
        return {**self._types[index], "text": sent.text, **numbered}

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[Chunk]:
        """A chunk with the text's `vista` and citations; after a stop it is the last chunk."""
        self._changed = self._changed or vista["withheld"] > 0
        kind, index = lane.part
        fields: Payload = {"additional_kwargs": {"vista": [vista]}}
        if kind == "block":
            placement = self._placements.setdefault(index, Placement())
            placement.intact = placement.intact and not vista["withheld"]
            if cited := self._cited_of(index):
                fields["content"] = cited
        if stopped:
            fields |= {"response_metadata": {"finish_reason": self._finish_reason}, "chunk_position": "last"}
        return [self._chunk(**fields)]

    def _cited_of(self, index: Any) -> list[Block]:
        """The citations of a block that came so far, without those of withheld text; each is given once."""
        placement = self._placements.get(index, Placement())
        return [_placed(block, placement) for block in self._cited.pop(index, ())]

    def go_on(self, step: Pass[Chunk]) -> list[Chunk]:
        """The chunk; the last one is without what would reveal withheld text."""
        chunk = step.event
        if chunk is not None and step.payload is not None:
            placement = self._placements.get(step.payload["of"], Placement())
            chunk.content = [_placed(block, placement) for block in objects_in(vars(chunk), "content")]
        if chunk is None or chunk.chunk_position != "last":
            return [chunk]
        if self._changed:
            without_withheld(chunk.response_metadata, chunk.additional_kwargs, self._said)
        return [chunk]

    def close(self) -> list[Chunk]:
        """Nothing: the stop has ended the message."""
        return []

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """A stop ends the message."""
        return bool(stopped)

    def _chunk(self, **fields: Any) -> AIMessageChunk:
        told = {**fields.pop("response_metadata", {}), **self._envelope}
        return AIMessageChunk(**{"content": self._empty, "id": self._id, "response_metadata": told, **fields})


def without_raw_calls(fields: Mapping[str, Any]) -> Payload:
    """A message's additional fields without the unparsed tool calls, which some models keep as well.

    A chunk that is made of them alone would repeat the calls, with arguments that no guard has read.
    """
    return {key: value for key, value in fields.items() if key != "tool_calls"}


def without_withheld(told: Payload, fields: Payload, said: str) -> None:
    """Remove from an answer's metadata and fields what reveals text that was not released; in place.

    A parsed document is parsed again from `said`, the released text; if that fails, it is removed.
    """
    for key in OF_TEXT:
        told.pop(key, None)
    if audio := {key: value for key, value in fields.pop("audio", {}).items() if key in ("id", "transcript")}:
        fields["audio"] = audio
    parsed = fields.pop("parsed", None)
    try:
        document = json.loads(said)
        if isinstance(parsed, BaseModel):
            fields["parsed"] = type(parsed).model_validate(document)
        elif isinstance(parsed, dict):
            fields["parsed"] = document
    except ValueError:
        """The released text is not such a document: `parsed` stays removed."""


def _apart(block: Block) -> tuple[str, dict[str, Any] | None]:
    """The text of a content block, and the rest of the block; None where there is no rest.

    Raises UpstreamError where the field `text` holds something else.
    """
    if isinstance(block, str):
        return block, None
    text = block.get("text") or ""
    if not isinstance(text, str):
        raise UpstreamError("the model sent a content block whose text is not text: it cannot be guarded")
    if not text and block.get("type") != "text":
        return "", block
    rest = {**block, "text": ""}
    return text, rest if rest.keys() - {"type", "text", "index"} else None


def _type_of(block: Block) -> Payload:
    """The `type` field of a content block with text; empty where it has none."""
    if isinstance(block, str):
        return {"type": "text"}
    return {key: value for key, value in block.items() if key == "type"}


def _placed(block: Payload, placement: Placement) -> Block:
    """A block's citations without those of withheld text; citations have no position in the block's text."""
    dropped = () if placement.intact else ("citations",)
    kept = {key: value for key, value in block.items() if key not in dropped}
    if annotations := objects_in(block, "annotations"):
        kept["annotations"] = placed(annotations, placement)
    return kept


def wants_document(settings: Mapping[str, Any]) -> bool:
    """Whether a call's settings ask for an answer that is a JSON document."""
    text = settings.get("text")
    asked = settings.get("response_format") or (text.get("format") if isinstance(text, Mapping) else None)
    return bool(asked) and not (isinstance(asked, dict) and asked.get("type") == "text")
