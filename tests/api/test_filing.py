"""Uploads and deletions take turns: so many wait, each has its time, and who leaves leaves no trace in the index."""

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from api_samples import settings_of
from live import LIMIT_S, clock_of, live
from test_leaving import until

from api.desk import Desk
from rag.candor import Candor
from rag.ingest import incoming

OLD = b"# Crane\n\nThe harbour crane lifts at most twelve tonnes and is inspected every second Monday."
NEW = b"# Crane\n\nThe harbour crane lifts at most nine tonnes and is inspected by the fire brigade every Friday."


class Own:
    """A Candor over an index of its own whose embedding of windows can be held; a question is let go."""

    def __init__(self, candor: Candor) -> None:
        self.candor, self.go_on, self.reached = candor, Event(), Event()
        self.go_on.set()
        embedder, real = candor.wiring.embedder, candor.wiring.embedder.embed

        def embed(texts: Sequence[str]) -> Any:
            if not self.go_on.is_set() and not texts[0].endswith("?"):
                self.reached.set()
                self.go_on.wait(60)
            return real(texts)

        embedder.embed = embed  # type: ignore[method-assign]

    def hold(self) -> None:
        self.reached.clear()
        self.go_on.clear()

    def documents(self) -> list[str]:
        return [record.document for record in self.candor.documents()]

    def state(self) -> Any:
        wiring = self.candor.wiring
        records = [(each.document, each.hash, each.chunk_ids) for each in self.candor.documents()]
        return records, wiring.catalogue.hidden_versions(), wiring.catalogue.unfinished()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filing") / "data"
    with Candor.open(settings_of(folder)) as candor:
        candor.ingest_bytes("crane.md", OLD)
    return folder


@pytest.fixture
def own(home, tmp_path):
    shutil.copytree(home, tmp_path / "data")
    with Candor.open(settings_of(tmp_path / "data")) as candor:
        opened = Own(candor)
        yield opened
        opened.go_on.set()


@contextmanager
def served(own: Own, **more: Any) -> Iterator[tuple[str, Desk]]:
    desks: list[Desk] = []
    with live(lambda: own.candor, settings_of(own.candor.settings.data_dir, **more), desks=desks) as url:
        yield url, desks[0]
        own.go_on.set()


def begun(url: str, *files: tuple[str, bytes]) -> HTTPConnection:
    """Send an upload and return the connection, on which nobody waits."""
    request = httpx.Request("POST", f"{url}/api/v1/documents", files=[("file", file) for file in files])
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("POST", "/api/v1/documents", request.read(), dict(request.headers))
    return connection


def held(own: Own, url: str, *files: tuple[str, bytes]) -> HTTPConnection:
    """Begin an upload that is held when its first file is embedded."""
    own.hold()
    connection = begun(url, *(files or [("slow.md", NEW)]))
    assert own.reached.wait(60)
    return connection


def answer(connection: HTTPConnection) -> httpx.Response:
    with closing(connection):
        got = connection.getresponse()
        return httpx.Response(got.status, headers=dict(got.headers), content=got.read())


def upload(url: str, *files: tuple[str, bytes]) -> httpx.Response:
    return answer(begun(url, *files))


def test_one_upload_or_deletion_more_than_may_wait_is_told_to_come_back_and_behind_what(own):
    with served(own, ingest_queue_size=1) as (url, desk):
        first = held(own, url)
        second = begun(url, ("next.md", NEW), ("more.md", NEW))  # files of one request need room once
        until(lambda: desk.filing.underway == 2)
        refused = upload(url, ("third.md", NEW)), httpx.delete(f"{url}/api/v1/documents/crane.md", timeout=60)
        own.go_on.set()
        assert [answer(first).status_code, answer(second).status_code] == [200, 200]
        assert upload(url, ("third.md", NEW)).status_code == 200
    for response, name in zip(refused, ("third.md", "crane.md"), strict=True):
        body = response.json()
        assert (response.status_code, body["error_code"]) == (503, "SERVICE_UNAVAILABLE")
        assert response.headers["retry-after"] == "5"
        assert (body["details"]["document"], body["details"]["underway"]) == (name, 2)
        assert "'slow.md' has been running for" in body["message"]


@pytest.mark.parametrize("by", ["api", "dashboard"])
def test_a_deletion_that_a_slow_document_holds_up_says_so_in_time_and_deletes_nothing(own, by):
    with served(own, request_timeout_s=1.0) as (url, _), ThreadPoolExecutor(1) as pool:
        own.hold()
        if by == "dashboard":
            slow = pool.submit(own.candor.ingest_bytes, "slow.md", NEW)
        else:
            slow = pool.submit(upload, url, ("slow.md", NEW))
        assert own.reached.wait(60)
        late = httpx.delete(f"{url}/api/v1/documents/crane.md", timeout=60)
        own.go_on.set()
        slow.result()
        assert own.documents() == ["crane.md", "slow.md"]
        assert httpx.delete(f"{url}/api/v1/documents/crane.md", timeout=60).status_code == 200
    message = late.json()["message"]
    assert (late.status_code, late.json()["error_code"]) == (503, "SERVICE_UNAVAILABLE")
    if by == "dashboard":
        assert "'crane.md' was not removed within 1 s" in message
        assert "dashboard" in message
    else:
        assert "'crane.md' waited 1 s for its turn and was not removed: 'slow.md' has been running" in message
        assert (late.json()["details"]["queued_s"], late.headers["retry-after"]) == (1.0, "5")


@pytest.mark.parametrize("name", ["new.md", "crane.md"])
@pytest.mark.parametrize("is_gone", [False, True])
def test_a_file_whose_time_is_up_or_whose_client_goes_away_leaves_the_index_as_it_was(own, monkeypatch, name, is_gone):
    before, clock = own.state(), clock_of("api.turns", monkeypatch)
    with served(own, ingest_timeout_s=LIMIT_S) as (url, desk):
        connection = held(own, url, (name, NEW), *([("after.md", NEW)] if is_gone else []))
        if is_gone:
            connection.close()
            until(lambda: not desk.filing.working or desk.filing.working.is_left)
            own.go_on.set()
        else:
            clock.forward()
            own.go_on.set()  # a batch that has begun is waited for
            late = answer(connection)
            assert (late.status_code, late.json()["error_code"]) == (503, "SERVICE_UNAVAILABLE")
            assert f"{name!r} was not indexed within 120 s" in late.json()["message"]
            assert "CANDOR_INGEST_TIMEOUT_S" in late.json()["message"]
            assert late.json()["details"]["timeout_s"] == LIMIT_S
        until(lambda: desk.filing.underway == 0)
        assert own.state() == before  # nor was the next file of the request begun
        log = (own.candor.settings.data_dir / "logs" / "candor.jsonl").read_text()
        assert ("ingest_interrupted" in log, "ingest_failed" in log) == (is_gone, not is_gone)
        assert upload(url, (name, NEW)).status_code == 200


def test_a_file_that_is_read_for_too_long_is_left_and_the_next_ones_are_read_after_it(own, monkeypatch):
    reading, go_on, load = Event(), Event(), incoming.load_bytes

    def held(*arguments: Any, **options: Any) -> Any:
        reading.set()
        go_on.wait(60)
        return load(*arguments, **options)

    monkeypatch.setattr(incoming, "load_bytes", held)
    clock = clock_of("api.turns", monkeypatch)
    with served(own, ingest_timeout_s=LIMIT_S) as (url, desk):
        for name in ("slow.md", "next.md"):  # nobody waits for the first while the second is read
            connection = begun(url, (name, NEW))
            until(lambda name=name: desk.filing.working and desk.filing.working.name == name)
            assert reading.wait(60)
            clock.forward()
            assert answer(connection).status_code == 503
        assert httpx.delete(f"{url}/api/v1/documents/crane.md", timeout=60).status_code == 200
        go_on.set()
        assert upload(url, ("next.md", NEW)).status_code == 200
        assert own.documents() == ["next.md"]


def test_a_client_that_goes_away_in_the_queue_is_never_worked_for(own):
    with served(own) as (url, desk):
        first = held(own, url)
        second = begun(url, ("next.md", NEW))
        until(lambda: desk.filing.underway == 2)
        second.close()
        until(lambda: desk.filing.underway == 1)
        own.go_on.set()
        assert answer(first).status_code == 200
        assert own.documents() == ["crane.md", "slow.md"]


def test_when_the_server_ends_an_upload_is_told_so_and_what_waits_is_not_begun(own):
    before = own.state()
    with served(own) as (url, desk):
        both = [held(own, url), begun(url, ("next.md", NEW))]
        until(lambda: desk.filing.underway == 2)
        desk.filing.end()
        own.go_on.set()
        told = [answer(connection) for connection in both]
    assert own.state() == before
    for response in told:
        assert response.status_code == 503
        assert "The server is shutting down" in response.json()["message"]
