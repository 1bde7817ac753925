"""Where a page finds its server: the page says it, so that the browser need not try below the page's own address.

Opened at `/tune`, Streamlit's client asks `/tune/_stcore/health` first and finds nothing there: two errors on the
console of every link into the dashboard.
"""

from pathlib import Path
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGES: Final = tuple(sorted(path.stem for path in (Path(__file__).parent.parent / "pages").glob("*.py")))
SCRIPT: Final = (
    "window.__streamlit={BACKEND_BASE_URL:location.origin+"
    f'location.pathname.replace(/(?:{"|".join(PAGES)})\\/?$/,"")}}'
)
"""What the page runs first; whatever a proxy has put before the page's name stays."""
_HEAD = b"<head>"


class ServerAddress:
    """Writes the script into the pages that a link can open."""

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
