"""What `benchmarks.mutation` reads of mutmut's words, and that its reasons are of code that is there."""

from pathlib import Path

import pytest

from benchmarks import mutation
from benchmarks.mutation import Mutant

LISTED = """
    vista_stream.core.gate.xǁReleaseGateǁpop__mutmut_12: killed
    vista_stream.core.judge.x_category_of__mutmut_1: no tests
    vista_stream.turn.xǁ_Textǁ__anext____mutmut_4: survived
    vista_stream.turn.xǁ_Textǁ__anext____mutmut_5: timeout
"""
SHOWN = """# vista_stream.core.gate.xǁReleaseGateǁpop__mutmut_12: survived
--- vista_stream/core/gate.py
+++ vista_stream/core/gate.py
@@ -1,4 +1,4 @@
 def pop(self) -> Entry | None:
-        return decide(
-            None)
+        return decide(-1)
"""


def test_the_places_of_mutants_are_named_as_in_the_source():
    tried = mutation.mutants(LISTED)
    assert [(mutant.place, mutant.status) for mutant in tried] == [
        ("core.gate.ReleaseGate.pop", "killed"),
        ("core.judge.category_of", "no tests"),
        ("turn._Text.__anext__", "survived"),
        ("turn._Text.__anext__", "timeout"),
    ]


def test_what_no_test_notices_is_counted_by_module():
    counted = mutation.figures(mutation.mutants(LISTED))
    assert counted["vista_stream.core.judge"] == {"mutants": 1, "noticed": 0}
    assert counted["vista_stream.turn"] == {"mutants": 2, "noticed": 1}
    assert counted["all"] == {"mutants": 4, "noticed": 2}


def test_a_change_is_the_lines_before_and_after():
    assert mutation.change(SHOWN) == "return decide( None) => return decide(-1)"


def test_only_changes_without_a_reason_fail_a_run(monkeypatch, capsys, tmp_path):
    reasons = tmp_path / "reasons.toml"
    reasons.write_text(
        '[[unnoticed]]\nplace = "core.gate.ReleaseGate.pop"\nwhy = "It is the same."\n'
        'changes = ["return decide( None) => return decide(-1)"]\n'
    )
    listed = "\n".join(f"vista_stream.core.gate.xǁReleaseGateǁpop__mutmut_{n}: killed" for n in range(20))
    listed += "\nvista_stream.core.gate.xǁReleaseGateǁpop__mutmut_20: survived"
    monkeypatch.setattr(mutation, "REASONS", reasons)
    monkeypatch.setattr(mutation, "RESULTS", tmp_path)
    monkeypatch.setattr(mutation, "version", lambda package: "1.0")
    monkeypatch.setattr("benchmarks.record.version", lambda package: "1.0")
    monkeypatch.setattr("sys.argv", ["mutation", "--list"])
    monkeypatch.setattr(mutation, "_mutmut", lambda verb, *names: SHOWN if verb == "show" else listed)
    assert mutation.main() == 0
    listed += "\nvista_stream.core.gate.xǁReleaseGateǁpop__mutmut_21: not checked"
    assert mutation.main() == 1
    listed = listed.rpartition("\n")[0]
    assert mutation.main() == 0
    reasons.write_text(reasons.read_text().replace("decide(-1)", "decide(-2)"))
    assert mutation.main() == 1
    assert "no reason: core.gate.ReleaseGate.pop (survived)" in capsys.readouterr().out


@pytest.mark.parametrize("entry", mutation.reasons(), ids=lambda entry: entry[0])
def test_a_reason_is_of_code_that_is_there(entry):
    place, change = entry
    old = " ".join(change.split(" => ")[0].split())
    source = Path(mutation.ROOT, "vista_stream", _module_of(place).replace(".", "/")).with_suffix(".py")
    text = " ".join(source.read_text(encoding="utf-8").split())
    assert f"def {place.rpartition('.')[2]}(" in text
    assert old in text


def _module_of(place: str) -> str:
    parts = place.split(".")
    return next(
        ".".join(parts[:end])
        for end in range(len(parts) - 1, 0, -1)
        if Path(mutation.ROOT, "vista_stream", *parts[:end]).with_suffix(".py").is_file()
    )


def test_mutants_keep_their_module():
    assert Mutant("vista_stream.core.held.x_numbered__mutmut_1", "killed").module == "vista_stream.core.held"
