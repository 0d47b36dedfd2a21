"""Signs of corrections, changes and requests by the shipped head."""

from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="the embedder needs the extra [cpu]")

from vista_stream.core.change import Sign
from vista_stream.errors import ModelLoadError
from vista_stream.stages.embedded import signs as module
from vista_stream.stages.embedded.kinds import read_head
from vista_stream.stages.embedded.signs import EmbeddedSigns
from vista_stream.verifiers.embedded import EmbeddedEmbedder

MODELS = Path(module.__file__).parents[2] / "models"


@pytest.fixture(scope="module")
def embedder() -> EmbeddedEmbedder:
    return EmbeddedEmbedder.from_pretrained(threads=1)


@pytest.fixture(scope="module")
def teller(embedder: EmbeddedEmbedder) -> EmbeddedSigns:
    return EmbeddedSigns.from_pretrained(embedder)


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("The figure in my last message was wrong.", Sign.CORRECTION),
        ("That was incorrect.", Sign.CORRECTION),
        ("The ticket has been reduced to 9 euros.", Sign.CHANGE),
        ("The new price is 14 euros.", Sign.CHANGE),
        ("A wrong code locks the door after five tries.", None),
        ("The correct dose is 500 mg.", None),
        ("The museum moved to Linz in 1998.", None),
        ("Laser correction costs 1200 euros per eye.", None),
        ("Sorry to hear that.", None),
        ("We are truly sorry for all the stress.", None),
        ("I'm sorry you had to call twice.", None),
        ("Apologies for the trouble with the parcel.", None),
        ("You're right to be angry.", None),
        ("Contrary to what I wrote, the tent has two doors.", Sign.CORRECTION),
        ("Wait, the tent costs 50 euros.", Sign.CORRECTION),
        ("Hold on, the tent costs 50 euros.", Sign.CORRECTION),
        ("Wait until the tent is dry.", None),
    ],
)
@pytest.mark.anyio
async def test_sentences_of_the_assistant(teller: EmbeddedSigns, sentence: str, sign: Sign | None) -> None:
    assert (await teller.signs([sentence], [])).get(sentence) is sign


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("We are five now.", True),
        ("I moved to Graz.", True),
        ("I'd like three nights.", True),
        ("No, at ten please.", True),
        ("No, for Wednesday.", True),
        ("10:30 would be better.", True),
        ("Sorry, I meant three.", True),
        ("Three, please, not two.", True),
        ("Three.", False),
        ("Yes, at ten.", False),
        ("Three?", False),
        ("It's 30 days, isn't it?", False),
        ("No, it's 30 days.", False),
        ("No, 30 days.", False),
        ("How many items are in the order?", False),
        ("Are you sure?", False),
        ("The guarantee is three years.", False),
    ],
)
@pytest.mark.anyio
async def test_sentences_of_the_user(teller: EmbeddedSigns, sentence: str, asks: bool) -> None:
    assert await teller.signs([], [sentence]) == ({sentence: Sign.REQUEST} if asks else {})


@pytest.mark.anyio
async def test_no_sentences_have_no_signs(teller: EmbeddedSigns) -> None:
    assert await teller.signs([], []) == {}


def test_a_head_for_other_classes_is_refused(embedder: EmbeddedEmbedder) -> None:
    with pytest.raises(ModelLoadError, match="classes must be"):
        EmbeddedSigns.from_pretrained(embedder, MODELS / "kinds")
    with pytest.raises(ModelLoadError, match="classes must be"):
        read_head(MODELS / "signs", encoder=embedder.name)
