import pytest

from vista_stream_adapters.proxy.settings import Limits, ProxySettings, Timeouts, read_secrets


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("upstream", "ftp://x"),
        ("upstream", "127.0.0.1:8080"),
        ("upstream", "http://user:secret@host/v1"),
        ("upstream", "http://host/v1?key=x"),
        ("upstream", "http://host:99999/v1"),
        ("upstream", "http://host:0/v1"),
        ("upstream", "http://[::1/v1"),
        ("tokens", "secret"),
        ("tokens", {"secret", ""}),
        ("origins", "https://example.org"),
        ("port", 70000),
        ("host", "0.0.0.0"),
        ("host", "example.org"),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_without_its_secret(argument, value):
    with pytest.raises(ValueError, match=argument) as caught:
        ProxySettings(**{argument: value})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.org/",
        "example.org",
        "example.org:3000",
        "*",
        "",
        "https://",
        "https://Example.org",
        "https://example.org:443",
        "http://example.org:x",
        "http://[::1",
    ],
)
def test_an_origin_that_no_browser_sends_is_refused(origin):
    with pytest.raises(ValueError, match="origins must be as a browser sends them"):
        ProxySettings(origins=frozenset({origin}))


def test_origins_that_browsers_send_are_taken():
    origins = [
        "https://example.org",
        "http://[::1]:3000",
        "http://localhost:3000",
        "chrome-extension://abc",
        "null",
    ]
    assert ProxySettings(origins=frozenset(origins)).origins == set(origins)


def test_other_machines_are_served_with_a_token_or_on_demand():
    assert not ProxySettings(host="0.0.0.0", tokens=frozenset({"t"})).loopback
    assert not ProxySettings(host="::", open_network=True).loopback
    assert all(ProxySettings(host=host).loopback for host in ("127.0.0.1", "localhost", "::1", "127.9.9.9"))


@pytest.mark.parametrize("value", [0, float("nan"), "9"])
@pytest.mark.parametrize("part", [Limits, Timeouts])
def test_limits_are_numbers_above_zero(part, value):
    name = next(iter(part.__dataclass_fields__))
    with pytest.raises(ValueError, match=f"{name} must be a number above 0"):
        part(**{name: value})


def test_secrets_come_by_file_or_environment_and_stay_out_of_the_repr(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("one\n\n two \n")
    assert read_secrets(file=str(path), variable="V", environ={"V": "three"}) == ("one", "two")
    assert read_secrets(file=None, variable="V", environ={"V": "three"}) == ("three",)
    assert read_secrets(file=None, variable="V", environ={}) == ()
    shown = repr(ProxySettings(tokens=frozenset({"tok"}), upstream_key="sk-1"))
    assert "tok'" not in shown
    assert "sk-1" not in shown


@pytest.mark.parametrize("content", [b"", b"two words", b"caf\xc3\xa9", b"\xff\xfe"])
def test_a_file_without_tokens_is_refused(content, tmp_path):
    path = tmp_path / "tokens"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="tokens must hold"):
        read_secrets(file=str(path), variable="V", environ={})


def test_a_client_may_hold_all_where_it_is_the_only_one():
    one, two = frozenset({"a"}), frozenset({"a", "b"})
    assert ProxySettings(tokens=one).each(9) == 9
    assert ProxySettings(tokens=two).each(9) == 4
    assert ProxySettings(tokens=two, limits=Limits(share=0.01)).each(9) == 1
    with pytest.raises(ValueError, match="share must be a part of 1"):
        Limits(share=1.5)
