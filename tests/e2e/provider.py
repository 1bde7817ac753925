"""Two OpenID Connect providers on loopback.

`providing` is a small one of our own: it lets everybody in under the name it was told, and demands PKCE without saying
so in its metadata, as Microsoft's does. `independent` is `oidc-provider-mock`, which others wrote, in a process of its
own: people fill in its form, and clients are registered there.
"""

import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import uvicorn
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import RSAKey
from library import free_port
from processes import served
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
        self._asked: dict[str, tuple[str | None, str]] = {}

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
        if asked.get("code_challenge_method") != "S256":
            return Response("PKCE is required", status_code=400)
        code = secrets.token_urlsafe(8)
        self._asked[code] = asked.get("nonce"), asked["code_challenge"]
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", status_code=302)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        nonce, challenge = self._asked.pop(str(form["code"]))
        if create_s256_code_challenge(str(form["code_verifier"])) != challenge:
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
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


@dataclass(frozen=True)
class Independent:
    """The address of `oidc-provider-mock`, told to be as strict as it can: known clients only, and a nonce always."""

    url: str

    def register(self, redirect_url: str) -> dict[str, str]:
        """Return the settings of Candor as a client that the provider sends back to this address alone."""
        answer = httpx.post(f"{self.url}/oauth2/clients", json={"redirect_uris": [redirect_url]}, timeout=60)
        client = answer.raise_for_status().json()
        return {
            "CANDOR_OIDC_METADATA_URL": f"{self.url}/.well-known/openid-configuration",
            "CANDOR_OIDC_CLIENT_ID": client["client_id"],
            "CANDOR_OIDC_CLIENT_SECRET": client["client_secret"],
            "CANDOR_OIDC_REDIRECT_URL": redirect_url,
        }

    def knows(self, subject: str, **claims: Any) -> None:
        """Tell the provider what to say of somebody."""
        httpx.put(f"{self.url}/users/{quote(subject)}", json=claims, timeout=60).raise_for_status()


@contextmanager
def independent(log: Path) -> Iterator[Independent]:
    """Serve the provider that others wrote in a process of its own."""
    port = free_port()
    strict = ["--require-registration", "true", "--require-nonce", "true", "--no-refresh-token", "true"]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), *strict]
    with served(command, port, "/.well-known/openid-configuration", log=log) as url:
        yield Independent(url)
