import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import vista_stream

PUBLIC = {
    *("Session", "Turn", "Policy", "Action", "Reference", "Event", "Utterance"),
    *("check", "check_sync", "release", "annotate", "replace", "withhold", "stop", "raise_"),
    *("Claim", "ClaimKind", "Category", "Importance", "Evidence", "Verdict", "Scores", "Span"),
    *("Statement", "Superseded", "Unresolved", "UnresolvedReason", "Severity"),
    *("SecondOpinion", "preload"),
    *("ClaimFound", "ClaimSettled", "ClaimUnresolved", "VitalContradiction", "TurnEnded"),
    "IndexingProgress",
    *("TextReleased", "TextReplaced", "TextRetracted", "TextWithheld", "TurnReport", "SessionReport"),
    *("VistaError", "SessionStateError", "VerifierError", "ModelLoadError"),
    *("BadDelta", "StoreError", "StageError", "UpstreamError", "TurnWithheld"),
}


def test_the_public_names_are_these():
    assert set(vista_stream.__all__) == PUBLIC
    assert all(hasattr(vista_stream, name) for name in PUBLIC)
    assert vista_stream.__all__ == sorted(vista_stream.__all__)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_list_of_arguments_names_them_all(name):
    _, has_list, told = (inspect.getdoc(getattr(vista_stream, name)) or "").partition("Args:")
    if has_list:
        listed = set(re.findall(r"^    (\w+): ", told, re.M))
        assert listed == set(inspect.signature(getattr(vista_stream, name)).parameters)


OF_PARTS = {
    "vista_stream.stages": {
        *("Stages", "Grounds", "Draft", "Finding"),
        *("Decompose", "Discourse", "Rank", "Verify", "Categorise"),
    },
    "vista_stream.verifiers": {"Verifier", "Embedder", "Pair"},
    "vista_stream.stores": {
        *("Bounds", "CommonGround", "CommonGroundStore", "Conversation", "ConversationStore"),
        *("EndedTurn", "KeptStatement", "MemoryStore", "after", "open_store"),
    },
    "vista_stream.caching": {"cache_scope", "current_scope"},
}


@pytest.mark.parametrize("module", OF_PARTS)
def test_the_names_for_parts_of_one_s_own_are_these(module):
    found = importlib.import_module(module)
    assert set(found.__all__) == OF_PARTS[module]
    assert all(hasattr(found, name) for name in OF_PARTS[module])


def test_adapters_use_public_names_alone():
    inner = {
        f"vista_stream.{name}"
        for name in (
            *("amounts", "arguments", "detached", "failures", "logs", "members", "outbox", "portal"),
            *("core.text.html_text", "core.text.surrogates", "stores.session_memory"),
        )
    }
    public = {"vista_stream": PUBLIC, "vista_stream.testing": {"replay"}, **OF_PARTS}
    folder = Path(__file__).parents[1] / "adapters" / "vista_stream_adapters"
    imports = [
        (node.module, alias.name)
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "vista_stream"
        for alias in node.names
    ]
    assert imports
    assert [each for each in imports if each[0] not in inner and each[1] not in public.get(each[0], ())] == []


def test_importing_loads_no_model_library_and_opens_no_socket():
    code = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("a socket at import")
socket.socket.connect = refuse
import vista_stream
print(sorted({"torch", "transformers", "onnxruntime", "spacy", "openai", "aiohttp"} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
