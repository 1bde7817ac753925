"""Which request this is: its ids, the client's own where it has named some, and the key that it came with."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from starlette.requests import Request

from rag.models import request_id_of
from rag.stored import ApiKey


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
        self.query_id = uuid4()
        self.request_id = request_id_of(self.query_id, datetime.now(UTC))
        self.is_renamed = True


def identity_of(request: Request) -> Identity:
    """Return who a request is."""
    found = getattr(request.state, "identity", None)
    if not isinstance(found, Identity):
        found = request.state.identity = Identity()
    return found
