"""Logging in to the dashboard with a key: a form, a cookie, and nothing that another page could make use of."""

import time
from typing import Any

import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient

from api.app import create_api
from rag.candor import Candor
from rag.workspace.logins import SESSION_COOKIE, key_of, login_of


@pytest.fixture
def client(tmp_path):
    with Candor.open(settings_of(tmp_path, rate_limit_per_minute=5)) as candor:
        opened = TestClient(create_api(lambda: candor, candor.settings), follow_redirects=False)
        opened.keys = candor.wiring.sessions.keys  # type: ignore[attr-defined]
        yield opened


def log_in(client: Any, token: str, **headers: str) -> Any:
    return client.post("/api/login", data={"key": token}, headers=headers)


def test_a_valid_key_becomes_a_cookie_that_no_script_and_no_other_site_can_use(client):
    token = client.keys.create("Ada").token
    response = log_in(client, f"  {token} ", origin="http://testserver")
    assert (response.status_code, response.headers["location"]) == (303, "../")
    cookie = response.headers["set-cookie"]
    login = cookie.removeprefix(f"{SESSION_COOKIE}=").partition(";")[0]
    assert token.rpartition("_")[2] not in cookie
    assert key_of(login, client.app.state.settings) == client.keys.list()[0].key_id
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie  # plain HTTP on loopback
    secure = TestClient(client.app, base_url="https://testserver", follow_redirects=False)
    assert "Secure" in log_in(secure, token).headers["set-cookie"]


def test_behind_a_proxy_that_ends_tls_the_cookie_is_kept_for_https_whoever_is_believed(client):
    token = client.keys.create("Ada").token
    through = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7"}  # of a proxy that nobody has named
    assert "Secure" in log_in(client, token, origin="https://testserver", **through).headers["set-cookie"]
    assert "Secure" not in log_in(client, token, origin="http://testserver", **through).headers["set-cookie"]


def test_a_wrong_key_gets_the_form_again_without_a_script_and_the_key_is_not_repeated(client):
    client.keys.create("Ada")
    page, refused = client.get("/api/login"), log_in(client, "candor_<script>_x")
    assert (page.status_code, refused.status_code) == (200, 401)
    assert page.headers["referrer-policy"] == "same-origin"  # no-referrer: a browser sends `Origin: null`
    assert "unknown or revoked" in refused.text
    assert "candor_" not in refused.text
    assert "<script" not in page.text + refused.text
    assert "set-cookie" not in refused.headers


def test_another_site_cannot_log_somebody_in(client):
    token = client.keys.create("Ada").token
    for origin in ("https://elsewhere.example", "null"):
        assert log_in(client, token, origin=origin).status_code == 403


def test_the_api_does_not_look_at_the_cookie(client):
    made = client.keys.create("Ada")
    client.cookies.set(SESSION_COOKIE, login_of(made.key.key_id, client.app.state.settings))
    assert client.get("/api/v1/documents").status_code == 401


def test_who_tries_keys_is_slowed_down(client):
    client.keys.create("Ada")
    assert [log_in(client, f"candor_{number}_x").status_code for number in range(7)] == [401] * 5 + [429] * 2


def test_logging_out_removes_the_cookie(client):
    response = client.get("/api/logout")
    assert response.status_code == 303
    assert f'{SESSION_COOKIE}=""' in response.headers["set-cookie"]
    assert "Max-Age=0" in response.headers["set-cookie"]


def test_a_login_ends_by_itself_and_none_can_be_forged(client, tmp_path, monkeypatch):
    settings = client.app.state.settings
    login = login_of("abc", settings)
    assert key_of(login, settings) == "abc"
    assert [key_of(forged, settings) for forged in ("", "abc", login[:-2], f"x{login}")] == [None] * 4
    assert key_of(login_of("abc", settings_of(tmp_path / "other")), settings) is None
    now = time.time()
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + settings.oidc_hours * 3600 + 2)
    assert key_of(login, settings) is None
    assert key_of(login_of("abc", settings), settings) is None  # dated in the future: the clock was put back since


def test_a_key_that_is_revoked_is_found_no_more(client):
    made = client.keys.create("Ada").key
    assert client.keys.find(made.key_id) == made
    client.keys.revoke(made.key_id)
    assert client.keys.find(made.key_id) is None
    assert client.keys.find("unknown") is None
