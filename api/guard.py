"""Who may ask, and how often: API keys with roles, a rate limit for each client, no foreign web pages."""

import logging
from contextlib import suppress
from math import ceil, inf
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

from api.counting import Counting, client_at
from api.desk import Desk
from api.identity import PREFIX, identity_of, own_path
from api.problems import refused
from rag import serving
from rag.errors import CandorError, InvalidQuery, RateLimitExceeded
from rag.settings import Settings
from rag.workspace.keys import suffices
from rag.workspace.values import ApiKey, Role

OPEN_PATHS: Final = frozenset(
    f"/api/{path}" for path in ("livez", "readyz", "v1/livez", "v1/readyz", "v1/health", "agent/health")
)
"""Paths that need no key and are not counted: for probes."""
COUNTED_PATHS: Final = frozenset(("/api/docs", "/api/openapi.json", "/api/login", "/api/logout"))
"""Paths for browsers, which show no data: they need no key but are counted."""
CHANGED_BY_ADMINS: Final = tuple(f"/api/v1/{path}" for path in ("documents", "collections", "words"))
"""Paths of what everybody sees and the responsible change."""
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
KEYS_KNOWN_S: Final = 2.0
BEHIND: Final = "address of a proxy"
"""What clients without a key count as that come through a proxy that nobody has named, or that names no client: one."""
logger = logging.getLogger("candor.api")


class Guard:
    """Lets a request through, or says why not; once a key was ever made, every request needs one, for good."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        self._desk, self._settings = desk, settings
        self._guarded: tuple[float, bool] = (-inf, False)
        self._has_warned = False
        self._counting = Counting(settings.rate_limit_per_minute)
        origins = {origin.strip().rstrip("/") for origin in settings.cors_origins.split(",") if origin.strip()}
        self.origins = sorted(origins)  # web origins that may call from a browser

    async def check(self, request: Request) -> None:
        """Let a request through.

        Raises:
            InvalidQuery: 401 without a valid key, 403 where its role does not suffice or a foreign page calls.
            RateLimitExceeded: This client asked too often.
            ServiceUnavailable: The database of keys does not answer.
        """
        path = own_path(request.scope)
        if path in OPEN_PATHS or request.method == "OPTIONS":
            return
        self._check_origin(request)
        identity = identity_of(request)
        address = BEHIND if _is_unknown(request) else f"address {client_at(_host(request))}"
        if path in COUNTED_PATHS:
            self._count(address)
            return
        try:
            identity.come_with(await self._shown(request))
        except InvalidQuery:
            self._count(address)  # whoever tries keys is slowed down too
            raise
        key, needed = identity.key, role_for(request.method, path)
        self._count(f"key {key.key_id}" if key else address)
        if key is None and not self._settings.allow_open:
            _check_from_here(request)
            self._check_host(request)
        if key is not None and not suffices(key.role, needed):
            said = f"This needs a key with the role {needed!r}; yours has {key.role!r}."
            raise refused(403, said, needed=needed, role=key.role)

    async def may_see_details(self, request: Request) -> bool:
        """Return whether a health probe may see paths and addresses: with a key, or on this machine without keys."""
        try:
            key = await self._shown(request)
        except InvalidQuery:
            return False
        except CandorError:  # the database of keys is what does not answer
            return not self._guarded[1] and serving.is_from_here(_host(request), request.headers)
        return key is not None or self._settings.allow_open or serving.is_from_here(_host(request), request.headers)

    def _check_origin(self, request: Request) -> None:
        """Refuse to change or spend anything for a foreign web page: a browser names where it comes from."""
        origin = request.headers.get("origin", "").rstrip("/")
        if request.method in SAFE_METHODS or not origin or origin in self.origins:
            return
        with suppress(ValueError):  # where it is malformed
            if urlsplit(origin).netloc == request.headers.get("host"):
                return
        said = f"Pages of {origin!r} may not call this API. Name the origin in CANDOR_CORS_ORIGINS if they should."
        raise refused(403, said)

    def _check_host(self, request: Request) -> None:
        """Refuse a web page whose name somebody has pointed at this machine: without keys only its own names count."""
        headers = request.headers
        named = serving.name_in(headers.get("host", ""))
        is_page = "origin" in headers or "sec-fetch-site" in headers
        if serving.is_loopback(named) or (not is_page and serving.is_called_by_own_name(_host(request), headers)):
            return
        if headers.get("origin", "").rstrip("/") not in self.origins:
            said = f"Without API keys, Candor answers only under this machine's own names, and {named!r} is not one of "
            how = "Use 127.0.0.1, create an API key, or set CANDOR_ALLOW_OPEN=true if something else protects it."
            raise refused(403, f"{said}them. {how}")

    async def _shown(self, request: Request) -> ApiKey | None:
        token = _token(request)
        if not token and self._known_open():
            return None
        return await self._desk.door(lambda: self._key(token))

    def _key(self, token: str) -> ApiKey | None:
        keys = self._desk.candor.wiring.sessions.keys
        found: ApiKey | None = keys.authenticate(token) if token else None
        if token or not (self._guarded[1] or self._known_open()):
            # who shows a key, a revoked one too, is not let in from memory
            self._guarded = (monotonic(), found is not None or keys.were_made())
        if found is None and self._guarded[1]:
            said = "The API key is unknown or revoked" if token else "An API key is needed"
            how = "Send one as 'Authorization: Bearer ...'. Create one with `candor keys create NAME`."
            raise refused(401, f"{said}. {how}")
        return found

    def _known_open(self) -> bool:
        looked, guarded = self._guarded
        return not guarded and monotonic() - looked <= KEYS_KNOWN_S

    def _count(self, client: str) -> None:
        most = self._settings.rate_limit_per_minute
        if not most:
            return
        if client == BEHIND and not self._has_warned:
            self._has_warned = True
            logger.warning(
                "Requests come through a proxy that FORWARDED_ALLOW_IPS does not name, or that sends no "
                "X-Forwarded-For: without keys, all of them have one rate limit. Name its address there, have it send "
                "that header, or give each client a key (docs/deployment.md)."
            )
        if seconds := ceil(self._counting.hit(client)):
            said = f"More than {most} requests in a minute; ask again in {seconds} seconds."
            raise RateLimitExceeded(said, details={"limit_per_minute": most, "retry_after_s": seconds})


def _check_from_here(request: Request) -> None:
    if serving.is_near(_host(request), request.headers):
        return
    who, more = f"not from {_host(request)!r}", ""
    if _is_unknown(request):
        who, more = "not through a proxy", ", name the proxy's address in FORWARDED_ALLOW_IPS"
        if serving.named_proxies():
            who, more = f"{who} without the header X-Forwarded-For", ", have the proxy send X-Forwarded-For"
    said = f"There is no API key yet, so Candor answers only requests from this machine, {who}. Create one with "
    how = f"`candor keys create NAME`{more}, or set CANDOR_ALLOW_OPEN=true if something else protects the server."
    raise refused(403, said + how)


def _host(request: Request) -> str:
    return request.client.host if request.client else ""


def _is_unknown(request: Request) -> bool:
    """Whether a proxy has passed the request on that is not believed, or does not say for whom."""
    return serving.is_forwarded(request.headers) and not (
        serving.named_proxies() and serving.named_clients(request.headers)
    )


def role_for(method: str, path: str) -> Role:
    """Return the least role that a request needs; where nothing is served, the highest.

    >>> [role_for("GET", path) for path in ("/api/v1/documents", "/api/v1/requests/r", "/elsewhere/api/v1/documents")]
    ['ask', 'evaluate', 'admin']
    """
    if not path.startswith(f"{PREFIX}/"):
        return "admin"
    if path.startswith(CHANGED_BY_ADMINS) and method not in SAFE_METHODS:
        return "admin"
    evaluating = ("/api/v1/requests", "/api/v1/unanswered", "/api/metrics")
    return "evaluate" if path.startswith(evaluating) else "ask"


def _token(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "").strip()
