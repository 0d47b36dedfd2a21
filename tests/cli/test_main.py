import json
import subprocess
import sys
from argparse import Namespace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from vista_stream import cli
from vista_stream.errors import ModelLoadError


@pytest.fixture
def command(monkeypatch):
    """Have `vista-stream demo` do as told."""

    def install(run):
        def add_parser(subparsers):
            subparsers.add_parser("demo")

        module = SimpleNamespace(add_parser=add_parser, run=run)
        monkeypatch.setattr(cli, "import_module", lambda name: module)

    return install


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"vista-stream {name}" in capsys.readouterr().out


def test_version_is_the_distributions(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"vista-stream {version('vista-stream')}\n"


@pytest.mark.parametrize("arguments", [[], ["chekc"], ["demo", "--speed", "warp"], ["check", "--chunk", "0"]])
def test_bad_usage_is_one_line_and_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("error", [cli.CommandError("no such\nfile"), ModelLoadError("no such\nfile")])
def test_an_expected_error_is_one_line_and_status_2(error, command, capsys):
    def run(args: Namespace) -> int:
        raise error

    command(run)
    assert cli.main(["demo"]) == 2
    assert capsys.readouterr().err == "vista-stream demo: no such file\n"


def test_an_unexpected_error_is_not_hidden(command):
    def run(args: Namespace) -> int:
        raise ZeroDivisionError

    command(run)
    with pytest.raises(ZeroDivisionError):
        cli.main(["demo"])


def test_interrupt_is_status_130(command):
    def run(args: Namespace) -> int:
        raise KeyboardInterrupt

    command(run)
    assert cli.main(["demo"]) == 130


def test_the_commands_status_is_returned(command):
    command(lambda args: 1)
    assert cli.main(["demo"]) == 1


def test_only_the_called_commands_module_is_imported():
    script = (
        "import sys\n"
        "from vista_stream.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "print([n for n in sys.modules if n.startswith(('vista_stream.cli.', 'rich', 'onnxruntime'))])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_the_package_runs_as_a_module():
    run = subprocess.run([sys.executable, "-m", "vista_stream", "--version"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, f"vista-stream {version('vista-stream')}\n")


def test_an_interrupted_import_is_no_traceback(monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "import_module", interrupted)
    assert cli.main(["demo"]) == cli.INTERRUPTED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path, verifier_folder):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"premise": "Tea is hot.", "hypothesis": "Tea is hot."}\n')
    dialogues = tmp_path / "dialogues.jsonl"
    dialogues.write_text('{"id": "d", "turns": [{"role": "assistant", "text": "Tea is hot."}]}\n')
    reference = tmp_path / "reference.txt"
    reference.write_text("Tea is hot.")
    for arguments in (["verify", pairs], ["score", dialogues], ["check", "--reference", reference]):
        with open("/dev/full", "w") as full:
            ended = subprocess.run(
                [sys.executable, "-m", "vista_stream", *arguments, "--verifier", verifier_folder],
                input="Tea is hot.",
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert ended.returncode == 2
        told = f"vista-stream {arguments[0]}: standard output: No space left on device"
        assert ended.stderr.splitlines()[-1] == told
        assert "Traceback" not in ended.stderr


EXAMPLE = {"references": ["Tea is hot."], "query": "Is it?", "answer": "Tea is hot.", "false": []}


@pytest.fixture
def files(tmp_path):
    """Input for each command that writes results, in `tmp_path`."""
    pair = {"premise": "Tea is hot.", "hypothesis": "Tea is hot."}
    dialogue = {"id": "d", "turns": [{"role": "assistant", "text": "Tea is hot."}]}
    for name, content in {"pairs": pair, "dialogues": dialogue, "examples": EXAMPLE}.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(content) + "\n")
    (tmp_path / "tea.txt").write_text("Tea is hot.")
    return tmp_path


def in_shell(line, folder):
    command = f'"{sys.executable}" -m vista_stream {line}'
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell")
@pytest.mark.parametrize(
    "line",
    [
        "check tea.txt --reference tea.txt",
        "verify pairs.jsonl",
        "score dialogues.jsonl",
        "tune examples.jsonl",
        "demo",
    ],
)
def test_a_closed_output_is_one_line_and_status_2(line, files):
    ended = in_shell(f"{line} >&-", files)
    told = f"vista-stream {line.split()[0]}: standard output is closed\n"
    assert (ended.returncode, ended.stderr) == (2, told)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell")
def test_messages_for_a_closed_standard_error_go_nowhere(files, verifier_folder):
    line = f'check tea.txt --reference tea.txt --verifier "{verifier_folder}"'
    ended = in_shell(f"{line} 2>&-", files)
    assert (ended.returncode, ended.stdout) == (0, "Tea is hot.")
