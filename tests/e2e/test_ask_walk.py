"""Ask in a real browser: what only a browser shows of it, several people's browsers, and all of it without a mouse."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from watched import KNOWN, UNKNOWN, watching

pytestmark = pytest.mark.e2e
CHIP = 'a[href^="#source-"]'


def test_what_was_typed_stands_there_as_it_was_typed(wide):
    typed = "Is p >= 5 and q <= 3 -> go, x <-> y -- or :smile: :material/home: ~= *it*?"
    wide.open()
    wide.ask(typed)
    messages = wide.page.get_by_test_id("stChatMessage")
    assert typed in messages.first.inner_text().replace("\u2060", "")
    assert messages.get_by_test_id("stIconMaterial").filter(has_text="home").count() == 0
    wide.begin("??")
    wide.settle()
    box = wide.page.get_by_text("too short").last
    box.wait_for()

    def is_in_sight():
        place = box.bounding_box()
        return bool(place) and 0 <= place["y"] <= wide.page.viewport_size["height"] - place["height"]

    assert wide.holds(is_in_sight)
    field = wide.page.get_by_test_id("stChatInputTextArea")
    field.fill("g" * 1200)
    assert len(field.input_value()) <= 1000


def test_ask_is_used_with_the_keyboard_alone(wide, data_dir):
    page, keys = wide.page, wide.page.keyboard
    wide.open()
    assert wide.holds(lambda: wide.has_focus('[data-testid="stChatInputTextArea"]'))
    keys.type(KNOWN)
    keys.press("Enter")
    page.get_by_role("button", name="Why?").first.wait_for(timeout=120_000)
    wide.settle()
    wide.tab_to(CHIP, key="Shift+Tab")
    wide.screenshot("keyboard-chip")
    keys.press("Enter")
    wide.sees("the excerpt is framed")
    wide.settle()
    assert wide.holds(lambda: wide.has_focus(CHIP))  # where one was
    wide.tab_to(".st-key-advanced button")
    keys.press("Enter")
    wide.settle()
    wide.tab_to(".st-key-confidence_threshold input", key="Shift+Tab")
    keys.type("0.25")
    keys.press("Enter")
    wide.settle()
    assert "confidence_threshold=0.25" in page.url
    wide.screenshot("keyboard-advanced")
    wide.tab_to(".st-key-close-panel button", key="Shift+Tab")
    keys.press("Enter")
    page.locator(".st-key-ask-panel").wait_for(state="detached")
    wide.tab_to('[data-testid="stFeedback"] button')
    keys.press("Enter")
    wide.sees("Thank you. Your rating is saved.")
    request_id = page.locator(CHIP).first.get_attribute("href").removeprefix("#source-").removesuffix("-1")
    assert _feedback(data_dir)[-1]["request_id"] == request_id


def test_a_link_from_the_address_bar_shows_another_browser_the_conversation_which_may_leave_it_or_go_on_with_it(
    wide, browser, tmp_path
):
    wide.open()
    wide.ask(KNOWN)
    address = wide.page.url
    with watching(browser, wide.server, folder=tmp_path, suffix="colleague") as colleague:
        colleague.page.goto(address)
        colleague.settle()
        colleague.sees("This conversation was started in another browser")
        colleague.sees("between 0.4 and 0.6 metres per second")
        colleague.settle()  # the browser says whose it is once the page is there; then it is drawn again
        assert colleague.page.get_by_text("Delete conversation").count() == 0
        colleague.begin(UNKNOWN)
        colleague.sees("The documents do not cover this", timeout_ms=120_000)
        colleague.settle()
        assert colleague.page.get_by_test_id("stMain").get_by_text(KNOWN).count() == 0  # the menu lists all of them
        assert _session(colleague.page.url) not in ("", _session(address))
        wide.page.reload()
        wide.settle()
        assert "another browser" not in wide.words()  # whoever began it goes on
        assert wide.page.get_by_test_id("stMain").get_by_text(UNKNOWN).count() == 0
        colleague.page.goto(address)
        colleague.settle()
        colleague.page.get_by_role("button", name="Continue this one").click()
        colleague.page.get_by_text("This conversation was started in another browser").wait_for(state="hidden")
        colleague.page.reload()
        colleague.settle()
        assert "was started in another browser" not in colleague.words()  # it is known there now


def test_a_thumb_down_asks_in_place_why_and_a_conversation_is_exported_and_left_by_going_back(wide, data_dir):
    page, note = wide.page, "The unit is missing."
    wide.open()
    wide.ask(KNOWN)
    first, entries = page.url, page.evaluate("() => history.length")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=wide.server)
    page.get_by_role("button", name="Copy").click()
    wide.sees("Copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "between 0.4 and 0.6 metres per second. [" in copied
    assert "\n- [1] Larkfield Institute of Materials Chemistry, " in copied
    page.get_by_role("radio", name="Thumbs down").click()
    page.get_by_role("radio", name="Incomplete").or_(page.get_by_role("button", name="Incomplete")).click()
    wide.settle()
    wide.screenshot("reason")
    page.get_by_placeholder("What is wrong, in your own words").fill(note)
    page.keyboard.press("Enter")
    wide.settle()
    (kept,) = [line for line in _feedback(data_dir) if line["note"] == note]
    assert (kept["verdict"], kept["reason"]) == ("bad", "incomplete")
    assert kept["request_id"] in page.locator(CHIP).first.get_attribute("href")
    wide.ask(UNKNOWN)
    assert page.evaluate("() => history.length") == entries  # one for a conversation, not for each question
    page.locator(".st-key-conversation-menu button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export conversation").click()
    title, answered, refused = Path(download.value.path()).read_text(encoding="utf-8").split("\n---\n\n")
    assert title == "# Conversation with Candor\n"
    assert answered.startswith(f"**{KNOWN}**\n\n")
    assert "\n- [1] Larkfield Institute of Materials Chemistry, " in answered
    assert f"**{UNKNOWN}**\n\nNo answer. " in refused
    page.get_by_label("Name").fill("Hoods and cups")
    page.keyboard.press("Enter")
    wide.settle()
    page.get_by_role("button", name="New question").click()
    wide.settle()
    wide.ask("Which gloves are required for dichloromethane?")
    second = page.url
    page.get_by_role("button", name="Hoods and cups").click()
    wide.sees("between 0.4 and 0.6 metres per second")
    wide.settle()
    assert _session(page.url) == _session(first)
    page.go_back()
    wide.settle()
    wide.sees("laminate gloves")
    assert _session(page.url) == _session(second) != _session(first)


ASKED = (
    (KNOWN, "between 0.4 and 0.6 metres per second"),
    ("By what name are floods caused by volcanoes under the ice known in Iceland?", "jökulhlaup"),
    ("What happened to the glaciers after the Larsen B ice shelf broke up?", "several times faster"),
    (UNKNOWN, "The documents do not cover this"),
)


def test_eight_people_who_ask_at_once_see_their_own_answers_only(browser, server, tmp_path):
    with ExitStack() as contexts:
        people = [contexts.enter_context(watching(browser, server, folder=tmp_path, suffix=str(number)))
                  for number in range(8)]  # fmt: skip
        for person in people:
            person.open()
        for number, person in enumerate(people):
            person.begin(ASKED[number % len(ASKED)][0])  # nobody waits for anybody
        for number, person in enumerate(people):
            question, answer = ASKED[number % len(ASKED)]
            person.page.get_by_role("button", name="Why?").first.wait_for(timeout=240_000)
            person.settle()
            said = person.page.get_by_test_id("stMain").inner_text()  # the menu lists all conversations
            assert question in said
            assert answer in said
            assert not [other for other, _ in ASKED if other != question and other in said]
        assert len({person.page.url for person in people}) == 8  # a conversation each


def _feedback(data_dir):
    return [json.loads(line) for line in (data_dir / "feedback.jsonl").read_text(encoding="utf-8").splitlines()]


def _session(address):
    return address.partition("session=")[2].partition("&")[0]
