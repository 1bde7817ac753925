"""Each person's main path, in a real browser, at two widths, in light and in dark.

All of it is drawn under the headers that `candor serve` sends: what its policy forbids is an error on the browser's
console, and every walk fails over any.
"""

from urllib.request import urlopen

import pytest
from watched import KNOWN, UNKNOWN, watching

pytestmark = pytest.mark.e2e
CHIP = 'a[href^="#source-"]'  # in a sentence


def test_a_link_to_a_page_is_drawn_in_the_frame_of_all_pages_and_finds_its_server_at_once(wide):
    asked: list[str] = []
    wide.page.on("request", lambda request: asked.append(request.url))
    wide.open("monitor")  # on a fresh server: the router has not run yet
    assert not [url for url in asked if "/monitor/_stcore" in url]
    menu = wide.page.get_by_test_id("stSidebar")
    for title in ("Documents", "Questions", "Tests", "Tune", "Monitor"):
        assert menu.get_by_role("link", name=title).count() == 1
    assert wide.page.locator("h1").inner_text() == "Monitor"
    menu.get_by_role("button", name="New question").click()
    wide.page.get_by_label("Ask a question").wait_for()
    assert wide.page.url.rstrip("/") == wide.server


def test_pages_files_and_api_have_their_headers_and_a_script_that_is_written_into_a_page_is_not_run(wide):
    for path in ("/", "/monitor", "/favicon.png", "/_stcore/health", "/api/livez"):
        with urlopen(f"{wide.server}{path}", timeout=60) as response:
            found = response.headers
        policy = "default-src 'none'" if path == "/api/livez" else "frame-ancestors 'self'"
        assert policy in found["content-security-policy"], path
        assert found["x-content-type-options"] == "nosniff", path
    wide.open()
    wide.page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.taken = 1';"
        " document.body.append(one); }"
    )
    assert wide.page.evaluate("() => window.taken") is None
    assert any("Content Security Policy" in line for line in wide.console)
    wide.console.clear()


@pytest.mark.parametrize("watched", ["1280-light", "800-dark", "420-light"], indirect=True)
def test_an_expert_asks_opens_the_source_and_is_refused_with_reasons(watched):
    page, is_drawer = watched.page, watched.page.viewport_size["width"] < 1100
    panel, close = page.locator(".st-key-ask-panel"), page.get_by_role("button", name="Close")
    chip = page.locator(CHIP).first
    watched.open()
    watched.screenshot("ask-empty")
    watched.ask(KNOWN)
    watched.sees("between 0.4 and 0.6 metres per second")
    watched.screenshot("ask")
    if is_drawer:
        chip.click()
    watched.sees("the excerpt is framed")  # beside it
    viewer = page.frame_locator("iframe").first
    viewer.locator("canvas").first.wait_for(timeout=90_000)
    page.wait_for_timeout(500)
    watched.screenshot("source")
    framed = viewer.locator('[id^="annotation-"]').first.bounding_box()
    places = [close.bounding_box(), page.get_by_text("the excerpt is framed").bounding_box(), framed]
    assert all(0 <= place["y"] < page.viewport_size["height"] for place in places)  # wherever the page is scrolled to
    if page.viewport_size["width"] < 500:
        assert framed["width"] > 0.9 * page.viewport_size["width"]  # of a sentence that is as wide as its page
    assert not viewer.get_by_text("%").is_visible()  # the viewer's badge
    viewer.locator("canvas").first.click()
    page.keyboard.press("Escape")  # also from inside the viewer
    panel.wait_for(state="detached")
    chip.click()
    watched.sees("the excerpt is framed")
    if is_drawer:
        close.click()
        panel.wait_for(state="detached")
    page.get_by_role("button", name="Why?").click()
    watched.sees("What was read")
    watched.settle()
    watched.screenshot("ask-why")
    watched.ask(UNKNOWN)

    def is_shown_from_its_beginning():
        question = page.get_by_text(UNKNOWN).last.bounding_box()
        refusal = page.get_by_text("The documents do not cover this").last.bounding_box()
        return 0 <= question["y"] < refusal["y"] < page.get_by_test_id("stChatInput").bounding_box()["y"]

    assert watched.holds(is_shown_from_its_beginning)
    watched.screenshot("refusal")
    page.locator(CHIP).locator("visible=true").last.click()
    watched.sees("One of the closest passages")
    watched.settle()
    assert 0 <= close.bounding_box()["y"] < page.viewport_size["height"]  # also far down a conversation
    page.reload()
    watched.settle()
    watched.sees("between 0.4 and 0.6 metres per second")
    assert "session=" in page.url


def test_every_page_can_be_used_by_everybody_in_the_dark_too_at_either_width(browser, server, tmp_path):
    with watching(browser, server, folder=tmp_path, suffix="dark", color_scheme="dark") as dark:
        dark.open("?confidence_threshold=0.2")
        dark.ask(KNOWN)
        asked = dark.page.url.partition(f"{server}/")[2]
        for path in (asked, "documents", "inspector", "evaluate", "tune", "monitor"):
            dark.page.set_viewport_size({"width": 1280, "height": 900})
            dark.open(path)
            dark.screenshot(f"{path.partition('?')[0] or 'ask'}-1280")
            dark.page.set_viewport_size({"width": 420, "height": 900})
            dark.settle()
            dark.screenshot(f"{path.partition('?')[0] or 'ask'}-420")


def test_an_expert_adds_a_document_opens_it_and_asks_it(wide, tmp_path):
    page, name = wide.page, "lantern.md"
    (tmp_path / name).write_text("# Lantern\n\nThe lantern of Orsk is lit by Marta Lind at dusk on every evening.\n")
    wide.open("documents")
    wide.screenshot("documents")
    page.locator('input[type="file"]').set_input_files(str(tmp_path / name))
    wide.sees("1 added, 0 failed")
    wide.settle()
    table = page.locator('[data-testid="stDataFrame"]').bounding_box()
    page.mouse.click(table["x"] + 60, table["y"] + 37 + 35 + 15)  # the second row, after faq.html
    wide.sees("Ask this document")
    assert f"shown={name}" in page.url
    wide.screenshot("document")
    page.get_by_role("link", name="Ask this document").click()
    page.get_by_role("heading", name="Ask", exact=True).wait_for()
    wide.settle()
    wide.ask("Who lights the lantern of Orsk at dusk?")
    assert "lit by Marta Lind" in wide.words()
    wide.open(f"documents?shown={name}")
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove it").click()
    wide.sees(f"Removed {name}")


@pytest.mark.parametrize("watched", ["1280-light", "420-light"], indirect=True)
def test_an_evaluator_inspects_a_request_and_tries_other_settings(watched):
    page, panel = watched.page, watched.page.locator(".st-key-ask-panel")
    watched.open("?confidence_threshold=0.2")
    watched.ask("What is firn?")
    is_drawer = page.viewport_size["width"] < 1100
    if is_drawer:
        page.locator(CHIP).first.click()
    panel.get_by_text("[Online]. Available:").wait_for()
    watched.settle()
    assert panel.get_by_role("link").first.inner_text().startswith("https://")
    watched.screenshot("source-online")  # the address in a reference is easy to read
    if is_drawer:
        page.get_by_role("button", name="Close").click()
        panel.wait_for(state="detached")
    page.get_by_role("button", name="Why?").click()
    page.get_by_role("link", name="Show all on Questions").click()
    page.get_by_role("heading", name="Inspect", exact=True).wait_for()
    watched.settle()
    assert "request_id=req_" in page.url
    watched.screenshot("inspect")
    page.locator(CHIP).first.click()
    watched.sees("Source 1")
    watched.settle()
    assert page.get_by_role("dialog").count() == 0  # beside the answer, or a drawer as on Ask
    if is_drawer:
        assert 0 <= page.locator(".st-key-close-source").bounding_box()["y"] < 60
    watched.screenshot("inspect-source")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("tab", name="Stages").click()
    watched.settle()
    watched.screenshot("inspect-stages")
    page.get_by_role("tab", name="What if?").click()
    page.get_by_role("button", name="Compare").click()
    watched.settle()
    watched.sees("As recorded")
    watched.screenshot("inspect-other-settings")


def test_whoever_is_responsible_runs_tunes_and_watches(watched):
    page = watched.page
    watched.open("evaluate")
    page.get_by_role("tab", name="New run").click()
    page.get_by_label("Only the first questions").fill("5")
    page.get_by_role("button", name="Start").click()
    watched.sees("is done: 5 questions")
    watched.open("evaluate")
    watched.sees("Coverage")
    watched.screenshot("evaluate")
    watched.open("tune?t_confidence=0.7")
    watched.sees("Put into production")
    watched.settle()
    watched.screenshot("tune")
    watched.open("monitor")
    watched.sees("Also recorded")
    page.get_by_test_id("stVegaLiteChart").locator("svg").wait_for(timeout=90_000)
    watched.screenshot("monitor")
    if page.viewport_size["width"] == 1280:
        page.set_viewport_size({"width": 1280, "height": 800})
        watched.settle()
        assert page.get_by_test_id("stMain").evaluate("one => one.scrollHeight <= one.clientHeight")  # on one screen
    page.get_by_role("radio", name="1 hour").click()
    watched.settle()
    page.reload()
    watched.settle()
    assert page.get_by_role("radio", name="1 hour").is_checked()
