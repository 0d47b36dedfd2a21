"""The embedded ranker with the weights that ship."""

import pytest

from vista_stream.claims import ClaimKind, Draft, Importance, Span
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.verifiers.embedded import EmbeddedEmbedder

VITAL, LESS = Importance.VITAL, Importance.LESS_IMPORTANT
QUERY = "Who designed the bridge in Porto?"
ANSWER = "The bridge in Porto was designed by Ada Moss."
ASIDE = "Painters like the colour of its paint."


def draft(text):
    return Draft(text=text, span=Span(0, len(text)), kind=ClaimKind.FACT)


@pytest.fixture(scope="module", params=["with the bi-encoder", "words alone"])
def rank(request):
    return EmbeddedRank(
        EmbeddedEmbedder.from_pretrained(threads=1) if request.param == "with the bi-encoder" else None
    )


@pytest.mark.anyio
async def test_of_a_long_query_its_end_counts(rank):
    asked = "How high is the tower?"
    drafts = [draft("The tower is 324 metres high."), draft("The town has a market.")]
    alone = await rank.rank(drafts, asked, position=0)
    assert await rank.rank(drafts, "Read this. " * 20_000 + asked, position=0) == alone


@pytest.mark.anyio
async def test_the_answer_matters_more_than_an_aside(rank):
    assert await rank.rank([draft(ANSWER)], QUERY, position=3) == [VITAL]
    assert await rank.rank([draft(ASIDE)], QUERY, position=3) == [LESS]


@pytest.mark.anyio
async def test_a_later_sentence_needs_more(rank):
    text = [draft("It crosses a river in Porto.")]
    early, late = [await rank.rank(text, QUERY, position=place) for place in (0, 4)]
    assert late == await rank.rank(text, QUERY, position=4)
    order = [LESS, Importance.OKAY, VITAL]
    assert order.index(late[0]) < order.index(early[0])


@pytest.mark.anyio
@pytest.mark.parametrize("query", [None, "", " "])
async def test_without_a_query_the_start_of_an_answer_matters_most(rank, query):
    drafts = [draft("The bridge is a crossing."), draft("The bridge is closed to cars.")]
    assert await rank.rank(drafts, query, position=0) == [VITAL, VITAL]
    assert await rank.rank([draft("Ada Moss painted it in 1990.")], query, position=5) == [LESS]
