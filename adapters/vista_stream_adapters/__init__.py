"""Ways to put a vista_stream guard around what exists already: clients, services, frameworks.

One module at the top for each client; each hands what its upstream sends to `shell`, which asks a dialect of
`rewrite` what may go out. `proxy` is a service of its own. Only names of `vista_stream.__all__` are used.
"""
