"""The commands that take documents in, list them and take them out."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

from command_line import begun, clear
from library import quiet_settings

from rag import Candor
from rag.commands import printing as progress
from rag.commands.documents import NOTE, first_ingest
from rag.ingest.report import Progress


def test_documents_are_ingested_listed_skipped_and_forgotten(inside, tmp_path):
    home, file = tmp_path / "data", tmp_path / "snow.md"
    file.write_text("# Snow\n\nSnow is frozen water that falls from clouds in winter.\n", encoding="utf-8")
    first = inside("ingest", str(file), "--json", data_dir=home)
    listed = inside("documents", "--json", data_dir=home)
    again = inside("ingest", str(file), data_dir=home)
    gone = inside("forget", "snow.md", data_dir=home)
    assert (first.code, [each["outcome"] for each in first.json["files"]]) == (0, ["added"])
    (record,) = listed.json
    assert {"document", "pages", "chunks", "chunk_ids", "hash", "ingested_at"} <= set(record)
    assert (record["document"], record["chunks"], len(record["chunk_ids"])) == ("snow.md", 1, 1)
    assert again.out.startswith("1 unchanged")
    assert (gone.code, gone.out) == (0, "Removed snow.md.\n")
    assert inside("documents", "--json", data_dir=home).json == []


def test_a_folder_without_documents_is_told_what_is_read_and_a_file_that_cannot_be_read_is_named(inside, tmp_path):
    (tmp_path / "empty").mkdir()
    for more in ((), ("--if-empty",)):
        ran = inside("ingest", "empty", *more, "--json", data_dir=tmp_path / "data")
        assert (ran.code, ran.json["error_code"], clear(ran)) == (1, "INVALID_INPUT", True)
        assert ".pdf .docx .html" in ran.json["message"]
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.txt").write_text("Gloves are worn with acids, always.", encoding="utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    ran = inside("ingest", str(folder), "--json", data_dir=tmp_path / "data")
    outcomes = {each["document"]: each["outcome"] for each in ran.json["files"]}
    assert (ran.code, outcomes) == (1, {"good.txt": "added", "bad.pdf": "failed"})


def test_progress_with_its_rate_is_drawn_on_the_terminal_and_never_on_standard_output(samples, tmp_path):
    ours, theirs = pty.openpty()  # a terminal for standard error
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    files = samples / "textbook.md", samples / "faq.html"
    process = begun("ingest", *files, data_dir=tmp_path / "data", stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # a terminal ends with an error when its last writer is gone
        while part := os.read(ours, 4096):
            shown += part
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert re.search(r"2/2 \|.*\d+ chunks, \d+/s", shown.decode())
    assert b"left" in shown
    assert out.startswith("2 added; ")
    assert "/s" not in out


def test_where_standard_error_is_no_terminal_a_line_now_and_then_says_how_far_it_is(monkeypatch, capsys):
    with progress.counter("question") as show:
        show(1, 3)  # a short run says nothing
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.counter("question", quiet=True) as show:
        show(1, 3)  # nor one whose output a program reads
    with progress.counter("question") as show:
        show(1, 3)
        show(3, 3)
    with progress.bar() as show:
        show(Progress(files_done=1, files_total=3, chunks_done=20, current="a.md", rate=2.0, seconds_left=75.0))
    told = ["question 1 of 3", "question 3 of 3", "1 of 3 files, 20 chunks, 1 min 15 s left: a.md"]
    assert capsys.readouterr().err.splitlines() == told


def names(opened: Candor) -> list[str]:
    return [record.document for record in opened.documents()]


def test_an_empty_index_is_filled_once_also_by_files_of_which_one_cannot_be_read(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("one", "two", "three"):
        (papers / f"{name}.md").write_text(f"# {name}\n\nThe {name} of the papers was written in Larkfield.\n")
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with Candor.open(quiet_settings(tmp_path / "data")) as opened:
        first = first_ingest(opened, [papers])
        assert (first.count("added"), [file.document for file in first.failed]) == (3, ["broken.pdf"])
        opened.forget("one.md")
        assert first_ingest(opened, [papers]).files == ()
        assert names(opened) == ["three.md", "two.md"]
    with Candor.open(quiet_settings(tmp_path / "own")) as opened:
        opened.ingest([papers / "two.md"])
        assert first_ingest(opened, [papers]).files == ()


def test_a_killed_first_ingest_is_completed_by_the_command(inside, tmp_path: Path) -> None:
    data_dir, papers = tmp_path / "data", tmp_path / "papers"
    papers.mkdir()
    for number in range(15):
        text = " ".join(f"Sentence {i} of paper {number} speaks of Larkfield and its gardens." for i in range(150))
        (papers / f"{number:02}.md").write_text(f"# Paper {number}\n\n{text}\n")
    process = begun("ingest", "--if-empty", papers, data_dir=data_dir, cwd=tmp_path, stderr=subprocess.DEVNULL)
    with process, Candor.open(quiet_settings(data_dir)) as watching:
        while not watching.documents() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        assert 0 < len(watching.documents()) < 15
        assert watching.wiring.catalogue.get_meta(NOTE) == "begun"
    assert inside("ingest", "--if-empty", str(papers)).code == 0
    with Candor.open(quiet_settings(data_dir)) as opened:
        assert len(names(opened)) == 15
