"""The topology of compose.yaml as local processes: two replicas, a store, a pool, the shipped models."""

import json
import subprocess
import sys
import urllib.request
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

pytest.importorskip("aiohttp", reason="serve needs the extra proxy")

ROOT = Path(__file__).parents[2]
REFERENCES = [{"name": "notes", "text": "The mill was built in 1820. It has four floors."}]
TRUE = "The mill was built in 1820."

pytestmark = pytest.mark.skipif(
    not files("vista_stream").joinpath("models/verifier/manifest.json").is_file(),
    reason="the shipped model is not in this checkout",
)


def asked(proxy, text, *, token="local", references=()):
    """Ask a replica for an answer of this text, in one conversation; the text that is shown."""
    body = {
        "model": "stub",
        "messages": [{"role": "user", "content": text}],
        "vista": {"references": references},
    }
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {token}",
        "X-Vista-Conversation": "talk",
    }
    request = urllib.request.Request(f"{proxy.url}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def healthy(proxy):
    """What the image's HEALTHCHECK says of a replica."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    told = dockerfile.split("HEALTHCHECK")[1].split("CMD ", 1)[1].split("\n")[0]
    _, *code = json.loads(told.replace("8700", str(proxy.port)))
    return subprocess.run([sys.executable, *code], stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.timeout(600)
def test_a_conversation_outlives_its_replica_its_store_and_its_verifier(local_topology, tmp_path):
    with local_topology.started(local_topology.Plan(pace=0, pool=True), tmp_path) as topology:
        one, other = topology.proxies
        assert asked(one, TRUE, references=REFERENCES) == TRUE
        assert healthy(one)
        one.kill()
        assert not healthy(one)
        topology.parts["verifier-1"].kill()
        assert "1830" not in asked(other, "The mill was built in 1830.")
        topology.parts["verifier-1"].start()
        topology.parts["verifier-1"].wait()
        topology.parts["verifier-2"].kill()
        redis = topology.parts.get("redis")  # without redis-server the replicas share a SQLite file
        if redis is not None:
            redis.kill()
            redis.start()
        one.start()
        one.wait()
        assert "1840" not in asked(one, "The mill was built in 1840.")
        assert asked(one, "I hope that you like it.") == "I hope that you like it."


def test_replicas_are_started_with_the_options_of_compose(local_topology, tmp_path):
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    given = {word.split("=")[0] for word in compose["services"]["proxy"]["command"][1:]}
    options = local_topology.serve_options("http://u/v1", tmp_path, "redis://r", ["http://v"])
    assert {word for word in options if word.startswith("--")} == given - {"--host", "--port"}
