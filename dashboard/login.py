"""Who may see which page: people who logged in at an OpenID Connect provider, or with an API key.

As long as no key was ever made and no provider is configured, the dashboard is open, as the API is; it is then served
to this machine only. From the first key on, both need one, and a key that is revoked is refused at the next click.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamlit as st

from dashboard import components, menu, middleware, provider, resources, state
from rag.errors import CandorError
from rag.serving import is_from_here
from rag.settings import Settings
from rag.workspace.keys import suffices
from rag.workspace.logins import SESSION_COOKIE, key_of
from rag.workspace.values import ApiKey, Role

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

LOGIN_PATH: Final = "/api/login"
LOGOUT_PATH: Final = "/api/logout"


class Person(NamedTuple):
    """Somebody who may use the dashboard."""

    name: str
    role: Role
    by_provider: bool = False  # whether a provider says so; else a key does, or nobody needs to
    account: str | None = None  # tells this person from all others; None where nobody needs to log in

    @property
    def owner(self) -> str | None:
        """Whose conversations they see; None: everybody's. As in the API, with a key the same ones."""
        return None if self.role == "admin" else self.account


def require(page: "StreamlitPage") -> None:
    """Draw the menu and let the page go on for those who may see it; tell all others what is missing, and stop."""
    try:
        with st.spinner("Opening the index …"):
            person = person_here()
    except CandorError as error:
        components.error_box(error)
        st.stop()
    hidden = {one.title for one in state.PAGES if person is None or not suffices(person.role, one.role)}
    state.put(state.HIDDEN, hidden)  # the menu and the links keep to what this person may see
    state.put(state.MAY_CHANGE, person is not None and suffices(person.role, "admin"))  # as in the API
    if person is None:
        st.header("Log in", anchor=False)
        if said := middleware.SAID.get(state.url(middleware.PARAMETER)):
            st.warning(said, icon=":material/lock:")
        if provider.has_provider(resources.get_candor().settings):
            st.button("Log in with your account", on_click=st.login, type="primary", icon=":material/login:")
        st.link_button("Log in with an API key", LOGIN_PATH, icon=":material/key:")
        st.caption("An administrator creates keys with `candor keys create NAME`.")
        st.stop()
    st.session_state.update({state.OWNER: person.owner, state.PERSON: person.name, state.ACCOUNT: person.account})
    state.put(state.BEGAN, state.get(state.BEGAN) or monotonic())
    menu.draw(page.title)
    if person.name:
        with st.sidebar:
            st.caption(f"{person.name} · {person.role}")
            if person.by_provider:
                st.button("Log out", on_click=st.logout, icon=":material/logout:")
            else:
                st.link_button("Log out", LOGOUT_PATH, icon=":material/logout:")
    if page.title in hidden:
        needed = next(one.role for one in state.PAGES if one.title == page.title)
        st.warning(f"This page needs the role “{needed}”; yours is “{person.role}”.", icon=":material/lock:")
        components.page_link("pages/ask.py", "Go to Ask", icon=":material/forum:")
        st.stop()


def person_here() -> Person | None:
    """Return who looks at the page; None where they have to log in.

    Raises:
        ServiceUnavailable: The database of keys does not answer.
    """
    settings, keys = resources.get_candor().settings, resources.get_candor().wiring.sessions.keys
    with_provider = provider.has_provider(settings)
    if with_provider and (person := _from_provider(st.user.to_dict(), settings)):
        return person
    login = st.context.cookies.get(SESSION_COOKIE)
    if isinstance(login, str) and login:  # Streamlit's AppTest has a mock where cookies are
        key_id = key_of(login, settings)
        key: ApiKey | None = keys.find(key_id) if key_id else None
        return Person(key.name, key.role, account=key.key_id) if key else None
    if with_provider or keys.were_made():
        return None
    is_here = is_from_here(st.context.ip_address or "127.0.0.1", st.context.headers)  # Streamlit has no word for it
    return Person("", "admin") if is_here or settings.allow_open else None


def _from_provider(claims: Mapping[str, Any], settings: Settings) -> Person | None:
    issued, now = claims.get("iat"), datetime.now(UTC).timestamp()  # Streamlit itself keeps a login for 30 days
    is_stale = not isinstance(issued, (int, float)) or now - issued > settings.oidc_hours * 3600
    if not claims.get("is_logged_in") or is_stale:
        return None
    role = provider.role_of(claims, settings)
    name = next((str(claims[key]) for key in ("name", "email", "sub") if claims.get(key)), "?")
    if role is None:
        st.error(f"{name} is known at the provider, but has no role here (CANDOR_OIDC_ROLES).", icon=":material/lock:")
        return None
    named = f"{claims.get('iss', '')}\0{claims.get('sub', '')}"  # names and addresses change, these do not
    account = f"account-{hashlib.sha256(named.encode()).hexdigest()[:32]}"
    return Person(name, role, by_provider=True, account=account)
