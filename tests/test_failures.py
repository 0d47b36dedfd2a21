import anyio
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


async def cancellation() -> BaseException:
    """What the event loop raises in a task that is cancelled."""
    with anyio.CancelScope() as scope:
        scope.cancel()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class() as cancelled:
            gone = cancelled
            raise
    return gone


class Quit(BaseException):
    """No Exception, as what pytest.fail() raises."""


@pytest.mark.anyio
async def test_a_cancellation_goes_on_without_the_errors_beside_it():
    down, gone = VerifierError("down"), await cancellation()
    failure, cancelled = apart(BaseExceptionGroup("g", [down, BaseExceptionGroup("g", [gone])]))
    assert failure is down
    assert one_error(cancelled) is gone
    for leaving in (SystemExit(3), KeyboardInterrupt(), Quit()):
        assert apart(BaseExceptionGroup("g", [down, leaving])) == (leaving, None)
    failure, cancelled = apart(BaseExceptionGroup("g", [gone]))
    assert (failure, one_error(cancelled)) == (None, gone)
