"""A browser page that remembers what it asked for and what went wrong, and the barriers that axe-core finds on it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

KNOWN = "Between which values must the face velocity of a fume hood in use lie?"
UNKNOWN = "Who won the football world cup in 1998?"
_PROBES = ("/_stcore/health", "/_stcore/host-config")
"""Streamlit's own client looks for its server below the path of the page first; that answers 404 by design."""
_SETTLED = """call => {
    const quiet = document.querySelector('h1')
        && !document.querySelector('[data-test-script-state="running"]')
        && !document.querySelector('[data-test-script-state$="Requested"]')
        && !document.querySelector('[data-testid="stStatusWidget"]')
        && ![...document.querySelectorAll('[data-testid="stSkeleton"]')].some(one => one.offsetParent);
    if (!quiet || window.settling !== call) window.quietSince = performance.now();
    window.settling = call;
    return performance.now() - window.quietSince > 500; }"""
"""One run of a page may ask for the next: nothing runs and nothing is missing for half a second on end."""


SEVERE = ("serious", "critical")
LEFT_OUT = ("[disabled]", "[aria-disabled='true']", "[data-stale='true']", "[data-testid='stToast']")
"""WCAG exempts controls that cannot be used, and what is about to be drawn anew; Streamlit's toasts are read aloud, but
their markup, which is not ours, lacks a name."""


def barriers(page: Any) -> list[str]:
    """Return what axe-core calls serious or critical by WCAG 2.2, A and AA: the rule, and up to three places.

    Frames of components are left out.
    """
    from axe_playwright_python.sync_playwright import Axe  # from the extra `test`, as Playwright is

    context = {"exclude": [[one] for one in LEFT_OUT if page.locator(one).count()]}
    options = {"resultTypes": ["violations"], "iframes": False}
    found = Axe().run(page, context=context, options=options).response["violations"]
    return [
        f"{one['id']}: " + "; ".join(f"{node['html'][:120]} ({node['failureSummary']})" for node in one["nodes"][:3])
        for one in found
        if one["impact"] in SEVERE
    ]


class Watched:
    """One page of the dashboard in a real browser; screenshots go to `folder`, with a suffix for width and theme."""

    def __init__(self, page: Any, server: str, *, folder: Path, suffix: str) -> None:
        self.page, self.server, self._folder, self._suffix = page, server, folder, suffix
        self.outside: list[str] = []
        self.console: list[str] = []
        self._settled = 0
        page.on("request", self._on_request)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.console.append(str(error)))

    def _on_request(self, request: Any) -> None:
        own = (self.server, self.server.replace("http", "ws"), "data:", "blob:")
        if not request.url.startswith(own):
            self.outside.append(request.url)

    def _on_console(self, message: Any) -> None:
        address = str((message.location or {}).get("url", ""))
        if message.type == "error" and not address.endswith(_PROBES):
            self.console.append(f"{message.text} {address}")

    def open(self, path: str = "") -> None:
        """Go to a page and wait until it is drawn."""
        self.page.goto(f"{self.server}/{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until nothing runs and nothing is missing; an exception box fails the test."""
        self.page.wait_for_timeout(700)
        self._settled += 1
        self.page.wait_for_function(_SETTLED, arg=self._settled, timeout=90_000)
        assert self.page.locator('[data-testid="stException"]').count() == 0

    def holds(self, is_so: Callable[[], bool]) -> bool:
        """Wait until something is so for a second on end, and return whether that came about within a minute."""
        deadline, since = monotonic() + 60, monotonic()
        while monotonic() < deadline:
            if not is_so():
                since = monotonic()
            elif monotonic() - since > 1:
                return True
            self.page.wait_for_timeout(100)
        return False

    def picture(self, name: str) -> None:
        """Keep what is to be seen now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(self._folder / f"{name}-{self._suffix}.png"))

    def screenshot(self, name: str) -> None:
        """Keep what is to be seen now; a serious barrier to people with disabilities fails the test."""
        self.picture(name)
        if barriers(self.page):
            self.page.wait_for_timeout(1000)  # something may have been fading in
            found = barriers(self.page)
            assert not found, f"barriers in {name}-{self._suffix}: {found}"

    def begin(self, question: str) -> None:
        """Ask on the page Ask, and go on at once."""
        field = self.page.get_by_test_id("stChatInputTextArea")
        field.fill(question)
        field.press("Enter")

    def press(self, key: str) -> None:
        """Press a key once nothing is being drawn (what is being drawn takes none), and wait for what it does."""
        self.settle()
        self.page.keyboard.press(key)
        self.settle()

    def has_focus(self, selector: str) -> bool:
        """Return whether what has the focus now matches a selector."""
        return bool(self.page.evaluate("wanted => document.activeElement.matches(wanted)", selector))

    def tab_to(self, selector: str, *, most: int = 150, key: str = "Tab") -> None:
        """Press Tab until what has the focus matches a selector; the test fails where it is not reached."""
        for _ in range(most):
            self.page.keyboard.press(key)
            if self.has_focus(selector):
                return
        raise AssertionError(f"{selector!r} is not reached by pressing {key} {most} times")

    def words(self) -> str:
        """Return everything that is to be read on the page."""
        return str(self.page.evaluate("() => document.body.innerText"))

    def ask(self, question: str) -> None:
        """Ask on the page Ask, and wait for the outcome: a question and an answer more than before."""
        messages = self.page.get_by_test_id("stChatMessage")
        before = messages.count()
        self.begin(question)
        messages.nth(before + 1).wait_for(timeout=120_000)
        self.settle()

    def sees(self, text: str, *, timeout_ms: int = 90_000) -> None:
        """Wait for a text; the test fails where it does not come."""
        try:
            self.page.get_by_text(text).locator("visible=true").first.wait_for(timeout=timeout_ms)
        except Exception as error:  # Playwright's own class is not at hand where it is not installed
            there = " ".join(self.words().split())[-500:]
            raise AssertionError(f"{text!r} did not come. What is there: … {there}") from error


@contextmanager
def watching(
    browser: Any, server: str, *, folder: Path, suffix: str, width: int = 1280, **context: Any
) -> Iterator[Watched]:
    """A page in a browser context of its own; afterwards: nothing left the machine, nothing broke."""
    opened = browser.new_context(viewport={"width": width, "height": 900}, **context)
    opened.set_default_timeout(90_000)
    page = Watched(opened.new_page(), server, folder=folder, suffix=suffix)
    try:
        yield page
    finally:
        opened.close()
    assert page.outside == []
    assert page.console == []
