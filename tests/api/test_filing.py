"""Uploads and deletions: they take turns, each has its time, who leaves leaves no trace, and none can mean harm."""

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
from fastapi.testclient import TestClient
from live import LIMIT_S, clock_of, live
from seeds import Breaking
from test_leaving import until

from api.desk import Desk
from rag.candor import Candor

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
    assert (late.status_code, late.json()["error_code"]) == (503, "SERVICE_UNAVAILABLE")
    told = {"dashboard": "within 1 s", "api": "'crane.md' waited 1 s for its turn and was not removed: 'slow.md' has"}
    assert told[by] in late.json()["message"]
    assert late.headers.get("retry-after") == {"dashboard": None, "api": "5"}[by]


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
            assert late.json()["details"]["timeout_s"] == LIMIT_S
        until(lambda: desk.filing.underway == 0)
        assert own.state() == before  # nor was the next file of the request begun
        log = (own.candor.settings.data_dir / "logs" / "candor.jsonl").read_text()
        assert ("ingest_interrupted" in log, "ingest_failed" in log) == (is_gone, not is_gone)
        assert upload(url, (name, NEW)).status_code == 200


def sent_to(client: TestClient, name: str, data: bytes) -> Any:
    return client.post("/api/v1/documents", files={"file": (name, data)})


@pytest.mark.parametrize(
    ("name", "data"),
    [("tool.exe", b"MZ\x00"), ("empty.md", b""), ("fake.pdf", b"not a pdf"), ("a.docx", b"PK\x03\x04")],
)
def test_a_file_that_is_broken_or_not_what_it_says_is_refused_by_name(client, name, data):
    response = sent_to(client, name, data)
    assert (response.status_code, response.json()["error_code"]) == (422, "INVALID_INPUT"), response.text[:300]
    assert name in response.json()["message"]
    assert client.get(f"/api/v1/documents/{name}").status_code == 404


TEXT = b"# Tides\n\nThe spring tide follows the full moon by about two days in this harbour, as the table shows."


def test_a_name_that_climbs_is_kept_without_its_path(client, candor):
    above = candor.settings.data_dir.parent
    was_there = {*above.rglob("*")}
    for before in ("../../", "..\\..\\", "/etc/", "C:\\", "....//....//"):
        response = sent_to(client, f"{before}climbing.md", TEXT)
        assert [file["document"] for file in response.json()["files"]] == ["climbing.md"], before
        assert all(path.is_relative_to(candor.settings.data_dir) for path in {*above.rglob("*")} - was_there)
        assert client.delete("/api/v1/documents/climbing.md").status_code == 200


@pytest.mark.parametrize(
    "name", ["", "..", "../", ".md", "a\x00b.md", "a\nb.md", f"{'a' * 253}.md", f"{'a' * 300}.md", "a.md/", "%00.exe"]
)
def test_a_name_that_is_none_is_refused_or_made_harmless(client, candor, name):
    response = sent_to(client, name, TEXT)
    assert response.status_code in (200, 400, 422), response.text[:300]
    for file in response.json().get("files", ()):
        assert not {"\x00", "/"} & set(file["document"])
        candor.forget(file["document"])
    assert candor.wiring.indexer.recover() == ()  # nothing is left begun


def test_of_two_files_of_one_name_in_a_request_the_first_counts_and_the_second_is_refused_by_name(client):
    first, other = b"# Buoys\n\nThe red buoy is number 7.", b"# Buoys\n\nThe red buoy is number 9."
    parts = [("buoys.md", first), ("elsewhere/buoys.md", other), ("buoys.md", first), ("lights.md", other)]
    told = client.post("/api/v1/documents", files=[("file", part) for part in parts])
    try:
        files = told.json()["files"]
        assert [file["outcome"] for file in files] == ["added", "failed", "unchanged", "added"]
        assert files[1]["document"] == "elsewhere/buoys.md"
        assert "another file of this request has the same. Rename one of them." in files[1]["reason"]
        kept = client.post("/api/v1/retrieve", json={"question": "Which buoy?", "filters": {"source": "buoys.md"}})
        assert "number 7" in kept.json()["retrieved"][0]["content"]
        later = sent_to(client, "buoys.md", other)  # a request of its own says so
        assert later.json()["files"][0]["outcome"] == "replaced"
    finally:
        for name in ("buoys.md", "lights.md"):
            client.delete(f"/api/v1/documents/{name}")


def test_over_http_a_file_may_be_as_large_as_in_a_folder(tmp_path):
    text = b"# Large\n\nThe pump has a flange.\n" + b" " * 1_048_576
    with Candor.open(settings_of(tmp_path)) as small:
        client = Breaking(small).client(max_upload_mb=1)
        fits, too_large = sent_to(client, "fits.md", text[: 1024 * 1024]), sent_to(client, "large.md", text)
    assert (fits.status_code, too_large.status_code) == (200, 422)
    assert "at most 1048576 are accepted (CANDOR_MAX_UPLOAD_MB)" in too_large.json()["message"]
