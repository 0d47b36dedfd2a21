"""Adapters that put a vista_stream guard around existing clients, services and frameworks.

There is one module for each client. Each passes the upstream's answer to `shell`, which asks a dialect from
`rewrite` what may be sent. `proxy` is a service of its own. Of the library, adapters use the names in
`vista_stream.__all__`, and the modules `vista_stream.portal` and `vista_stream.detached`.
"""
