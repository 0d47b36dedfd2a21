"""Changes the form of a pair, not its label: long premises, lists, dialogue, chat words, typos, markup."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from vista_stream.training.made.edits import Made
from vista_stream.training.made.lexicon import word_set

_OPENERS: Final = (
    "Yes, ", "Yeah, ", "Oh yes, ", "Sure, ", "Well, ", "Actually, ", "I think ", "I believe ", "I know that ",
    "I read that ", "I heard that ", "I'm pretty sure ", "As far as I know, ", "Fun fact: ", "Right, ",
    "Oh, I love that! ", "That's interesting! ", "Great question! ", "I'm a big fan! ", "Fun topic. ",
    "Oh, cool. ", "No, but ", "Not sure, but I think ", "Haha, yes. ", "Of course! ", "Good point. ", "Yes! ",
)  # fmt: skip
_CLOSERS: Final = (
    " What do you think?", " Have you heard of it?", " Isn't that interesting?", " I love it!",
    " That is so cool.", " Did you know that?", " It's one of my favourites.", " Are you a fan?", " Wow!",
)  # fmt: skip
_OPENING: Final = word_set(
    "the a an this that these those there he she it they in on at his her its their as when while since "
    "although during after before from for some all many most several both by with no few other later "
    "however despite eventually originally according among currently more it's here one two three once "
    "following written directed based located produced set like unlike due early another every upon"
)
_FUNCTION: Final = word_set(
    "the and was were with from that which this their there been also into about after before because while"
)
_QUOTES: Final = str.maketrans({"'": "’", "-": "‑"})


def decapped(text: str) -> str:
    """Return `text` as it is written inside a sentence: a common opening word loses its capital."""
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first.lower() in _OPENING else text


def chatty(claim: str, rng: random.Random) -> str:
    """Return the claim as people word it in a chat; its meaning stays the same."""
    kind = rng.random()
    if kind < 0.15:
        return f"Did you know that {decapped(claim).rstrip('.')}?"
    opener = rng.choice(_OPENERS) if kind < 0.85 else ""
    closer = rng.choice(_CLOSERS) if kind > 0.6 else ""
    inside = opener[-2:-1] not in {"!", ".", ""}
    return opener + (decapped(claim) if inside else claim) + closer


def lengthened(premise: str, others: Sequence[str], rng: random.Random, *, words: int = 350) -> str:
    """Return the premise among 2 to 12 other passages, at a place drawn by `rng`, at most `words` words."""
    drawn, room = [], words - len(premise.split())
    for other in rng.sample(others, min(len(others), rng.randint(2, 12))):
        room -= len(other.split())
        if room < 0:
            break
        drawn.append(other)
    drawn.insert(rng.randint(0, len(drawn)), premise)
    return rng.choice((" ", "\n", "\n\n")).join(drawn)


def listed(premise: str, others: Sequence[str], rng: random.Random) -> str:
    """Return the premise as one of a list of short statements, like claims of earlier turns."""
    items = [*rng.sample(others, min(len(others), rng.randint(1, 6))), premise]
    rng.shuffle(items)
    mark = rng.choice(("- ", "* ", "• ", "", "1"))
    return "\n".join(
        f"{number}. {item}" if mark == "1" else mark + item for number, item in enumerate(items, 1)
    )


def spoken(premise: str, rng: random.Random) -> str:
    """Return the premise with a speaker's name before it."""
    return (
        rng.choice(("Assistant: ", "User: ", "assistant: ", "Speaker 1: ", "Bot: ", "[Assistant] ")) + premise
    )


def treebank(text: str) -> str:
    """Return `text` with the spaces of a treebank's tokeniser, as in several public sets."""
    text = re.sub(r"([,;:()])(?= |$|[.,])|(?<=\s)([(])(?=\S)", lambda m: f" {m.group()} ", text)
    text = re.sub(r"('s)\b", r" \1", text)
    text = re.sub(r"\.$", " .", text)
    text = re.sub(r'"([^"]*)"', r"`` \1 ''", text)
    return re.sub(r"\s+", " ", text).strip()


def worn(text: str, rng: random.Random) -> str:
    """Return `text` with one superficial change: case, spaces, quotes, markup, a slip in a small word."""
    kind = rng.randrange(6)
    if kind == 0:
        return text.lower()
    if kind == 1:
        return re.sub(" ", lambda m: "  " if rng.random() < 0.2 else " ", text)
    if kind == 2:
        return text.translate(_QUOTES)
    words = text.split(" ")
    if kind == 3:
        place = rng.randrange(len(words))
        mark = rng.choice(("**", "*", "_"))
        words[place] = f"{mark}{words[place]}{mark}"
        return " ".join(words)
    if kind == 4:
        small = [place for place, word in enumerate(words) if word in _FUNCTION]
        if small:
            place = rng.choice(small)
            words[place] = mistyped(words[place], rng)
        return " ".join(words)
    return text.rstrip(".")


def mistyped(word: str, rng: random.Random) -> str:
    """The word, of two letters or more, with two letters exchanged or one doubled."""
    place = rng.randrange(len(word) - 1)
    if rng.random() < 0.5:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place] + word[place:]


def dressed(made: Made, others: Sequence[str], rng: random.Random) -> Made:
    """Return `made` in a form drawn by `rng` (half of the time unchanged); the label stays."""
    draw = rng.random()
    premise, hypothesis, label, edit = made
    if draw < 0.42:
        return made
    if draw < 0.60:
        return Made(lengthened(premise, others, rng), hypothesis, label, edit)
    if draw < 0.66:
        return Made(listed(premise, others, rng), hypothesis, label, edit)
    if draw < 0.82:
        premise = lengthened(premise, others, rng, words=160) if rng.random() < 0.3 else premise
        return Made(premise, chatty(hypothesis, rng), label, edit)
    if draw < 0.85:
        return Made(spoken(premise, rng), hypothesis, label, edit)
    if draw < 0.92:
        return Made(worn(premise, rng), worn(hypothesis, rng), label, edit)
    if draw < 0.96:
        return Made(premise, worn(hypothesis, rng), label, edit)
    return Made(treebank(premise), treebank(hypothesis), label, edit)
