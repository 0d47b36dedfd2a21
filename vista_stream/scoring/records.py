"""Scored dialogues as JSON objects: the lines of the file that `vista-stream score --out` writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from vista_stream.claims import Category, Evidence, Importance, UnresolvedReason, Verdict
from vista_stream.report import Unresolved
from vista_stream.scoring import vital
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, GivenClaim, digest
from vista_stream.scoring.scorer import DialogueScore, TurnScore

Record: TypeAlias = dict[str, Any]
"""One dialogue: `id`, `setup`, `input`, `turns` and `score`. The same input gives the same record.

`input` is the digest of the whole dialogue as given, references and labels included.
"""


def dialogue_record(dialogue: Dialogue, score: DialogueScore, *, setup: Record) -> Record:
    """The record of one dialogue; `setup` says how it was scored: method, stages, model, prompt versions."""
    turns = {turn.position: turn for turn in score.turns}
    record: Record = {
        "id": dialogue.id,
        "setup": setup,
        "input": digest(dialogue),
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


def record_errors(record: Record) -> list[tuple[str, str]]:
    """Each error of a dialogue's turns, after the place where it occurred.

    A claim in another language is unresolved without an error: it would be so again.
    """
    return [
        (f"dialogue {record['id']!r}, turn {number}", error)
        for number, turn in enumerate(record["turns"], start=1)
        for error in (*map(_error, turn.get("unresolved", ())), *turn.get("errors", ()))
        if error is not None
    ]


def _error(unresolved: Record) -> str | None:
    """What kept a claim from its verdict; None for its language."""
    return None if unresolved.get("reason") == UnresolvedReason.LANGUAGE else unresolved["error"]


def check_record(table: Record) -> None:
    """Raise ValueError, naming the part, if a JSON object has not the form that `dialogue_record` makes."""
    match table:
        case {"id": str(), "turns": list(turns)}:
            for number, turn in enumerate(turns):
                if not _is_turn(turn):
                    raise ValueError(f"turns[{number}] is no turn of a scored dialogue")
        case {"summary": _, "dialogues": _}:
            raise ValueError("is the whole of a --json: this takes what --out writes, one dialogue a line")
        case _:
            raise ValueError("is no scored dialogue, with an id and turns")


def _is_turn(turn: Any) -> bool:
    match turn:
        case {
            "text": str(),
            "verifiable": bool() | None,
            "label": bool() | None,
            "claims": list(claims),
            "unresolved": list(unresolved),
            "vital": {"cumulative_precision": list()},
        }:
            lost = all(isinstance(each, dict) and isinstance(each.get("error"), str) for each in unresolved)
            return lost and all(map(_is_claim, claims))
        case {"text": str()}:
            return "verifiable" not in turn
    return False


def _is_claim(claim: Any) -> bool:
    match claim:
        case {
            "text": str(),
            "category": str(category),
            "importance": str(importance),
            "label": str() | None,
            "scores": [_, _, _] | None,
        }:
            return category in set(Category) and importance in set(Importance)
    return False


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
        "opposing": None if verdict.opposing is None else _evidence(verdict.opposing),
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
            "rlr": vital.response_level_recall(score.nuggets) if score.nuggets else None,
            "decayed_recall": vital.decayed_recall(vital.nuggets_by_importance(score.nuggets)),
        }
    return measures
