"""The commands that take documents in, list them and take them out."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress

from command_line import clear
from library import ROOT, Ran, clean_environment

from rag.commands import printing as progress
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


def test_ingest_without_a_path_says_what_to_name(inside, tmp_path):
    ran = inside("ingest", "--json", data_dir=tmp_path / "data")

    assert (ran.code, ran.json["error_code"]) == (1, "INVALID_INPUT")
    assert "--rebuild" in ran.json["message"]


def test_a_file_of_the_same_name_in_another_folder_is_a_document_of_its_own(inside, tmp_path):
    home, files = tmp_path / "data", [tmp_path / folder / "notes.md" for folder in ("a", "b")]
    for file, fact in zip(files, ("Snow is frozen water.", "Rain is liquid water."), strict=True):
        file.parent.mkdir()
        file.write_text(f"# Notes\n\n{fact}\n", encoding="utf-8")
    inside("ingest", str(files[0]), data_dir=home)
    added = inside("ingest", str(files[1]), data_dir=home)
    kept = inside("documents", "--json", data_dir=home).json

    assert (added.code, added.out.splitlines()[0][:7]) == (0, "1 added")
    assert {one["document"]: one["path"] for one in kept} == {
        "notes.md": str(files[0].resolve()),
        "b/notes.md": str(files[1].resolve()),
    }


def test_pruning_names_what_it_removed(inside, tmp_path):
    home, folder = tmp_path / "data", tmp_path / "in"
    folder.mkdir()
    for name in ("kept.md", "gone.md"):
        (folder / name).write_text(f"# {name}\n\nSnow is frozen water.\n", encoding="utf-8")
    inside("ingest", str(folder), data_dir=home)
    (folder / "gone.md").unlink()

    assert "\n  removed gone.md: its file is gone" in inside("ingest", "--prune", str(folder), data_dir=home).out


def test_a_folder_without_documents_is_an_error_that_lists_what_is_read(inside, tmp_path):
    (tmp_path / "empty").mkdir()
    for more in ((), ("--if-empty",)):
        ran = inside("ingest", "empty", *more, "--json", data_dir=tmp_path / "data")

        assert (ran.code, ran.json["error_code"]) == (1, "INVALID_INPUT")
        assert ".pdf .docx .html" in ran.json["message"]
        assert clear(ran)


def test_a_link_that_leads_nowhere_is_named_and_the_code_is_1(inside, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "lost.pdf").symlink_to("nowhere.pdf")
    ran = inside("ingest", str(folder), data_dir=tmp_path / "data")

    assert (ran.code, "lost.pdf" in ran.out, "nowhere.pdf" in ran.out) == (1, True, True)


def on_terminal(*arguments, data_dir):
    """Run the command line with a terminal for standard error; return code, output, and what the terminal showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", "from rag.cli import main; main()", *arguments],
        env={**clean_environment(data_dir), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # a terminal ends with an error when its last writer is gone
        while part := os.read(ours, 4096):
            shown += part
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return Ran(process.returncode, out, shown.decode())


def test_progress_with_its_rate_is_drawn_on_the_terminal_and_never_on_standard_output(samples, tmp_path):
    ran = on_terminal("ingest", str(samples / "textbook.md"), str(samples / "faq.html"), data_dir=tmp_path / "data")

    assert ran.code == 0
    assert re.search(r"2/2 \|.*\d+ chunks, \d+/s", ran.err)
    assert "left" in ran.err
    assert ran.out.startswith("2 added; ")
    assert "/s" not in ran.out


def test_no_progress_is_drawn_where_a_program_reads_the_output(samples, tmp_path):
    ran = on_terminal("ingest", str(samples / "faq.html"), "--json", data_dir=tmp_path / "data")

    assert (ran.code, ran.err) == (0, "")
    assert ran.json["files"][0]["outcome"] == "added"


def test_a_file_that_cannot_be_read_is_named_the_others_are_ingested_and_the_code_is_1(inside, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.txt").write_text("Gloves are worn with acids, always.", encoding="utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    ran = inside("ingest", str(folder), "--json", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert {each["document"]: each["outcome"] for each in ran.json["files"]} == {
        "good.txt": "added",
        "bad.pdf": "failed",
    }


# --- how far a command is, where nobody draws a bar ---


def test_where_standard_error_is_no_terminal_a_line_now_and_then_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.counter("question") as show:
        show(1, 3)
        show(3, 3)

    assert capsys.readouterr().err == "question 1 of 3\nquestion 3 of 3\n"


def test_an_ingest_too_says_now_and_then_how_far_it_is_where_no_bar_is_drawn(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.bar() as show:
        show(Progress(files_done=1, files_total=3, chunks_done=20, current="a.md", rate=2.0, seconds_left=75.0))

    assert capsys.readouterr().err == "1 of 3 files, 20 chunks, 1 min 15 s left: a.md\n"


def test_a_short_run_and_one_whose_output_a_program_reads_say_nothing(monkeypatch, capsys):
    with progress.counter("question") as show:
        show(1, 3)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.counter("question", quiet=True) as show:
        show(1, 3)

    assert capsys.readouterr().err == ""
