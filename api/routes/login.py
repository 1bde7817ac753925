"""Logging in to the dashboard with an API key: a form without scripts, a cookie that no script can read.

The cookie holds a signed login that ends by itself (`rag.workspace.logins`), and opens the dashboard alone. The API
itself never looks at it, so that no other page can spend it.
"""

from html import escape
from typing import Annotated, Final

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.desk import desk_of
from rag.workspace.logins import SESSION_COOKIE, login_of

router = APIRouter(include_in_schema=False)
LONGEST_TOKEN: Final = 200
PAGE: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Candor: log in</title>
<meta name="viewport" content="width=device-width"><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:24rem;
margin:15vh auto;padding:0 1rem;color:#14262b}}input,button{{font:inherit;padding:.5rem;width:100%;
box-sizing:border-box;margin:.4rem 0}}button{{background:#0b6374;color:#fff;border:0;border-radius:4px}}
.wrong{{color:#b3261e}}@media(prefers-color-scheme:dark){{body{{background:#0f191c;color:#e4eeee}}
.wrong{{color:#ff8a80}}}}</style></head><body><h1>Log in to Candor</h1>{said}<form method="post"
autocomplete="off"><label for="key">API key</label><input id="key" name="key" type="password" required autofocus
maxlength="200"><button>Log in</button></form><p>The operator creates keys with
<code>candor keys create NAME</code>.</p></body></html>"""


@router.get("/login")
async def form() -> HTMLResponse:
    """Show the form."""
    return _page("")


@router.post("/login")
async def login(request: Request, key: Annotated[str, Form(max_length=LONGEST_TOKEN)]) -> Response:
    """Keep in a cookie that somebody showed a valid key, and go to the dashboard."""
    desk, token = desk_of(request), key.strip()
    found = await desk.door(lambda: desk.candor.wiring.sessions.keys.authenticate(token))
    if found is None:
        return _page("This key is unknown or revoked.", status=401)
    response, settings = _home(), request.app.state.settings
    signed = await desk.light(lambda: login_of(found.key_id, settings))
    secure = _is_over_tls(request)
    response.set_cookie(SESSION_COOKIE, signed, httponly=True, samesite="lax", secure=secure, path="/")
    return response


@router.get("/logout")
async def logout() -> Response:
    """Forget the login."""
    response = _home()
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="lax")
    return response


def _is_over_tls(request: Request) -> bool:
    """Return whether the browser sees HTTPS, whatever proxy ends it: it names the origin of a form that it sends."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def _page(wrong: str, *, status: int = 200) -> HTMLResponse:
    said = f'<p class="wrong" role="alert">{escape(wrong)}</p>' if wrong else ""
    # Without a referrer policy of its own a browser would hide where the form comes from, and it would be refused.
    return HTMLResponse(PAGE.format(said=said), status_code=status, headers={"Referrer-Policy": "same-origin"})


def _home() -> RedirectResponse:
    return RedirectResponse("../", status_code=303)
