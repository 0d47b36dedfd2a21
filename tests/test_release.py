"""The release: versions agree, placeholders are told, and the workflows do what the project has."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="the extra 'docs' is not installed")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(name):
    return yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))


def test_the_changelog_begins_with_the_version_and_its_date():
    heading = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert heading[1] == PROJECT["version"]


def test_placeholders_are_told_where_a_release_is_described():
    releasing = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Releasing\n")[1].split("\n## ")[0]
    assert "`authors` and `[project.urls]` in `pyproject.toml`" in releasing
    assert {url.split("/")[2] for url in PROJECT["urls"].values()} == {"example.org"}
    assert [author["name"] for author in PROJECT["authors"]] == ["The vista_stream authors"]


def test_the_page_of_installing_names_the_wheel_of_this_version():
    page = (ROOT / "docs/install.md").read_text("utf-8")
    assert f"vista_stream-{PROJECT['version']}-py3-none-any.whl" in page


def test_there_is_a_workflow_for_tests_docs_releases_and_the_audit():
    assert [path.stem for path in WORKFLOWS] == ["audit", "docs", "release", "test"]


def test_every_python_that_is_named_is_tested():
    named = {c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert set(read("test")["jobs"]["test"]["strategy"]["matrix"]["python"]) == named
    assert PROJECT["requires-python"] == f">={min(named, key=lambda v: int(v.split('.')[1]))}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_whole(path):
    flow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(flow) <= {"name", True, "permissions", "concurrency", "jobs"}  # YAML 1.1 reads `on` as true
    assert flow["permissions"] == {"contents": "read"}
    for name, job in flow["jobs"].items():
        assert job["runs-on"] == "ubuntu-latest"
        assert job["timeout-minutes"] <= 60
        assert job.get("needs", name) in flow["jobs"]
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[\w./]+", step.get("uses", "a/b@v1"))


def test_what_the_workflows_run_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for path in WORKFLOWS:
        runs = [
            step["run"] for job in read(path.stem)["jobs"].values() for step in job["steps"] if "run" in step
        ]
        for command in (line.strip() for run in runs for line in run.splitlines()):
            if command.startswith("make "):
                for target in (word for word in command.split()[1:] if "=" not in word and word != "-C"):
                    assert re.search(rf"^{target}:", makefile, re.M), command
            for script in re.findall(r"\.ci/[\w.]*\w", command):
                assert (ROOT / script).is_file()


def test_only_what_deploys_or_publishes_may_ask_for_an_identity():
    jobs = {(path.stem, name): job for path in WORKFLOWS for name, job in read(path.stem)["jobs"].items()}
    trusted = {place for place, job in jobs.items() if "id-token" in job.get("permissions", {})}
    assert trusted == {("docs", "deploy"), ("release", "publish")}
    assert jobs["release", "publish"]["environment"] == "release"
    assert "secrets." not in "".join(path.read_text("utf-8") for path in WORKFLOWS)
