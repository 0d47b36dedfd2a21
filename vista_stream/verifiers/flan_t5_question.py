"""What Flan-T5 is asked, and the tokens that answer it."""

from __future__ import annotations

from typing import Any

from vista_stream.errors import ModelLoadError

ANSWERS = ("Yes", "No")
TEMPLATES = {
    # The prompt of SCALE's released code (scale-score 0.1.0); other prompts give other scores.
    "entailment": '{premise} Question: Does this imply that "{hypothesis}"? Yes or No?',
    "contradiction": '{premise} Question: Does this contradict the statement "{hypothesis}"? Yes or No?',
}


def answer_tokens(tokenizer: Any, *, known: int, name: str) -> tuple[int, int]:
    """The tokens of the answers in a tokenizers.Tokenizer, for a model that knows the tokens below `known`.

    Raises ModelLoadError, with the model's name, where an answer is not one token that the model knows.
    """
    yes, no = (tokenizer.encode(text, add_special_tokens=False) for text in ANSWERS)
    for text, encoding in zip(ANSWERS, (yes, no), strict=True):
        if len(encoding.ids) != 1:
            raise ModelLoadError(
                f"the tokenizer of {name} makes {len(encoding.ids)} tokens of the answer "
                f"{text!r}: {encoding.tokens}; one is needed"
            )
        if encoding.ids[0] >= known:
            raise ModelLoadError(
                f"the tokenizer of {name} has token {encoding.ids[0]} for {text!r}, "
                f"but its weights have {known} tokens"
            )
    if yes.ids == no.ids:
        raise ModelLoadError(f"the tokenizer of {name} knows neither of the answers {ANSWERS}")
    return yes.ids[0], no.ids[0]
