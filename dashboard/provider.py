"""The provider that people log in at: what Streamlit is told of it, and which role its claims give.

The server needs this before there is a page, so nothing here imports what draws one.
"""

from collections.abc import Mapping
from typing import Any, Final

from rag.errors import ConfigurationError
from rag.settings import Settings
from rag.workspace.keys import ROLES
from rag.workspace.logins import cookie_secret
from rag.workspace.values import Role

PKCE: Final[Mapping[str, str]] = {"code_challenge_method": "S256"}
"""Always, as RFC 9700 advises: Streamlit would use it only where the metadata name it, and Microsoft's do not."""


def has_provider(settings: Settings) -> bool:
    """Return whether people log in at a provider: by Candor's settings, or by Streamlit's own secrets."""
    if settings.oidc_metadata_url:
        return True
    from streamlit.auth_util import get_secrets_auth_section

    return bool(get_secrets_auth_section())


def provider_secrets(settings: Settings) -> dict[str, Any] | None:
    """Return what Streamlit needs to log people in, as its secrets; None where no provider is configured.

    Raises:
        ConfigurationError: A part of the configuration is missing or malformed.
    """
    if not settings.oidc_metadata_url:
        return None
    roles_of(settings)
    secret = settings.oidc_client_secret.get_secret_value() if settings.oidc_client_secret else ""
    given = {"CLIENT_ID": settings.oidc_client_id, "CLIENT_SECRET": secret, "REDIRECT_URL": settings.oidc_redirect_url}
    if missing := [f"CANDOR_OIDC_{name}" for name, value in given.items() if not value]:
        raise ConfigurationError(f"CANDOR_OIDC_METADATA_URL is set, so {', '.join(missing)} must be set too.")
    if not settings.oidc_redirect_url.endswith("/oauth2callback"):
        told = f"CANDOR_OIDC_REDIRECT_URL={settings.oidc_redirect_url!r} must be the dashboard's address and"
        raise ConfigurationError(f"{told} /oauth2callback, as https://candor.example/oauth2callback.")
    auth = {"server_metadata_url": settings.oidc_metadata_url, "client_id": settings.oidc_client_id,
            "client_secret": secret, "redirect_uri": settings.oidc_redirect_url,
            "cookie_secret": cookie_secret(settings), "client_kwargs": dict(PKCE)}  # fmt: skip
    return {"auth": auth}


def roles_of(settings: Settings) -> dict[str, Role]:
    """Return the role of each value of the claim.

    Raises:
        ConfigurationError: `CANDOR_OIDC_ROLES` names no role, or one that there is not.
    """
    found: dict[str, Role] = {}
    for part in filter(None, map(str.strip, settings.oidc_roles.split(","))):
        value, _, name = part.rpartition("=")
        role = next((role for role in ROLES if role == name.strip()), None)
        if role is None or not value.strip():
            raise ConfigurationError(
                f"CANDOR_OIDC_ROLES={settings.oidc_roles!r} is not valid at {part!r}: write VALUE=ROLE with a role "
                f"of {', '.join(ROLES)}, as staff=ask, it=admin."
            )
        found[value.strip()] = role
    return found


def role_of(claims: Mapping[str, Any], settings: Settings) -> Role | None:
    """Return the highest role that a person's claims give; None: they may see nothing."""
    held = claims.get(settings.oidc_role_claim)
    values = held if isinstance(held, (list, tuple)) else [held]
    mapped = roles_of(settings)
    given = [mapped[str(value)] for value in values if value is not None and str(value) in mapped]
    if not given:
        return None if settings.oidc_default_role == "none" else settings.oidc_default_role
    return max(given, key=ROLES.index)
