"""A process that guards a session tells what it takes."""

import sys

import pytest

from benchmarks import memory


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells the most memory that a process had")
def test_a_guarded_session_is_measured(monkeypatch):
    monkeypatch.setattr(memory, "_RUNS", 1)
    found = memory.measured(sys.executable)
    assert 100 < found["resident_mib"] <= found["most_while_loading_mib"] + 100
    assert 0 < found["loading_s"] < 60


def test_an_interpreter_without_the_package_is_told(tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'ModuleNotFoundError: vista_stream' >&2\nexit 1\n")
    broken.chmod(0o700)
    with pytest.raises(SystemExit, match=r"guards no session: ModuleNotFoundError: vista_stream"):
        memory.measured(str(broken))
