import subprocess
import sys
import traceback

import pytest

from vista_stream.stores import Bounds, open_store
from vista_stream.stores.select import STORES
from vista_stream.stores.sqlite import SqliteStore


@pytest.mark.parametrize("path", ["notes.db", "/var/notes.db", "a b/ö.db"])
def test_a_path_is_what_follows_three_slashes(path):
    bounds = Bounds(ttl=60)
    store = open_store(f"sqlite:///{path}", bounds=bounds)
    assert isinstance(store, SqliteStore)
    assert store.bounds is bounds
    assert store.place.endswith(f"/{path.removeprefix('/')}")


def opened(url):
    pytest.importorskip("redis", reason="needs the extra redis")
    return open_store(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:port",
        "redis://127.0.0.1:0",
        "redis://[127.0.0.1",
        "redis://127.0.0.1/zero",
        "redis://127.0.0.1/0/1",
        "unix://",
        "unix://a/redis.sock",
    ],
)
def test_redis_urls_that_cannot_be_are_refused(url):
    with pytest.raises(ValueError, match="url must be redis://HOST:PORT/DB"):
        opened(url)


@pytest.mark.parametrize("options", ["foo=bar", "ssl_cert_reqs=none", "protocol=9", "db=zero"])
def test_options_that_the_redis_package_does_not_take_are_refused_at_once(options):
    with pytest.raises(ValueError, match="url has an option"):
        opened(f"redis://127.0.0.1/0?{options}")


@pytest.mark.parametrize(
    "password", ["w#rd", "w/rd", "w?rd", "w[rd", "1#2w", "1/2w", "1?2w", "x@y#w", "x@y/w", "x@y?w"]
)
def test_a_password_that_is_not_percent_encoded_is_refused_and_not_repeated(password):
    with pytest.raises(ValueError, match="url must be") as error:
        opened(f"redis://:{password}@cache.example:6379/0")
    assert password not in "".join(traceback.format_exception(error.value))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("rediss://me:hidden-word@cache.example:6380/2", "rediss://cache.example:6380/2"),
        ("redis://me:w%23%2Frd@cache.example:6379/2?socket_timeout=3", "redis://cache.example:6379/2"),
        ("redis://:x@y@[::1]", "redis://[::1]"),
        ("rediss://cache.example/?ssl_cert_reqs=none&password=x", "rediss://cache.example/"),
        ("unix:///var/a@b.sock?db=1", "unix:///var/a@b.sock"),
        ("unix://me:x@/var/redis.sock", "unix:///var/redis.sock"),
    ],
)
def test_redis_is_chosen_by_its_scheme_and_named_without_user_password_and_options(url, place):
    assert opened(url).place == f"the store {place}"


def test_every_scheme_that_is_taken_is_named():
    for url in STORES.replace(" or ", ", ").split(", "):
        opened(url.replace("HOST", "host").replace("PORT", "6379").replace("DB", "0"))
    assert "unix://" in STORES


@pytest.mark.parametrize("url", ["", "notes.db", "sqlite://", "sqlite:///", "mysql://me:hidden-word@host/db"])
def test_any_other_url_is_refused_and_not_repeated(url):
    with pytest.raises(ValueError, match="store must be sqlite:///PATH") as error:
        open_store(url)
    assert "hidden-word" not in str(error.value)


def test_a_store_in_memory_is_no_file_of_that_name():
    with pytest.raises(ValueError, match=r"in memory is MemoryStore\(\), the default"):
        open_store("sqlite:///:memory:")


def test_without_the_package_it_says_what_to_install():
    code = (
        "import sys; sys.modules['redis'] = None\n"
        "from vista_stream.stores import open_store\n"
        "try: open_store('redis://127.0.0.1/0')\n"
        "except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == 'RedisStore needs the redis package: from a checkout, pip install ".[redis]"\n'
