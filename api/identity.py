"""Which request this is: its ids, the client's own where it has named some, and the key that it came with.

An id stands for one answer: the first to have it. Later ones are told, and have an id of their own.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Final
from uuid import UUID, uuid4

from starlette._utils import get_route_path
from starlette.requests import Request
from starlette.types import Scope

from rag.models import request_id_of
from rag.record import Recorder
from rag.workspace.values import ApiKey

PREFIX: Final = "/api"


def own_path(scope: Scope) -> str:
    """Return the path of a request as the routes read it, without the root path of the server and of a mount.

    >>> own_path({"path": "/docs/api/v1/ask", "root_path": "/docs"})
    '/api/v1/ask'
    """
    return get_route_path(scope)


@dataclass
class Identity:
    """Which request this is, in the log and to the client; a contract may take over the client's own ids."""

    query_id: UUID = field(default_factory=uuid4)
    request_id: str = ""
    key: ApiKey | None = None
    named: str = ""  # the id that the client has named, as it wrote it; empty where it named none
    is_renamed: bool = False  # whether that one stands for another answer, so that this request has an id of its own

    @property
    def name(self) -> str:
        """What its key is called; empty where it has none."""
        return self.key.name if self.key else ""

    @property
    def owner(self) -> str | None:
        """Whose sessions it sees; None where people are not told apart. Admins see all."""
        return self.key.key_id if self.key and self.key.role != "admin" else None

    @property
    def note(self) -> str:
        """What the client must know of its id; empty where there is nothing."""
        used = f"The id {self.named!r} is already used by another answer; this one is recorded as {self.request_id!r}."
        return used if self.is_renamed else ""

    def __post_init__(self) -> None:
        self.request_id = self.request_id or self._made_id()

    def come_with(self, key: ApiKey | None) -> None:
        """Take the key that the request came with; its id tells from then on whose question it is."""
        self.key = key
        if key:
            self.query_id = marked(self.query_id, key.key_id)

    def take(self, *, query_id: str | None = None, request_id: str | None = None) -> None:
        """Go on under the ids that the client has named; as long as no other answer has them, see `Claims`."""
        if query_id:
            self.query_id = UUID(query_id)
            self.request_id = self._made_id()
        if request_id:
            self.request_id = request_id
        self.named = request_id or query_id or self.named

    def rename(self) -> None:
        """Go on under ids of its own, because those that the client has named stand for another answer."""
        self.query_id = marked(uuid4(), self.key.key_id) if self.key else uuid4()
        self.request_id = self._made_id()
        self.is_renamed = True

    def _made_id(self) -> str:
        return request_id_of(self.query_id, datetime.now(UTC))


def marked(query_id: UUID, key_id: str) -> UUID:
    """Return a UUID v4 with the same first 12 digits whose others only this key's questions have.

    >>> marked(UUID("12345678-9abc-4def-8123-456789abcdef"), "k").hex[:12]
    '123456789abc'
    """
    digest = hashlib.sha256(f"{key_id}\0{query_id.hex[:12]}".encode()).digest()
    return UUID(bytes=query_id.bytes[:6] + digest[:10], version=4)


def is_asked_with(query_id: UUID, key_id: str) -> bool:
    """Return whether a question came with a key; False for one whose client has named its `query_id`."""
    return marked(query_id, key_id) == query_id


def identity_of(request: Request) -> Identity:
    """Return who a request is."""
    identity: Identity = request.state.identity
    return identity


class Claims:
    """The ids of answers that are being made: no two have the same, and none has that of a recorded one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.ids: set[str] = set()

    @contextmanager
    def held(self, identity: Identity, recorder: Recorder) -> Iterator[None]:
        """Hold a request's id until its answer is recorded; rename the request where another had the id first."""
        with self._lock:
            own = {identity.request_id} - self.ids
            self.ids.update(own)
        try:
            if not own or (identity.named and recorder.has_answer(identity.request_id)):
                identity.rename()
                own.add(identity.request_id)
                self.ids.update(own)
            yield
        finally:
            self.ids.difference_update(own)
