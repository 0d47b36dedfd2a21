"""The guarding proxy: an OpenAI-compatible service in front of another one, with a page to watch it.

`make_app` builds the aiohttp application, `serve` runs it, and `vista-stream serve` does both. A request goes
through `auth` and `requests` to `answers`, which streams what `shell` releases.
"""

from vista_stream_adapters.proxy.application import make_app, serve
from vista_stream_adapters.proxy.settings import ProxySettings

__all__ = ["ProxySettings", "make_app", "serve"]
