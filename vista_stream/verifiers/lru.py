"""A bounded, thread-safe cache that drops the least recently used entry and keeps its users apart."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from vista_stream.amounts import check_count
from vista_stream.caching import SHARED, current_scope

K = TypeVar("K")
V = TypeVar("V")


class Lru(Generic[K, V]):
    """At most `size` entries, the least recently used dropped first; size 0 keeps nothing.

    An entry is found in the `cache_scope` that it was put in, and everywhere if that was none.
    """

    def __init__(self, size: int) -> None:
        check_count("size", size, of="entries", least=0)
        self._size = size
        self._entries: OrderedDict[tuple[str, K], V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """The value, which becomes the most recently used; None where there is none."""
        with self._lock:
            for found in ((current_scope(), key), (SHARED, key)):
                if found in self._entries:
                    self._entries.move_to_end(found)
                    return self._entries[found]
        return None

    def put(self, key: K, value: V) -> None:
        """Keep a value, which becomes the most recently used."""
        with self._lock:
            kept = current_scope(), key
            self._entries[kept] = value
            self._entries.move_to_end(kept)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
