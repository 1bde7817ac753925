"""What `candor keys` does: make, list and revoke API keys."""

from collections.abc import Sequence
from contextlib import closing
from typing import get_args

from rag.errors import InvalidQuery
from rag.settings import Settings, load_settings
from rag.wiring import Wiring
from rag.workspace.values import ApiKey, NewKey, Role

ROLES: tuple[Role, ...] = get_args(Role)  # what people and programs may do; each includes the ones before it


def create_key(name: str, role: str = "ask", *, settings: Settings | None = None) -> NewKey:
    """Make a key; its token is known now and never again.

    Raises:
        InvalidQuery: The name is empty or too long, or there is no such role.
        ServiceUnavailable: The database does not answer.
    """
    if role not in ROLES:
        raise InvalidQuery(f"role = {role!r} is not one of {', '.join(ROLES)}.", details={"field": "role"})
    if not 1 <= len(name.strip()) <= 200:
        raise InvalidQuery(f"name = {name[:80]!r} must have 1 to 200 characters.", details={"field": "name"})
    with closing(Wiring(settings or load_settings())) as wiring:
        return wiring.sessions.keys.create(name.strip(), role)


def list_keys(*, settings: Settings | None = None) -> Sequence[ApiKey]:
    """Return all keys, oldest first, revoked ones included; nobody can read a token again."""
    with closing(Wiring(settings or load_settings())) as wiring:
        return wiring.sessions.keys.list()


def revoke_key(key_id: str, *, settings: Settings | None = None) -> None:
    """Refuse a key from now on, in a running server too.

    Raises:
        InvalidQuery: There is no such key, or it is revoked already.
    """
    with closing(Wiring(settings or load_settings())) as wiring:
        if not wiring.sessions.keys.revoke(key_id):
            raise InvalidQuery(
                f"There is no key {key_id!r} that could be revoked; `candor keys list` lists them.",
                details={"field": "key_id"},
            )


def suffices(role: Role, needed: Role) -> bool:
    """Return whether a role includes another.

    >>> suffices("admin", "ask"), suffices("ask", "evaluate")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(needed)
