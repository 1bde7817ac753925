"""How long each page takes until it is drawn, in a real browser: `python -m benchmarks.page_times [--home FOLDER]`.

Fills a data folder through Candor's own writers (2,000 documents with made-up vectors, 10,000 recorded requests, 1,000
conversations, a run), serves it, and opens each page in Chromium: for the first time after the start, as a full load,
from the menu, and as a full load while others open the same page at the same moment. The others are sessions without a
browser: on one machine, eight browsers would measure one another. Then it asks: how long after the engine's own time
does the answer stand on the screen? A page is drawn when what it ends with is to be seen and nothing runs. The server's
processor time of a full load is what is left of a figure on a busy machine.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.api_load import cpu_seconds
from benchmarks.figures import kept_or_removed, machine, table
from benchmarks.filled import ROOT, fill, questions
from benchmarks.options import at_least
from rag.bench.processes import RUN
from rag.bench.processes import serving as server
from rag.record import Recorder
from rag.settings import Settings, load_settings

NOBODY = "http://127.0.0.1:9"
MOST, FULL, BEHIND = 1.5, 1.2, 0.3
"""Seconds that may not be exceeded: the first draw of a page, a full load, an answer behind the engine."""
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


class Page(NamedTuple):
    """A page by its address and heading, how the menu calls it, and what it ends with, as a CSS selector."""

    address: str
    title: str
    called: str
    ends: str


PAGES = (
    Page("", "Ask", "New question", '[data-testid="stChatInputTextArea"]:enabled'),
    Page("documents", "Documents", "Documents", '[data-testid="stDataFrame"] canvas'),
    Page("inspector", "Inspect", "Questions", '[class*="st-key-dismiss-"]'),
    Page("evaluate", "Evaluate", "Tests", '[data-testid="stMetric"]'),
    Page("tune", "Tune", "Tune", ".st-key-report"),
    Page("monitor", "Monitor", "Monitor", '[data-testid="stVegaLiteChart"] svg'),
)
DRAWN = """([title, ends]) => document.querySelector('h1')?.innerText === title
    && [...document.querySelectorAll(ends)].some(one => one.getClientRects().length)
    && !document.querySelector('[data-test-script-state="running"], [data-test-script-state$="Requested"]')
    && ![...document.querySelectorAll('[data-testid="stSkeleton"]')].some(one => one.offsetParent)"""
ANSWERS = '[class*="st-key-said-"], [class*="st-key-closest-1-"]'


def main() -> int:
    """Fill, serve, measure, print; exit code 1 where a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page_times", description=__doc__)
    parser.add_argument("--documents", type=at_least(1), default=2_000)
    parser.add_argument("--requests", type=at_least(1), default=10_000)
    parser.add_argument("--conversations", type=at_least(1), default=1_000)
    parser.add_argument("--repeat", type=at_least(1), default=5)
    parser.add_argument("--people", type=at_least(1), default=8)
    parser.add_argument("--home", type=Path, help="a folder to keep, used again where it is filled")
    options = parser.parse_args()
    with kept_or_removed(options.home) as home:
        settings = load_settings(data_dir=home / "data", ollama_host=NOBODY)
        if not (home / "data" / "runs").is_dir():
            begun = perf_counter()
            fill(settings, documents=options.documents, requests=options.requests, conversations=options.conversations)
            print(f"filled in {perf_counter() - begun:.0f} s; {machine()}", flush=True)
        command = [*RUN, "serve", "--host", "127.0.0.1", "--port"]
        with server(command, _environment(settings), ROOT) as (process, url, ready):
            print(f"ready after {ready:.1f} s", flush=True)
            return asyncio.run(measure(url, process, settings, options))


def _environment(settings: Settings) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CANDOR_", "QDRANT_"))}
    return {**kept, "CANDOR_DATA_DIR": str(settings.data_dir), "OLLAMA_HOST": NOBODY, "HF_HUB_OFFLINE": "1"}


async def measure(url: str, process: int, settings: Settings, options: argparse.Namespace) -> int:
    """Open the pages and ask, print what it took, and return whether a limit is exceeded."""
    from playwright.async_api import async_playwright

    chromium = shutil.which("chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=[*ARGUMENTS])
        context = await browser.new_context(viewport={"width": 1280, "height": 800})
        firsts = [await full_load(context, url, page) for page in PAGES]
        await _quiet(process)
        rows, is_slow = [], max(firsts) > MOST
        for page, first in zip(PAGES, firsts, strict=True):
            before = cpu_seconds(process)
            full = [await full_load(context, url, page) for _ in range(options.repeat)]
            cpu = (cpu_seconds(process) - before) / options.repeat
            menu = [await from_menu(context, url, page) for _ in range(options.repeat)]
            many = [await among_many(context, url, page, options.people) for _ in range(options.repeat)]
            is_slow |= statistics.median(full) > FULL or statistics.median(menu) > MOST
            rows.append([page.title, f"{first:.2f}", *map(_told, (full, menu, many)), f"{cpu:.2f}"])
            print(rows[-1], flush=True)
        behind = await behind_the_engine(context, url, settings, options.repeat)
        await browser.close()
    print(table(["page", "first", "full load", "from the menu", f"{options.people} at once", "server's CPU"], rows))
    print(f"seconds, median / worst of {options.repeat}; an answer behind the engine: {_told(behind)}; {machine()}")
    return int(is_slow or statistics.median(behind) > BEHIND)


async def _quiet(process: int) -> None:
    """Wait until a server does nothing of its own any more, as it tries questions that it may suggest."""
    before, now = -1.0, cpu_seconds(process)
    while now - before > 0.1:
        await asyncio.sleep(2)
        before, now = now, cpu_seconds(process)


def _told(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f} / {max(seconds):.2f}"


async def full_load(context: Any, url: str, page: Page) -> float:
    """Return the seconds from an address to the page drawn, in a tab of its own."""
    tab = await context.new_page()
    begun = perf_counter()
    await tab.goto(f"{url}/{page.address}", wait_until="commit")
    await tab.wait_for_function(DRAWN, arg=[page.title, page.ends], timeout=60_000)
    seconds = perf_counter() - begun
    await tab.close()
    return seconds


async def from_menu(context: Any, url: str, page: Page) -> float:
    """Return the seconds from a click in the menu, on another page, to the page drawn."""
    other = PAGES[(PAGES.index(page) + 1) % len(PAGES)]
    tab = await context.new_page()
    await tab.goto(f"{url}/{other.address}")
    await tab.wait_for_function(DRAWN, arg=[other.title, other.ends], timeout=60_000)
    await tab.wait_for_timeout(500)
    begun = perf_counter()
    role = "button" if page is PAGES[0] else "link"
    await tab.get_by_test_id("stSidebar").get_by_role(role, name=page.called).click()
    await tab.wait_for_function(DRAWN, arg=[page.title, page.ends], timeout=60_000)
    seconds = perf_counter() - begun
    await tab.close()
    return seconds


async def among_many(context: Any, url: str, page: Page, people: int) -> float:
    """Return the seconds of a full load while others open the same page."""
    others = [asyncio.create_task(_session(url, page)) for _ in range(people - 1)]
    seconds = await full_load(context, url, page)
    await asyncio.gather(*others)
    return seconds


async def _session(url: str, page: Page) -> None:
    """Open a page as the browser's side of Streamlit does, until its script has ended."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.asyncio.client import connect

    asked = BackMsg()
    asked.rerun_script.page_name = page.address
    async with connect(f"{url.replace('http', 'ws')}/_stcore/stream", max_size=None, origin=url) as socket:  # type: ignore[arg-type]
        await socket.send(asked.SerializeToString())
        async for message in socket:
            if ForwardMsg.FromString(message).WhichOneof("type") == "script_finished":
                return


async def behind_the_engine(context: Any, url: str, settings: Settings, repeat: int) -> list[float]:
    """Ask in one conversation; return by how many seconds each answer stands on the screen after the engine has it."""
    tab, found = await context.new_page(), []
    await tab.goto(url)
    await tab.wait_for_function(DRAWN, arg=[PAGES[0].title, PAGES[0].ends], timeout=60_000)
    for number, question in enumerate(questions()[: repeat + 1]):
        field = tab.get_by_test_id("stChatInputTextArea")
        await field.fill(question)
        begun = perf_counter()
        await field.press("Enter")
        await tab.locator(ANSWERS).nth(number).wait_for(timeout=60_000)
        seconds = perf_counter() - begun
        await tab.wait_for_timeout(2_000)
        took = next(Recorder(settings.data_dir).requests(limit=1)).total_ms
        found.append(seconds - took / 1000)
    return found[1:]


if __name__ == "__main__":
    sys.exit(main())
