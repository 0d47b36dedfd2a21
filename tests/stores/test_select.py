import subprocess
import sys

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


def test_redis_is_chosen_by_its_scheme_and_named_without_its_password():
    pytest.importorskip("redis", reason="needs the extra redis")
    store = open_store("rediss://me:hidden-word@cache.example:6380/2")
    assert store.place == "the store rediss://cache.example:6380/2"


def test_every_scheme_that_is_taken_is_named():
    pytest.importorskip("redis", reason="needs the extra redis")
    for url in STORES.replace(" or ", ", ").split(", "):
        open_store(url.replace("HOST", "host").replace("PORT", "6379").replace("DB", "0"))
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
