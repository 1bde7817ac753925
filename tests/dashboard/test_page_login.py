"""Who sees which page, by role; what Streamlit is told of the provider."""

import stat
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from seen import ROOT, logged_in
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard import login, provider, resources
from dashboard.middleware import Callback
from rag.errors import ConfigurationError, ServiceUnavailable
from rag.settings import Settings

PAGES = [*(ROOT / "pages").glob("*.py")]
COMPLETE = {"oidc_metadata_url": "https://id.example/.well-known/openid-configuration", "oidc_client_id": "candor",
            "oidc_client_secret": "secret", "oidc_redirect_url": "https://candor.example/oauth2callback",
            "oidc_roles": "staff=ask, reviewers=evaluate, it=admin"}  # fmt: skip


def settings_of(folder, **more):
    return Settings(data_dir=folder, **{**COMPLETE, **more})


@pytest.mark.parametrize(
    ("address", "headers"), [("192.0.2.7", {}), (None, {"X-Forwarded-For": "192.0.2.7"})], ids=["direct", "by a proxy"]
)
def test_without_keys_other_machines_are_turned_away(open_empty, monkeypatch, address, headers):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    monkeypatch.setattr(login.st, "context", SimpleNamespace(ip_address=address, cookies={}, headers=headers))
    assert login.person_here() is None


def test_once_a_key_exists_a_page_shows_how_to_log_in_and_nothing_else(open_empty):
    resources.get_candor().wiring.sessions.keys.create("Ada")
    page = open_empty("documents")
    assert [header.value for header in page.header] == ["Log in"]
    assert not page.title


@pytest.mark.parametrize(
    ("role", "open_pages", "listed"),
    [
        ("ask", {"ask", "documents"}, ["Documents"]),
        ("evaluate", {one.stem for one in PAGES} - {"tune"}, ["Documents", "Questions", "Tests", "Monitor"]),
        ("admin", {one.stem for one in PAGES}, ["Documents", "Questions", "Tests", "Tune", "Monitor"]),
    ],
)
def test_a_role_sees_its_pages_alone_and_the_menu_leads_to_them(open_empty, monkeypatch, role, open_pages, listed):
    logged_in(monkeypatch, "Ada", role)
    assert len(PAGES) == 6
    for page in (one.stem for one in PAGES):
        drawn = open_empty(page)
        turned_away = any("needs the role" in str(warning.value) for warning in drawn.warning)
        assert turned_away == (page not in open_pages), page
        assert bool(drawn.title) != turned_away, page
        assert [one.proto.label for one in drawn.sidebar.get("page_link")] == listed, page


def test_nobody_gets_in_while_the_database_of_keys_is_away(open_empty, monkeypatch):
    def away():
        raise ServiceUnavailable("The database does not answer.")

    monkeypatch.setattr(login, "person_here", away)
    page = open_empty()
    assert not page.title
    assert "does not answer" in str(page.error[0].value)


def test_the_highest_role_of_the_claim_counts_and_all_but_admins_see_their_own_conversations(tmp_path):
    settings = settings_of(tmp_path)
    claimed = [["staff", "reviewers"], "staff", ["visitors"], None]
    roles = [provider.role_of({"groups": one}, settings) for one in claimed]
    assert roles == ["evaluate", "ask", None, None]
    assert provider.role_of({}, settings_of(tmp_path, oidc_default_role="ask")) == "ask"
    owners = [login.Person("Ada", role, account="key-a").owner for role in ("ask", "evaluate", "admin")]
    assert owners == ["key-a", "key-a", None]


def test_a_login_ends_after_the_hours_that_are_set_and_its_account_is_issuer_and_subject_not_the_name(tmp_path):
    settings, now = settings_of(tmp_path, oidc_hours=2), datetime.now(UTC).timestamp()
    claims = {"is_logged_in": True, "name": "Ada", "groups": ["staff"], "iss": "https://login.example", "sub": "1"}

    def person(**other):
        return login._from_provider({**claims, "iat": now - 7000, **other}, settings)

    ada = person()
    assert (ada.name, ada.role, ada.by_provider) == ("Ada", "ask", True)
    assert person(name="Ada Lorne").account == ada.account
    assert ada.account not in (person(sub="2").account, person(iss="https://other.example").account)
    assert (person(iat=now - 7300), person(iat=None)) == (None, None)


def test_streamlit_is_told_what_it_needs_and_the_cookies_secret_stays_and_is_never_empty(tmp_path):
    secret = tmp_path / "cookie_secret"
    secret.write_text("\n")
    told = provider.provider_secrets(settings_of(tmp_path))
    assert told["auth"]["redirect_uri"] == "https://candor.example/oauth2callback"
    assert told == provider.provider_secrets(settings_of(tmp_path))
    assert len(told["auth"]["cookie_secret"]) >= 43  # 256 bits at least
    assert told["auth"]["client_kwargs"] == {"code_challenge_method": "S256"}  # whether or not the provider names it
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert provider.provider_secrets(Settings(data_dir=tmp_path)) is None


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("cancelled", ["The login was cancelled"]), ("failed", ["The login failed"]), ("<b>pay here</b>", [])],
)
def test_the_login_page_says_what_became_of_a_login_and_nothing_else(open_empty, outcome, said):
    resources.get_candor().wiring.sessions.keys.create("Ada")
    page = open_empty(login=outcome)
    assert [str(warning.value).partition(",")[0].partition(".")[0] for warning in page.warning] == said


@pytest.mark.parametrize(
    ("path", "cookies", "led_to"),
    [
        ("/oauth2callback?error=access_denied&state=s", [], "/?login=cancelled"),
        ("/oauth2callback?error=server_error&state=s", [], "/?login=failed"),
        ("/oauth2callback?code=c&state=s", ['_streamlit_user=""; Max-Age=0'], "/?login=failed"),
        ("/oauth2callback?code=c&state=s", ["_streamlit_user_tokens=x; Path=/"], "/?login=failed"),
        ("/oauth2callback?code=c&state=s", ["_streamlit_user=2|1:0; Path=/"], "/"),
        ("/oauth2callback", [], "/"),  # back from logging out
        ("/candor/oauth2callback?error=access_denied", [], "/?login=cancelled"),
        ("/auth/logout?error=access_denied", [], "/"),
    ],
)
def test_only_a_login_that_did_not_succeed_leads_back_with_a_word(path, cookies, led_to):
    async def within(_):
        answer = RedirectResponse("/", status_code=302)  # as Streamlit's is
        for cookie in cookies:
            answer.headers.append("set-cookie", cookie)
        return answer

    app = Starlette(routes=[Route("/{path:path}", within)], middleware=[Middleware(Callback)])
    assert TestClient(app, follow_redirects=False).get(path).headers["location"] == led_to


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"oidc_client_id": ""}, "CANDOR_OIDC_CLIENT_ID"),
        ({"oidc_client_secret": None}, "CANDOR_OIDC_CLIENT_SECRET"),
        ({"oidc_redirect_url": "https://candor.example/"}, "CANDOR_OIDC_REDIRECT_URL"),
        ({"oidc_roles": "staff=king"}, "CANDOR_OIDC_ROLES"),
        ({"oidc_roles": "staff"}, "CANDOR_OIDC_ROLES"),
    ],
)
def test_a_configuration_with_a_hole_is_refused_by_name(tmp_path, wrong, named):
    with pytest.raises(ConfigurationError, match=named):
        provider.provider_secrets(settings_of(tmp_path, **wrong))
    (tmp_path / "data").write_text("no folder")  # where no secret can be kept the setting that spares it is named
    with pytest.raises(ConfigurationError, match="CANDOR_OIDC_COOKIE_SECRET"):
        provider.provider_secrets(settings_of(tmp_path / "data"))
