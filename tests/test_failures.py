import pytest

from vista_stream.claims import UnresolvedReason
from vista_stream.errors import LanguageUnsupported, Overload, StageError, VerifierError
from vista_stream.failures import apart, one_error, reason_of


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LanguageUnsupported("de"), UnresolvedReason.LANGUAGE),
        (Overload("full"), UnresolvedReason.OVERLOAD),
        (StageError("no list"), UnresolvedReason.STAGE_ERROR),
        (VerifierError("down"), UnresolvedReason.VERIFIER_ERROR),
        (ZeroDivisionError(), UnresolvedReason.VERIFIER_ERROR),
    ],
)
def test_each_error_has_its_reason(error, reason):
    assert reason_of(error) is reason


def test_a_group_of_one_kind_is_its_first_error():
    first, second = VerifierError("one"), VerifierError("two")
    assert one_error(ExceptionGroup("g", [ExceptionGroup("g", [first, second])])) is first
    assert one_error(first) is first


def test_a_group_of_several_kinds_stays_whole():
    group = ExceptionGroup("g", [VerifierError("one"), KeyError("two")])
    assert one_error(ExceptionGroup("g", [group])) is group


def test_an_end_of_iteration_in_a_group_is_no_end_either():
    told = one_error(ExceptionGroup("g", [VerifierError("one"), StopAsyncIteration()]))
    assert [type(each) for each in told.exceptions] == [VerifierError, RuntimeError]


@pytest.mark.parametrize("end", [StopIteration(), StopAsyncIteration()])
def test_an_end_of_iteration_is_no_end(end):
    told = one_error(end)
    assert isinstance(told, RuntimeError)
    assert told.__cause__ is end


class Cancelled(BaseException):
    """What trio raises in a task that is cancelled."""


def test_a_cancellation_goes_on_without_the_errors_beside_it():
    down, gone, leaving = VerifierError("down"), Cancelled(), SystemExit(3)
    failure, cancelled = apart(BaseExceptionGroup("g", [down, BaseExceptionGroup("g", [gone])]))
    assert failure is down
    assert one_error(cancelled) is gone
    assert apart(BaseExceptionGroup("g", [down, leaving])) == (leaving, None)
    failure, cancelled = apart(BaseExceptionGroup("g", [gone]))
    assert (failure, one_error(cancelled)) == (None, gone)
