"""Every guard file has the interface of the driver and exact pins, read without importing its peer."""

import ast
import re

import pytest

from benchmarks.peers.install import GUARDS, OURS, peers, read

PIN = re.compile(r"[A-Za-z0-9._-]+(\[[a-z,-]+\])?==[0-9][A-Za-z0-9.+!-]*")
PEERS = {
    "ai2070-l0",
    "aisafepy",
    "director-ai",
    "guardrails-ai",
    "legal-rag-verifier",
    "litellm",
    "nemoguardrails",
    "openai-agents",
    "openai-guardrails",
}
FILES = sorted(path for path in GUARDS.glob("*.py") if path.stem != "__init__")


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(body):
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_peer_has_a_guard():
    assert {peer.name for peer in peers()} - {"passthrough", OURS} == PEERS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestGuard:
    def test_its_packages_are_pinned(self, path):
        pins = [pin for pin in read(path).packages if not pin.startswith(OURS)]
        assert all(PIN.fullmatch(pin) for pin in pins), pins

    def test_what_it_drew_in_is_pinned_once_and_agrees(self, path):
        versions = {}
        for pin in read(path).packages:
            if "==" in pin:
                name, version = pin.split("==")
                versions.setdefault(re.sub(r"[-_.]+", "-", name.split("[")[0]).lower(), set()).add(version)
        assert all(len(found) == 1 for found in versions.values()), versions
        assert versions.get("torch", {"2.13.0"}) == {"2.13.0"}
        assert not [name for name in versions if name.startswith(("nvidia-", "triton"))]

    def test_it_opens_in_the_way_of_the_driver(self, path):
        opened = functions(tree(path).body)["open_guard"]
        assert isinstance(opened, ast.AsyncFunctionDef)
        assert [argument.arg for argument in opened.args.args] == ["setting", "verifier"]

    def test_it_has_a_guard_that_streams(self, path):
        classes = [node for node in tree(path).body if isinstance(node, ast.ClassDef)]
        streams = [
            found[name]
            for found in map(functions, (node.body for node in classes))
            for name in ("stream", "stream_sync")
            if name in found
        ]
        assert streams
        for stream in streams:
            assert [argument.arg for argument in stream.args.args] == ["self", "source", "run"]

    def test_it_says_what_each_setting_is(self, path):
        settings = read(path).settings
        assert next(iter(settings)) == "documented"
        assert all(len(meaning) > 10 for meaning in settings.values())

    def test_only_ours_imports_this_project(self, path):
        imported = {
            name.split(".")[0]
            for node in ast.walk(tree(path))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [n.name for n in node.names]
            )
        }
        assert "driver" in imported
        assert "benchmarks" not in imported
        assert ("vista_stream" in imported) == (read(path).name == OURS)
