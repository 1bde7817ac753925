"""A small OpenID Connect provider on loopback that lets everybody in under the name it was told."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID, CLIENT_SECRET = "candor-test", "a secret between two"


class Provider:
    """The authorization code flow, as far as one client needs it."""

    def __init__(self, claims: dict[str, Any]) -> None:
        self.claims, self.url = claims, ""
        self._key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self._nonces: dict[str, str | None] = {}

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._metadata),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
            ]
        )

    async def _metadata(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        if asked["client_id"] != CLIENT_ID:
            return Response("unknown client", status_code=400)
        code = secrets.token_urlsafe(8)
        self._nonces[code] = asked.get("nonce")
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", status_code=302)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        nonce = self._nonces.pop(str(form["code"]))
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 600, "nonce": nonce, **self.claims}
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self._key)
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "expires_in": 600, "id_token": token})

    async def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})


@contextmanager
def providing(claims: dict[str, Any]) -> Iterator[Provider]:
    """Serve in a thread."""
    provider = Provider(claims)
    server = uvicorn.Server(uvicorn.Config(provider.app, port=0, log_level="error"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.02)
    provider.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield provider
    finally:
        server.should_exit = True
        thread.join(10)
