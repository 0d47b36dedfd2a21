"""LLM-as-Judge, a baseline: one question about the turn and its references (VISTA, section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.errors import StageError
from vista_stream.report import TurnReport
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn
from vista_stream.scoring.scorer import DialogueScore, TurnScore
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.llm.client import LlmClient, Question
from vista_stream.stages.llm.form import Form

# One sentence, without characters that JSON escapes. Otherwise a small model writes until its token limit.
_FORM = Form(count=1, pattern=r'^(faithful|hallucinated): [^"\\\n]{1,240}$')


class JudgeScorer:
    """A Scorer that asks an LLM about whole turns. A turn is verifiable if the LLM calls it faithful.

    There are no claims.
    """

    def __init__(self, client: LlmClient, *, history: bool = True) -> None:
        self._client = client
        self._history = history

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        """Judge each assistant turn by itself."""
        scores = []
        for position, turn in enumerate(dialogue.turns):
            if turn.role == "assistant":
                earlier = dialogue.turns[:position] if self._history else ()
                scores.append(await self._turn(position, turn, earlier))
        return DialogueScore(turns=scores)

    async def _turn(self, position: int, turn: DialogueTurn, earlier: Sequence[DialogueTurn]) -> TurnScore:
        fields = {
            "history": "\n".join(f"{t.role}: {t.text}" for t in earlier),
            "reference": "\n\n".join(turn.references),
            "turn": turn.text,
        }
        ledger = Ledger()
        faithful, why, errors = None, "", []
        try:
            with ledger.stage("judge"):
                faithful, why = await self._client.ask(Question("judge_turn", fields, _FORM), _read)
        except StageError as error:
            errors = [f"judge: {error}"]
        return TurnScore(
            position=position,
            report=ledger.entered_in(TurnReport()),
            verifiable=faithful,
            explanation=why,
            errors=errors,
        )


def _read(answers: Sequence[str]) -> tuple[bool, str]:
    word, _, why = answers[0].partition(":")
    word = word.strip().rstrip(".").casefold()
    if word not in ("faithful", "hallucinated"):
        raise ValueError("the answer must begin with `faithful:` or `hallucinated:`")
    return word == "faithful", why.strip()
