from vista_stream import Statement
from vista_stream_adapters.course import Asked, Course

SAID = Statement(text="It is so.", origin="claim", turn=0)


def test_the_latest_thousand_questions_are_known_again():
    course = Course()

    def ask(number, *, stored):
        return len(course.ground([SAID] * stored, Asked([]), f"Question {number}?"))

    for number in range(1001):
        assert ask(number, stored=number) == number
    assert ask(0, stored=1001) == 1001  # forgotten: nothing is discarded
    assert ask(2, stored=1002) == 2
