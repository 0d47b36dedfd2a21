"""Chat completions under guard: the chunks of a stream, and an answer that was not streamed. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vista_stream import UpstreamError
from vista_stream_adapters.guard import Message
from vista_stream_adapters.rewrite.dialect import Done, Pass, Slot, Step
from vista_stream_adapters.rewrite.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement, placed
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.rewrite.wire import (
    filled,
    index_in,
    object_in,
    objects_in,
    read_payload,
    refuse_audio,
    spoken,
    text_in,
    written,
)

HELPER_HEADER = "x-stainless-helper-method"
"""Request header by which the official client says that its `stream()` or `parse()` made the request."""

_FILTERED = "content_filter"
_TOOLS = ("tool_calls", "function_call")
_AFTER = (*_TOOLS, "annotations")
"""Fields of a delta that are sent after its text."""
_INPUTS = {"function": "arguments", "custom": "input"}
"""Field with the input of a tool call, by the type of the call."""
_ENVELOPE = (
    *("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider", "obfuscation"),
)
"""Fields of a chunk that identify its answer; all other fields belong to that chunk only."""
_COPIES = ("message", "text", "token_ids")
"""Fields in which some services repeat the text, beside a delta or a message; few send it there alone."""
_SAID = ("content", "refusal", *_TOOLS)
_KNOWN = frozenset(("choices", "usage", *_ENVELOPE, *_COPIES))


class ChatDialect:
    """The dialect of chat completions, for one request.

    It guards `content`, and with `arguments` the inputs of tool calls: `function.arguments`, the input of
    custom tools, and the arguments of a `function_call`. Each is a lane, and each choice is a track. All
    else passes: roles, reasoning, refusals, usage.

    A stop ends its choice with `finish_reason`, and closes the upstream once no other choice is running.
    `finish_reason=None` chooses as `Guard.finish_reason` describes; `helper` says whether the official
    client's `stream()` or `parse()` made the request. A tool call that was cut short ends with `stop` only
    if `finish_reason` is "stop". Audio answers are refused: ValueError where the request asks for one,
    UpstreamError where the upstream sends one all the same.
    """

    def __init__(
        self,
        request: Mapping[str, Any],
        *,
        arguments: bool = False,
        finish_reason: str | None = None,
        helper: bool = False,
    ) -> None:
        refuse_audio(request)
        given = request.get("messages")
        # The upstream refuses malformed ones; LiteLLM's own are no mappings, but have their `get`.
        messages = given if isinstance(given, list | tuple) else ()
        self.messages: Sequence[Message] = [message for message in messages if hasattr(message, "get")]
        wanted = request.get("response_format")
        kind = wanted.get("type") if isinstance(wanted, Mapping) else None  # the upstream refuses the others
        self._json = kind in ("json_object", "json_schema")
        self._choices = request.get("n") or 1
        self._arguments = arguments
        text_alone = helper and kind != "json_schema"
        self._of_text = finish_reason or ("stop" if text_alone else _FILTERED)
        self._of_call = finish_reason or _FILTERED
        self._open: dict[int, list[Lane]] = {}
        self._frames: dict[int, Payload] = {}
        self._more: dict[int, Payload] = {}
        self._ids: dict[int, list[str]] = {}
        self._in_deltas: set[int] = set()
        """Tracks whose text or tool calls come in deltas, so that other fields repeat them."""
        self._finished: set[int] = set()
        self._ends: dict[int, Payload] = {}
        self._placements: dict[int, Placement] = {}
        self._closed = self._failed = False

    # -- in

    def receive(self, event: SseEvent) -> list[Step]:
        """The steps of the upstream's next chunk; raises UpstreamError where its data is not JSON."""
        if event.data.startswith("[DONE]"):
            return [*self._done(*self._open), Pass(track=None, event=event, last=True)]
        chunk = read_payload(event)
        choices = objects_in(chunk, "choices")
        if not choices:
            if not chunk.keys().isdisjoint(_COPIES):
                _drop(chunk, _COPIES)
                event = replace(event, data=written(chunk).data)
            failed = bool(chunk.get("error"))
            done = self._done(*self._open) if failed else []
            return [*done, Pass(track=None, event=event, payload=chunk, last=failed)]
        steps: list[Step] = []
        for position, choice in enumerate(choices):
            usage = chunk.get("usage") if position == len(choices) - 1 else None
            one = {**chunk, "choices": [choice], **({"usage": usage} if "usage" in chunk else {})}
            steps += self._choice(one, event, index_in(choice, position))
        return steps

    def _choice(self, chunk: Payload, event: SseEvent, track: int) -> list[Step]:
        choice = chunk["choices"][0]
        delta = self._delta(track, choice)
        finished = bool(choice.get("finish_reason"))  # some servers send "" until the choice has ended
        self._frames[track] = _frame(chunk, choice)
        texts, bare = self._texts(track, delta, choice)
        tells_more = self._tells_more(track, chunk)
        done: list[Step] = []
        if finished:
            self._finished.add(track)
            done = self._done(track)
        if not texts:
            return [*done, Pass(track=track, event=event, payload=_without_text(chunk, delta))]
        first = [text for text in texts if text.lane.part == "content"]
        fields = {key: value for key, value in bare.items() if key not in _AFTER}
        after = {key: value for key, value in bare.items() if key in _AFTER}
        steps: list[Step] = [*self._bare(track, fields), *first, *self._bare(track, after)]
        steps += [text for text in texts if text not in first]
        if finished or chunk.get("usage") or tells_more:
            steps += [*done, Pass(track=track, event=event, payload=_without_text(chunk, {}))]
        return steps

    def _delta(self, track: int, choice: Payload) -> Payload:
        """The delta of a choice; where its track has none with text, what stands in the delta's place."""
        delta, message = object_in(choice, "delta"), object_in(choice, "message")
        if _says(delta):
            self._in_deltas.add(track)
        if track in self._in_deltas:
            return delta
        if calls := self._numbered(track, objects_in(message, "tool_calls")):
            message = {**message, "tool_calls": calls}
        if not _says(message):
            message = {"content": text} if (text := text_in(choice, "text")) else {}
        return filled(delta, message)

    def _tells_more(self, track: int, chunk: Payload) -> bool:
        """Whether a chunk has unknown fields that differ from those of the choice's previous chunk."""
        more = {key: value for key, value in chunk.items() if key not in _KNOWN}
        new = bool(more) and more != self._more.get(track)
        self._more[track] = more
        return new

    def _texts(self, track: int, delta: Payload, choice: Payload) -> tuple[list[Text], Payload]:
        """The guarded texts of a delta, and the delta without them."""
        bare, texts = dict(delta), []
        if bare.get("content") is not None and not isinstance(bare["content"], str):
            raise UpstreamError("the upstream sent a delta whose content is not text: it cannot be guarded")
        if bare.get("audio"):
            raise spoken()
        if bare.get("content"):
            logprobs = objects_in(object_in(choice, "logprobs"), "content")
            lane = Lane(track=track, part="content", json=self._json, keeps=track == 0)
            texts.append(Text(lane=self._opened(lane), text=bare.pop("content"), logprobs=logprobs))
        if self._arguments and bare.get("tool_calls"):
            given = self._numbered(track, objects_in(delta, "tool_calls"))
            calls = [self._call(track, call, texts) for call in given]
            del bare["tool_calls"]
            if calls := [call for call in calls if any(call[key] for key in call if key != "index")]:
                bare["tool_calls"] = calls
        if self._arguments and bare.get("function_call"):
            lane = Lane(track=track, part="function_call", json=True, keeps=False)
            del bare["function_call"]
            if call := self._taken(lane, object_in(delta, "function_call"), "arguments", texts):
                bare["function_call"] = call
        return texts, bare

    def _numbered(self, track: int, calls: list[Payload]) -> list[Payload]:
        """Tool calls with their index, which some services leave out: found by the id, else by the position.

        A single call without both goes on with the last one.
        """
        ids, numbered = self._ids.setdefault(track, []), []
        for position, call in enumerate(calls):
            if identity := call.get("id"):
                ids += [identity] if identity not in ids else []
                found = ids.index(identity)
            else:
                found = len(ids) - 1 if ids and len(calls) == 1 else position
            numbered.append({**call, "index": index_in(call, found)})
        return numbered

    def _call(self, track: int, call: Payload, texts: list[Text]) -> Payload:
        bare = dict(call)
        for kind, key in _INPUTS.items():
            if call.get(kind):
                lane = Lane(track=track, part=call["index"], json=kind == "function", keeps=False)
                bare[kind] = self._taken(lane, object_in(call, kind), key, texts)
        return bare

    def _taken(self, lane: Lane, call: Payload, key: str, texts: list[Text]) -> Payload:
        """A tool call without its guarded text, which is added to `texts`; empty if nothing else is left."""
        bare = {field: value for field, value in call.items() if field != key}
        if text := text_in(call, key):
            texts.append(Text(lane=self._opened(lane), text=text))
        return {**bare, key: ""} if bare else bare

    def _bare(self, track: int, delta: Payload) -> list[Step]:
        if not delta:
            return []
        payload = self._chunk(track, delta)
        return [Pass(track=track, event=written(payload), payload=payload)]

    def _opened(self, lane: Lane) -> Lane:
        lanes = self._open.setdefault(lane.track, [])
        if lane not in lanes:
            lanes.append(lane)
        return lane

    def _done(self, *tracks: int) -> list[Step]:
        return [Done(lane=lane) for track in tracks for lane in self._open.pop(track, ())]

    # -- out

    def say(self, lane: Lane, sent: Sent) -> list[SseEvent]:
        """One chunk with released text; its verdicts are in `vista`."""
        if lane.part == "content":
            self._placements.setdefault(lane.track, Placement()).add(sent)
            delta: Payload = {"content": sent.text} if sent.text else {}
        elif lane.part == "function_call":
            delta = {"function_call": {"arguments": sent.text}}
        else:
            kind = "function" if lane.json else "custom"
            delta = {"tool_calls": [{"index": lane.part, kind: {_INPUTS[kind]: sent.text}}]}
        chunk = self._chunk(lane.track, delta)
        if sent.logprobs:
            chunk["choices"][0]["logprobs"] = {"content": list(sent.logprobs), "refusal": None}
        return [written({**chunk, "vista": sent.vista} if sent.vista else chunk)]

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[SseEvent]:
        """After a stop, the choice's last chunk; else `vista` is added to the upstream's last chunk."""
        if not stopped:
            if lane.part == "content":
                self._ends[lane.track] = vista
            return []
        chunk = self._chunk(lane.track, {})
        chunk["choices"][0]["finish_reason"] = self._reason(lane)
        return [written({**chunk, "vista": vista})]

    def _reason(self, lane: Lane) -> str:
        return self._of_text if lane.part == "content" else self._of_call

    def go_on(self, step: Pass[SseEvent]) -> list[SseEvent]:
        """The event unchanged, or a chunk with the choice's own payload.

        Annotations are moved to the positions in the sent text, and a choice's last chunk gets its `vista`.
        """
        self._failed = self._failed or bool((step.payload or {}).get("error"))
        self._closed = self._closed or self._failed or step.event.data.startswith("[DONE]")
        if step.payload is None or step.track is None:
            return [step.event]
        delta = step.payload["choices"][0].get("delta") or {}
        if annotations := objects_in(delta, "annotations"):
            delta["annotations"] = placed(annotations, self._placements.get(step.track, Placement()))
        vista = self._ends.pop(step.track, None) if step.payload["choices"][0].get("finish_reason") else None
        payload = step.payload if vista is None else {**step.payload, "vista": vista}
        return [replace(step.event, data=written(payload).data)]

    def close(self) -> list[SseEvent]:
        """The `[DONE]` event, unless the upstream's was sent."""
        closed, self._closed = self._closed, True
        return [] if closed else [SseEvent(data="[DONE]")]

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """Whether every choice was stopped or has ended."""
        return len(stopped | ended) >= self._choices

    def _chunk(self, track: int, delta: Payload) -> Payload:
        choice = {**self._frames[track]["choices"][0], "index": track, "delta": delta, "finish_reason": None}
        return {**self._frames[track], "choices": [choice]}

    @property
    def finished(self) -> bool:
        """Whether `[DONE]` or an error was sent, or the upstream sent every begun choice's `finish_reason`.

        Some services leave out `[DONE]`; a broken connection raises before this is asked.
        """
        return self._closed or (bool(self._finished) and self._frames.keys() <= self._finished)

    @property
    def failed(self) -> bool:
        """Whether an error of the upstream was sent."""
        return self._failed

    # -- not streamed

    def slots(self, body: Payload) -> list[Slot]:
        """The choices' contents and, where guarded, the inputs of their tool calls."""
        _drop(body, _COPIES)
        # The position is the track: some services give no index, or all choices the same one.
        choices = enumerate(objects_in(body, "choices"))
        return [slot for position, choice in choices for slot in self._slots(choice, position)]

    def _slots(self, choice: Payload, track: int) -> Iterable[Slot]:
        message = _message(choice)
        _drop(choice, ("delta", "text", "token_ids"))
        if message.get("content") and not isinstance(message["content"], str):
            raise UpstreamError("the upstream's answer has content that is not text: it cannot be guarded")
        if message.get("audio"):
            raise spoken()
        if message.get("content"):
            lane = Lane(track=track, part="content", json=self._json, keeps=track == 0)
            yield _ChatSlot(lane, message, "content", choice, self._of_text)
        for lane, call, key in _calls(message, track) if self._arguments else ():
            if text_in(call, key):
                yield _ChatSlot(lane, call, key, choice, self._of_call)


def _message(choice: Payload) -> Payload:
    """The message of a choice; where it says nothing, what stands in its place is put into it."""
    message, delta = object_in(choice, "message"), object_in(choice, "delta")
    if not _says(message):
        instead = delta if _says(delta) else {"content": text_in(choice, "text")}
        if _says(instead):
            message = choice["message"] = {"role": "assistant", **filled(message, instead)}
    return message


def _says(message: Payload) -> bool:
    """Whether a message or delta holds text, a refusal or tool calls."""
    return any(message.get(key) for key in _SAID)


def _calls(message: Payload, track: int) -> Iterator[tuple[Lane, Payload, str]]:
    """The tool calls of a message: the lane of each, the object with its input, and the key of the input."""
    for position, call in enumerate(objects_in(message, "tool_calls")):
        for kind, key in _INPUTS.items():
            lane = Lane(track=track, part=position, json=kind == "function", keeps=False)
            yield lane, object_in(call, kind), key
    lane = Lane(track=track, part="function_call", json=True, keeps=False)
    yield lane, object_in(message, "function_call"), "arguments"


class _ChatSlot:
    def __init__(self, lane: Lane, place: Payload, key: str, choice: Payload, finish_reason: str) -> None:
        self.lane = lane
        self.text: str = place[key]
        self._place = place
        self._key = key
        self._choice = choice
        self._finish_reason = finish_reason

    def put(self, sent: str, vista: Payload, *, placement: Placement, changed: bool, stopped: bool) -> None:
        self._place[self._key] = sent
        if self.lane.part == "content":
            self._choice["vista"] = vista
            if annotations := objects_in(self._place, "annotations"):
                self._place["annotations"] = placed(annotations, placement)
        if changed and self._choice.get("logprobs"):
            self._choice["logprobs"] = None
        if stopped:
            # Nothing after the stop is sent: no tool calls after a text, and no later tool calls.
            self._choice["finish_reason"] = self._finish_reason
            message = self._choice["message"]
            calls = message.pop("tool_calls", None)
            call = message.pop("function_call", None)
            if self.lane.part == "function_call":
                message["function_call"] = call
            elif self.lane.part != "content":
                message["tool_calls"] = calls[: self.lane.part + 1]


def _frame(chunk: Payload, choice: Payload) -> Payload:
    """A chunk without its delta: a frame in which other text of the choice can be sent."""
    usage = {"usage": None} if "usage" in chunk else {}
    logprobs = {"logprobs": None} if "logprobs" in choice else {}
    bare = {key: value for key, value in chunk.items() if key in _ENVELOPE}
    return {**bare, "choices": [{"index": 0, "delta": {}, **logprobs, "finish_reason": None}], **usage}


def _without_text(chunk: Payload, delta: Payload) -> Payload:
    """A chunk of one choice with another delta, and without any other field that repeats guarded text."""
    choice = {**chunk["choices"][0], "delta": delta}
    if logprobs := object_in(choice, "logprobs"):
        refusal = logprobs.get("refusal")
        choice["logprobs"] = {"content": None, "refusal": refusal} if refusal else None
    bare = {**chunk, "choices": [choice]}
    _drop(choice, _COPIES)
    _drop(bare, _COPIES)
    return bare


def _drop(payload: Payload, keys: Iterable[str]) -> None:
    for key in keys:
        payload.pop(key, None)
