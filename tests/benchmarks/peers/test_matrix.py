"""The whole way: cells, drivers in processes of their own, rows, tables."""

import json
from pathlib import Path

import pytest

from benchmarks.peers import __main__ as command
from benchmarks.peers import install, matrix
from benchmarks.peers.matrix import Bounds, cells, rows
from benchmarks.peers.report import markdown
from benchmarks.peers.runner import Driver, DriverFailed
from benchmarks.peers.streams import Stream, load
from peer_answers import fill

HERE = Bounds(seconds=60, answers=1, smoke=True, here=True)
DYING = """
import os
import driver
NAME = "dying"
PACKAGES = []
SETTINGS = {"documented": "dies of the third stream, the first being the one that warms it up"}
OWN_VERIFIER = None

class Guard:
    count = 0
    async def stream(self, source, run):
        print("this must not reach the protocol")
        self.count += 1
        if self.count == 3:
            os._exit(3)
        async for delta in source:
            yield delta

async def open_guard(setting, verifier):
    if setting == "absent":
        raise ImportError("no such peer")
    return Guard()
"""
STREAM = Stream(id="a", text="The sea is deep.", query=None, references=(), false=())


@pytest.fixture
def dying(tmp_path):
    path = tmp_path / "dying.py"
    path.write_text(DYING)
    return install.read(path)


def test_smoke_runs_the_floor_and_ours_on_two_short_streams(tmp_path, capsys):
    fill(tmp_path)
    out = tmp_path / "peers.json"
    command.main(["--smoke", "--from-folder", str(tmp_path), "--out", str(out)])
    saved = json.loads(out.read_text())
    floor, ours = saved["figures"]["rows"]
    assert saved["machine"]["python"]
    assert saved["figures"]["seed"] == 7
    assert floor["peer"] == "passthrough"
    assert floor["gate"]["leak"]["share"] == 1.0
    assert floor["gate"]["right streams whole"] == floor["gate"]["right streams"] == 3
    assert ours["peer"] == "vista-stream"
    assert ours["streams run"] == ours["streams planned"] == 6
    assert ours["failures"] == ours["gate"]["errors"] == []
    assert ours["gate"]["same for every cut"] == 2
    assert ours["gate"]["right streams whole"] == 3
    assert ours["pace"]["calls per 1,000 characters"] > 0
    tables = out.with_suffix(".md").read_text()
    assert tables.strip() == capsys.readouterr().out.strip()
    assert "| vista-stream | documented |" in tables


def test_a_folder_without_the_sets_is_named_in_one_line(tmp_path):
    with pytest.raises(SystemExit, match=r"skipped: eval/vital is not in the data folder"):
        command.main(["--smoke", "--from-folder", str(tmp_path)])


def test_a_guard_that_dies_is_opened_again_and_the_loss_is_told(dying, tmp_path):
    fill(tmp_path)
    row = next(rows(cells([dying], None), load(tmp_path), tmp_path, HERE))
    assert row["failures"] == [f"{phase}: it has died: exit status 3" for phase in ("pace", "cuts", "cuts")]
    assert row["streams run"] == 1
    assert row["streams planned"] == 6
    assert "dying, documented, stub: 1 of 6 streams: pace: it has died" in markdown([row])


def test_a_guard_that_cannot_be_opened_is_absent_with_the_reason(dying, tmp_path):
    fill(tmp_path)
    cell = matrix.Cell(peer=dying, setting="documented", verifier="stub")
    object.__setattr__(dying, "settings", {"documented": "", "absent": ""})
    absent = matrix.Cell(peer=dying, setting="absent", verifier="stub")
    found = list(rows([absent, cell], load(tmp_path), tmp_path, HERE))
    assert found[0]["absent"] == "ImportError: no such peer"
    assert "absent" not in found[1]
    assert "- dying, absent: ImportError: no such peer" in markdown(found)


def test_a_guard_that_does_not_answer_is_ended(dying, monkeypatch):
    monkeypatch.setattr("benchmarks.peers.runner._SPARE", 0.3)
    python = matrix._home(dying, Path(), here=True).python
    with Driver(python, dying.path, setting="documented", verifier="stub") as driver:
        with pytest.raises(DriverFailed, match="no answer after"):
            driver.ask(
                [STREAM.request(cut=1, rate=0.2, limit_s=0.0)] * 1 + [STREAM.request(limit_s=0.1, rate=0.1)]
            )
        running = driver._running
    assert running.poll() is not None


def test_cells_are_settings_by_verifiers():
    both = [peer for peer in install.peers() if peer.name in ("passthrough", "vista-stream")]
    titles = [cell.title for cell in cells(both, ["documented"])]
    assert titles == [
        "passthrough/documented/stub",
        "vista-stream/documented/stub",
        "vista-stream/documented/own",
    ]
    assert len(cells(both, None, own=False)) == 4
