"""Logins to the dashboard with a key: a signed word of whose key it was and when, which ends by itself.

The key itself stays with whoever has it. Who steals the cookie has the dashboard until the login ends or the key is
revoked, and never the API.
"""

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from rag.errors import ConfigurationError
from rag.process.data_folder import make_private
from rag.records.replacing import place, replace
from rag.settings import Settings

if TYPE_CHECKING:
    from itsdangerous import URLSafeTimedSerializer

SESSION_COOKIE: Final = "candor_session"  # name of the cookie that holds a login


def login_of(key_id: str, settings: Settings) -> str:
    """Return what a browser keeps after somebody has logged in with a key.

    Raises:
        ConfigurationError: The secret that signs it could not be kept.
    """
    return _signer(settings).dumps(key_id)


def key_of(login: str, settings: Settings) -> str | None:
    """Return the id of the key that somebody logged in with; None where the login is forged or has ended.

    Raises:
        ConfigurationError: The secret that signs it could not be kept.
    """
    from itsdangerous import BadSignature

    try:
        found = _signer(settings).loads(login, max_age=settings.oidc_hours * 3600, return_timestamp=True)
    except BadSignature:  # of a login that has ended, too
        return None
    key_id, signed_at = found
    is_possible = isinstance(key_id, str) and signed_at <= datetime.now(UTC)
    return key_id if is_possible else None


def _signer(settings: Settings) -> "URLSafeTimedSerializer":
    from itsdangerous import URLSafeTimedSerializer

    return URLSafeTimedSerializer(cookie_secret(settings), salt="candor login with a key")


def cookie_secret(settings: Settings) -> str:
    """Return what signs the cookies of logins, made once: a new one would log everybody out.

    Raises:
        ConfigurationError: There is none, and it could not be kept.
    """
    if settings.oidc_cookie_secret:
        return settings.oidc_cookie_secret.get_secret_value()
    path = settings.data_dir / "cookie_secret"
    try:
        if not path.is_file() or not path.read_bytes().strip():
            fresh = secrets.token_urlsafe(48).encode()
            make_private(settings.data_dir)
            if not place(path, fresh, mode=0o600) and not path.read_bytes().strip():
                replace(path, fresh, mode=0o600)  # whoever knows that it is empty could log in as anybody
        return path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ConfigurationError(
            f"The secret that signs the login's cookie cannot be kept in {str(path)!r}: {error.strerror or error}. "
            f"Make the folder writable, or set CANDOR_OIDC_COOKIE_SECRET to a long random text."
        ) from error
