"""The reference texts that clients upload."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from vista_stream_adapters.proxy import references
from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.references import UploadedReferences
from vista_stream_adapters.proxy.settings import Limits


def test_uploads_at_the_same_time_keep_the_limit(monkeypatch):
    built = threading.Barrier(4)
    make = references.make_reference

    def slow(*args, **named):
        built.wait(5)
        return make(*args, **named)

    monkeypatch.setattr(references, "make_reference", slow)
    uploaded = UploadedReferences(Limits(references=1))
    with ThreadPoolExecutor(4) as threads:
        adding = [threads.submit(uploaded.add, "a", {"text": f"Number {n}."}) for n in range(4)]
    refused = [each.exception() for each in adding if each.exception()]
    assert len(uploaded.all("a")) == 1
    assert [type(each) for each in refused] == [ApiError] * 3
    with pytest.raises(ApiError, match="1 references are kept"):
        uploaded.add("a", {"text": "Another."})
