"""Several processes on one index: each leaves alone what another one is writing, and takes over what a crash left."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
import sqlalchemy as sql
from killed import MadeUpEmbedder

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process, has_ended, this_process
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import IndexNotReady, InvalidDocument
from rag.ingest import embedding
from rag.ingest import indexer as module
from rag.ingest.indexer import Indexer
from rag.ingest.report import FileOutcome, Progress
from rag.ingest.threads import beating
from rag.protocols import IndexedChunk, SearchScope

ELSEWHERE = Process("elsewhere", "this boot", "another space", 4711, "1")
HERE = Process("here", "this boot", "this space", 12, "2")
LONG = ("The valve of the boiler is tested by the warden on each Monday of the year. " * 150).encode()
SHORT = ("The valve of the boiler is tested by nobody at all on any Sunday. " * 20).encode()


class Server:
    """One of the processes that share a store and a database; none sees the others' processes."""

    def __init__(self, store: QdrantStore, url: str, folder: Path, process: Process, *, alone: bool = False) -> None:
        self.catalogue = SqlCatalogue(url, process=process)
        self.indexer = Indexer(store, self.catalogue, MadeUpEmbedder("one"), files_dir=folder, alone=alone)
        self.upload = self.indexer.ingest_bytes


class Shared:
    """A store and a database that servers share."""

    def __init__(self, folder: Path) -> None:
        self.store, self.url, self._folder = QdrantStore.in_memory(), sqlite_url(folder / "catalogue.db"), folder
        self.servers: list[Server] = []

    def server(self, process: Process, *, alone: bool = False) -> Server:
        files = self._folder / f"files{len(self.servers)}"
        self.servers.append(Server(self.store, self.url, files, process, alone=alone))
        return self.servers[-1]

    def stored(self) -> int:
        return self.store.count(SearchScope())

    def indexed(self) -> int:
        """How many chunks the catalogue names, read anew."""
        catalogue = SqlCatalogue(self.url)
        found = catalogue.chunk_count()
        catalogue.close()
        return found

    def silence(self, seconds: int) -> None:
        """Let every owner have been heard of so long ago."""
        engine = open_engine(self.url)
        with engine.begin() as connection:
            connection.execute(sql.update(owners).values(seen_at=owners.c.seen_at - seconds))
        engine.dispose()


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 4)
    monkeypatch.setattr(module, "EMBEDDED_AT_ONCE", 3)
    opened = Shared(tmp_path)
    yield opened
    for server in opened.servers:
        server.catalogue.close()


def in_the_middle(shared: Shared, act: Callable[[], object]) -> Callable[[Progress], None]:
    """Return a listener that acts once, when the first part of a document is in the store."""
    acted: list[object] = []

    def told(_: Progress) -> None:
        if not acted and shared.stored():
            acted.append(True)
            act()

    return told


def whole(shared: Shared, server: Server, name: str) -> bool:
    """Whether the store holds every chunk of a document that the catalogue names, nothing is open, nothing hidden."""
    record = server.catalogue.get(name)
    assert record is not None
    found = {hit.chunk.chunk_id for hit in shared.store.fetch(record.chunk_ids)}
    return found == set(record.chunk_ids) and server.catalogue.unfinished() == []


def test_a_server_that_starts_leaves_alone_what_another_one_is_writing(shared: Shared) -> None:
    writer, starting = shared.server(HERE), shared.server(ELSEWHERE)
    recovered: list[tuple[str, ...]] = []
    told = in_the_middle(shared, lambda: recovered.append(starting.indexer.recover()))
    done = writer.upload("manual.txt", LONG, progress=told)
    assert (done.outcome, recovered) == ("added", [()])
    assert done.chunks == shared.stored() > 8
    assert whole(shared, writer, "manual.txt")


def test_a_document_that_another_server_is_writing_is_refused_by_name_and_another_one_is_not(shared: Shared) -> None:
    first, second = shared.server(HERE), shared.server(ELSEWHERE)
    told_second: list[FileOutcome] = []

    def both() -> None:
        told_second.append(second.upload("manual.txt", SHORT))
        told_second.append(second.upload("other.txt", SHORT))

    done = first.upload("manual.txt", LONG, progress=in_the_middle(shared, both))
    assert [each.outcome for each in told_second] == ["failed", "added"]
    assert "'manual.txt'" in str(told_second[0].reason)
    assert "process 12 on 'here'" in str(told_second[0].reason)
    assert done.outcome == "added"
    assert whole(shared, first, "manual.txt")
    assert whole(shared, second, "other.txt")
    assert second.upload("manual.txt", SHORT).outcome == "replaced"
    assert whole(shared, second, "manual.txt")
    assert shared.stored() == shared.indexed()


def test_a_document_that_another_server_is_writing_anew_is_neither_removed_nor_the_index_begun_anew(
    shared: Shared,
) -> None:
    first = shared.server(HERE)
    first.upload("manual.txt", LONG)
    second = shared.server(ELSEWHERE)
    refused: list[str] = []

    def disturb() -> None:
        with pytest.raises(InvalidDocument, match=r"'manual\.txt' was not changed: process 12 on 'here'") as caught:
            second.indexer.forget("manual.txt")
        refused.append(caught.value.message)
        other = Indexer(shared.store, second.catalogue, MadeUpEmbedder("two"))
        with pytest.raises(IndexNotReady, match=r"process 12 on 'here' is writing or removing 'manual\.txt'"):
            other.rebuild()

    told: list[Progress] = []

    def once(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 3:
            disturb()

    assert first.upload("manual.txt", LONG, force=True, progress=once).outcome == "replaced"
    assert len(refused) == 1
    assert whole(shared, first, "manual.txt")
    assert second.indexer.forget("manual.txt").outcome == "removed"
    assert shared.stored() == 0


class Dying(BaseException):
    """Ends an ingest as a lost machine does: nothing is put right afterwards."""


def left_open(shared: Shared, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server end in the middle of a document."""

    def die() -> None:
        monkeypatch.setattr(server.indexer._writer, "settle", dict)
        raise Dying

    with pytest.raises(Dying):
        server.upload("manual.txt", LONG, progress=in_the_middle(shared, die))
    assert shared.stored() > 0


def test_what_a_lost_machine_left_is_taken_over_once_it_has_been_silent_for_long_or_by_one_that_is_alone(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, other = shared.server(ELSEWHERE), shared.server(HERE)
    left_open(shared, lost, monkeypatch)
    shared.silence(LEASE_S - 60)
    assert other.indexer.recover() == ()
    assert shared.stored() > 0
    shared.silence(120)
    assert other.indexer.recover() == ("manual.txt",)
    assert shared.stored() == 0
    assert other.catalogue.unfinished() == []
    left_open(shared, shared.server(ELSEWHERE), monkeypatch)
    assert shared.server(HERE, alone=True).indexer.recover() == ("manual.txt",)  # one alone waits for nobody


@pytest.mark.parametrize("others", [(), (SHORT,), (LONG,)])
def test_a_server_that_was_given_up_meanwhile_says_so_and_leaves_nothing_half_there(
    shared: Shared, others: tuple[bytes, ...]
) -> None:
    asleep, awake = shared.server(HERE), shared.server(ELSEWHERE)

    def overslept() -> None:
        shared.silence(LEASE_S + 60)
        assert awake.indexer.recover() == ("manual.txt",)
        assert shared.stored() == 0
        for data in others:
            assert awake.upload("manual.txt", data).outcome == "added"

    done = asleep.upload("manual.txt", LONG, progress=in_the_middle(shared, overslept))
    assert done.outcome == "failed"
    assert "another process removed what was written. Ingest it again." in str(done.reason)
    assert shared.stored() == shared.indexed()
    assert asleep.catalogue.unfinished() == []
    if others:
        assert whole(shared, awake, "manual.txt")
    assert asleep.upload("manual.txt", LONG, force=True).outcome == ("replaced" if others else "added")
    assert whole(shared, asleep, "manual.txt")


@pytest.mark.parametrize("after", ["nothing", "another version", "the same version", "another version begun"])
def test_what_is_written_after_the_take_over_is_taken_out_again(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    asleep, awake = shared.server(HERE), shared.server(ELSEWHERE)
    upsert, calls = shared.store.upsert, []

    def overslept(chunks: list[IndexedChunk]) -> None:
        calls.append(True)
        if len(calls) == 2:  # after the look whether the document is still this server's
            shared.silence(LEASE_S + 60)
            awake.indexer.recover()
            if after == "another version begun":
                awake.catalogue.begin("manual.txt", "e" * 64)
            elif after != "nothing":
                awake.upload("manual.txt", LONG if after == "the same version" else SHORT)
        upsert(chunks)

    monkeypatch.setattr(shared.store, "upsert", overslept)
    assert asleep.upload("manual.txt", LONG).outcome == "failed"
    assert len(calls) >= 2
    assert shared.stored() == shared.indexed()
    if after in ("another version", "the same version"):
        assert whole(shared, awake, "manual.txt")


@pytest.mark.parametrize("ingested", [False, True])
def test_what_another_server_left_half_written_anew_stays_hidden_until_who_has_a_copy_or_the_file_writes_it(
    shared: Shared, caplog: pytest.LogCaptureFixture, ingested: bool
) -> None:
    first, second = shared.server(HERE), shared.server(ELSEWHERE)
    first.upload("manual.txt", SHORT)
    before = first.catalogue.get("manual.txt")
    assert before is not None
    first.catalogue.begin("manual.txt", before.hash)
    shared.store.delete("manual.txt", version=before.hash)
    shared.silence(LEASE_S + 60)
    assert second.indexer.recover() == ("manual.txt",)
    assert second.catalogue.get("manual.txt") == before
    assert second.catalogue.hidden_versions() == (("manual.txt", before.hash),)
    assert "'manual.txt' was cut off while it was written anew, and stays hidden" in caplog.text
    second.indexer.check()
    writer = second if ingested else first
    if ingested:
        assert second.upload("manual.txt", LONG).outcome == "replaced"
    else:
        assert first.indexer.recover() == ("manual.txt",)
    assert whole(shared, writer, "manual.txt")
    assert writer.catalogue.hidden_versions() == ()
    assert shared.stored() == shared.indexed()


def test_a_rebuild_is_refused_where_copies_are_missing_and_removes_nothing(shared: Shared) -> None:
    first = shared.server(HERE)
    first.upload("manual.txt", SHORT)
    catalogue = SqlCatalogue(shared.url, process=ELSEWHERE)
    second = Indexer(shared.store, catalogue, MadeUpEmbedder("two"))
    with pytest.raises(IndexNotReady, match=r"1 documents \('manual.txt'\) have neither a copy nor a file"):
        second.rebuild()
    catalogue.close()
    assert whole(shared, first, "manual.txt")
    first.indexer.check()


def test_what_a_killed_process_of_this_machine_left_is_put_right_at_once(shared: Shared) -> None:
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    running = subprocess.Popen(program, stdin=subprocess.PIPE)
    here = this_process()
    stat = Path(f"/proc/{running.pid}/stat")
    if not stat.exists():
        pytest.skip("start times of processes are read from /proc, which only Linux has")
    started = stat.read_text(encoding="ascii").rpartition(")")[2].split()[19]
    process = Process(here.host, here.boot, here.space, running.pid, started)
    other, own = SqlCatalogue(shared.url, process=process), shared.server(here)
    other.begin("manual.txt", "a" * 64)
    assert own.indexer.recover() == ()
    assert own.catalogue.held_elsewhere() == {"manual.txt": f"process {running.pid} on {here.host!r}"}
    running.kill()
    running.communicate()
    assert own.indexer.recover() == ("manual.txt",)
    other.close()


def test_a_process_has_ended_where_its_number_is_anothers_or_its_one_machine_was_started_anew() -> None:
    here, before = this_process(), replace(HERE, boot="the boot before")
    assert has_ended(before, here=HERE, one_machine=True)
    assert not has_ended(before, here=HERE, one_machine=False)
    assert not has_ended(replace(before, boot=""), here=HERE, one_machine=True)
    assert not has_ended(here, here=here, one_machine=True)
    assert not has_ended(replace(here, space="another space", started="1"), here=here, one_machine=True)
    if here.started:
        assert has_ended(replace(here, started="1"), here=here, one_machine=False)


def test_an_ingest_gives_signs_of_life_while_it_runs(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "beating", partial(beating, every_s=0.01))
    writer, other = shared.server(HERE), shared.server(ELSEWHERE)

    def fall_silent_and_come_back() -> None:
        shared.silence(LEASE_S + 60)
        until = monotonic() + 30
        while not other.catalogue.held_elsewhere() and monotonic() < until:
            sleep(0.01)
        assert other.indexer.recover() == ()

    done = writer.upload("manual.txt", LONG, progress=in_the_middle(shared, fall_silent_and_come_back))
    assert done.outcome == "added"
    assert whole(shared, writer, "manual.txt")


def test_a_commit_after_the_take_over_changes_nothing(shared: Shared) -> None:
    asleep, awake = shared.server(HERE), shared.server(ELSEWHERE)
    awake.upload("manual.txt", SHORT)
    before = awake.catalogue.get("manual.txt")
    assert before is not None
    asleep.catalogue.begin("manual.txt", "f" * 64)
    shared.silence(LEASE_S + 60)
    awake.indexer.recover()
    with pytest.raises(InvalidDocument, match="Ingest it again"):
        asleep.catalogue.commit(before.model_copy(update={"hash": "f" * 64}), {1: 1})
    assert awake.catalogue.get("manual.txt") == before
    assert awake.catalogue.document_frequencies([1]) == {}


def test_renewing_keeps_the_work_of_one_that_takes_long(shared: Shared) -> None:
    slow, other = shared.server(HERE), shared.server(ELSEWHERE)
    slow.catalogue.begin("manual.txt", "a" * 64)
    shared.silence(LEASE_S - 10)
    slow.catalogue.renew()
    shared.silence(LEASE_S - 10)
    assert other.indexer.recover() == ()
    shared.silence(60)
    assert other.indexer.recover() == ("manual.txt",)
