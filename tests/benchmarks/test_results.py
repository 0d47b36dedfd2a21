"""What documents say of recorded figures is what the records hold."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.record import RESULTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["README.md", "docs/measured.md", "docs/limits.md"])
def test_the_answers_with_hidden_errors(name):
    each = json.loads((RESULTS / "answers.json").read_text())["figures"]["all"]
    false, true = each["false"], each["true"]
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    if name == "docs/limits.md":
        assert f"Of {false['sentences']} false sentences in answers with hidden errors it blocks " in text
        assert (
            f"it blocks {false['blocked']}, and of {true['sentences']} right ones {true['blocked']}." in text
        )
        assert f"It calls {true['verified']} of the right ones verified, and {false['verified']} of" in text
    else:
        blocked = f"{false['blocked']} of {false['sentences']}; {true['blocked']} of {true['sentences']}"
        assert f"| {blocked} | `python -m benchmarks.answers` |" in text


@pytest.mark.parametrize("name", ["README.md", "docs/measured.md", "docs/faq.md"])
def test_the_time_from_a_sentence_s_end_to_its_release(name):
    held = json.loads((RESULTS / "latency.json").read_text())["figures"]["held back, ms"]
    median, p95 = round(held["p50"]), round(held["p95"])
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.search(rf"\b{median} ms\b.*?\bp95 (?:is )?{p95} ms", text, re.DOTALL)
