"""A turn in a few plain lines: its claims, what was blocked and why, and the time it took."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from vista_stream.claims import Category, Evidence, SecondOpinion, Verdict
from vista_stream.report import StageTime, TurnReport

_LONGEST = 300
"""Most code points of a claim that a line shows."""


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile, with `share` in 0..1; 0 if there are no values."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)] if ranked else 0.0


def milliseconds(seconds: float) -> str:
    """A duration in seconds, written in whole milliseconds."""
    return f"{seconds * 1000:.0f} ms"


def category_name(category: Category) -> str:
    """The category in words."""
    return category.value.replace("_", " ")


def source_of(evidence: Evidence) -> str:
    """The place of a piece of evidence, in words."""
    if evidence.origin == "common_ground":
        return f"common ground, {evidence.document}"
    if evidence.origin == "talk":
        return f"what was said, {evidence.document}"
    return f"{evidence.document}, sentence {evidence.sentence + 1}"


def counted(count: int, noun: str) -> str:
    """A number and its noun, which takes an s in the plural."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def failures_line(failures: Sequence[tuple[str, str]]) -> str:
    """How many errors there were, and the first; `failures` are places and messages, at least one."""
    where, error = failures[0]
    return f"failures: {len(failures)}; the first in {where}: {' '.join(error.split())}"


def stage_line(times: Mapping[str, StageTime]) -> str:
    """The time and the calls of each stage, in words; times of concurrent calls add up."""
    told = (f"{stage} {milliseconds(took.seconds)} ({took.calls})" for stage, took in times.items())
    return f"time by stage (calls): {', '.join(told)}"


def summary_lines(report: TurnReport, blocked: int) -> Iterator[str]:
    """A line of counts, some for each claim that needs a look, and the time of the stages.

    Such claims are contradicted, unresolved, or ones about which two references disagree.
    """
    counts = Counter(verdict.category for verdict in report.verdicts)
    parts = [f"{counts[category]} {category_name(category)}" for category in Category if counts[category]]
    if report.unresolved:
        parts.append(f"{len(report.unresolved)} unresolved")
    claims = len(report.verdicts) + len(report.unresolved)
    yield (
        counted(claims, "claim")
        + (f" ({', '.join(parts)})" if parts else "")
        + f"; {counted(blocked, 'sentence')} blocked"
        f"; held back {milliseconds(percentile(report.hold_backs, 0.5))} (median),"
        f" {milliseconds(percentile(report.hold_backs, 0.95))} (95th percentile)"
    )
    yield from _second_lines([each.second for each in report.verdicts if each.second is not None])
    for verdict in report.verdicts:
        if verdict.category is Category.CONTRADICTED or verdict.opposing is not None:
            yield from _doubt(verdict)
    for unresolved in report.unresolved:
        yield f"  unresolved ({unresolved.reason.value}): {_short(unresolved.claim.text)}"
    if report.stage_times:
        yield stage_line(report.stage_times)


def _second_lines(opinions: Sequence[SecondOpinion]) -> Iterator[str]:
    if opinions:
        prompt = sum(each.prompt_tokens for each in opinions)
        completion = sum(each.completion_tokens for each in opinions)
        yield (
            f"second verifier: due for {counted(len(opinions), 'claim')}, decided "
            f"{sum(not each.failed for each in opinions)}; {sum(each.seconds for each in opinions):.1f} s, "
            f"{prompt} + {completion} tokens"
        )
    for reason, count in Counter(each.failed for each in opinions if each.failed).items():
        yield f"  not by the second ({count}): {reason}"


def _doubt(verdict: Verdict) -> Iterator[str]:
    told = _short(verdict.claim.text)
    yield f"  {category_name(verdict.category)} ({verdict.claim.importance.value}): {told}"
    if verdict.evidence is not None:
        yield f"    {source_of(verdict.evidence)}: {' '.join(verdict.evidence.text.split())}"
    if verdict.opposing is not None:
        yield f"    but {source_of(verdict.opposing)}: {' '.join(verdict.opposing.text.split())}"


def _short(text: str) -> str:
    """A claim as a line shows it: a text without punctuation may be one claim of a thousand words."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
