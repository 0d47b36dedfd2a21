import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="plots need the dependency group plots")

from benchmarks import plots


@pytest.mark.filterwarnings("default")
def test_both_plots_are_drawn_alike_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [{"threshold": 0.5, "false blocks": 10.0, "block recall": 90.0}]
    points += [{"threshold": 1.0, "false blocks": 0.0, "block recall": 20.0}]
    bins = [{"from": 0.9, "rows": 5, "said": 0.95, "true": 0.8}]
    streaming = {"figures": {"vital": {"curve": points}, "bump": {}}}
    accuracy = {"figures": {"sets": {"true/q2": {"bins": bins}, "nli3/cad": {"bins": bins}}}}
    (tmp_path / "streaming.json").write_text(json.dumps(streaming))
    (tmp_path / "accuracy.json").write_text(json.dumps(accuracy))
    monkeypatch.setattr("sys.argv", ["plots", "--results", str(tmp_path)])
    assert plots.main() == 0
    drawn = [(tmp_path / f"{name}.svg").read_text() for name in ("trade_off", "reliability")]
    assert plots.main() == 0
    assert drawn == [(tmp_path / f"{name}.svg").read_text() for name in ("trade_off", "reliability")]
