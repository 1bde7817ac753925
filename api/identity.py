"""Which request this is: its ids, the client's own where it has named some, and the key that it came with."""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from starlette.requests import Request

from rag.models import request_id_of
from rag.stored.values import ApiKey


@dataclass
class Identity:
    """Which request this is, in the log and to the client; a contract may take over the client's own ids."""

    query_id: UUID = field(default_factory=uuid4)
    request_id: str = ""
    key: ApiKey | None = None
    named: str = ""
    """The id that the client has named, as it wrote it; empty where it named none."""
    is_renamed: bool = False
    """Whether that one stands for another answer, so that this request has an id of its own."""

    @property
    def owner(self) -> str | None:
        """Whose sessions it sees; None where people are not told apart. Admins see all."""
        return self.key.key_id if self.key and self.key.role != "admin" else None

    @property
    def note(self) -> str:
        """What the client must know of its id; empty where there is nothing."""
        if not self.is_renamed:
            return ""
        return f"The id {self.named!r} stands for another answer already; this one is recorded as {self.request_id!r}."

    def __post_init__(self) -> None:
        if not self.request_id:
            self.request_id = request_id_of(self.query_id, datetime.now(UTC))

    def come_with(self, key: ApiKey | None) -> None:
        """Take the key that the request came with; its id tells from then on whose question it is."""
        self.key = key
        if key:
            self.query_id = marked(self.query_id, key.key_id)

    def take(self, *, query_id: str | None = None, request_id: str | None = None) -> None:
        """Go on under the ids that the client has named; as long as no other answer has them, see `Claims`."""
        if query_id:
            self.query_id = UUID(query_id)
            self.request_id = request_id_of(self.query_id, datetime.now(UTC))
        if request_id:
            self.request_id = request_id
        self.named = request_id or query_id or self.named

    def rename(self) -> None:
        """Go on under ids of its own, because those that the client has named stand for another answer."""
        self.query_id = marked(uuid4(), self.key.key_id) if self.key else uuid4()
        self.request_id = request_id_of(self.query_id, datetime.now(UTC))
        self.is_renamed = True


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
    found = getattr(request.state, "identity", None)
    if not isinstance(found, Identity):
        found = request.state.identity = Identity()
    return found
