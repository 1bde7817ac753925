"""What a browser is told to keep out of the dashboard: headers on every page and file that Streamlit serves.

The policy lets a page run Streamlit's own scripts, read from this server, and draw pictures that are part of the page;
nothing is fetched from elsewhere, whatever a document or a model has written. The API sets stricter ones of its own.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.server_address import SCRIPT

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class PageHeaders:
    """Adds the headers to every response that does not have them yet."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in page_headers().items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_guarded)


@cache
def page_headers() -> Mapping[str, str]:
    """Return the headers of the dashboard's pages."""
    return {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _policy().items()),
    }


def _policy() -> dict[str, str]:
    """Return what a page may do.

    Streamlit writes styles into the page and loads scripts of components from blobs; the viewer of PDFs reads its
    document from a `data:` address.
    """
    own = inline_hashes(f"<script>{SCRIPT}</script>")
    hashes = " ".join(f"'sha256-{each}'" for each in [*inline_hashes(_index_page()), *own])
    return {
        "default-src": "'self'",
        "script-src": f"'self' blob: {hashes}".rstrip(),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' data: blob:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }


def inline_hashes(page: str) -> list[str]:
    """Return what names the scripts that stand in a page itself, so that no other may be run from there.

    >>> inline_hashes("<script>a = 1</script><script src='b.js'></script>")
    ['tbwf/ZCRL7GL7259gJCRksemSSiWMgFW1n+68QTGVEo=']
    """
    return [b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in _INLINE.findall(page)]


def _index_page() -> str:
    """Return the one page that Streamlit serves, as it is installed."""
    import streamlit

    return (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
