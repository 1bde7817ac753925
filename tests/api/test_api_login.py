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


def test_a_valid_key_becomes_a_cookie_that_no_script_and_no_other_site_can_use_nor_the_api(client):
    token = client.keys.create("Ada").token
    response = log_in(client, f"  {token} ", origin="http://testserver")
    assert (response.status_code, response.headers["location"]) == (303, "../")
    cookie = response.headers["set-cookie"]
    login = cookie.removeprefix(f"{SESSION_COOKIE}=").partition(";")[0]
    assert token.rpartition("_")[2] not in cookie
    assert key_of(login, client.app.state.settings) == client.keys.list()[0].key_id
    assert {"HttpOnly", "SameSite=lax"} <= {*cookie.split("; ")}
    for origin in ("https://elsewhere.example", "null"):
        assert log_in(client, token, origin=origin).status_code == 403
    assert client.cookies[SESSION_COOKIE]
    assert client.get("/api/v1/documents").status_code == 401
    gone = client.get("/api/logout")
    assert gone.status_code == 303
    assert {f'{SESSION_COOKIE}=""', "Max-Age=0"} <= {*gone.headers["set-cookie"].split("; ")}


def test_the_cookie_is_kept_for_https_where_the_browser_sees_it_whichever_proxy_is_believed(client):
    token = client.keys.create("Ada").token
    secure = TestClient(client.app, base_url="https://testserver", follow_redirects=False)
    through = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7"}  # of a proxy that nobody has named
    said = [
        log_in(client, token, origin="http://testserver"),  # plain HTTP on loopback
        log_in(client, token, origin="http://testserver", **through),
        log_in(client, token, origin="https://testserver", **through),
        log_in(secure, token),
    ]
    assert ["Secure" in response.headers["set-cookie"] for response in said] == [False, False, True, True]


def test_a_wrong_key_gets_the_form_again_without_a_script_and_who_tries_more_is_slowed_down(client):
    revoked = client.keys.create("Ada")
    client.keys.revoke(revoked.key.key_id)
    page, refused = client.get("/api/login"), log_in(client, "candor_<script>_x")
    assert (page.status_code, refused.status_code, log_in(client, revoked.token).status_code) == (200, 401, 401)
    assert page.headers["referrer-policy"] == "same-origin"  # no-referrer: a browser sends `Origin: null`
    assert ("unknown or revoked" in refused.text, "set-cookie" in refused.headers) == (True, False)
    assert not [said for said in ("candor_", "<script") if said in page.text + refused.text]
    assert [log_in(client, f"candor_{number}_x").status_code for number in range(4)] == [401] * 2 + [429] * 2


def test_a_login_ends_by_itself_and_none_can_be_forged(client, tmp_path, monkeypatch):
    settings, now = client.app.state.settings, time.time()
    login = login_of("abc", settings)
    assert [key_of(one, settings) for one in (login, "", "abc", login[:-2], f"x{login}")] == ["abc", *[None] * 4]
    assert key_of(login_of("abc", settings_of(tmp_path / "other")), settings) is None
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + settings.oidc_hours * 3600 + 2)
    assert key_of(login, settings) is None
    assert key_of(login_of("abc", settings), settings) is None  # dated in the future: the clock was put back since
