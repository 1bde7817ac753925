"""Drills on a running server: what it needs is killed or filled up, and comes back. Nobody restarts the server."""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import httpx
import pytest
from adapters.postgres import find_binaries, running_postgres
from api_samples import ANSWERED, REFUSED
from drills import Postgres, api_process, fill, small_disk
from interfaces import CANONICAL, OPENAI, V1, events_of, lines_of
from library import candor as run_candor
from library import quiet_settings, read_only
from live import live
from test_leaving import silent_model, until

from rag.candor import Candor
from rag.commands.holder import holder_of
from rag.errors import CandorError

ask = V1.ask
TIDES = {"file": ("tides.md", b"# Tides\n\nThe tide turns twice a day.")}
TRAINING = "How often is the refresher course held?"


@pytest.fixture
def home(library_home, tmp_path):
    """A data folder with the sample library."""
    return Path(shutil.copytree(library_home, tmp_path / "data"))


def logged(home: Path, response: httpx.Response) -> list[str]:
    return [line["event"] for line in lines_of(home / "logs" / "candor.jsonl", response)]


@pytest.mark.postgres
def test_postgres_killed_is_told_in_time_and_nothing_recorded_is_lost(tmp_path, samples):
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed: `apt-get install postgresql`")
    home = tmp_path / "data"
    with running_postgres(binaries) as address:
        with Candor.open(quiet_settings(home, database_url=address)) as candor:
            candor.ingest([samples / "textbook.md"])
        postgres = Postgres(address, binaries)
        with api_process(home, tmp_path / "log", CANDOR_DATABASE_URL=address) as client:
            session = client.post("/api/v1/sessions").json()["session_id"]
            before = ask(client, ANSWERED, session_id=session).json()
            postgres.kill()
            begun = monotonic()
            broken = ask(client, ANSWERED, session_id=session)
            assert monotonic() - begun < 30  # half of what a request may take
            assert broken.status_code == 503, broken.text[:300]
            assert set(broken.json()) == CANONICAL
            assert broken.json()["error_code"] in {"SERVICE_UNAVAILABLE", "VECTOR_DB_ERROR"}
            health = client.get("/api/v1/health").json()
            assert health["services"]["sessions"]["state"] == "disconnected"
            assert client.get("/api/livez").status_code == 200
            postgres.start()
            again = ask(client, ANSWERED, session_id=session)
            assert again.status_code == 200, again.text[:300]
            assert again.json()["answer"] == before["answer"]
            history = client.get(f"/api/v1/sessions/{session}/history").json()
            assert [turn["request_id"] for turn in history] == [before["request_id"], again.json()["request_id"]]
            assert client.get(f"/api/v1/requests/{before['request_id']}").json()["answer"] == before["answer"]
            assert "request_failed" in logged(home, broken)


def test_a_full_disk_costs_no_answer_and_what_was_to_be_recorded_is_written_when_there_is_space(library_home, tmp_path):
    with small_disk(tmp_path / "disk", 400) as disk:
        home = disk / "data"
        subprocess.run(["cp", "-a", "--sparse=always", library_home, home], check=True)
        with api_process(home, tmp_path / "log") as client:
            assert ask(client, ANSWERED).status_code == 200
            fill(disk / "filler")
            asked = [ask(client, question) for question in (ANSWERED, REFUSED, TRAINING)]
            assert [response.status_code for response in asked] == [200, 200, 200]
            for response in (client.post("/api/v1/documents", files=TIDES), client.post("/api/v1/sessions")):
                assert response.status_code in {422, 503}, response.text[:300]
                assert set(response.json()) == CANONICAL
            assert client.get("/api/livez").status_code == 200
            (disk / "filler").unlink()
            assert ask(client, ANSWERED).status_code == 200
            for response in asked:
                assert logged(home, response)[-1] == "answer_returned"
                kept = client.get(f"/api/v1/requests/{response.headers['x-request-id']}").json()
                assert kept["answer"] == response.json()["answer"]
            assert client.post("/api/v1/sessions").status_code == 201
            uploaded = client.post("/api/v1/documents", files=TIDES)
            assert uploaded.status_code == 200, uploaded.text[:300]


def test_an_index_on_a_disk_without_room_is_not_opened_and_the_message_says_how_much_is_left(library_home, tmp_path):
    with small_disk(tmp_path / "disk", 400) as disk:
        subprocess.run(["cp", "-a", "--sparse=always", library_home, disk / "data"], check=True)
        fill(disk / "filler")
        os.truncate(disk / "filler", (disk / "filler").stat().st_size - 20 * 1_048_576)
        ran = run_candor("ask", ANSWERED, "--json", data_dir=disk / "data")
        assert ran.code == 2, ran.err  # not ended by the engine with SIGBUS
        assert "The disk is full: 20.0 MB are left" in ran.err
        assert ran.json["error_code"] == "VECTOR_DB_ERROR"
        (disk / "filler").unlink()
        assert run_candor("ask", ANSWERED, "--json", data_dir=disk / "data").code == 0


def test_a_disk_that_fills_up_during_an_ingest_says_so_and_loses_nothing(tmp_path):
    with small_disk(tmp_path / "disk", 400) as disk:
        notes = tmp_path / "notes"
        notes.mkdir()
        for number in range(5):
            (notes / f"g{number}.txt").write_text(f"Glacier number {number} moved {number * 7 + 3} metres last year.")

        def until_the_disk_is_full() -> None:
            with Candor.open(quiet_settings(disk / "data")) as candor:
                candor.ingest([notes / "g0.txt"])
                fill(disk / "filler")
                candor.ingest([notes])

        with pytest.raises(CandorError, match="disk is full"):  # closing fails too, and does not hide why
            until_the_disk_is_full()
        (disk / "filler").unlink()
        with Candor.open(quiet_settings(disk / "data")) as candor:
            assert [record.document for record in candor.documents()] == ["g0.txt"]
            report = candor.ingest([notes])
            assert (report.failed, len(candor.documents())) == ((), 5)


def test_a_server_that_is_told_to_end_leaves_a_long_upload_at_once_and_the_index_as_it_was(home, tmp_path):
    sentence = "Crane {} of the harbour lifts at most {} tonnes, and its cable was worn in {} places."
    text = "\n\n".join(sentence.format(number, number % 50, number % 9) for number in range(20_000))
    files = {"file": ("cranes.md", text.encode())}
    with (
        ThreadPoolExecutor(1) as pool,
        api_process(home, tmp_path / "log", CANDOR_REQUEST_TIMEOUT_S="1") as client,
    ):
        address = str(client.base_url.join("/api/v1/documents"))
        uploading = pool.submit(httpx.post, address, files=files, timeout=120)
        refused = "/api/v1/documents/none.md"  # in its first of many seconds
        until(lambda: "'cranes.md' has been running" in client.delete(refused).json()["message"])
    told = uploading.result()  # the process has ended: within a batch, or `api_process` would have failed
    assert told.status_code == 503
    assert "The server is shutting down: 'cranes.md' was not indexed" in told.json()["message"]
    with Candor.open(quiet_settings(home)) as candor:
        assert "cranes.md" not in {record.document for record in candor.documents()}
        assert candor.wiring.catalogue.unfinished() == []
        assert candor.ask(TRAINING).outcome == "answered"


def test_a_server_that_is_told_to_end_tells_those_who_wait_for_a_silent_model_and_writes_it_down(home, tmp_path):
    asked = [(V1.path, V1.body(TRAINING)), *((one.path, one.body(TRAINING, stream=True)) for one in (V1, OPENAI))]
    with ThreadPoolExecutor(3) as pool, silent_model() as model:
        with api_process(home, tmp_path / "log", OLLAMA_HOST=model.url, CANDOR_CONCURRENCY="3") as client:
            base = str(client.base_url).rstrip("/")
            asking = [pool.submit(httpx.post, base + path, json=body, timeout=60) for path, body in asked]
            until(lambda: len(model.calls("/api/chat")) == 3)
        whole, streamed, chat = (one.result() for one in asking)  # the process has ended, else `api_process` had failed
    assert (whole.status_code, whole.headers["retry-after"]) == (503, "5")
    assert [streamed.status_code, chat.status_code] == [200, 200]  # these had begun
    for error in (whole.json(), events_of(streamed.text)[-1][1], events_of(chat.text)[-2][1]["error"]):
        assert error["message"].startswith("The server is shutting down, and the question was not answered.")
    for response in (whole, streamed, chat):
        events = logged(home, response)
        assert "request_failed" in events[-2:]
        assert {*events[-2:]} <= {"request_failed", "question_stopped", "gate_decided", "prompt_built"}
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_read_only_folder_is_named_by_health_and_by_every_answer(home, tmp_path):
    with Candor.open(quiet_settings(home)) as opened:
        opened.wiring.sessions.check()  # as in every folder that was served once, there is a database of conversations
    with read_only(home), api_process(home, tmp_path / "log") as client:
        health = client.get("/api/v1/health").json()
        asked = ask(client, TRAINING)
        answers = [asked, client.get("/api/v1/documents"), client.post("/api/v1/sessions")]
    told = f"The data folder {str(home)!r} cannot be written: {str(home)!r} is mounted read-only."
    assert health["status"] == "unavailable"
    assert all(health["services"][name]["detail"].startswith(told) for name in ("qdrant", "sessions"))
    for answer in answers:
        assert (answer.status_code, answer.json()["error_code"]) == (503, "SERVICE_UNAVAILABLE"), answer.text
        assert answer.json()["message"].startswith(told)
        assert answer.json()["details"]["folder"] == str(home)


needs_proc = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="/proc/locks is needed to know who holds it")


@needs_proc
def test_health_beside_a_running_server_is_what_the_server_says_and_names_its_process(home):
    settings = quiet_settings(home)
    with Candor.open(settings) as opened, live(lambda: opened, settings) as url:
        ran = run_candor("health", "--json", data_dir=home)
    assert (ran.code, ran.json["status"], ran.json["services"]["qdrant"]["state"]) == (1, "degraded", "connected")
    assert f"in use by the running process {os.getpid()}, which answers at {url}" in ran.out


@needs_proc
def test_health_beside_a_process_that_cannot_be_asked_is_degraded_and_names_it(home):
    with Candor.open(quiet_settings(home)) as holder:
        holder.wiring.store.check()
        ran = run_candor("health", data_dir=home)
        assert holder_of(home / "index") == os.getpid()
    assert (ran.code, ran.out.splitlines()[0]) == (1, "degraded")
    assert f"in use by the running process {os.getpid()}, which does not serve requests" in ran.out
    assert holder_of(home / "index") is None
