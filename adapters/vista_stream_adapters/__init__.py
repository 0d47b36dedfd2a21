"""Adapters that put a vista_stream guard around existing clients, services and frameworks.

There is one module for each client. Each passes the upstream's answer to `shell`, which asks a dialect from
`rewrite` what may be sent. `proxy` is a service of its own. Of the library, adapters use public names alone:
those of `vista_stream`, and those of its `stages`, `verifiers`, `stores` and `caching`. The modules `portal`,
`detached`, `failures` and `core.text.html_text` are the exceptions.
"""
