"""What is changed of what Streamlit serves: headers, where the page finds its server, and what became of a login.

The policy lets a page run Streamlit's own scripts, read from this server, and draw pictures that are part of the page;
nothing is fetched from elsewhere, whatever a document or a model has written. The API sets stricter headers of its own.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGES: Final = tuple(sorted(path.stem for path in (Path(__file__).parent.parent / "pages").glob("*.py")))
SCRIPT: Final = ("window.__streamlit={BACKEND_BASE_URL:location.origin+"
                 f'location.pathname.replace(/(?:{"|".join(PAGES)})\\/?$/,"")}}')  # fmt: skip
"""What the page runs first; whatever a proxy has put before the page's name stays."""
PARAMETER: Final = "login"  # URL: what became of the login
SAID: Final[Mapping[str | None, str]] = {
    "cancelled": "The login was cancelled, or the provider did not let you in. Log in again if you want to.",
    "failed": "The login failed. Log in again. If it keeps failing, look in the log of the server.",
}
CALLBACK: Final = "/oauth2callback"
DENIED: Final = "access_denied"  # RFC 6749, 4.1.2.1: the person or the provider said no
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_HEAD = b"<head>"


class _ChangedHeaders:
    """Lets `change` see and change the headers of each response; the rest passes as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_changed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.change(scope, MutableHeaders(scope=message))
            await send(message)

        await self.app(scope, receive, send_changed if scope["type"] == "http" else send)

    def change(self, scope: Scope, headers: MutableHeaders) -> None:
        raise NotImplementedError


class PageHeaders(_ChangedHeaders):
    """Adds the headers of pages to every response that does not have them yet."""

    def change(self, scope: Scope, headers: MutableHeaders) -> None:
        """Add what is missing."""
        for name, value in page_headers().items():
            headers.setdefault(name, value)


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
    """Return what a page may do; Streamlit writes styles into it, loads blobs, and the viewer of PDFs reads `data:`."""
    import streamlit

    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = [*_INLINE.findall(index), SCRIPT]  # those that stand in the page itself: no other may be run from there
    digests = (b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    hashes = " ".join(f"'sha256-{each}'" for each in digests)
    return {
        "default-src": "'self'",
        "script-src": f"'self' blob: {hashes}",
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


class ServerAddress:
    """Writes into the pages that a link can open where their server is.

    Opened at `/tune`, Streamlit's client asks `/tune/_stcore/health` first: two errors on the console.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"].rstrip("/").rpartition("/")[2] not in PAGES:
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name not in (b"accept-encoding", b"range")]
        started: list[Message] = []
        parts: list[bytes] = []

        async def send_whole(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = b"".join(parts)
            if _HEAD in body:
                body = body.replace(_HEAD, _HEAD + f"<script>{SCRIPT}</script>".encode(), 1)
                MutableHeaders(scope=started[0])["content-length"] = str(len(body))
            await send(started[0])
            await send({"type": "http.response.body", "body": body})

        await self.app({**scope, "headers": plain}, receive, send_whole)


class Callback(_ChangedHeaders):
    """Adds to the redirect of a login that did not succeed, where Streamlit says nothing, one of two words for that."""

    def change(self, scope: Scope, headers: MutableHeaders) -> None:
        """Add the word that the login page reads."""
        if not scope["path"].endswith(CALLBACK):
            return
        from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        error = asked.get("error", [""])
        values = (cookie.partition(";")[0].partition("=") for cookie in headers.getlist("set-cookie"))
        # What deletes a login sets the same cookie to nothing.
        is_kept = any(name == USER_COOKIE_NAME and value.strip('"') for name, _, value in values)
        outcome = "cancelled" if error == [DENIED] else "failed"
        if "location" in headers and (error[0] or ("code" in asked and not is_kept)):
            headers["location"] += f"?{PARAMETER}={outcome}"
