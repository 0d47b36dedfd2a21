"""Where the common ground of conversations is kept.

Stores that processes share are modules of their own: `sqlite` and `redis`, or `open_store` by URL.
"""

from vista_stream.stores.conversation import Bounds, Conversation, EndedTurn, KeptStatement
from vista_stream.stores.memory import MemoryStore
from vista_stream.stores.protocol import CommonGroundStore, ConversationStore
from vista_stream.stores.select import open_store

__all__ = [
    "Bounds",
    "CommonGroundStore",
    "Conversation",
    "ConversationStore",
    "EndedTurn",
    "KeptStatement",
    "MemoryStore",
    "open_store",
]
