"""Makes a set of stages by name: embedded and LLM stages can be mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

from vista_stream.stages.protocols import Categorise, Decompose, Rank, Verify
from vista_stream.stages.stages import Stages, does
from vista_stream.verifiers.protocol import Verifier

if TYPE_CHECKING:
    from vista_stream.stages.llm.client import LlmClient
    from vista_stream.stages.llm.verify import Judge

Name: TypeAlias = Literal["embedded", "llm"]
PartT = TypeVar("PartT")
_METHODS = {
    "decompose": ("begin",),
    "rank": ("rank",),
    "verify": ("verify", "score"),
    "categorise": ("categorise",),
    "judge": ("judge",),
    "second": ("verify", "score"),
}
"""Methods by stage; an object with any of them is accepted. A Verifier has `score`."""


def select_stages(  # noqa: PLR0913  one for each stage, all named
    *,
    decompose: Name | Decompose = "embedded",
    rank: Name | Rank = "embedded",
    verify: Name | Verify | Verifier = "embedded",
    categorise: Name | Categorise = "embedded",
    judge: Literal["llm"] | Judge | None = None,
    second: Literal["llm"] | Verify | Verifier | None = None,
    client: LlmClient | None = None,
) -> Stages:
    """A session's stages, each given by name or as an object. A Verifier, such as Flan-T5, serves as verify.

    `second` is asked where `verify` is unsure of a VITAL claim, by the defaults of `stages.escalate`.

    "llm" needs a client. Nothing is loaded where all stages are LLMs. Raises ValueError for an unknown name,
    an object that is not such a stage or a missing client, and ModelLoadError where an embedded stage is
    wanted and cannot be loaded.
    """
    parts = {"decompose": decompose, "rank": rank, "verify": verify, "categorise": categorise, "judge": judge}
    parts |= {"second": second}
    for stage, part in parts.items():
        _check_part(stage, part)
        if isinstance(part, str) and part == "llm" and client is None:
            raise ValueError(f"{stage}='llm' needs client, an LlmClient")
    if client is not None and not does(client, "ask"):
        raise ValueError(f"client must be an LlmClient, not {client!r}")
    verifier = verify if isinstance(verify, Verifier) else None
    if verifier is not None or "embedded" in (decompose, rank, verify, categorise):
        from vista_stream.stages.defaults import default_stages

        local: Stages | None = default_stages(verifier)
    else:
        local = None
    llm = _llm_stages(client, two_way=categorise == "llm") if client is not None else None
    chosen = Stages(
        decompose=_part(decompose, local, llm, lambda stages: stages.decompose),
        rank=_part(rank, local, llm, lambda stages: stages.rank),
        verify=_part(verify if verifier is None else "embedded", local, llm, lambda stages: stages.verify),
        categorise=_part(categorise, local, llm, lambda stages: stages.categorise),
        kinds=None if local is None else local.kinds,
        signs=None if local is None else local.signs,
    )
    if second is not None:
        chosen = _escalated(chosen, second, client)
    return chosen if judge is None else _judged(chosen, judge, client)


def _check_part(stage: str, part: object) -> None:
    optional = stage in ("judge", "second")
    if optional and part is None:
        return
    names = ("llm", None) if optional else ("embedded", "llm")
    methods = _METHODS[stage]
    if isinstance(part, str):
        known, asked = part in names, ""
    else:
        known, asked = any(does(part, method) for method in methods), f" with {' or '.join(methods)}"
    if not known:
        raise ValueError(f"{stage} must be {', '.join(map(repr, names))} or an object{asked}, not {part!r}")


def _part(part: object, local: Stages | None, llm: Stages | None, read: Callable[[Stages], PartT]) -> PartT:
    if part == "embedded" and local is not None:
        return read(local)
    if part == "llm" and llm is not None:
        return read(llm)
    return cast(PartT, part)


def _llm_stages(client: LlmClient, *, two_way: bool) -> Stages:
    from vista_stream.stages.llm.decompose import LlmDecompose
    from vista_stream.stages.llm.rank import LlmRank
    from vista_stream.stages.llm.verify import LlmCategorise, LlmVerify

    return Stages(
        decompose=LlmDecompose(client),
        rank=LlmRank(client),
        verify=LlmVerify(client, contradictions=not two_way),
        categorise=LlmCategorise(client),
    )


def _escalated(
    stages: Stages, second: Literal["llm"] | Verify | Verifier, client: LlmClient | None
) -> Stages:
    from vista_stream.stages.escalate import escalated

    if second == "llm":
        from vista_stream.stages.llm.verify import LlmVerify

        assert client is not None
        second = LlmVerify(client)
    return escalated(stages, second)


def _judged(stages: Stages, judge: Literal["llm"] | Judge, client: LlmClient | None) -> Stages:
    from vista_stream.stages.llm.verify import JudgedCategorise, LlmJudge

    if judge == "llm":
        assert client is not None
        judge = LlmJudge(client)
    return replace(stages, categorise=JudgedCategorise(stages.categorise, judge))
