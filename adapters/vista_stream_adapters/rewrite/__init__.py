"""What each wire format says, without I/O: an upstream chunk goes in, what may be sent for it comes out.

`dialect` is the protocol that chat, responses, messages, LangChain and pydantic-ai fulfil; `lane_log` keeps
what was held of each text, and the other modules read and write JSON, server-sent events and the `vista`
field.
"""
