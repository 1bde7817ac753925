"""Several processes on one index: each leaves alone what another one is writing, and takes over what a crash left."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
import sqlalchemy as sql
from standins import MadeUpEmbedder

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process, has_ended, this_process
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import IndexNotReady, InvalidDocument
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

    def assert_whole(self, server: Server, *names: str) -> None:
        """Check that the store holds every chunk of some documents, and none but what the catalogue names."""
        for name in names:
            record = server.catalogue.get(name)
            assert {hit.chunk.chunk_id for hit in self.store.fetch(record.chunk_ids)} == set(record.chunk_ids)
        with closing(SqlCatalogue(self.url)) as catalogue:
            assert catalogue.chunk_count() == self.stored()
            assert catalogue.unfinished() == []

    def silence(self, seconds: int) -> None:
        """Let every owner have been heard of so long ago."""
        engine = open_engine(self.url)
        with engine.begin() as connection:
            connection.execute(sql.update(owners).values(seen_at=owners.c.seen_at - seconds))
        engine.dispose()


@pytest.fixture
def shared(tmp_path: Path, small_batches: None) -> Iterator[Shared]:
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


def test_a_server_that_starts_leaves_alone_what_another_one_is_writing(shared):
    writer, starting = shared.server(HERE), shared.server(ELSEWHERE)
    recovered: list[tuple[str, ...]] = []
    told = in_the_middle(shared, lambda: recovered.append(starting.indexer.recover()))
    done = writer.upload("manual.txt", LONG, progress=told)
    assert (done.outcome, recovered) == ("added", [()])
    assert done.chunks == shared.stored() > 8
    shared.assert_whole(writer, "manual.txt")


def test_a_document_that_another_server_is_writing_is_refused_by_name_and_another_one_is_not(shared):
    first, second = shared.server(HERE), shared.server(ELSEWHERE)
    told: list[FileOutcome] = []

    def both() -> None:
        told.extend(second.upload(name, SHORT) for name in ("manual.txt", "other.txt"))

    done = first.upload("manual.txt", LONG, progress=in_the_middle(shared, both))
    assert [each.outcome for each in (*told, done)] == ["failed", "added", "added"]
    assert "'manual.txt' was not ingested: process 12 on 'here'" in str(told[0].reason)
    shared.assert_whole(first, "manual.txt", "other.txt")
    assert second.upload("manual.txt", SHORT).outcome == "replaced"
    shared.assert_whole(second, "manual.txt", "other.txt")


def test_a_document_that_another_server_is_writing_anew_is_neither_removed_nor_the_index_begun_anew(shared):
    first = shared.server(HERE)
    first.upload("manual.txt", LONG)
    second = shared.server(ELSEWHERE)
    told: list[Progress] = []

    def disturb(progress: Progress) -> None:
        told.append(progress)
        if len(told) != 3:
            return
        with pytest.raises(InvalidDocument, match=r"'manual\.txt' was not changed: process 12 on 'here'"):
            second.indexer.forget("manual.txt")
        other = Indexer(shared.store, second.catalogue, MadeUpEmbedder("two"))
        with pytest.raises(IndexNotReady, match=r"process 12 on 'here' is writing or removing 'manual\.txt'"):
            other.rebuild()

    assert first.upload("manual.txt", LONG, force=True, progress=disturb).outcome == "replaced"
    assert len(told) > 3
    shared.assert_whole(first, "manual.txt")
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
    shared, monkeypatch
):
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
def test_a_server_that_was_given_up_meanwhile_says_so_and_leaves_nothing_half_there(shared, others):
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
    shared.assert_whole(awake, *(["manual.txt"] if others else []))
    assert asleep.upload("manual.txt", LONG, force=True).outcome == ("replaced" if others else "added")
    shared.assert_whole(asleep, "manual.txt")


@pytest.mark.parametrize("after", ["nothing", "another version", "the same version", "another version begun"])
def test_what_is_written_after_the_take_over_is_taken_out_again(shared, monkeypatch, after):
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
    if after == "another version begun":
        awake.catalogue.finish("manual.txt")
    shared.assert_whole(awake, *(["manual.txt"] if after.endswith("version") else []))


@pytest.mark.parametrize("ingested", [False, True])
def test_what_another_server_left_half_written_anew_stays_hidden_until_who_has_a_copy_or_the_file_writes_it(
    shared, caplog, ingested
):
    first, second = shared.server(HERE), shared.server(ELSEWHERE)
    first.upload("manual.txt", SHORT)
    before = first.catalogue.get("manual.txt")
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
    shared.assert_whole(writer, "manual.txt")
    assert writer.catalogue.hidden_versions() == ()


def test_a_rebuild_is_refused_where_copies_are_missing_and_removes_nothing(shared):
    first = shared.server(HERE)
    first.upload("manual.txt", SHORT)
    second = Indexer(shared.store, shared.server(ELSEWHERE).catalogue, MadeUpEmbedder("two"))
    with pytest.raises(IndexNotReady, match=r"1 documents \('manual.txt'\) have neither a copy nor a file"):
        second.rebuild()
    shared.assert_whole(first, "manual.txt")
    first.indexer.check()


def test_what_a_killed_process_of_this_machine_left_is_put_right_at_once(shared):
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    running = subprocess.Popen(program, stdin=subprocess.PIPE)
    here = this_process()
    stat = Path(f"/proc/{running.pid}/stat")
    if not stat.exists():
        pytest.skip("start times of processes are read from /proc, which only Linux has")
    started = stat.read_text(encoding="ascii").rpartition(")")[2].split()[19]
    process = Process(here.host, here.boot, here.space, running.pid, started)
    other, own = shared.server(process), shared.server(here)
    other.catalogue.begin("manual.txt", "a" * 64)
    assert own.indexer.recover() == ()
    assert own.catalogue.held_elsewhere() == {"manual.txt": f"process {running.pid} on {here.host!r}"}
    running.kill()
    running.communicate()
    assert own.indexer.recover() == ("manual.txt",)


def test_a_process_has_ended_where_its_number_is_anothers_or_its_one_machine_was_started_anew():
    here, before = this_process(), replace(HERE, boot="the boot before")
    assert has_ended(before, here=HERE, one_machine=True)
    assert not has_ended(before, here=HERE, one_machine=False)
    assert not has_ended(replace(before, boot=""), here=HERE, one_machine=True)
    assert not has_ended(here, here=here, one_machine=True)
    assert not has_ended(replace(here, space="another space", started="1"), here=here, one_machine=True)
    if here.started:
        assert has_ended(replace(here, started="1"), here=here, one_machine=False)


def test_an_ingest_gives_signs_of_life_while_it_runs(shared, monkeypatch):
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
    shared.assert_whole(writer, "manual.txt")
