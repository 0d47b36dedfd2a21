import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("aiohttp", reason="serve needs the extra proxy")

from vista_stream.cli import main


@pytest.fixture
def serving(tmp_path):
    """`vista-stream serve` on a free port, with scripted stages; its URL and its process."""
    code = (
        "import sys\n"
        "from functools import partial\n"
        "from vista_stream.cli import main\n"
        "from vista_stream.testing import ScriptedStages\n"
        "from vista_stream_adapters import proxy\n"
        "proxy.make_app = partial(proxy.make_app, stages=ScriptedStages().stages())\n"
        "sys.exit(main(['serve', '--port', '0', '--references', sys.argv[1]]))\n"
    )
    (tmp_path / "one.txt").write_text("One is here.")
    environ = {**os.environ, "VISTA_STREAM_TOKENS": "tok"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as served:
        told = (line for line in served.stderr if line.startswith("vista-stream serves "))
        yield next(told).split()[-1], served
        served.kill()


def test_it_serves_the_page_and_the_shipped_scenes_until_sigterm(serving):
    url, served = serving
    with urllib.request.urlopen(f"{url}/page/about") as response:
        about = json.load(response)
    assert about["token"] is True
    assert about["scenes"][0]["altered"]["now"] in about["scenes"][0]["answer"]
    served.send_signal(signal.SIGTERM)
    assert served.wait(10) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--upstream", "nowhere"], "upstream must be"),
        (["--references", "/there/is/none"], "references must be a folder"),
        (["--token-file", "/there/is/none"], "/there/is/none: No such file"),
        (["--host", "0.0.0.0"], "host 0.0.0.0"),
        (["--host", "0.0.0.0"], "--open-network"),
        (["--host", "0.0.0.0"], "--token-file"),
        (["--max-streams", "0"], "--max-streams: streams must be a number above 0, not 0"),
        (["--keep-alive", "-1"], "--keep-alive: keep_alive must be a number above 0"),
        (["--max-share", "2"], "--max-share: "),
        (["--policy", "/there/is/none"], "No such file"),
        (["--port", "99999"], "port must be"),
        (["--store", "notes.db"], "store must be sqlite:///PATH, redis://"),
        (["--store", "redis://:secret@127.0.0.1"], "give such a URL by VISTA_STREAM_STORE"),
        (["--store", "redis://:se/cret@127.0.0.1"], "give such a URL by VISTA_STREAM_STORE"),
        (["--store", "redis://127.0.0.1?password=secret"], "give such a URL by VISTA_STREAM_STORE"),
        (["--store", "sqlite:///a.db", "--store-ttl", "0"], "ttl must be a number above 0"),
        (["--store-ttl", "60"], "--store-ttl needs --store"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, told, capsys):
    assert main(["serve", *arguments]) == 2
    err = [line for line in capsys.readouterr().err.splitlines() if line.startswith("vista-stream serve:")]
    assert len(err) == 1
    assert told in err[0]


def test_two_keys_for_the_upstream_are_refused_by_the_files_name(tmp_path, capsys):
    path = tmp_path / "keys"
    path.write_text("one\ntwo\n")
    assert main(["serve", "--upstream-key-file", str(path)]) == 2
    assert "keys must hold one key, not 2" in capsys.readouterr().err


def test_without_the_proxys_libraries_it_says_which_extra_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    for name in [name for name in sys.modules if name.startswith("vista_stream_adapters")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["serve"]) == 2
    assert 'from a checkout, pip install ".[proxy]"' in capsys.readouterr().err


def test_a_missing_store_package_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "vista_stream.stores.redis", raising=False)
    monkeypatch.setenv("VISTA_STREAM_STORE", "redis://:secret@127.0.0.1")
    assert main(["serve"]) == 2
    err = capsys.readouterr().err
    assert err == (
        'vista-stream serve: RedisStore needs the redis package: from a checkout, pip install ".[redis]"\n'
    )


def test_the_store_of_the_url_is_given_to_the_application_with_its_bounds(monkeypatch, tmp_path):
    from vista_stream_adapters import proxy

    given = []

    async def serve(app, *, announce):
        given.append(app)

    def make_app(settings, *, store, **_):
        sessions.append(settings.limits.sessions)
        return store

    sessions = []
    monkeypatch.setattr(proxy, "make_app", make_app)
    monkeypatch.setattr(proxy, "serve", serve)
    monkeypatch.setenv("VISTA_STREAM_STORE", f"sqlite:///{tmp_path}/environment.db")
    url = f"sqlite:///{tmp_path}/option.db"
    assert main(["serve", "--store", url, "--store-ttl", "60", "--max-sessions", "7"]) == 0
    assert main(["serve"]) == 0
    monkeypatch.delenv("VISTA_STREAM_STORE")
    assert main(["serve"]) == 0
    assert [None if store is None else store.place.rpartition("/")[2] for store in given] == [
        "option.db",
        "environment.db",
        None,
    ]
    assert (given[0].bounds.ttl, given[0].bounds.conversations) == (60, 7)
    assert given[1].bounds.conversations == 10_000
    assert sessions == [7, 10_000, 1000]


def test_what_is_guarded_of_an_answer_and_how_it_ends_is_given_to_the_proxy(monkeypatch):
    from vista_stream_adapters import proxy

    async def serve(app, *, announce):
        given.append((app.tool_call_arguments, app.json_values, app.finish_reason))

    given = []
    monkeypatch.setattr(proxy, "make_app", lambda settings, **_: settings)
    monkeypatch.setattr(proxy, "serve", serve)
    options = ["--tool-call-arguments", "guard", "--json-values", "pass", "--finish-reason", "stop"]
    assert main(["serve", *options]) == main(["serve"]) == 0
    assert given == [("guard", "pass", "stop"), ("pass", "guard", None)]
