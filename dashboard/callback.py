"""What became of a login at the provider, for whoever comes back without one.

Streamlit sends them to the dashboard without a word, whether they cancelled, the provider refused, or the answer was
forged or too old. Here its redirect is given a word that the login page reads. The word is one of two, so a link that
somebody else has made can say nothing but that.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Outcome = Literal["cancelled", "failed"]
PARAMETER: Final = "login"
"""URL: what became of the login."""
SAID: Final[Mapping[str | None, str]] = {
    "cancelled": "The login was cancelled, or the provider did not let you in. Log in again if you want to.",
    "failed": "The login did not succeed. Log in again; where it keeps failing, the log of the server says why.",
}
CALLBACK: Final = "/oauth2callback"
DENIED: Final = "access_denied"
"""RFC 6749, 4.1.2.1: the person or the provider said no."""


class Callback:
    """Adds to the redirect of a login that did not succeed what became of it; all else passes as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or not scope["path"].endswith(CALLBACK):
            await self.app(scope, receive, send)
            return
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)

        async def send_said(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                outcome = outcome_of(asked, headers.getlist("set-cookie"))
                if outcome and "location" in headers:
                    headers["location"] += f"?{PARAMETER}={outcome}"
            await send(message)

        await self.app(scope, receive, send_said)


def outcome_of(asked: Mapping[str, list[str]], cookies: Iterable[str]) -> Outcome | None:
    """Return what became of a login; None: it succeeded, or somebody comes back from logging out.

    Args:
        asked: The parameters with which the provider sent somebody back.
        cookies: The `Set-Cookie` headers of the answer.

    >>> outcome_of({"error": ["access_denied"], "state": ["s"]}, [])
    'cancelled'
    >>> outcome_of({"code": ["c"], "state": ["s"]}, ['_streamlit_user=""; Max-Age=0'])
    'failed'
    >>> outcome_of({"code": ["c"], "state": ["s"]}, ["_streamlit_user=signed; Path=/"])
    >>> outcome_of({}, [])
    """
    if asked.get("error", [""])[0]:
        return "cancelled" if asked["error"] == [DENIED] else "failed"
    return "failed" if "code" in asked and not _logs_in(cookies) else None


def _logs_in(cookies: Iterable[str]) -> bool:
    """Return whether an answer keeps a login; one that deletes it sets the same cookie to nothing."""
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    values = (cookie.partition(";")[0].partition("=") for cookie in cookies)
    return any(name == USER_COOKIE_NAME and value.strip('"') for name, _, value in values)
