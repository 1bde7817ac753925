"""Ask in a real browser: chips, links, somebody else's conversation, export, notes, and all of it without a mouse."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from contrast import faint_texts
from watched import Watched, watching

pytestmark = pytest.mark.e2e
KNOWN = "Between which values must the face velocity of a fume hood in use lie?"
UNKNOWN = "Who won the football world cup in 1998?"
CHIP = 'a[href^="#source-"]'
PANEL = ".st-key-ask-panel"


def test_a_chip_opens_its_source_and_the_conversation_stays(wide: Watched) -> None:
    page = wide.page
    wide.open()
    wide.ask(KNOWN)
    address = page.url
    wide.sees("the excerpt is framed")  # beside it, without a click
    page.frame_locator("iframe").first.locator("canvas").first.wait_for(timeout=30_000)
    wide.screenshot("chip")
    assert page.get_by_role("dialog").count() == 0
    page.get_by_role("button", name="Close").click()
    page.locator(PANEL).wait_for(state="detached")
    wide.ask("Which gloves are required for dichloromethane?")
    assert page.get_by_test_id("stChatMessage").get_by_text(KNOWN).count() == 1
    assert _session(page.url) == _session(address) != ""
    page.locator(CHIP).first.click()  # of the first answer
    wide.sees("2.1 How a fume hood protects")


def test_the_address_in_a_reference_is_easy_to_read(watched: Watched) -> None:
    watched.open("?confidence_threshold=0.2")
    watched.ask("What is firn?")
    watched.page.locator(CHIP).first.click()
    panel = watched.page.locator(PANEL)
    panel.get_by_text("[Online]. Available:").wait_for()
    watched.settle()
    assert panel.get_by_role("link").first.inner_text().startswith("https://")  # else there is nothing to be read
    watched.screenshot("source-online")
    assert faint_texts(watched.page) == []


def test_a_conversation_is_deleted_and_the_page_stays_whole(wide: Watched) -> None:
    page = wide.page
    wide.open()
    wide.ask(KNOWN)
    wide.opens_menu()
    page.get_by_role("button", name="Delete conversation").click()
    page.get_by_role("button", name="Delete it").click()
    wide.sees("The conversation is deleted.")
    wide.settle()
    assert page.locator("h1").inner_text() == "Ask"
    assert page.get_by_test_id("stChatMessage").count() == 0
    wide.screenshot("deleted")


def test_what_was_typed_stands_there_as_it_was_typed(wide: Watched) -> None:
    typed = "Is p >= 5 and q <= 3 -> go, x <-> y -- or :smile: :material/home: ~= *it*?"
    wide.open()
    wide.ask(typed)
    shown = wide.page.get_by_test_id("stChatMessage").first.inner_text()
    assert typed in shown.replace("\u2060", "")
    assert (
        wide.page.locator('[data-testid="stChatMessage"] [data-testid="stIconMaterial"]', has_text="home").count() == 0
    )


def is_in_sight(wide: Watched, box: Any) -> bool:
    place = box.bounding_box()
    return bool(place) and 0 <= place["y"] <= wide.page.viewport_size["height"] - place["height"]


def test_an_error_after_a_refusal_is_in_sight_and_no_question_can_be_too_long(wide: Watched) -> None:
    wide.open()
    wide.ask(UNKNOWN)
    wide.begin("??")
    wide.settle()
    box = wide.page.get_by_text("too short").last
    box.wait_for()
    assert wide.holds(partial(is_in_sight, wide, box))
    field = wide.page.get_by_test_id("stChatInputTextArea")
    field.press_sequentially("g" * 30)
    field.fill("g" * 1200)
    assert len(field.input_value()) <= 1000


def test_a_long_refusal_is_shown_from_its_beginning(watched: Watched) -> None:
    watched.open()
    watched.ask(KNOWN)
    watched.ask(UNKNOWN)

    def is_shown_from_its_beginning() -> bool:
        question = watched.page.get_by_text(UNKNOWN).last.bounding_box()
        refusal = watched.page.get_by_text("The documents do not cover this").last.bounding_box()
        field = watched.page.get_by_test_id("stChatInput").bounding_box()
        return 0 <= question["y"] < refusal["y"] < field["y"]

    assert watched.holds(is_shown_from_its_beginning)
    watched.screenshot("refusal-beginning")


def test_ask_is_used_with_the_keyboard_alone(wide: Watched, data_dir: Path) -> None:
    page, keys = wide.page, wide.page.keyboard
    wide.open()
    assert page.evaluate("() => document.activeElement.matches('[data-testid=stChatInputTextArea]')")
    keys.type(KNOWN)
    keys.press("Enter")
    page.get_by_role("button", name="Why?").wait_for(timeout=60_000)
    wide.settle()
    wide.tab_to(CHIP, key="Shift+Tab")
    wide.screenshot("keyboard-chip")
    keys.press("Enter")
    wide.sees("the excerpt is framed")
    wide.settle()
    assert page.evaluate("wanted => document.activeElement.matches(wanted)", CHIP)  # where one was
    wide.tab_to('[data-testid="stFeedback"] button')
    keys.press("Enter")
    wide.sees("Thank you: kept with the request.")
    request_id = page.locator(CHIP).first.get_attribute("href").removeprefix("#source-").removesuffix("-1")
    assert _feedback(data_dir)[-1]["request_id"] == request_id


def test_a_link_from_the_address_bar_shows_the_conversation_and_leads_out_of_it(
    wide: Watched, browser: object, tmp_path: Path
) -> None:
    wide.open()
    wide.ask(KNOWN)
    address = wide.page.url
    wide.page.reload()
    wide.settle()
    assert "another browser" not in wide.words()  # whoever began it goes on
    with watching(browser, wide.server, folder=tmp_path, suffix="colleague") as colleague:
        colleague.page.goto(address)
        colleague.settle()
        colleague.sees("This conversation was begun in another browser")
        colleague.sees("between 0.4 and 0.6 metres per second")
        colleague.settle()  # the browser says whose it is once the page is there; then it is drawn again
        assert colleague.page.get_by_text("Delete conversation").count() == 0
        colleague.begin(UNKNOWN)
        colleague.sees("The documents do not cover this", timeout_ms=60_000)
        colleague.settle()
        assert colleague.page.get_by_test_id("stMain").get_by_text(KNOWN).count() == 0  # the menu lists all of them
        assert _session(colleague.page.url) not in ("", _session(address))
    wide.page.reload()
    wide.settle()
    assert wide.page.get_by_test_id("stMain").get_by_text(UNKNOWN).count() == 0


def test_whoever_comes_with_another_browser_may_go_on_with_a_conversation(
    wide: Watched, browser: object, tmp_path: Path
) -> None:
    wide.open()
    wide.ask(KNOWN)
    with watching(browser, wide.server, folder=tmp_path, suffix="other") as other:
        other.page.goto(wide.page.url)
        other.settle()
        other.page.get_by_role("button", name="Go on with this one").click()
        other.page.get_by_text("This conversation was begun in another browser").wait_for(state="hidden")
        other.page.reload()
        other.settle()
        assert "was begun in another browser" not in other.words()  # it is known there now
        other.ask(UNKNOWN)
        assert _session(other.page.url) == _session(wide.page.url)
    wide.page.reload()
    wide.settle()
    wide.sees(UNKNOWN)


def test_the_link_of_a_question_asks_it_anew_with_its_settings(wide: Watched, browser: object, tmp_path: Path) -> None:
    wide.open("?top_k=3&document=safety_manual.pdf")
    wide.ask(KNOWN)
    wide.page.get_by_role("button", name="Link", exact=False).last.click()
    shown = wide.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").last
    shown.wait_for()
    wide.screenshot("link")
    address = shown.inner_text().strip()
    assert "session" not in address
    with watching(browser, wide.server, folder=tmp_path, suffix="colleague") as colleague:
        colleague.page.goto(address)
        colleague.settle()
        colleague.page.get_by_role("button", name="Ask this").click()
        colleague.sees("between 0.4 and 0.6 metres per second", timeout_ms=60_000)
        colleague.settle()
        assert _session(colleague.page.url) not in ("", _session(wide.page.url))
        assert "top_k=3" in colleague.page.url
        assert "document=safety_manual.pdf" in colleague.page.url


def test_a_question_that_a_filter_refused_is_asked_again_everywhere(wide: Watched) -> None:
    wide.open("?document=textbook.md&confidence_threshold=0.5")
    wide.ask(KNOWN)
    wide.sees("The documents do not cover this")
    wide.page.get_by_role("button", name="Ask again everywhere").click()
    wide.sees("between 0.4 and 0.6 metres per second", timeout_ms=60_000)
    wide.settle()
    assert "document=" not in wide.page.url
    wide.page.get_by_role("button", name="Why?").first.click()  # of the refusal
    wide.page.get_by_role("link", name="All of it, on Questions").click()
    wide.page.get_by_role("heading", name="Inspect").wait_for()
    wide.settle()
    wide.page.get_by_role("link", name="Ask again everywhere").click()
    wide.page.get_by_role("button", name="Ask this").click()
    wide.sees("between 0.4 and 0.6 metres per second", timeout_ms=60_000)


def test_a_conversation_is_exported_with_ieee_references(wide: Watched) -> None:
    wide.open()
    wide.ask(KNOWN)
    wide.ask(UNKNOWN)
    wide.opens_menu()
    with wide.page.expect_download() as download:
        wide.page.get_by_role("button", name="Export conversation").click()
    assert download.value.suggested_filename == "conversation.md"
    text = Path(download.value.path()).read_text(encoding="utf-8")
    title, answered, refused = text.split("\n---\n\n")
    assert title == "# Conversation with Candor\n"
    assert answered.startswith(f"**{KNOWN}**\n\n")
    assert "between 0.4 and 0.6 metres per second. [" in answered
    assert "\n- [1] Larkfield Institute of Materials Chemistry, " in answered
    assert "p. 6, sec. 2.1" in answered
    assert f"**{UNKNOWN}**\n\nNo answer. " in refused
    assert "[1]" not in refused
    assert text.count("\n_req_") == 2


def test_a_thumb_down_asks_in_place_why(wide: Watched, data_dir: Path) -> None:
    page, note = wide.page, "The unit is missing."
    wide.open()
    wide.ask(KNOWN)
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


def test_the_menu_leads_back_to_the_conversation_and_the_thumb_is_still_there(wide: Watched) -> None:
    page = wide.page
    wide.open()
    wide.ask(KNOWN)
    session = _session(page.url)
    page.get_by_role("radio", name="Thumbs down").click()
    wide.settle()
    menu = page.get_by_test_id("stSidebar")
    menu.get_by_role("link", name="Documents").click()
    wide.settle()
    assert _session(page.url) == ""
    menu.get_by_text("Conversations").click()
    menu.get_by_role("button", name=KNOWN[:30]).first.click()
    wide.sees("between 0.4 and 0.6 metres per second")
    wide.settle()
    assert _session(page.url) == session
    for _ in range(2):  # after the menu, and after a reload
        assert page.get_by_role("radio", name="Thumbs down").is_checked()
        page.reload()
        wide.settle()


def test_a_conversation_is_renamed_found_again_and_reached_by_going_back(wide: Watched) -> None:
    page = wide.page
    wide.open()
    wide.ask(KNOWN)
    first, entries = page.url, page.evaluate("() => history.length")
    wide.ask("Which gloves are required for dichloromethane?")
    assert page.evaluate("() => history.length") == entries  # one for a conversation, not for each question
    wide.opens_menu()
    page.get_by_label("Name").fill("Hoods and gloves")
    page.keyboard.press("Enter")
    wide.settle()
    page.get_by_role("button", name="New question").click()
    wide.settle()
    wide.ask(UNKNOWN)
    page.get_by_placeholder("Search").fill("gloves")
    page.keyboard.press("Enter")
    wide.settle()
    page.get_by_role("button", name="Hoods and gloves").wait_for()
    assert page.get_by_role("button", name=UNKNOWN[:20]).count() == 0
    page.get_by_role("button", name="Hoods and gloves").click()
    wide.sees("between 0.4 and 0.6 metres per second")
    wide.settle()
    assert _session(page.url) == _session(first)
    page.go_back()
    wide.settle()
    wide.sees("The documents do not cover this")
    assert _session(page.url) not in ("", _session(first))


def _feedback(data_dir: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (data_dir / "feedback.jsonl").read_text(encoding="utf-8").splitlines()]


def _session(address: str) -> str:
    return address.partition("session=")[2].partition("&")[0]
