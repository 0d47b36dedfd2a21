"""The guarding proxy: an OpenAI-compatible service in front of another one, with a page to watch it.

`make_app` builds the aiohttp application, `serve` runs it, and `vista-stream serve` does both. `make_runner`
makes its server for a program of your own. A request
passes `auth` and `requests`; then `answers` asks the upstream and streams what `shell` releases.
"""

from vista_stream_adapters.proxy.application import make_app
from vista_stream_adapters.proxy.serving import make_runner, serve
from vista_stream_adapters.proxy.settings import ProxySettings

__all__ = ["ProxySettings", "make_app", "make_runner", "serve"]
