"""The form of an LLM's answer: as a JSON schema, as an instruction in words, and as a strict parser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vista_stream.core.text.surrogates import encodable

_ITEM = re.compile(r"\s*(\d+)[.)]\s+(\S.*?)\s*")
_NONE = "NONE"
_KEY = '"answers"'
_JSON_FORM = '{"answers": [...]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A list of short answers."""

    choices: tuple[str, ...] = ()
    """Allowed answers; empty for free text."""
    count: int | None = None
    """Exact number of answers; None for any number."""
    most: int | None = None
    """Most answers that are allowed, where `count` is None; without a limit small models may never stop."""
    pattern: str = ""
    """Regular expression, from ^ to $, for each answer. It is part of the schema only; `parse` ignores it."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of `{"answers": [...]}`."""
        item: dict[str, Any] = {"type": "string"}
        if self.choices:
            item["enum"] = list(self.choices)
        if self.pattern:
            item["pattern"] = self.pattern
        answers: dict[str, Any] = {"type": "array", "items": item}
        if self.count is not None:
            answers |= {"minItems": self.count, "maxItems": self.count}
        elif self.most is not None:
            answers["maxItems"] = self.most
        return {
            "type": "object",
            "properties": {"answers": answers},
            "required": ["answers"],
            "additionalProperties": False,
        }

    def instruction(self, *, structured: bool) -> str:
        """The instruction for the model about the form."""
        if structured:
            return 'Reply with JSON only: {"answers": ["first answer", "second answer"]}.'
        empty = "" if self.count else f" If there is nothing to list, reply {_NONE}."
        return f"Reply with a numbered list only, one answer a line, as in `1. answer`.{empty}"

    def render(self, answers: Sequence[str], *, structured: bool) -> str:
        """Answers in the form in which the model should write them; used for exemplars."""
        if structured:
            return json.dumps({"answers": list(answers)}, ensure_ascii=False)
        return "\n".join(f"{n}. {answer}" for n, answer in enumerate(answers, start=1)) or _NONE

    def parse(self, reply: str, *, structured: bool = False) -> list[str]:
        """The answers in a reply that is JSON or a numbered list; `structured` says that JSON was asked for.

        A code fence around either, and prose around one JSON object that was asked for, is passed over.
        Raises ValueError for any other reply; its message is worded for the model.
        """
        reply = _bare(reply)
        if reply.startswith("{") or (structured and (_KEY in reply or reply.startswith("["))):
            answers = _from_json(reply)
        else:
            answers = self._from_words(reply) if structured else self._from_list(reply)
        if answers == [_NONE] and not self.count:
            answers = []
        if self.count is not None and len(answers) != self.count:
            raise ValueError(f"{self.count} answers are needed, and there are {len(answers)}")
        if self.most is not None and len(answers) > self.most:
            raise ValueError(f"at most {self.most} answers are allowed, and there are {len(answers)}")
        return [self._choice(answer) for answer in answers] if self.choices else answers

    def _from_words(self, reply: str) -> list[str]:
        try:
            return self._from_list(reply)
        except ValueError as error:  # JSON was asked for: how a list must look would contradict that
            raise ValueError(f"the reply must be JSON, as in {_JSON_FORM}") from error

    def _from_list(self, reply: str) -> list[str]:
        lines = [line for line in reply.splitlines() if line.strip()]
        if not lines:
            raise ValueError("the reply is empty")
        if lines == [_NONE] and not self.count:
            return lines
        if self.count == 1 and len(lines) == 1 and not _ITEM.fullmatch(lines[0]):
            return [lines[0].strip()]
        answers = []
        for number, line in enumerate(lines, start=1):
            match = _ITEM.fullmatch(line)
            if match is None or int(match[1]) != number:
                raise ValueError(f"line {number} must begin with `{number}. ` and hold one answer")
            answers.append(match[2])
        return answers

    def _choice(self, answer: str) -> str:
        wanted = answer.strip().rstrip(".").casefold()
        for choice in self.choices:
            if choice.casefold() == wanted:
                return choice
        shown = self.choices if len(self.choices) <= 8 else (*self.choices[:4], "…")
        raise ValueError(f"{answer[:60]!r} is not among the answers allowed: {', '.join(shown)}")


def _bare(reply: str) -> str:
    """A reply without the model's thoughts before it and the code fence around it."""
    reply = reply.strip()
    if not reply.startswith("{"):  # some servers send the end of the thoughts alone
        reply = reply.partition("</think>")[2].strip() or reply
    if reply.startswith("```") and reply.endswith("```"):
        reply = reply.strip("`").removeprefix("json").strip()
    return reply


def _from_json(reply: str) -> list[str]:
    if reply.count(_KEY) > 1:
        raise ValueError(f"the reply must hold one JSON object, {_JSON_FORM}")
    begin = 0 if reply[0] in "{[" else reply.rfind("{", 0, reply.index(_KEY))
    try:
        table, _ = json.JSONDecoder().raw_decode(reply, max(begin, 0))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the reply is not JSON: {error}") from error
    answers = table.get("answers") if isinstance(table, dict) else table
    if not isinstance(answers, list) or not all(isinstance(a, str) and a.strip() for a in answers):
        raise ValueError(f"the reply must be {_JSON_FORM} with strings that are not empty")
    # An escape such as \\ud800 gives a lone surrogate, which cannot be encoded.
    return [encodable(answer.strip()) for answer in answers]
