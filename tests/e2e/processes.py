"""The command line as a program, and a provider to log in at."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from library import free_port, served

CANDOR = "from rag.cli import main; main()"
"""`python -c CANDOR ARGUMENT...` is the command line of this tree."""


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
