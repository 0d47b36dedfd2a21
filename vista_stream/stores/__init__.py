"""Stores: they keep the common ground of conversations.

`MemoryStore` lives in one process. The modules `sqlite` and `redis` hold stores that processes share;
`open_store` makes one from a URL.
"""

from vista_stream.core.common_ground import CommonGround
from vista_stream.stores.conversation import Bounds, Conversation, EndedTurn, KeptStatement, after
from vista_stream.stores.memory import MemoryStore
from vista_stream.stores.protocol import CommonGroundStore, ConversationStore
from vista_stream.stores.select import open_store

__all__ = [
    "Bounds",
    "CommonGround",
    "CommonGroundStore",
    "Conversation",
    "ConversationStore",
    "EndedTurn",
    "KeptStatement",
    "MemoryStore",
    "after",
    "open_store",
]
