"""The async side of the adapters: an upstream's stream goes in, the guarded stream comes out.

`stream` drives a dialect of `rewrite` over a guarded session (`text`); `http` does so inside a client's
transport, and `detached` runs what must end although its reader is gone.
"""
