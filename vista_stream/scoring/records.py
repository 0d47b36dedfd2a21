"""Scored dialogues as JSON objects: the lines of a result file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from vista_stream.claims import Evidence, Verdict
from vista_stream.report import Unresolved
from vista_stream.scoring import vital
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, GivenClaim
from vista_stream.scoring.scorer import DialogueScore, TurnScore

Record: TypeAlias = dict[str, Any]
"""One dialogue: `id`, `setup`, `turns` and `score`; the same input gives the same record."""


def dialogue_record(dialogue: Dialogue, score: DialogueScore, *, setup: Record) -> Record:
    """One dialogue's line; `setup` says how it was scored: method, stages, model, prompt versions."""
    turns = {turn.position: turn for turn in score.turns}
    record: Record = {
        "id": dialogue.id,
        "setup": setup,
        "background": list(dialogue.background),
        "turns": [
            {"role": turn.role, "text": turn.text, **_turn(turn, turns.get(position))}
            for position, turn in enumerate(dialogue.turns)
        ],
    }
    if score.report.verdicts:
        whole = score.report.vista_score
        record["score"] = {
            "shares": {str(category): share for category, share in whole.shares.items()},
            "consistency": whole.consistency,
            "verifiable_turns": whole.verifiable_turns,
            "inconsistencies": [
                {"turn": i.turn, "since": i.since, "claim": i.verdict.claim.text}
                for i in score.report.inconsistencies
            ],
        }
    return record


def _turn(turn: DialogueTurn, score: TurnScore | None) -> Record:
    if score is None:
        return {}
    given = list(turn.claims or ())
    record: Record = {
        "verifiable": score.verifiable,
        "label": turn.label,
        "claims": [_claim(verdict, given) for verdict in score.report.verdicts],
        "unresolved": [_unresolved(unresolved) for unresolved in score.report.unresolved],
        "vital": _measures(score),
    }
    if score.explanation:
        record["explanation"] = score.explanation
    if score.nuggets is not None:
        record["nuggets"] = [
            {"text": m.nugget.text, "importance": str(m.nugget.importance), "support": str(m.support)}
            for m in score.nuggets
        ]
    if score.errors:
        record["errors"] = list(score.errors)
    return record


def _claim(verdict: Verdict, given: Sequence[GivenClaim]) -> Record:
    claim = verdict.claim
    label = given[claim.id].label if given else None
    return {
        "text": claim.text,
        "span": list(claim.span),
        "importance": str(claim.importance),
        "category": str(verdict.category),
        "label": None if label is None else str(label),
        "scores": None if verdict.scores is None else [round(p, 6) for p in verdict.scores],
        "evidence": None if verdict.evidence is None else _evidence(verdict.evidence),
        "tier": verdict.tier,
    }


def _evidence(evidence: Evidence) -> Record:
    return {
        "text": evidence.text,
        "document": evidence.document,
        "span": list(evidence.span),
        "origin": evidence.origin,
    }


def _unresolved(unresolved: Unresolved) -> Record:
    claim = unresolved.claim
    return {
        "text": claim.text,
        "span": list(claim.span),
        "importance": str(claim.importance),
        "reason": str(unresolved.reason),
        "error": unresolved.error,
    }


def _measures(score: TurnScore) -> Record:
    verdicts, unresolved = score.report.verdicts, score.report.unresolved
    measures: Record = {
        "factscore": vital.precision(verdicts),
        "vital_precision": vital.vital_precision(verdicts),
        "rlp": vital.response_level_precision(verdicts, unresolved) if verdicts else None,
        "decayed_precision": vital.decayed_precision(vital.by_importance(verdicts)),
        "cumulative_precision": vital.cumulative_precision(verdicts),
    }
    if score.nuggets is not None:
        measures |= {
            "nugget_recall": vital.nugget_recall(score.nuggets),
            "vital_recall": vital.vital_recall(score.nuggets),
            "rlr": vital.response_level_recall(score.nuggets),
            "decayed_recall": vital.decayed_recall(vital.nuggets_by_importance(score.nuggets)),
        }
    return measures
