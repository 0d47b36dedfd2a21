"""Hands the parts of an input to the workers of a Ray cluster, by Ray Data. Needs the extra `ray`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.parts import PartFiles
from vista_stream.cli.bulk.rows import Part, Row, read
from vista_stream.errors import missing_extra


class Made(NamedTuple):
    """What became of the rows of one part."""

    lines: list[str]
    failures: list[str]
    """Where something failed and why, in one line each."""
    settled: int
    """How many rows have an outcome."""


class Work(Protocol):
    """Makes the lines of rows; each worker has one of its own."""

    def __call__(self, rows: Sequence[Row]) -> Made:
        """The lines, one a row and in their order."""


class Told(NamedTuple):
    """What a worker says of a part that it has written."""

    rows: int
    failures: int
    settled: int
    first_failure: str


def require_ray() -> None:
    """Raise CommandError, with one line that names the extra, where Ray is not installed."""
    try:
        import fsspec  # noqa: F401
        import pyarrow  # noqa: F401
        import ray.data  # noqa: F401
    except ImportError as error:
        raise CommandError(missing_extra("--engine ray needs Ray Data", "ray")) from error


def run_parts(
    parts: Sequence[Part], start: Callable[[], Work], out: PartFiles, *, workers: int | None
) -> Iterator[Told]:
    """Have each part written by a worker; yields what is told of each as it is done, in any order.

    `workers` None takes one for each CPU of the cluster: that of RAY_ADDRESS, else one that is started here.
    Raises CommandError, with the worker's own line, if a worker cannot go on.
    """
    import ray
    import ray.data

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False, logging_level=logging.WARNING)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    count = min(len(parts), workers or int(ray.cluster_resources().get("CPU", 1)) or 1)
    rows = [part._asdict() for part in parts]
    told = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        _Worker,
        fn_constructor_args=(start, out),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=count),
    )
    try:
        for row in told.iter_rows():
            yield Told(int(row["rows"]), int(row["failures"]), int(row["settled"]), str(row["first_failure"]))
    except ray.exceptions.RayError as error:
        raise CommandError(f"--engine ray: {_reason(error)}") from error
    finally:
        ray.shutdown()


class _Worker:
    """Lives in a process of its own, for many parts."""

    def __init__(self, start: Callable[[], Work], out: PartFiles) -> None:
        self._work, self._out = start(), out

    def __call__(self, batch: Any) -> dict[str, list[Any]]:
        columns = (batch[name].tolist() for name in Part._fields)
        told = [self._told(Part(*part)) for part in zip(*columns, strict=True)]
        return {name: [getattr(each, name) for each in told] for name in Told._fields}

    def _told(self, part: Part) -> Told:
        rows = read(part)
        made = self._work(rows)
        self._out.write(part, made.lines, failed=bool(made.failures))
        return Told(len(rows), len(made.failures), made.settled, (made.failures or [""])[0])


def _reason(error: BaseException) -> str:
    """The last line of the innermost error, which names its kind and says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
