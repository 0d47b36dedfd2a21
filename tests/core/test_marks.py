import pytest

from vista_stream.claims import Category, Importance, Verdict
from vista_stream.core.turn import TurnProtocol
from vista_stream.events import TextReleased
from vista_stream.policy import Policy, annotate
from vista_stream.testing import WholeSentences


async def shown(text):
    """The text as a policy shows it that marks every verified claim, and the events of released text."""
    mark = {(Category.VERIFIED, importance): annotate(" [x]") for importance in Importance}
    protocol = TurnProtocol(Policy(rules=mark))
    protocol.receive_text(text)
    protocol.receive_end()
    for sentence in protocol.sentences_to_decompose():
        protocol.receive_claims(sentence, await WholeSentences().decompose(sentence))
    for claim in protocol.claims_to_verify():
        protocol.receive_verdict(Verdict(claim=claim, category=Category.VERIFIED))
    released = [event for event in protocol.events() if isinstance(event, TextReleased)]
    return "".join(event.text + event.mark for event in released), released


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Children | 8 euros |", "| Children | 8 euros [x] |"),
        ("| Children | 8 euros|  ", "| Children | 8 euros [x]|  "),
        ("| Children | 8 euros", "| Children | 8 euros [x]"),
        ("| Children | 8 \\|", "| Children | 8 \\| [x]"),
        ("| A | 8 |\n| B | 9 |\n", "| A | 8 [x] |\n| B | 9 [x] |\n"),
        ("It costs 8 euros.", "It costs 8 euros. [x]"),
    ],
)
async def test_a_mark_stands_behind_its_text_and_in_a_table_in_the_last_cell(text, expected):
    told, released = await shown(text)
    assert told == expected
    assert "".join(event.text for event in released) == text
    assert [event.text for event in released] == [text[e.span.start : e.span.end] for e in released]
