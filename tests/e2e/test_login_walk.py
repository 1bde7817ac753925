"""Logging in to the dashboard in a real browser: with a key, and at OpenID Connect providers on this machine."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from library import clean_environment, free_port
from processes import CANDOR, served
from provider import CLIENT_ID, CLIENT_SECRET, Independent, Provider, independent, providing

from rag.settings import Settings
from rag.stored.keys import create_key, list_keys, revoke_key

pytestmark = pytest.mark.e2e
_STILL = "() => document.querySelector('[data-test-script-state=\"notRunning\"]')"
ROLES = "staff=ask, reviewers=evaluate, it=admin"


def serving(home: Path, port: int, **more: str) -> AbstractContextManager[str]:
    """`candor serve` in a process of its own."""
    command = [sys.executable, "-c", CANDOR, "serve", "--port", str(port)]
    return served(command, port, "/api/livez", log=home / "server.log", env=clean_environment(home, **more))


def press_until(page: Any, name: str, seen: Any) -> None:
    """Press a button until something is seen: a click on what is being drawn anew is lost."""
    from playwright.sync_api import TimeoutError as Late

    for _ in range(5):
        page.get_by_role("button", name=name).or_(seen).first.wait_for()
        if seen.count():
            return
        page.get_by_role("button", name=name).click()
        with suppress(Late):
            seen.wait_for(timeout=6_000)
    raise AssertionError(f"{name!r} was pressed and led nowhere")


@pytest.fixture
def home(data_dir: Path, tmp_path: Path) -> Path:
    """A data folder of its own: keys are made in it."""
    shutil.copytree(data_dir, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that reaches nothing but this machine; the provider of others would fetch its style sheet elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.route(lambda url: urlsplit(url).hostname != "127.0.0.1", lambda route: route.abort())
    yield context.new_page()
    context.close()


def sees(page: Any, text: str) -> None:
    page.get_by_text(text).locator("visible=true").first.wait_for(timeout=30_000)


def test_once_a_key_exists_the_dashboard_needs_one_and_a_revoked_one_closes_it(page: Any, home: Path) -> None:
    settings = Settings(data_dir=home)  # type: ignore[call-arg]
    token = create_key("Ada", "ask", settings=settings).token
    with serving(home, free_port()) as url:
        page.goto(url)
        sees(page, "Log in with an API key")
        assert page.get_by_test_id("stChatInput").count() == 0
        page.goto(f"{url}/api/login")
        page.get_by_label("API key").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        sees(page, "This key is unknown or revoked.")
        page.get_by_label("API key").fill(token)
        page.get_by_role("button", name="Log in").click()
        sees(page, "Ada · ask")
        page.get_by_test_id("stChatInput").wait_for()
        page.goto(f"{url}/tune")
        sees(page, "This page needs the role “admin”; yours is “ask”.")
        revoke_key(list_keys(settings=settings)[0].key_id, settings=settings)
        page.goto(url)
        sees(page, "Log in with an API key")


@pytest.fixture
def provider() -> Iterator[Provider]:
    with providing({"sub": "7", "name": "Grace", "groups": ["staff", "reviewers"]}) as opened:
        yield opened


def at(provider: Provider, port: int) -> dict[str, str]:
    """Return the settings of a dashboard on this port whose people log in at our own provider."""
    return {
        "CANDOR_OIDC_METADATA_URL": f"{provider.url}/.well-known/openid-configuration",
        "CANDOR_OIDC_CLIENT_ID": CLIENT_ID,
        "CANDOR_OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "CANDOR_OIDC_REDIRECT_URL": f"http://127.0.0.1:{port}/oauth2callback",
        "CANDOR_OIDC_ROLES": ROLES,
    }


def test_people_log_in_at_their_provider_and_have_the_role_of_their_group(
    page: Any, home: Path, provider: Provider
) -> None:
    port = free_port()
    with serving(home, port, **at(provider, port)) as url:
        page.goto(url)
        page.get_by_role("button", name="Log in with your account").click()
        sees(page, "Grace · evaluate")
        page.get_by_test_id("stChatInput").wait_for()
        page.goto(f"{url}/monitor")
        page.get_by_role("heading", name="Monitor").wait_for()
        page.goto(f"{url}/documents")
        sees(page, "This page needs the role “admin”; yours is “evaluate”.")
        page.get_by_role("button", name="Log out").click()
        sees(page, "Log in with your account")
        provider.claims["groups"] = ["visitors"]
        page.get_by_role("button", name="Log in with your account").click()
        sees(page, "has no role here")
        assert page.get_by_test_id("stChatInput").count() == 0


def test_an_answer_to_another_login_opens_nothing_and_is_said_to_have_failed(
    page: Any, home: Path, provider: Provider
) -> None:
    port = free_port()
    provider.claims["nonce"] = "of another login"
    with serving(home, port, **at(provider, port)) as url:
        page.goto(f"{url}/oauth2callback?code=stolen&state=of-another-login")
        sees(page, "The login did not succeed.")
        page.goto(url)
        page.get_by_role("button", name="Log in with your account").click()
        sees(page, "The login did not succeed.")
        assert page.get_by_test_id("stChatInput").count() == 0
        del provider.claims["nonce"]
        page.get_by_role("button", name="Log in with your account").click()
        sees(page, "Grace · evaluate")


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Independent]:
    with independent(tmp_path / "provider.log") as opened:
        yield opened


def at_its_form(page: Any, url: str) -> dict[str, str]:
    """Go to the provider's form, and return what Candor asked it for."""
    page.goto(url)
    page.get_by_role("button", name="Log in with your account").click()
    page.get_by_role("heading", name="Authorize Client").wait_for()
    return {name: value for name, [value] in parse_qs(urlsplit(page.url).query).items()}


def test_an_evaluator_fills_in_the_form_of_a_provider_that_others_wrote(
    page: Any, home: Path, stranger: Independent
) -> None:
    port = free_port()
    stranger.knows("lise@example.org", name="Lise", groups=["staff", "reviewers"])
    configured = stranger.register(f"http://127.0.0.1:{port}/oauth2callback")
    with serving(home, port, **configured, CANDOR_OIDC_ROLES=ROLES) as url:
        asked = at_its_form(page, url)
        assert asked["client_id"] == configured["CANDOR_OIDC_CLIENT_ID"]
        assert asked["code_challenge_method"] == "S256"
        assert all(len(asked[name]) >= 16 for name in ("state", "nonce", "code_challenge"))
        page.get_by_placeholder("sub").fill("lise@example.org")
        page.get_by_role("button", name="Authorize").click()
        sees(page, "Lise · evaluate")
        page.goto(f"{url}/monitor")
        page.get_by_role("heading", name="Monitor").wait_for()
        page.goto(f"{url}/documents")
        sees(page, "This page needs the role “admin”; yours is “evaluate”.")
        page.wait_for_function(_STILL)
        press_until(page, "Log out", page.get_by_role("button", name="End session"))
        page.get_by_role("button", name="End session").click()
        sees(page, "Log in with your account")
        assert page.get_by_text("did not succeed").count() == 0
        assert at_its_form(page, url)["state"] != asked["state"]


def test_whoever_cancels_at_the_provider_is_told_so_and_stays_outside(
    page: Any, home: Path, stranger: Independent
) -> None:
    port = free_port()
    configured = stranger.register(f"http://127.0.0.1:{port}/oauth2callback")
    with serving(home, port, **configured, CANDOR_OIDC_DEFAULT_ROLE="admin") as url:
        at_its_form(page, url)
        page.get_by_role("button", name="Deny").click()
        sees(page, "The login was cancelled")
        assert page.get_by_test_id("stChatInput").count() == 0
        page.goto(f"{url}/documents")
        sees(page, "Log in with your account")
        at_its_form(page, url)
        page.get_by_placeholder("sub").fill("someone@example.org")
        page.get_by_role("button", name="Authorize").click()
        sees(page, "someone@example.org · admin")
        assert page.get_by_text("cancelled").count() == 0
