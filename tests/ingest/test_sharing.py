"""Several processes on one index: each leaves alone what another one is writing, and takes over what a crash left."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
import sqlalchemy as sql
from indexes import Index
from standins import MadeUpEmbedder

from rag.adapters.journal import LEASE_S, owners
from rag.adapters.processes import Process, has_ended, this_process
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.sql import open_engine, sqlite_url
from rag.errors import IndexNotReady, InvalidDocument
from rag.ingest import indexer as module
from rag.ingest.report import FileOutcome, Progress
from rag.ingest.threads import beating
from rag.protocols import IndexedChunk, SearchScope

ELSEWHERE = Process("elsewhere", "this boot", "another space", 4711, "1")
HERE = Process("here", "this boot", "this space", 12, "2")
LONG = ("The valve of the boiler is tested by the warden on each Monday of the year. " * 150).encode()
SHORT = ("The valve of the boiler is tested by nobody at all on any Sunday. " * 20).encode()


class Shared:
    """A store and a database that servers share; none sees the others' processes."""

    def __init__(self, folder: Path) -> None:
        self.store, self.folder, self.servers = QdrantStore.in_memory(), folder, list[Index]()

    def server(self, process: Process, *, model: str = "one", alone: bool = False) -> Index:
        place = {"store": self.store, "catalogue": self.folder / "catalogue.db", "process": process, "alone": alone}
        self.servers.append(Index(self.folder / f"{len(self.servers)}", MadeUpEmbedder(model), **place))
        return self.servers[-1]

    def stored(self) -> int:
        return self.store.count(SearchScope())

    def assert_whole(self, server: Index, *names: str) -> None:
        """Check that the store holds every chunk of some documents, and none but what the catalogue names."""
        for name in names:
            record = server.catalogue.get(name)
            assert {hit.chunk.chunk_id for hit in self.store.fetch(record.chunk_ids)} == set(record.chunk_ids)
        catalogue = self.server(HERE).catalogue
        assert (catalogue.chunk_count(), catalogue.unfinished()) == (self.stored(), [])

    def silence(self, seconds: int) -> None:
        """Let every owner have been heard of so long ago."""
        engine = open_engine(sqlite_url(self.folder / "catalogue.db"))
        with engine.begin() as connection:
            connection.execute(sql.update(owners).values(seen_at=owners.c.seen_at - seconds))
        engine.dispose()


@pytest.fixture
def shared(tmp_path: Path, small_batches: None) -> Iterator[Shared]:
    opened = Shared(tmp_path)
    yield opened
    for server in opened.servers:
        server.close()


def in_the_middle(shared: Shared, act: Callable[[], object]) -> Callable[[Progress], None]:
    """Return a listener that acts once, when the first part of a document is in the store."""
    acted: list[object] = []

    def told(_: Progress) -> None:
        if not acted and shared.stored():
            acted.append(True)
            act()

    return told


def test_what_another_server_is_writing_is_left_alone_by_one_that_starts_and_refused_by_name(shared):
    first, second = shared.server(HERE), shared.server(ELSEWHERE)
    told: list[FileOutcome] = []

    def meddle() -> None:
        assert second.indexer.recover() == ()
        told.extend(second.upload(name, SHORT) for name in ("manual.txt", "other.txt"))

    done = first.upload("manual.txt", LONG, progress=in_the_middle(shared, meddle))
    assert [each.outcome for each in (*told, done)] == ["failed", "added", "added"]
    assert done.chunks > 8
    assert "'manual.txt' was not ingested: process 12 on 'here'" in str(told[0].reason)
    shared.assert_whole(first, "manual.txt", "other.txt")
    assert second.upload("manual.txt", SHORT).outcome == "replaced"
    shared.assert_whole(second, "manual.txt", "other.txt")


def test_a_document_is_not_removed_nor_the_index_rebuilt_while_another_writes_it_or_where_copies_are_missing(shared):
    first = shared.server(HERE)
    first.upload("manual.txt", LONG)
    second, other = shared.server(ELSEWHERE), shared.server(ELSEWHERE, model="two")
    told: list[Progress] = []

    def disturb(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 3:
            with pytest.raises(InvalidDocument, match=r"'manual\.txt' was not changed: process 12 on 'here'"):
                second.indexer.forget("manual.txt")
            with pytest.raises(IndexNotReady, match=r"process 12 on 'here' is writing or removing 'manual\.txt'"):
                other.indexer.rebuild()

    assert first.upload("manual.txt", LONG, force=True, progress=disturb).outcome == "replaced"
    assert len(told) > 3
    shared.assert_whole(first, "manual.txt")
    assert second.indexer.forget("manual.txt").outcome == "removed"
    assert shared.stored() == 0
    first.upload("manual.txt", SHORT)
    with pytest.raises(IndexNotReady, match=r"1 documents \('manual.txt'\) have neither a copy nor a file"):
        shared.server(ELSEWHERE, model="two").indexer.rebuild()
    shared.assert_whole(first, "manual.txt")
    first.indexer.check()


def left_open(shared: Shared, server: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server end in the middle of a document as a lost machine does: nothing is put right afterwards."""

    def die() -> None:
        monkeypatch.setattr(server.indexer._writer, "settle", dict)
        raise GeneratorExit

    with pytest.raises(GeneratorExit):
        server.upload("manual.txt", LONG, progress=in_the_middle(shared, die))
    assert shared.stored() > 0


def test_what_a_lost_machine_left_is_taken_over_once_it_has_been_silent_for_long_or_by_one_that_is_alone(
    shared, monkeypatch
):
    other = shared.server(HERE)
    left_open(shared, shared.server(ELSEWHERE), monkeypatch)
    shared.silence(LEASE_S - 60)
    assert other.indexer.recover() == ()
    assert shared.stored() > 0
    shared.silence(120)
    assert other.indexer.recover() == ("manual.txt",)
    assert shared.stored() == 0
    assert other.catalogue.unfinished() == []
    left_open(shared, shared.server(ELSEWHERE), monkeypatch)
    assert shared.server(HERE, alone=True).indexer.recover() == ("manual.txt",)  # one alone waits for nobody


@pytest.mark.parametrize("when", ["between two parts", "while a part is written"])
@pytest.mark.parametrize("after", ["nothing", "another version", "the same version", "another version begun"])
def test_a_server_that_was_given_up_meanwhile_says_so_and_leaves_nothing_half_there(shared, monkeypatch, when, after):
    asleep, awake = shared.server(HERE), shared.server(ELSEWHERE)
    upsert, calls = shared.store.upsert, []

    def overslept() -> None:
        shared.silence(LEASE_S + 60)
        assert awake.indexer.recover() == ("manual.txt",)
        if after == "another version begun":
            awake.catalogue.begin("manual.txt", "e" * 64)
        elif after != "nothing":
            awake.upload("manual.txt", LONG if after == "the same version" else SHORT)

    def written(chunks: list[IndexedChunk]) -> None:
        calls.append(True)
        if len(calls) == 2 and when == "while a part is written":  # after the look whether it is still this server's
            overslept()
        upsert(chunks)

    monkeypatch.setattr(shared.store, "upsert", written)
    told = in_the_middle(shared, overslept) if when == "between two parts" else None
    done = asleep.upload("manual.txt", LONG, progress=told)
    assert done.outcome == "failed"
    if when == "between two parts" and after != "another version begun":
        assert "another process removed what was written. Ingest it again." in str(done.reason)
    if after == "another version begun":
        awake.catalogue.finish("manual.txt")
    is_there = after.endswith("version")
    shared.assert_whole(awake, *(["manual.txt"] if is_there else []))
    assert asleep.upload("manual.txt", LONG, force=True).outcome == ("replaced" if is_there else "added")
    shared.assert_whole(asleep, "manual.txt")


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
    if ingested:
        assert second.upload("manual.txt", LONG).outcome == "replaced"
    else:
        assert first.indexer.recover() == ("manual.txt",)
    writer = second if ingested else first
    shared.assert_whole(writer, "manual.txt")
    assert writer.catalogue.hidden_versions() == ()


def test_what_a_killed_process_of_this_machine_left_is_put_right_at_once_and_not_that_of_another_space(shared):
    if not (here := this_process()).started:
        pytest.skip("start times of processes are read from /proc, which only Linux has")
    running = subprocess.Popen(["sleep", "600"])
    stat = Path(f"/proc/{running.pid}/stat").read_text(encoding="ascii")
    process = replace(here, pid=running.pid, started=stat.rpartition(")")[2].split()[19])
    other, own = shared.server(process), shared.server(here)
    other.catalogue.begin("manual.txt", "a" * 64)
    assert own.indexer.recover() == ()
    assert own.catalogue.held_elsewhere() == {"manual.txt": f"process {running.pid} on {here.host!r}"}
    running.kill()
    running.communicate()
    assert own.indexer.recover() == ("manual.txt",)
    assert not has_ended(replace(process, space="another space"), here=here, one_machine=True)
    assert has_ended(replace(here, started="1"), here=here, one_machine=False)  # its number is another's now
    before = replace(HERE, boot="the boot before")
    assert has_ended(before, here=HERE, one_machine=True)
    assert not has_ended(before, here=HERE, one_machine=False)


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
