"""Headers of the dashboard's own pages: on everything that Streamlit serves, and never over an answer's own."""

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard.middleware import PageHeaders, page_headers

NEEDED = ["x-content-type-options", "x-frame-options", "referrer-policy", "permissions-policy",
          "content-security-policy"]  # fmt: skip


async def plain(request):
    return PlainTextResponse("a page")


async def strict(request):
    return PlainTextResponse("the API", headers={"Content-Security-Policy": "default-src 'none'"})


def test_every_response_has_them_also_one_that_is_an_error_and_what_it_says_of_itself_stays():
    served = TestClient(PageHeaders(Starlette(routes=[Route("/", plain), Route("/api", strict)])))
    for path, status in (("/", 200), ("/nothing", 404)):
        response = served.get(path)
        assert response.status_code == status
        assert all(response.headers[name] for name in NEEDED)
    response = served.get("/api")
    assert response.headers["content-security-policy"] == "default-src 'none'"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_no_script_may_be_written_into_a_page_but_streamlits_and_the_one_that_names_the_server():
    policy = dict(part.split(" ", 1) for part in page_headers()["Content-Security-Policy"].split("; "))
    assert "unsafe" not in policy["script-src"]
    assert policy["script-src"].count("sha256-") == 2
    assert not any("http" in sources or "*" in sources for sources in policy.values())  # nothing from elsewhere
    assert (policy["object-src"], policy["frame-ancestors"]) == ("'none'", "'self'")
