"""Lines that narrow the sentences below them, and topics that do not."""

import pytest

from vista_stream.retrieval.narrowing import narrows


@pytest.mark.parametrize(
    "line",
    [
        "For members",
        "2.3 Only on request",
        "Until 2020",
        "Children under 6",
        "12 and older",
        "Prices for students",
        "Women",
        "Common myths",
        "An outdated draft",
        "Cancelled events",
        "Rejected ideas",
        "What guests must bring",
        "What isn't covered",
        "Monday to Friday",
        "Winter",
        "March 2020",
        "The following rules apply:",
        "| Name | Price |",
    ],
)
def test_a_condition_a_group_a_time_or_a_denial_narrows(line: str) -> None:
    assert narrows(line)


@pytest.mark.parametrize(
    "line",
    [
        "Prices",
        "Opening hours",
        "Team",
        "1. Pets",
        "Step 2: Payment",
        "User guide",
        "Can I bring a dog?",
        "☎",
    ],
)
def test_a_topic_does_not_narrow(line: str) -> None:
    assert not narrows(line)
