"""A whole bulk run; the parts are made in this process, without Ray."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fsspec", reason="needs the extra ray")

from vista_stream.claims import Pair, Scores
from vista_stream.cli import main, verify
from vista_stream.cli.bulk import engine, job
from vista_stream.errors import InferenceError
from vista_stream.testing import ENTAILED

PAIR = '{"premise": "The roof is red.", "hypothesis": "The roof is red."}\n'


class SwitchedVerifier:
    """Entails all, or fails while it is down."""

    down = False

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        if self.down:
            raise InferenceError("the server is down")
        return [ENTAILED] * len(pairs)


@pytest.fixture
def verifier(monkeypatch: pytest.MonkeyPatch) -> SwitchedVerifier:
    """What `vista-stream verify` loads; Ray is not needed."""

    def run_parts(
        parts: Sequence[Any], start: Any, out: Any, *, workers: int | None
    ) -> Iterator[engine.Told]:
        yield from map(engine._Worker(start, out)._told, parts)

    monkeypatch.setattr(job, "require_ray", lambda: None)
    monkeypatch.setattr(job, "run_parts", run_parts)
    made = SwitchedVerifier()
    monkeypatch.setattr(verify, "run", partial(verify.run, load=lambda name: made))
    return made


def bulk(source: Path | str, out: Path | str, *options: str) -> int:
    return main(["verify", str(source), "--engine", "ray", "--scores-only", "--out", str(out), *options])


def test_what_failed_is_tried_again(verifier: SwitchedVerifier, tmp_path: Path, capsys) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(PAIR)
    verifier.down = True
    assert bulk(source, out) == 1
    assert "--resume tries them again" in capsys.readouterr().err
    verifier.down = False
    assert bulk(source, out, "--resume") == 0
    assert '"category": "verified"' in out.read_text()


def test_messages_name_the_file_of_a_folder(verifier: SwitchedVerifier, tmp_path: Path, capsys) -> None:
    fold, out = tmp_path / "fold", tmp_path / "out.jsonl"
    fold.mkdir()
    (fold / "a.jsonl").write_text(PAIR)
    (fold / "b.jsonl").write_text(f"\n{PAIR}")
    verifier.down = True
    assert bulk(fold, out) == 1
    assert "the first in a.jsonl, line 1: the server is down" in capsys.readouterr().err
    assert out.read_text().splitlines()[1] == '{"error": "b.jsonl, line 2: the server is down"}'
    (fold / "b.jsonl").write_text('{"premise": "a b."}\n')
    assert bulk(fold, out) == 2
    assert capsys.readouterr().err.startswith("vista-stream verify: b.jsonl, line 1: takes ")


@pytest.mark.parametrize(("source", "out"), [("fold", "fold/"), ("fold/part-0.jsonl", "fold/part-0.jsonl")])
def test_the_input_is_never_overwritten(
    verifier: SwitchedVerifier, tmp_path: Path, capsys, source: str, out: str
) -> None:
    (tmp_path / "fold").mkdir()
    (tmp_path / "fold/part-0.jsonl").write_text(PAIR)
    assert bulk(tmp_path / source, f"{tmp_path}/{out}") == 2
    assert "are not apart" in capsys.readouterr().err
    assert [path.read_text() for path in (tmp_path / "fold").iterdir()] == [PAIR]
