"""Counts garbled claims: what the decomposer makes of 1,000 sentences of loose talk.

    python -m benchmarks.garbled [--sentences N] [--show N] [--from-folder FOLDER]

The sentences are of texts drawn from `train/claim_type` (replies of BEGIN, FaithDial and chit-chat, with
their earlier turns) and `train/written_dialogues`. Each claim is parsed again by itself and counts as garbled
if it has one of `FAULTS`. A fault that the claim's own sentence has too does not count, since a claim may
keep its sentence's words. The checks find what can be seen in a claim's form; a claim that reads well and
says something else than its sentence passes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.genders import is_first_name, is_person
from vista_stream.core.extraction.inflection import past, third_person
from vista_stream.core.extraction.parsing import Parse, Tree, Word
from vista_stream.core.extraction.phrases import FINITE_TAGS, NOUN_TAGS, PLURAL_TAGS, SUBJECTS
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.text.stems import word_set
from vista_stream.stages.embedded.parser import load_parse

FAULTS = {
    "verbless": "no finite verb",
    "subjectless": "the main verb has no subject",
    "there": "'there' with a verb that says nothing of existence",
    "interjection": "begins with words that state nothing: 'no idea', 'lol'",
    "dangling": "ends in an article, a conjunction or a possessive",
    "agreement": "a plural subject with a singular verb, or the other way round",
    "doubled": "a word twice in a row",
    "another kind": "a pronoun replaced by a thing of another kind or number, or by what a question asks for",
    "no word": "a word that neither the sentence nor what was said before has: 'forgots', 'assistantms'",
}
_SOURCES = ("begin_v1_test", "chitchat", "faithdial_audit")
_EXISTING = word_set(
    """be is are was were been 's ’s exist exists existed remain remains remained live lives lived come comes
    came seem seems seemed appear appears appeared lie lies stand stands stood go goes went happen happens
    happened"""
)
_EMPTY = (
    "no idea",
    "no clue",
    "no problem",
    "no worries",
    "lol",
    "haha",
    "yeah",
    "yes",
    "yep",
    "nope",
    "hmm",
)
_LAST = frozenset(("DT", "CC", "PRP$", "WDT", "TO"))
_POINTING = word_set("this that these those all both either neither some any each her his")
_JOINING = word_set("but and or because than")
_SPEAKERS = word_set("the assistant user 's itself themselves")
_PUT_IN = _SPEAKERS | word_set(
    """is are was were has have had does do did will would be not s n t of in at on as and that a an died
    born became won earned received served replaced succeeded defeated finished graduated scored joined left
    beat"""
)
"""Words that the decomposer adds: the speakers, auxiliaries, verbs for what participles say."""
_PAST = {
    past(verb) for verb in ("forget", "get", "find", "know", "see", "say", "tell", "think", "go", "have")
}
_NOT = re.compile(r" ?n['’]t\b|(?<=\bdo)nt\b|(?<=\bdoes)nt\b|(?<=\bdid)nt\b")
_WORD = re.compile(r"[^\W\d_]+")
_PEOPLE = {"he": True, "she": True, "him": True, "her": True, "his": True, "it": False, "its": False}
"""Whether each pronoun means a person."""
_NO_PERSON = frozenset(("GPE", "LOC", "LANGUAGE", "DATE", "FAC", "EVENT"))
_DOUBLES = frozenset(("that", "had", "very", "really", "so", "more", "many", "no", "bye", "ha"))


class Text(NamedTuple):
    """An assistant's turn, with what was said before it, oldest first."""

    before: Sequence[Utterance]
    text: str


class Found(NamedTuple):
    """A claim, the sentence that it was made of, and its faults."""

    sentence: str
    claim: str
    faults: Sequence[str]


def texts(folder: Path) -> list[Text]:
    """All turns of the training texts."""
    made = []
    for row in _rows(folder / "train/claim_type.jsonl.gz"):
        if row["source"] in _SOURCES:
            made.append(Text(_alternating(row["history"]), row["text"]))
    for dialogue in _rows(folder / "train/written_dialogues.jsonl.gz"):
        said: list[Utterance] = []
        for turn in dialogue["turns"]:
            if turn["role"] == "assistant":
                made.append(Text(tuple(said), turn["text"]))
            said.append(Utterance(role=turn["role"], text=turn["text"]))
    return made


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _alternating(history: Sequence[str]) -> list[Utterance]:
    roles: tuple[Literal["user"], Literal["assistant"]] = ("user", "assistant")
    back = enumerate(reversed([text for text in history if text.strip()]))
    return [Utterance(role=roles[n % 2], text=text) for n, text in back][::-1]


def examine(chosen: Sequence[Text], parse: Parse, *, most: int) -> tuple[int, list[Found]]:
    """How many sentences were decomposed, at most `most`, and their claims."""
    count, found = 0, []
    for text in chosen:
        discourse = Discourse(parse)
        for utterance in text.before:
            discourse.hear(utterance)
        said = _words(" ".join([*(each.text for each in text.before), text.text]))
        for sentence in _sentences(text.text):
            drafts = discourse.decompose(sentence)
            if sentence.kind is not SegmentKind.SENTENCE:
                continue
            count += 1
            for draft in drafts:
                faults = faults_of(draft.text, sentence.text.strip(), parse, said=said)
                found.append(Found(sentence.text.strip(), draft.text, faults))
        if count >= most:
            break
    return count, found


def _sentences(text: str) -> list[Segment]:
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.finish()]


def faults_of(claim: str, sentence: str, parse: Parse, *, said: Set[str]) -> list[str]:
    """The names of the claim's faults that its sentence does not have; `said` are all words of the text."""
    own, source = Tree(parse(claim)), Tree(parse(sentence))
    verbs = {word.lower for word in source.words if word.tag in FINITE_TAGS}
    faults = _of_form(own, verbs | {third_person(verb) for verb in verbs}) - _of_form(source, verbs)
    if _of_another_kind(own, source) or _of_another_number(own, source):
        faults.add("another kind")
    if not all(_known(word, said) for word in _words(claim)):
        faults.add("no word")
    return [name for name in FAULTS if name in faults]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_NOT.sub(" not", text.casefold())))


def _known(word: str, said: Set[str]) -> bool:
    """Whether the word was said, may be put in, or is the -s form of a word that was said."""
    return word in said | _PUT_IN or any(third_person(each) == word for each in said - _PAST)


def _of_form(tree: Tree, verbs: Set[str]) -> set[str]:
    """The faults that a text's form shows; `verbs` are finite verbs, whatever the parser makes of them."""
    words = [word for word in tree.words if any(map(str.isalnum, word.text))]
    text = " ".join(word.lower for word in words)
    finite = [word for word in words if word.tag in FINITE_TAGS or word.lower in verbs]
    nominal = [
        w for w in words if w.dep in SUBJECTS or (_nominal(w) and finite and w.index < finite[0].index)
    ]
    answers = any(word.text == "?" for word in tree.words)
    tests = {
        "verbless": not finite,
        "subjectless": bool(finite) and not nominal,
        "there": any(_there(tree, word) for word in words),
        "interjection": not answers and text.startswith(tuple(f"{word} " for word in _EMPTY)),
        "dangling": bool(words) and _dangles(words[-1]),
        "agreement": any(_disagrees(tree, word) for word in words),
        "doubled": not answers and any(a.lower == b.lower not in _DOUBLES for a, b in pairwise(words)),
    }
    return {name for name, fails in tests.items() if fails}


def _nominal(word: Word) -> bool:
    return word.tag in NOUN_TAGS or word.tag in ("PRP", "DT", "CD", "EX", "WP", "VBG")


def _dangles(word: Word) -> bool:
    return (word.tag in _LAST and word.lower not in _POINTING) or word.lower in _JOINING


def _there(tree: Tree, word: Word) -> bool:
    verb = tree.head(word)
    subject = word.dep in SUBJECTS and word.lower == "there"
    auxiliary = tree.child(verb, "aux")
    return subject and verb.lower not in _EXISTING and auxiliary is None


def _disagrees(tree: Tree, word: Word) -> bool:
    """Whether a subject's number is not its verb's; collective and coordinated subjects are left alone."""
    if word.dep not in ("nsubj", "nsubjpass") or tree.child(word, "conj", "cc", "prep") is not None:
        return False
    verb = next((w for w in (*tree.children(tree.head(word), "aux", "auxpass"), tree.head(word))), word)
    if verb.index != word.index + 1 or word.entity or word.tag not in NOUN_TAGS:
        return False
    plural = word.tag in PLURAL_TAGS
    singular_verb = verb.lower in ("is", "was", "has", "does") or verb.tag == "VBZ"
    plural_verb = verb.lower in ("are", "were", "have", "do")
    return singular_verb if plural else plural_verb and word.tag == "NN"


def _of_another_kind(claim: Tree, sentence: Tree) -> bool:
    """Whether a pronoun of the sentence was replaced in the claim by a thing of another kind."""
    known = {word.lower for word in sentence.words}
    kept = {word.lower for word in claim.words}
    human = {_PEOPLE[word.lower] for word in sentence.words if word.lower in _PEOPLE.keys() - kept}
    if len(human) != 1:
        return False
    known |= _SPEAKERS
    new = [word for word in claim.words if word.lower not in known and word.tag in NOUN_TAGS]
    heads = [word for word in new if word.dep in (*SUBJECTS, "dobj", "pobj", "poss")]
    if not heads:
        return False
    people = [is_person(word.lower) or is_first_name(word.lower) or word.entity == "PERSON" for word in new]
    if True in human:
        return not any(people) and any(
            w.entity in _NO_PERSON or (w.tag in ("NN", "NNS") and not w.entity) for w in heads
        )
    return (all(people) and not any(head.entity in _NO_PERSON for head in heads)) or any(
        _called_otherwise(claim, head) for head in heads
    )


def _called_otherwise(claim: Tree, head: Word) -> bool:
    """Whether a thing put in for "it" is called a thing of another sort: 'The music is a Belgian film'."""
    attribute = claim.child(claim.head(head), "attr") if head.dep in SUBJECTS else None
    article = claim.child(attribute, "det") if attribute is not None else None
    return head.tag == "NN" and not head.entity and article is not None and article.lower in ("a", "an")


def _of_another_number(claim: Tree, sentence: Tree) -> bool:
    """Whether 'they' became one thing or 'it' several, or either became what a question asks for."""
    known = {word.lower for word in sentence.words} | _SPEAKERS
    gone = {"it", "they"} & known - {word.lower for word in claim.words}
    new = [w for w in claim.words if w.dep in SUBJECTS and w.lower not in known]
    if not gone or not new:
        return False
    asked = any(w.tag.startswith("W") and w.lower not in known for head in new for w in claim.region(head))
    several = [w.tag in PLURAL_TAGS or claim.child(w, "conj") is not None for w in new if not w.entity]
    return asked or (gone == {"they"} and not all(several)) or (gone == {"it"} and any(several))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds train/")
    parser.add_argument("--sentences", type=int, default=1_000, metavar="N", help="how many (1,000)")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="garbled claims to print (20)")
    parser.add_argument("--out", type=Path, default=RESULTS / "garbled.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "train/claim_type.jsonl.gz")
    parse = load_parse()
    if parse is None:
        parser.exit(2, 'skipped: no parser is installed; from a checkout, pip install ".[parse]"\n')
    drawn = texts(folder)
    random.Random(0).shuffle(drawn)
    count, found = examine(drawn, parse, most=arguments.sentences)
    garbled = [each for each in found if each.faults]
    for each in garbled[: arguments.show]:
        print(f"{', '.join(each.faults)}: {each.sentence!r} -> {each.claim!r}")
    figures = {
        "sentences": count,
        "claims": len(found),
        "garbled": len(garbled),
        "share": round(len(garbled) / len(found), 4) if found else None,
        "faults": dict(Counter(fault for each in garbled for fault in each.faults).most_common()),
    }
    print(json.dumps(figures, indent=1))
    save(arguments.out, figures)


if __name__ == "__main__":
    main()
