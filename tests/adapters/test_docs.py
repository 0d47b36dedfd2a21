"""What README and docs say is tried: code runs, commands and their options exist, links resolve."""

import argparse
import ast
import importlib
import logging
import re
import shlex
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from vista_stream import Policy, cli
from vista_stream.training.__main__ import main as training
from vista_stream.verifiers.embedded import EmbeddedVerifier

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md")]
OTHERS += [ROOT / "benchmarks/tried.md", ROOT / "vista_stream/models/README.md"]
OTHERS += [ROOT / "vista_stream/training/README.md", ROOT / "vista_stream/training/versions.md"]
OURS = ("vista_stream", "vista_stream_adapters")
TEXT = "The Panama Canal was opened in August 1914. It was opened in August 1941."

FENCE = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+) -->\n)?^```(?P<kind>\w+)[^\n]*\n(?P<code>.*?)^```$", re.M | re.S
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
INLINE = re.compile(r"`(vista-stream [^`]+)`")


def named(path):
    return path.relative_to(ROOT).as_posix()


def blocks(page, *kinds):
    return [found for found in FENCE.finditer(page.read_text(encoding="utf-8")) if found["kind"] in kinds]


def command_lines(page):
    """The shell commands of a page, each with its continuation lines."""
    for block in blocks(page, "sh"):
        line = ""
        for part in block["code"].replace("\\\n", " ").splitlines():
            line = f"{line}\n{part}" if line else part
            if line.count("'") % 2 == 0:  # else a quoted text goes on
                yield line
                line = ""


def commands(line):
    """The words of each command of a pipe, without the variables and files beside it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;<>")
    lexer.whitespace_split = True
    pipe = "\0".join(lexer)
    for command in re.split(r"[|;]", re.sub(r"\0[<>]\0[^\0]+", "", pipe)):
        words = [word for word in command.split("\0") if word]
        while words and re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        yield words


class Unparsable(Exception):
    pass


def parse(monkeypatch, words):
    """Parse the words as the command line would, and do nothing."""
    monkeypatch.setattr(argparse.ArgumentParser, "exit", lambda self, status=0, message="": fail(message))
    cli._parser(words).parse_args(words)


def fail(message):
    raise Unparsable(message)


# -- Python


@pytest.fixture
def offline(upstream, chat, answer, monkeypatch, tmp_path):
    """A folder of one's own, and a server that answers every question with TEXT."""
    upstream.will(answer(chat.stream(TEXT)))
    for name, value in {
        "OPENAI_BASE_URL": upstream.url,
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": upstream.url,
        "ANTHROPIC_API_KEY": "none",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY_FILE, encoding="utf-8")


@pytest.fixture
def own_log():
    """A page may turn the log on; the tests after it must not hear it."""
    logger = logging.getLogger("vista_stream")
    before = logger.level
    yield
    logger.setLevel(before)


POLICY_FILE = "\n".join(found["code"] for found in blocks(ROOT / "docs/policies.md", "toml"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(
    not files("vista_stream").joinpath("models/verifier/manifest.json").is_file(),
    reason="the shipped model is not in this checkout",
)
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=named)
def test_the_code_of_a_page_runs_in_order(page, offline, own_log, capsys):
    space = {"__name__": "page"}
    for block in blocks(page, "python"):
        code = compile(block["code"], named(page), "exec")
        if block["why"] is None:
            exec(code, space)
    assert "1941" not in capsys.readouterr().out


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_code_compiles_and_what_it_imports_of_this_package_exists(page):
    for block in blocks(page, "python"):
        for node in ast.walk(ast.parse(block["code"])):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
                module = imported(node.module)
                for alias in node.names if module else ():
                    assert hasattr(module, alias.name), f"{node.module} has no {alias.name}"


def imported(name):
    """The module; None where it needs an extra that is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name and error.name.split(".")[0] in OURS:
            raise
        return None


def test_the_quickstart_prints_what_it_says(capsys):
    quickstart = ROOT / "docs/quickstart.md"
    exec(blocks(quickstart, "python")[0]["code"], {})
    assert capsys.readouterr().out.strip() == blocks(quickstart, "text")[0]["code"].strip()


def test_the_endpoint_of_the_ten_minutes_withholds_the_false_sentence(offline, monkeypatch):
    monkeypatch.setenv("MODEL", "any")
    endpoint, policy = blocks(ROOT / "docs/ten-minutes.md", "python")
    space = {"__name__": "page"}
    exec(endpoint["code"], space)
    with TestClient(space["app"]) as client:
        told = client.get("/answer", params={"q": "When was the Panama Canal opened?"}).text
    assert "The Panama Canal was opened in August 1914." in told
    assert "it contradicts the reference" in told
    assert "1941" not in told
    exec(policy["code"], space)
    assert space["guard"].policy == Policy.grounded()


def test_the_page_of_testing_shows_the_message_of_a_failed_test(capsys):
    testing, space = ROOT / "docs/testing.md", {}
    for block in blocks(testing, "python")[:2]:
        exec(block["code"], space)
    assert capsys.readouterr().out.strip() == blocks(testing, "text")[0]["code"].strip()


def test_what_is_not_run_says_why_and_is_little():
    left = [found for page in PAGES for found in blocks(page, "python") if found["why"]]
    assert len(left) <= 4


# -- commands


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_commands_parse(page, monkeypatch, capsys):
    for line in command_lines(page):
        for words in commands(line):
            check_command(words, monkeypatch, capsys)


def check_command(words, monkeypatch, capsys):
    match words:
        case ["vista-stream", *rest]:
            if "--help" not in rest:
                parse(monkeypatch, rest)
        case ["python", "-m", "vista_stream.training", recipe, *rest]:
            with pytest.raises(SystemExit):
                training([recipe, "--help"])
            known = set(OPTION.findall(capsys.readouterr().out))
            assert {word for word in rest if word.startswith("--")} <= known
        case ["python", "-m", module, *_] if module.startswith("benchmarks"):
            assert (ROOT / (module.replace(".", "/") + ".py")).is_file() or (ROOT / module).is_dir()
        case ["python", script, *_] if script.endswith(".py"):
            assert (ROOT / script).is_file()
        case ["make", target]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), target
        case ["pip", "install", *others] if not any("[" in word for word in others):
            assert all(word.isidentifier() for word in others)  # other projects' packages
        case ["pip", "install", what]:
            extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
            assert set(re.search(r"\[(.*)\]", what)[1].split(",")) <= set(extras)
        case (
            []
            | [("echo" | "curl" | "uvicorn" | "export" | "." | "docker"), *_]
            | ["python3", "-m", "venv", _]
        ):
            pass
        case _:
            pytest.fail(f"no check is written for {words}")


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_options_of_commands_in_a_sentence_exist(page):
    for line in INLINE.findall(page.read_text(encoding="utf-8")):
        _, command, *_ = line.split()
        if command not in cli.COMMANDS:
            assert command in ("--help", "COMMAND"), line
            continue
        assert set(OPTION.findall(line)) <= set(options(command)), line


def options(command):
    parser = cli._parser([command])
    subparsers = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {o for a in subparsers.choices[command]._actions for o in a.option_strings if o.startswith("--")}


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_the_page_of_commands_has_every_option_and_no_other(command):
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    section = page.split(f"## vista-stream {command}\n")[1].split("\n## ")[0]
    rows = "\n".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    assert set(OPTION.findall(rows)) == options(command) - {"--help"}


def test_a_wrong_option_would_be_found(monkeypatch):
    with pytest.raises(Unparsable):
        parse(monkeypatch, ["check", "--no-such-option"])


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_modules_named_in_a_sentence_exist(page):
    for module in re.findall(r"python -m (benchmarks[\w.]*)", page.read_text(encoding="utf-8")):
        assert (ROOT / (module.replace(".", "/") + ".py")).is_file() or (ROOT / module).is_dir(), module


# -- links, figures, length


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_relative_links_resolve(page):
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if ":" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.M)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_every_figure_of_the_readme_is_on_the_page_of_measurements():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.split("## How good it is")[1].split("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ") and "---" not in line]
    measured = (ROOT / "docs/measured.md").read_text(encoding="utf-8").replace("**", "")
    measured += (ROOT / "docs/other-guards.md").read_text(encoding="utf-8").replace("**", "")
    assert len(rows) > 4
    for row in rows[1:]:
        for figure in row[2].replace("**", "").split(";"):
            assert figure.strip() in measured, figure


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_hook_shows_files_that_exist():
    hooks = (ROOT / "docs/hooks.py").read_text(encoding="utf-8")
    shown = next(
        n.value for n in ast.parse(hooks).body if isinstance(n, ast.Assign) and n.targets[0].id == "SHOWN"
    )
    for source in ast.literal_eval(shown):
        assert (ROOT / source).is_file(), source


def test_the_thresholds_that_docs_name_are_those_of_the_shipped_model():
    own = EmbeddedVerifier.from_pretrained().thresholds
    policies = (ROOT / "docs/policies.md").read_text(encoding="utf-8")
    assert f"from an entailment of {own.entailment} on" in policies
    assert f"from a contradiction of {own.contradiction} on" in policies
    card = (ROOT / "vista_stream/models/README.md").read_text(encoding="utf-8")
    assert f"VERIFIED begins at {own.entailment}" in card
    assert f"CONTRADICTED begins at {own.contradiction}" in card
