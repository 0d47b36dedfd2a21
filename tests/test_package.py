import subprocess
import sys

import vista_stream

PUBLIC = {
    *("Session", "Turn", "Policy", "Action", "Reference", "Stages", "Verifier", "Event", "Utterance"),
    *("check", "check_sync", "release", "annotate", "replace", "withhold", "stop", "raise_"),
    *("Claim", "ClaimKind", "Category", "Importance", "Evidence", "Verdict", "Scores", "Pair", "Span"),
    "SecondOpinion",
    *("Statement", "CommonGroundStore", "MemoryStore", "Unresolved", "UnresolvedReason", "Severity"),
    *("CommonGround", "Superseded"),
    *("Draft", "Finding", "Grounds"),
    *("ConversationStore", "Conversation", "KeptStatement", "EndedTurn", "Bounds", "open_store"),
    "preload",
    *("ClaimFound", "ClaimSettled", "ClaimUnresolved", "VitalContradiction", "TurnEnded"),
    *("TextReleased", "TextReplaced", "TextRetracted", "TextWithheld", "TurnReport", "SessionReport"),
    *("VistaError", "SessionStateError", "VerifierError", "ModelLoadError", "InferenceError", "Overload"),
    *("cache_scope", "current_scope"),
    *("BadDelta", "LanguageUnsupported", "StoreError", "StageError", "UpstreamError", "TurnWithheld"),
    "VerifierUnreachable",
}


def test_the_public_names_are_these():
    assert set(vista_stream.__all__) == PUBLIC
    assert all(hasattr(vista_stream, name) for name in PUBLIC)
    assert vista_stream.__all__ == sorted(vista_stream.__all__)


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
