"""A verifier behind others counts as it does alone."""

import pytest

from vista_stream.claims import Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import FEATURES, Pooling
from vista_stream.stages.defaults import default_stages
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.protocol import Reader


class Whole:
    """A verifier with all that is optional in one."""

    name = "whole"
    thresholds = Thresholds(entailment=0.84, contradiction=0.78)
    pooling = Pooling(entailment=(0.0,) * FEATURES, contradiction=(0.0,) * FEATURES)
    batch_tokens = 4096
    closed = False

    @property
    def reader(self) -> Reader:
        return self

    async def read(self, windows):
        pass

    async def score(self, pairs):
        return [Scores(0.0, 1.0, 0.0) for _ in pairs]

    async def aclose(self):
        self.closed = True


@pytest.mark.parametrize("wrapper", [CachedVerifier, BatchingVerifier])
def test_a_wrapper_has_what_its_verifier_has(wrapper):
    whole = Whole()
    wrapped = wrapper(whole)
    for name in ("name", "thresholds", "pooling", "batch_tokens", "reader"):
        assert getattr(wrapped, name) is getattr(whole, name)


@pytest.mark.anyio
async def test_what_is_optional_reaches_through_two_wrappers_and_closing_too():
    whole = Whole()
    wrapped = CachedVerifier(BatchingVerifier(whole))
    assert default_stages(wrapped).verify.thresholds == Whole.thresholds
    await wrapped.aclose()
    assert whole.closed


@pytest.mark.anyio
async def test_a_verifier_without_anything_optional_can_be_wrapped():
    class Bare:
        async def score(self, pairs):
            return [Scores(1.0, 0.0, 0.0) for _ in pairs]

    wrapped = CachedVerifier(BatchingVerifier(Bare()))
    assert (wrapped.thresholds, wrapped.pooling, wrapped.reader) == (Thresholds(), None, None)
    assert (wrapped.batch_tokens, wrapped.name.rpartition(".")[2]) == (None, "Bare")
    await wrapped.aclose()
