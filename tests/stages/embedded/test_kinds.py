"""Kinds of claims by the shipped head: speakers by any name, judgements, rules told to "you"."""

import json
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="the embedder needs the extra [cpu]")

from vista_stream.claims import ClaimKind, Span
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded import kinds as module
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.verifiers.embedded import EmbeddedEmbedder

SHIPPED = Path(module.__file__).parents[2] / "models" / "kinds"
OUT = (ClaimKind.OPINION, ClaimKind.RECOMMENDATION, ClaimKind.ASSISTANT)


@pytest.fixture(scope="module")
def embedder() -> EmbeddedEmbedder:
    return EmbeddedEmbedder.from_pretrained(threads=1)


@pytest.fixture(scope="module")
def teller(embedder: EmbeddedEmbedder) -> EmbeddedKinds:
    return EmbeddedKinds.from_pretrained(embedder)


@pytest.mark.parametrize(
    "claim",
    [
        "The assistant has two dogs.",
        "The wizard has never been to Rome.",
        "The bot loves spicy food.",
        "The user is looking forward to the trip.",
        "The user really likes hiking.",
        "I saw her live once.",
        "Nickelband is a mediocre band.",
        "300 people is a lot of people.",
        "Twelve hours is a lot.",
        "It is beautiful.",
        "That sounds great!",
        "The view is absolutely stunning.",
        "The user should try the soup.",
        "Our rolls are delicious.",
    ],
)
def test_what_a_speaker_tells_likes_or_advises_is_out_of_scope(teller: EmbeddedKinds, claim: str) -> None:
    assert teller.told([claim], [claim])[0] in OUT


@pytest.mark.parametrize(
    "claim",
    [
        "The bridge opened in 1932.",
        "You need to know Java before you enrol.",
        "You will arrive at London Gatwick.",
        "You must wear a helmet in the quarry.",
        "Our hotline is open all night.",
        "Our cook learned her trade in Bern.",
        "Your prescription is valid for six months.",
        "You should take four tablets a day.",
        "The customer must return the boots within 14 days.",
        "The user may water the garden in the evening.",
        "Pensioners will pay 80 pounds too.",
        "Most of those who dropped out had been sitting.",
    ],
)
def test_what_can_be_false_is_a_fact(teller: EmbeddedKinds, claim: str) -> None:
    assert teller.told([claim], [claim]) == [ClaimKind.FACT]


@pytest.mark.parametrize(
    "claim",
    [
        "The assistant does not know when the shop opens.",
        "The agent cannot see stock levels.",
        "I don't know.",
    ],
)
def test_a_refusal_is_known_under_any_name(teller: EmbeddedKinds, claim: str) -> None:
    assert teller.told([claim], [claim]) == [ClaimKind.REFUSAL]


@pytest.mark.anyio
async def test_decomposition_tells_kinds_by_the_head(teller: EmbeddedKinds) -> None:
    text = "It is a truly gorgeous little town."
    sentence = Segment(index=0, text=text, span=Span(0, len(text)), kind=SegmentKind.SENTENCE)
    (ruled,) = await EmbeddedDecompose().begin().decompose(sentence)
    (told,) = await EmbeddedDecompose(teller).begin().decompose(sentence)
    assert ruled.kind is ClaimKind.FACT
    assert told.kind in OUT


@pytest.mark.anyio
async def test_no_claims_have_no_kinds(teller: EmbeddedKinds) -> None:
    assert await teller.kinds([], []) == []


def test_a_damaged_missing_or_foreign_head_is_named(embedder: EmbeddedEmbedder, tmp_path: Path) -> None:
    with pytest.raises(ModelLoadError, match="must hold manifest"):
        EmbeddedKinds.from_pretrained(embedder, tmp_path / "none")
    folder = Path(copytree(SHIPPED, tmp_path / "kinds"))
    (folder / "head.json").write_text("{}")
    with pytest.raises(ModelLoadError, match="is damaged: SHA-256"):
        EmbeddedKinds.from_pretrained(embedder, folder)
    manifest = json.loads((SHIPPED / "manifest.json").read_text())
    (folder / "head.json").write_bytes((SHIPPED / "head.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"encoder": "another"}))
    with pytest.raises(ModelLoadError, match="reads vectors of another"):
        EmbeddedKinds.from_pretrained(embedder, folder)
    (folder / "manifest.json").write_text("{}")
    with pytest.raises(ModelLoadError, match="holds no head: KeyError"):
        EmbeddedKinds.from_pretrained(embedder, folder)


@pytest.mark.parametrize(
    ("shares", "kind"),
    [
        ((0.3, 0.65, 0.04, 0.01), ClaimKind.ASSISTANT),  # it may be a fact: open to contradiction
        ((0.1, 0.85, 0.04, 0.01), ClaimKind.OPINION),
        ((0.1, 0.4, 0.49, 0.01), ClaimKind.ASSISTANT),
        ((0.5, 0.4, 0.09, 0.01), ClaimKind.FACT),
        ((0.2, 0.2, 0.1, 0.5), ClaimKind.REFUSAL),
    ],
)
def test_what_is_surely_an_opinion_is_never_contradicted(
    embedder: EmbeddedEmbedder, shares: tuple[float, ...], kind: ClaimKind
) -> None:
    claim = "The line can be as long as anybody cares for."
    width = module.inputs(embedder, [claim], [claim]).shape[1]
    head = module.Head(np.zeros((len(shares), width)), np.log(shares))
    assert EmbeddedKinds(embedder, head).told([claim], [claim]) == [kind]


def test_phrases_of_a_claim_have_weights_of_their_own() -> None:
    head = module.Head(np.zeros((4, 1)), np.zeros(4), {"^ wow": np.array([0.0, 9.0, 0.0, 0.0])})
    wow, plain = head.probabilities(np.zeros((2, 1)), ["Wow, a mill.", "A mill. Wow"])
    assert wow.argmax() == 1
    assert plain.tolist() == [0.25] * 4
    assert head.probabilities(np.zeros((1, 1)), [""]).tolist() == [[0.25] * 4]
