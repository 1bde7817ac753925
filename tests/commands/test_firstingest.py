"""`candor ingest --if-empty`: samples into an empty index, never beside somebody's documents, and wholly."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from command_line import begun
from library import quiet_settings

from rag import Candor
from rag.commands.documents import NOTE, first_ingest


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe {name} of the papers was written in Larkfield.\n")
    return folder


def names(opened: Candor) -> list[str]:
    return [record.document for record in opened.documents()]


def test_an_empty_index_is_filled_and_one_with_documents_is_not_joined_by_others(papers: Path, tmp_path: Path) -> None:
    with Candor.open(quiet_settings(tmp_path / "data")) as opened:
        assert first_ingest(opened, [papers]).count("added") == 3
        opened.forget("one.md")
        assert first_ingest(opened, [papers]).files == ()
        assert names(opened) == ["three.md", "two.md"]
    with Candor.open(quiet_settings(tmp_path / "own")) as opened:
        opened.ingest([papers / "two.md"])
        assert first_ingest(opened, [papers]).files == ()
        assert names(opened) == ["two.md"]


def test_a_file_that_cannot_be_read_does_not_keep_the_first_ingest_open(papers: Path, tmp_path: Path) -> None:
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with Candor.open(quiet_settings(tmp_path / "data")) as opened:
        assert [file.document for file in first_ingest(opened, [papers]).failed] == ["broken.pdf"]
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


def test_the_command_asks_the_catalogue_wherever_it_is_kept(inside, papers: Path, tmp_path: Path) -> None:
    kept = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    first, again = (inside("ingest", "--if-empty", str(papers), CANDOR_DATABASE_URL=kept) for _ in range(2))
    assert (first.code, again.code) == (0, 0)
    assert first.out.startswith("3 added")
    assert again.out.strip() == "Documents are indexed already: nothing was ingested."
