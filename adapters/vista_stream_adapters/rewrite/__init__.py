"""One module for each wire format, without I/O: upstream events go in, the events to send come out.

`dialect` holds the protocol that `chat`, `responses`, `messages`, `langchain` and `pydantic_ai` implement.
`lane_log` tracks what was received, decided and sent of each text. The other modules read and write JSON,
server-sent events and the `vista` field.
"""
