"""Where the common ground of conversations is kept."""

from vista_stream.stores.memory import MemoryStore
from vista_stream.stores.protocol import CommonGroundStore

__all__ = ["CommonGroundStore", "MemoryStore"]
