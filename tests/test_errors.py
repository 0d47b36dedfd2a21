import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from vista_stream.errors import TurnWithheld, missing_extra

ROOT = Path(__file__).parents[1]
FOLDERS = ("vista_stream", "adapters", "benchmarks")
SOURCES = {str(path): path.read_text() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_a_missing_extra_is_one_line_with_a_command_for_a_checkout():
    told = missing_extra("labels need scipy", "score")
    assert told == 'labels need scipy: from a checkout, pip install ".[score]"'


def test_no_hint_names_a_package_index():
    hint = re.compile(r"pip install ['\"]vista")
    named = [name for name, source in SOURCES.items() if hint.search(source)]
    assert named == []


def test_every_hint_names_extras_that_there_are():
    call = re.compile(r'missing_extra\(f?"[^"]*", "([^"]*)"\)')
    calls = [extras for source in SOURCES.values() for extras in call.findall(source)]
    assert len(calls) >= 7
    assert [name for extras in calls for name in extras.split(",") if name not in EXTRAS] == []


@pytest.mark.parametrize(
    ("absent", "module", "told"),
    [
        ("scipy", "vista_stream.scoring.agreement", '[score]"'),
        ("openai", "vista_stream.stages.llm.client", '[llm]"'),
    ],
)
def test_a_module_whose_library_is_missing_says_what_to_install(absent, module, told):
    code = f"import sys; sys.modules[{absent!r}] = None; import {module}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr.splitlines()[-1].endswith(f'from a checkout, pip install ".{told}')


def test_a_withheld_turn_passes_between_processes():
    copied = pickle.loads(pickle.dumps(TurnWithheld("the policy raises", None)))
    assert (type(copied), str(copied), copied.verdict) == (TurnWithheld, "the policy raises", None)
