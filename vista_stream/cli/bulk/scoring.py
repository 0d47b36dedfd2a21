"""`vista-stream score --engine ray`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.engine import Made
from vista_stream.cli.bulk.job import Job, run_job
from vista_stream.cli.bulk.parts import PartFiles, line_of
from vista_stream.cli.bulk.rows import Row
from vista_stream.cli.scorers import connect, describe
from vista_stream.portal import blocking_portal
from vista_stream.scoring.batch import run_ordered
from vista_stream.scoring.dialogue import Dialogue, parse_dialogue
from vista_stream.scoring.records import Record, dialogue_record, record_errors
from vista_stream.scoring.scorer import Scorer
from vista_stream.scoring.summary import assistant_turns, is_decided

UNFIT = ("json", "report", "compare", "cache", "prices")
"""Options that need the whole of the records, or one process."""
_COLUMNS = {"id": "string", "record": "string"}


def run_scoring(args: argparse.Namespace, build: Callable[..., Scorer]) -> int:
    """Score the dialogues of a file or folder; returns the exit status, raises CommandError as `run_job`."""
    setup = describe(args)
    out = PartFiles(args.out, json.dumps(setup, sort_keys=True), _COLUMNS, _as_row)
    return run_job(
        Job(
            command="score",
            source=args.dialogues,
            check=_Check(),
            start=partial(_Scoring, args, build),
            out=out,
            resume=args.resume,
            workers=args.workers,
            part_rows=args.part_rows,
        )
    )


def _as_row(line: str) -> dict[str, str]:
    return {"id": json.loads(line)["id"], "record": line}


class _Check:
    """Accepts a dialogue whose id no other has. It keeps a hash of each id, not the id."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def __call__(self, row: Row) -> None:
        name = hash(_dialogue(row).id)
        if name in self._seen:
            raise CommandError(f"{row.place}: its id stands there twice")
        self._seen.add(name)


def _dialogue(row: Row) -> Dialogue:
    try:
        return parse_dialogue(row.text)
    except ValueError as error:
        raise CommandError(f"{row.place}: {error}") from error


class _Scoring:
    """Scores dialogues in a worker; the scorer is built once."""

    def __init__(self, args: argparse.Namespace, build: Callable[..., Scorer]) -> None:
        self._setup = describe(args)
        self._concurrency = args.concurrency
        self._scorer = build(args, connect(args))

    def __call__(self, rows: Sequence[Row]) -> Made:
        with blocking_portal() as portal:
            records = portal.call(self._records, [_dialogue(row) for row in rows])
        failures = [
            f"{where}: {' '.join(error.split())}" for each in records for where, error in record_errors(each)
        ]
        return Made(list(map(line_of, records)), failures, sum(map(_is_settled, records)))

    async def _records(self, dialogues: Sequence[Dialogue]) -> list[Record]:
        records: list[Record] = []

        async def score(dialogue: Dialogue) -> Record:
            return dialogue_record(dialogue, await self._scorer.score(dialogue), setup=self._setup)

        await run_ordered(dialogues, score, records.append, concurrency=self._concurrency)
        return records


def _is_settled(record: Record) -> bool:
    return any(turn["claims"] or is_decided(turn) for turn in assistant_turns([record]))
