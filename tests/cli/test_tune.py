"""`vista-stream tune`: the policy file, the words, the page, and wrong input."""

import io
import json
import os
import sys

import pytest
from anyio.from_thread import start_blocking_portal

from html_outline import Outline
from vista_stream.claims import Scores
from vista_stream.cli import loading, main
from vista_stream.core.judge import Thresholds
from vista_stream.errors import VerifierError
from vista_stream.policy import Policy
from vista_stream.testing import ScriptedVerifier

EXAMPLES = [
    {
        "references": ["The door is old & <red>."],
        "answer": "The door is blue. The door is old.",
        "false": ["blue"],
    },
    {
        "references": ["The roof was mended."],
        "answer": "The roof is green. I like it.",
        "false": ["The roof is green."],
    },
    {"references": ["The gate stands open."], "answer": "The gate is wide. The wall is low.", "false": []},
]
SCRIPT = {"blue": Scores(0.1, 0.4, 0.5), "green": Scores(0.1, 0.8, 0.1), "low": Scores(0.1, 0.6, 0.3)}


@pytest.fixture
def tune(tmp_path, monkeypatch, capsys):
    """Run the command with a scripted verifier; its status, standard output and standard error."""
    monkeypatch.setattr(
        "vista_stream.cli.tune.load_verifier",
        lambda name: ScriptedVerifier(SCRIPT, default=Scores(0.9, 0.1, 0.0)),
    )

    def call(examples, *options):
        path = tmp_path / "examples.jsonl"
        path.write_text(examples if isinstance(examples, str) else "\n".join(map(json.dumps, examples)))
        try:
            status = main(["tune", str(path), *options])
        except SystemExit as left:
            status = left.code
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_standard_output_is_a_policy_file_and_standard_error_says_what_it_does(tune, tmp_path):
    status, out, err = tune(EXAMPLES)
    assert status == 0
    (tmp_path / "policy.toml").write_text(out)
    thresholds = Policy.from_toml(tmp_path / "policy.toml").thresholds
    assert thresholds["contradiction"] == 0.5
    assert f"proposal: Policy(thresholds={thresholds})" in err
    assert "catches 1 of 2 (95 % interval 9 to 91 %) false sentences, disturbs 0 of " in err
    assert "few examples, false 2 and right 4" in err
    assert "chosen on these examples" in err


def test_the_models_own_threshold_is_written_with_all_its_digits(tune, monkeypatch):
    verifier = ScriptedVerifier(SCRIPT, default=Scores(0.9, 0.1, 0.0))
    verifier.thresholds = Thresholds(contradiction=0.49999999)
    monkeypatch.setattr("vista_stream.cli.tune.load_verifier", lambda name: verifier)
    assert "contradiction = 0.49999999\n" in tune(EXAMPLES)[1]


def test_the_limits_move_the_proposal(tune):
    _, out, _ = tune(EXAMPLES, "--disturbed", "0")
    assert "contradiction = 0.5\n" in out
    _, out, _ = tune([*EXAMPLES[:1], {**EXAMPLES[2], "answer": "The wall is low, blue."}], "--disturbed", "0")
    assert "contradiction = 0.55\n" in out  # at 0.5 the right sentence would be blocked


def test_the_page_is_whole_and_tells_the_mistakes(tune, tmp_path):
    page = tmp_path / "page.html"
    status, _, _ = tune(EXAMPLES, "--page", str(page))
    assert status == 0
    outline = Outline()
    outline.feed(page.read_text(encoding="utf-8"))
    outline.close()
    assert outline.open == []
    tags = [tag for tag, _ in outline.tags]
    assert tags.count("svg") == 2
    assert tags.count("polygon") == 4
    assert "False sentences that are missed: 1" in outline.text
    assert "The roof is green." in outline.text
    assert "Right sentences that are disturbed: 0" in outline.text
    assert not [attrs for _, attrs in outline.tags if {"src", "href"} & attrs.keys()]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
@pytest.mark.usefixtures("tune")
def test_a_name_that_is_not_utf8_heads_the_page_all_the_same(tmp_path):
    path, page = tmp_path / os.fsdecode(b"caf\xe9.jsonl"), tmp_path / "page.html"
    path.write_text(json.dumps(EXAMPLES[0]))
    assert main(["tune", str(path), "--page", str(page)]) == 0
    assert "caf?.jsonl" in page.read_text(encoding="utf-8")


def test_what_examples_hold_is_text_on_the_page(tune, tmp_path):
    page = tmp_path / "page.html"
    evil = {
        **EXAMPLES[0],
        "id": "<script>x()</script>",
        "answer": "The <b>door</b> is green.",
        "false": ["green"],
    }
    tune([evil, EXAMPLES[2]], "--page", str(page))
    html = page.read_text(encoding="utf-8")
    assert "<script>x()" not in html
    assert "<b>door" not in html


@pytest.mark.parametrize(
    ("examples", "options", "told"),
    [
        ("", [], "examples.jsonl holds no examples"),
        ("{}\n", [], "examples.jsonl, line 1: answer must be a text"),
        (json.dumps(EXAMPLES[0]) + "\n\n[]", [], "examples.jsonl, line 3: must be a JSON object"),
        ([EXAMPLES[2]], [], "the examples hold no false sentence: both kinds are needed"),
        ([{**EXAMPLES[0], "references": ["# "]}], [], "line 1: "),
        (
            EXAMPLES,
            ["--page", "/there/is/none/page.html"],
            "/there/is/none/page.html: No such file or directory",
        ),
        (EXAMPLES, ["--page", "{folder}"], "Is a directory"),
        (EXAMPLES, ["--page", "{folder}/examples.jsonl"], "--page and the input are one file"),
        (EXAMPLES, ["--disturbed", "2"], "takes a share from 0 to 1, not '2'"),
        (EXAMPLES, ["--precision", "x"], "takes a share from 0 to 1, not 'x'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(tune, tmp_path, examples, options, told):
    status, out, err = tune(examples, *(each.replace("{folder}", str(tmp_path)) for each in options))
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert told in err


class Broken(ScriptedVerifier):
    """Fails where a premise holds `word`."""

    def __init__(self, word: str) -> None:
        super().__init__(SCRIPT, default=Scores(0.9, 0.1, 0.0))
        self.word = word

    async def score(self, pairs):
        if any(self.word in pair.premise for pair in pairs):
            raise VerifierError("the model\nis gone")
        return await super().score(pairs)


def test_a_verifier_that_judges_nothing_gives_no_policy(tune, monkeypatch):
    monkeypatch.setattr("vista_stream.cli.tune.load_verifier", lambda name: Broken(""))
    status, out, err = tune(EXAMPLES)
    assert (status, out) == (1, "")
    told = (
        "vista-stream tune: the verifier judged no claim; failures: 6; the first in line 1: the model is gone"
    )
    assert err.splitlines()[-1] == told
    monkeypatch.setattr("vista_stream.cli.tune.load_verifier", lambda name: Broken("roof"))
    status, out, err = tune(EXAMPLES)
    assert status == 0
    assert "contradiction = 0.5" in out
    assert "vista-stream tune: failures: 2; the first in line 2: the model is gone" in err
    assert "2 claims could not be judged" in err


def test_the_connections_to_a_pool_are_closed(tmp_path):
    pytest.importorskip("aiohttp", reason="a pool needs the extra pool")
    from pool_replicas import replica

    verifier = ScriptedVerifier(SCRIPT, default=Scores(0.9, 0.1, 0.0))
    path = tmp_path / "examples.jsonl"
    path.write_text("\n".join(map(json.dumps, EXAMPLES)))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(replica(verifier)) as url:
        assert main(["tune", str(path), "--verifier", url]) == 0
    assert loading._connected == []


def test_standard_input_has_its_name(tune, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["tune", "-"]) == 2
    assert capsys.readouterr().err == "vista-stream tune: standard input holds no examples\n"


def test_a_missing_file_is_one_line(capsys):
    assert main(["tune", "/there/is/none.jsonl"]) == 2
    assert capsys.readouterr().err == "vista-stream tune: /there/is/none.jsonl: No such file or directory\n"
