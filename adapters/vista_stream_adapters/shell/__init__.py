"""The async side of the adapters: an upstream's stream goes in, the guarded stream comes out.

`stream` connects a dialect of `rewrite` with guarded sessions (`text`). `http` does this inside an HTTP
client. `detached` runs a producer in a task of its own, so that it can clean up after its reader has gone.
"""
