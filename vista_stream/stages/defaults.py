"""The default stages of a session: everything runs on this machine, nothing over the network."""

from __future__ import annotations

from functools import cache

from vista_stream.stages.admission import Admission
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.stages.embedded.signs import EmbeddedSigns
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.stages import Stages
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.protocol import Verifier, thresholds_of


def default_stages(verifier: Verifier | None = None) -> Stages:
    """The embedded stages around a verifier; None takes the shipped one, which the process shares.

    With the shipped verifier, sentences pass the process's `Admission`, which sheds load. With another
    verifier they do not, since it may run on another machine. Raises ModelLoadError where a shipped model
    cannot be loaded. Blocking, once per process.
    """
    load_parse()  # loaded now, so that the first turn does not wait for it
    shipped = verifier is None
    verifier = _shipped_verifier() if verifier is None else verifier
    embedder = _shipped_embedder()
    thresholds = thresholds_of(verifier)
    kinds = _shipped_kinds()
    stages = Stages(
        decompose=EmbeddedDecompose(kinds),
        rank=EmbeddedRank(embedder),
        verify=EmbeddedVerify(verifier, embedder=embedder, thresholds=thresholds),
        categorise=EmbeddedCategorise(thresholds),
        kinds=kinds,
        signs=_shipped_signs(),
    )
    return _admission().stages(stages) if shipped else stages


@cache
def _shipped_model() -> EmbeddedVerifier:
    return EmbeddedVerifier.from_pretrained()


@cache
def _shipped_verifier() -> Verifier:
    """The process's verifier: scores are cached, and the pairs of all sessions share one queue.

    `max_wait` is 0: the shipped model runs row by row, so waiting for larger batches would gain nothing.
    """
    return CachedVerifier(BatchingVerifier(_shipped_model(), max_wait=0.0))


@cache
def _admission() -> Admission:
    return Admission()


@cache
def _shipped_embedder() -> EmbeddedEmbedder:
    return EmbeddedEmbedder.from_pretrained()


@cache
def _shipped_kinds() -> EmbeddedKinds:
    return EmbeddedKinds.from_pretrained(_shipped_embedder())


@cache
def _shipped_signs() -> EmbeddedSigns:
    return EmbeddedSigns.from_pretrained(_shipped_embedder())
