"""A data folder into a file and back: of one moment while others write, whole or not at all, whatever is cut off."""

import gzip
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from library import ROOT, candor, clean_environment, quiet_settings

from rag.backup import restoring
from rag.backup.restoring import restore
from rag.backup.saving import MANIFEST, back_up
from rag.candor import Candor
from rag.errors import FolderUnwritable, InvalidDocument
from rag.ingest.writers import NAME, WritersLock


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """A data folder with two documents, an answer, a conversation's database and a judgement."""
    folder = tmp_path_factory.mktemp("kept") / "data"
    with Candor.open(quiet_settings(folder)) as own:
        own.ingest([samples / "textbook.md", samples / "faq.html"])
        answer = own.ask("How long may I keep a book?")
        own.wiring.recorder.feedback(answer.request_id, "good")
        own.wiring.sessions.keys.create("desk")
    return folder


@pytest.fixture(scope="module")
def file(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("backup") / "candor.tar.gz"
    back_up(quiet_settings(kept), target)
    return target


def test_what_is_restored_answers_lists_and_knows_its_keys_as_before(kept: Path, file: Path, tmp_path: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    with tarfile.open(file) as archive:
        names = archive.getnames()
    assert names[0] == MANIFEST
    assert not [name for name in names if name.startswith(("cache", NAME)) or name.endswith("-wal")]
    data = tmp_path / "data"
    data.mkdir()
    sqlite3.connect(data / "catalogue.db").close()
    with pytest.raises(InvalidDocument, match="--replace"):
        restore(file, data)
    restore(file, data, replace=True)
    with Candor.open(quiet_settings(kept)) as before, Candor.open(quiet_settings(data)) as after:
        assert after.documents() == before.documents()
        question = "How long may I keep a book?"
        assert after.ask(question, no_llm=True).answer == before.ask(question, no_llm=True).answer
        assert [key.name for key in after.wiring.sessions.keys.list()] == ["desk"]
        recorded = min(after.wiring.recorder.requests(), key=lambda request: request.timestamp)
        assert after.wiring.recorder.verdict(recorded.request_id) == "good"


def test_no_secret_setting_is_in_the_manifest(kept: Path, tmp_path: Path) -> None:
    settings = quiet_settings(kept, openai_api_key="hidden-1", database_url="sqlite:///hidden-2", top_k=7)
    manifest = back_up(settings, tmp_path / "candor.tar.gz")
    assert manifest.settings["top_k"] == "7"
    assert "hidden" not in manifest.model_dump_json()
    assert any("CANDOR_DATABASE_URL" in what for what in manifest.elsewhere)


def test_who_opens_the_index_waits_for_a_backup_and_not_for_another_writer(tmp_path: Path) -> None:
    path = tmp_path / NAME
    writing, other, backup = WritersLock(path), WritersLock(path), WritersLock(path, alone=True)
    with writing, writing:
        assert other.acquire(timeout=0)
        other.release()
        assert not backup.acquire(timeout=0)
    with backup:
        assert not other.acquire(timeout=0)


def test_a_backup_beside_a_server_that_ingests_is_of_one_moment(tmp_path: Path, samples: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "candor.tar.gz"
    with Candor.open(quiet_settings(data)) as own:
        own.ingest([samples / "faq.html"])

        def write() -> None:
            for number in range(8):
                own.ingest_bytes(f"note-{number}.md", f"# Note {number}\n\nPump {number} stands still.".encode())

        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            made = candor("backup", str(file), data_dir=data)
            writing.result(120)
    assert made.code == 0, made.err
    restore(file, tmp_path / "again")
    with Candor.open(quiet_settings(tmp_path / "again")) as again:
        again.wiring.indexer.check()
        assert again.wiring.catalogue.unfinished() == []
        assert sum(record.chunks for record in again.documents()) == again.wiring.catalogue.chunk_count() > 0
        assert None not in [again.wiring.indexer._originals.source(record) for record in again.documents()]


KILLED = """
import os, signal, sys, tarfile
from pathlib import Path
from rag.backup import restoring, saving
from rag.settings import load_settings
action, file, step = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
taken = 0
def counted(inner):
    def call(*arguments, **options):
        global taken
        taken += 1
        if taken == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return inner(*arguments, **options)
    return call
settings = load_settings()
if action == "backup":
    tarfile.TarFile.addfile = counted(tarfile.TarFile.addfile)
    saving.back_up(settings, file)
else:
    Path.rename = counted(Path.rename)
    restoring.restore(file, settings.data_dir, replace=True)
print(taken)
"""


def killed(action: str, file: Path, data: Path, step: int) -> int:
    """Do it, and die at a step; return how many there were, 0 where the process died."""
    command = [sys.executable, "-c", KILLED, action, str(file), str(step)]
    environment = {**clean_environment(data), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return int(done.stdout or 0)


def test_a_killed_backup_leaves_the_earlier_one_and_a_killed_restore_refuses_all_else(kept, file, tmp_path) -> None:
    target = tmp_path / "candor.tar.gz"
    shutil.copy(file, target)
    before = target.read_bytes()
    for step in (1, 4):
        assert killed("backup", target, kept, step) == 0
        assert target.read_bytes() == before
    assert killed("backup", target, kept, 0) > 4
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    old = tmp_path / "old"
    with Candor.open(quiet_settings(old)) as own:
        own.ingest_bytes("older.md", b"# Older\n\nThis stood here before.")
    shutil.copytree(old, tmp_path / "trial")
    steps = killed("restore", file, tmp_path / "trial", 0)
    assert steps > 6
    for step in range(1, steps + 1):
        data = tmp_path / f"data-{step}"
        shutil.copytree(old, data)
        assert killed("restore", file, data, step) == 0
        if step == 1:  # it was not whole yet: nothing has changed
            with Candor.open(quiet_settings(data)) as own:
                assert [record.document for record in own.documents()] == ["older.md"]
            restore(file, data, replace=True)
        else:
            with pytest.raises(FolderUnwritable, match="was interrupted"):
                Candor.open(quiet_settings(data)).documents()
            restoring.complete(data)
        with Candor.open(quiet_settings(data)) as own:
            assert [record.document for record in own.documents()] == ["faq.html", "textbook.md"]
        assert not [path for path in data.iterdir() if path.name.startswith(("restor", "replaced"))]


def test_a_file_that_is_cut_off_another_s_or_writes_outside_the_folder_is_refused_and_changes_nothing(file, tmp_path):
    whole = file.read_bytes()
    contents = {"half": whole[: len(whole) // 2], "cut": whole[:-9], "text": gzip.compress(b"no archive" * 1000)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for name in ("test.py", "../outside"):
        with tarfile.open(tmp_path / f"{Path(name).stem}-archive", "w:gz") as archive:
            archive.add(__file__, arcname=name)
    for name in (*contents, "test-archive", "outside-archive"):
        said = "not a backup of Candor" if name == "test-archive" else "not a complete backup"
        with pytest.raises(InvalidDocument, match=said):
            restore(tmp_path / name, tmp_path / "data")
    assert {path.name for path in (tmp_path / "data").iterdir()} <= {NAME}
    assert not (tmp_path / "outside").exists()


def test_the_commands_tell_what_was_done_and_which_settings_differ_and_refuse_a_folder_in_use(kept, tmp_path):
    target, data = tmp_path / "candor.tar.gz", tmp_path / "data"
    shutil.copytree(kept, tmp_path / "torn")
    with (tmp_path / "torn" / "feedback.jsonl").open("ab") as feedback:
        feedback.write(b'{"half of')
    made = candor("backup", str(target), "--json", data_dir=tmp_path / "torn", CANDOR_TOP_K="7")
    assert made.json["bytes"] == target.stat().st_size
    put_back = candor("restore", str(target), data_dir=data)
    assert "was restored to its state of" in put_back.out
    assert "CANDOR_TOP_K=7; here it is 5" in put_back.err
    assert (data / "feedback.jsonl").read_bytes().endswith(b"}\n")  # a torn last line is left out
    with Candor.open(quiet_settings(data)) as own:
        assert own.pipeline
        refused = candor("restore", str(target), "--replace", data_dir=data)
    assert (refused.code, "Stop the server" in refused.err) == (1, True)
