"""The recipe of the head that tells signs: a head that is learnt from written sentences and loaded again."""

import json
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="the recipe needs the extra [score]")

from vista_stream.core.change import Sign
from vista_stream.stages.embedded.signs import EmbeddedSigns
from vista_stream.training.__main__ import main
from vista_stream.verifiers.embedded import EmbeddedEmbedder

WRITTEN = """C | I was wrong about mill {n}.
N | Mill {n} has become dearer.
F | Mill {n} stands in Lund.
R | Please book mill {n} for me.
Q | Where does mill {n} stand?
"""


def test_a_head_is_learnt_written_and_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "part-01.txt").write_text("\n".join(WRITTEN.format(n=n) for n in range(2, 22)))
    out = tmp_path / "signs"
    assert main(["signs", "--data", str(tmp_path), "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["rows"] == dict.fromkeys(("change", "correction", "question", "request", "statement"), 20)
    assert manifest["kept apart"]["user"]["head"]["accuracy"] > 90
    teller = EmbeddedSigns.from_pretrained(EmbeddedEmbedder.from_pretrained(threads=1), out)
    told, asked = ["I was wrong about mill 40.", "Mill 40 stands in Lund."], ["Please book mill 40 for me."]
    assert teller.of(told, asked) == {told[0]: Sign.CORRECTION, asked[0]: Sign.REQUEST}


@pytest.mark.parametrize(
    ("text", "error"),
    [("X | Oops.", "line 1: a sentence is"), ("C | Oops.", "must be of each of correction")],
)
def test_what_is_no_row_or_too_little_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, error: str
) -> None:
    (tmp_path / "part-01.txt").write_text(text)
    assert main(["signs", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert error in capsys.readouterr().err
