import pytest

from vista_stream.claims import ClaimKind, Draft, Span
from vista_stream.stages.embedded.rank import EmbeddedRank


def draft(text):
    return Draft(text=text, span=Span(0, len(text)), kind=ClaimKind.FACT)


@pytest.mark.anyio
async def test_of_a_long_query_its_end_counts():
    rank, asked = EmbeddedRank(), "How high is the tower?"
    drafts = [draft("The tower is 324 metres high."), draft("The town has a market.")]
    alone = await rank.rank(drafts, asked, position=0)
    assert await rank.rank(drafts, "Read this. " * 20_000 + asked, position=0) == alone
