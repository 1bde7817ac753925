"""The policy of the dashboard's own pages; `tests/e2e/test_walk.py` sees the headers of what is served."""

from dashboard.middleware import page_headers


def test_no_script_may_be_written_into_a_page_but_streamlits_and_the_one_that_names_the_server():
    policy = dict(part.split(" ", 1) for part in page_headers()["Content-Security-Policy"].split("; "))
    assert "unsafe" not in policy["script-src"]
    assert policy["script-src"].count("sha256-") == 2
    assert not any("http" in sources or "*" in sources for sources in policy.values())  # nothing from elsewhere
    assert (policy["object-src"], policy["frame-ancestors"]) == ("'none'", "'self'")
