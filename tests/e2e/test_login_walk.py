"""Logging in to the dashboard in a real browser: with a key, and at OpenID Connect providers on this machine."""

import sys
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from library import clean_environment, free_port, served
from processes import CANDOR, independent

from rag.settings import Settings
from rag.workspace.keys import create_key, list_keys, revoke_key

pytestmark = pytest.mark.e2e
_STILL = "() => document.querySelector('[data-test-script-state=\"notRunning\"]')"
ROLES = "staff=ask, reviewers=evaluate, it=admin"


def serving(home, port, **more):
    """`candor serve` in a process of its own."""
    command = [sys.executable, "-c", CANDOR, "serve", "--port", str(port)]
    return served(command, port, "/api/livez", log=home / "server.log", env=clean_environment(home, **more))


def press_until(page, name, seen):
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
def home(tmp_path):
    """A data folder of its own, with nothing in it: whoever is let in sees the input."""
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path / "data"


@pytest.fixture
def page(browser):
    """A page that reaches nothing but this machine; the provider of others would fetch its style sheet elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(90_000)
    context.route(lambda url: urlsplit(url).hostname != "127.0.0.1", lambda route: route.abort())
    yield context.new_page()
    context.close()


def sees(page, text):
    page.get_by_text(text).locator("visible=true").first.wait_for(timeout=90_000)


def test_once_a_key_exists_the_dashboard_needs_one_and_a_revoked_one_closes_it(page, home):
    settings = Settings(data_dir=home)
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
def stranger(tmp_path):
    with independent(tmp_path / "provider.log") as opened:
        yield opened


def at_its_form(page, url):
    """Go to the provider's form, and return what Candor asked it for."""
    page.goto(url)
    page.get_by_role("button", name="Log in with your account").click()
    page.get_by_role("heading", name="Authorize Client").wait_for()
    return {name: value for name, [value] in parse_qs(urlsplit(page.url).query).items()}


def authorize(page, subject):
    """Fill in the provider's form."""
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def log_out(page):
    page.wait_for_function(_STILL)
    press_until(page, "Log out", page.get_by_role("button", name="End session"))
    page.get_by_role("button", name="End session").click()
    sees(page, "Log in with your account")


def test_people_log_in_at_their_provider_and_have_the_role_of_their_group_and_whoever_cancels_stays_outside(
    page, home, stranger
):
    port = free_port()
    stranger.knows("lise@example.org", name="Lise", groups=["staff", "reviewers"])
    stranger.knows("vera@example.org", name="Vera", groups=["visitors"])
    configured = stranger.register(f"http://127.0.0.1:{port}/oauth2callback")
    with serving(home, port, **configured, CANDOR_OIDC_ROLES=ROLES) as url:
        page.goto(f"{url}/oauth2callback?code=stolen&state=of-another-login")
        sees(page, "The login failed.")
        asked = at_its_form(page, url)
        assert asked["client_id"] == configured["CANDOR_OIDC_CLIENT_ID"]
        assert asked["code_challenge_method"] == "S256"
        assert all(len(asked[name]) >= 16 for name in ("state", "nonce", "code_challenge"))
        page.get_by_role("button", name="Deny").click()
        sees(page, "The login was cancelled")
        assert page.get_by_test_id("stChatInput").count() == 0
        page.goto(f"{url}/documents")
        sees(page, "Log in with your account")
        assert at_its_form(page, url)["state"] != asked["state"]
        authorize(page, "lise@example.org")
        sees(page, "Lise · evaluate")
        page.goto(f"{url}/monitor")
        page.get_by_role("heading", name="Monitor", exact=True).wait_for()
        page.goto(f"{url}/tune")
        sees(page, "This page needs the role “admin”; yours is “evaluate”.")
        log_out(page)
        assert page.get_by_text("The login failed").count() == 0
        at_its_form(page, url)
        authorize(page, "vera@example.org")
        sees(page, "has no role here")
        assert page.get_by_test_id("stChatInput").count() == 0
