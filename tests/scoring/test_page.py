"""The HTML page: self-contained, whole, and safe against what dialogues hold."""

import re
from dataclasses import replace

import pytest

from html_outline import Outline
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn
from vista_stream.scoring.page import page
from vista_stream.scoring.records import dialogue_record
from vista_stream.scoring.scorer import VistaScorer
from vista_stream.scoring.summary import summarise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.stages import Stages
from vista_stream.testing import ScriptedVerifier

pytestmark = pytest.mark.anyio
TURN = DialogueTurn(
    role="assistant", text="The mill was built in 1830.", references=["The mill was built in 1820."]
)


async def made(stages: Stages, text: str) -> tuple[str, Outline]:
    dialogue = Dialogue(
        id="d<1>",
        background=["The guide is 40 years old."],
        turns=[
            DialogueTurn(role="user", text="<script>alert(1)</script> When?"),
            DialogueTurn(
                role="assistant",
                text=text,
                references=["The mill was built in 1820. A & B met."],
                label=False,
            ),
        ],
    )
    record = dialogue_record(dialogue, await VistaScorer(stages).score(dialogue), setup={"method": "vista"})
    html = page([record], summarise([record]), title="A & B", about="vista")
    outline = Outline()
    outline.feed(html)
    outline.close()
    return html, outline


async def test_every_claim_is_marked_and_told(stages: Stages) -> None:
    text = "The mill was built in 1830. A & B met. The guide is 41 years old. It is lovely."
    _, outline = await made(stages, text)
    assert outline.open == []
    marks = [a for t, a in outline.tags if t == "span" and (a.get("class") or "").startswith("mark ")]
    assert [(m["class"] or "").split()[1] for m in marks] == [
        "contradicted",
        "verified",
        "contradicted",
        "out_of_scope",
    ]
    tips = {a["id"] for t, a in outline.tags if a.get("role") == "tooltip"}
    assert {m["aria-describedby"] for m in marks} == tips
    assert all(m["tabindex"] == "0" for m in marks)
    assert "contradicts the background" in outline.text
    assert "people say not verifiable" in outline.text


async def test_text_is_never_markup(stages: Stages) -> None:
    html, outline = await made(stages, "The mill was built in 1820. <img src=x onerror=alert(1)> is lovely.")
    assert sum(tag == "script" for tag, _ in outline.tags) == 1
    assert not any(tag == "img" for tag, _ in outline.tags)
    assert "<script>alert(1)" not in html
    assert "d<1>" in outline.text


async def test_nothing_is_fetched(stages: Stages) -> None:
    html, outline = await made(stages, "The mill was built in 1820.")
    assert not any(tag in ("link", "iframe", "img") for tag, _ in outline.tags)
    assert not re.search(r"https?://|@import|url\(", html)


async def test_ids_are_unique(stages: Stages) -> None:
    _, outline = await made(stages, "The mill was built in 1820. A & B met. It is lovely.")
    ids = [a["id"] for _, a in outline.tags if "id" in a]
    assert len(ids) == len(set(ids))


async def test_the_marked_text_is_the_turns_text(stages: Stages) -> None:
    text = "The mill was built in 1820.\nA & B met."
    html, _ = await made(stages, text)
    body = html.split('<div class="text">')[1].split("</div>")[0]
    body = re.sub(r'<span class="tip".*?</span></span>', "", body, flags=re.DOTALL)
    body = re.sub(r'<span class="hidden">.*?</span>', "", body)
    assert re.sub(r"<[^>]+>", "", body).replace("&amp;", "&") == text


async def test_what_comes_nearest_is_not_called_evidence(stages: Stages) -> None:
    record = dialogue_record(
        Dialogue(id="d", turns=[TURN]),
        await VistaScorer(stages).score(Dialogue(id="d", turns=[TURN])),
        setup={},
    )
    (claim,) = record["turns"][0]["claims"]
    claim["category"] = "lacking_evidence"
    html = page([record], summarise([record]), title="t", about="a")
    assert "nearest: <q>The mill was built in 1820.</q>" in html
    claim["category"] = "contradicted"
    assert "nearest: " not in page([record], summarise([record]), title="t", about="a")


async def test_what_another_reference_says_to_the_contrary_is_quoted_too(stages: Stages) -> None:
    turn = replace(TURN, references=[*TURN.references, "The mill was built in 1830."])
    dialogue = Dialogue(id="d", turns=[turn])
    ruled = VistaScorer(replace(stages, verify=EmbeddedVerify(ScriptedVerifier())))
    record = dialogue_record(dialogue, await ruled.score(dialogue), setup={})
    (claim,) = record["turns"][0]["claims"]
    assert (claim["category"], claim["opposing"]["text"]) == ("verified", "The mill was built in 1820.")
    html = page([record], summarise([record]), title="t", about="a")
    assert re.search(
        r"<q>The mill was built in 1830.</q> \([^)]+\), but <q>The mill was built in 1820.</q>", html
    )


@pytest.mark.parametrize("label", [None, "verified"])
async def test_labels_have_a_column_where_there_are_any(stages: Stages, label: str | None) -> None:
    dialogue = Dialogue(id="d", turns=[TURN])
    record = dialogue_record(dialogue, await VistaScorer(stages).score(dialogue), setup={})
    record["turns"][0]["claims"][0]["label"] = label
    html = page([record], {}, title="t", about="a")
    assert ('<th scope="col">label</th>' in html) is (label is not None)


def test_what_the_run_took_is_told() -> None:
    spent = {"version": "rank-1", "calls": 3, "cached": 1, "prompt_tokens": 30, "completion_tokens": 4}
    run = {"stages": {"verify": {"calls": 2, "seconds": 1.5}}, "prompts": {"rank": spent}}
    html = page([], {}, title="t", about="a", run=run)
    assert '<th scope="row">verify</th><td>2</td><td>1.50</td>' in html
    assert "rank (rank-1)</th><td>3</td><td>1</td><td>30</td><td>4</td><td>–</td>" in html
    run["prompts"]["rank"]["cost"] = 0.5
    assert "<td>0.5000</td>" in page([], {}, title="t", about="a", run=run)
    assert "Time by stage" not in page([], {}, title="t", about="a")
