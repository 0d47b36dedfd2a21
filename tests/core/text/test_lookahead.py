import pytest

from vista_stream.core.text.lookahead import Starved, View


def test_reading_past_the_end_waits_unless_the_text_is_final() -> None:
    assert View("ab").at(1) == "b"
    with pytest.raises(Starved):
        View("ab").at(2)
    assert View("ab", final=True).at(2) == ""


def test_finding_the_first_of_several_marks() -> None:
    assert View("a]b)").find(")]", 0, 4) == 1
    assert View("a]b)").find(")", 0, 3) == -1
    assert View("ab", final=True).find(")", 0, 9) == -1
    with pytest.raises(Starved):
        View("ab").find(")", 0, 9)
