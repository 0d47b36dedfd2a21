"""legal-rag-verifier: each sentence is checked as it is written, by rules for figures, dates, citations."""

from __future__ import annotations

from collections.abc import AsyncIterator

from driver import Notice, Run
from legal_rag_verifier.engine import DEFAULT_REFUSAL
from legal_rag_verifier.premise import Premise
from legal_rag_verifier.segmenter import find_boundary
from legal_rag_verifier.verifier import Verifier

NAME = "legal-rag-verifier"
PACKAGES = ["legal-rag-verifier==0.4.0"]
SETTINGS = {
    "documented": "what its engine does, without the retries that a scripted stream cannot give: "
    "find_boundary cuts sentences, each is checked before it is committed, and the engine's refusal takes "
    "the place of a rejected one; the stub in the place of Verifier.check_sentence",
}
OWN_VERIFIER = "Verifier(): its rules alone, on the documents; they were made for British statutes"


class Guard:
    """Holds each sentence until it is checked."""

    def __init__(self, *, own: bool) -> None:
        self._verifier = Verifier() if own else None

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Whole sentences with the space before them."""
        held, premise = "", Premise.from_text("\n\n".join(run.references))
        async for delta in source:
            held += delta
            while held.strip() and (end := find_boundary(held, _lead(held))) is not None:
                yield await self._checked(held[:end], premise, run)
                held = held[end:]
        while held.strip() and (end := find_boundary(held, _lead(held), final=True)) is not None:
            yield await self._checked(held[:end], premise, run)
            held = held[end:]
        yield held

    def score(self, premise: str, hypothesis: str) -> float:
        """1 if the rules let the hypothesis pass, else 0: they give no degrees."""
        assert self._verifier is not None
        return float(self._verifier.check_sentence(Premise.from_text(premise), hypothesis).emitted)

    async def _checked(self, text: str, premise: Premise, run: Run) -> str:
        sentence = text.strip()
        if self._verifier is None:
            right = not await run.stub.check(sentence)
        else:
            with run.scoring(sentence):
                right = self._verifier.check_sentence(premise, sentence, query=run.query).emitted
        return text if right else Notice(f" {DEFAULT_REFUSAL}")


def _lead(text: str) -> int:
    return len(text) - len(text.lstrip())


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(own=verifier == "own")
