"""Data sets that are uploaded: what is kept of them, and what is said of their labels."""

import errno
import json
import shutil
from pathlib import Path

import pytest
from seen import KNOWN, ROOT, Open, button, text_of

from dashboard import running
from rag.candor import Candor
from rag.errors import ServiceUnavailable


@pytest.mark.parametrize("document", ["a.md", "folder/a.md"])
def test_an_uploaded_data_set_says_which_labels_name_a_document_that_it_does_not_have(
    open_page: Open, library: Candor, document: str
) -> None:
    row = {"qid": "1", "question": KNOWN, "answerable": True, "gold": [{"document": document}]}
    test = open_page("evaluate")
    test.text_input(key="dataset_name").set_value("uploaded")
    test.file_uploader(key="dataset_questions").set_value(("questions.jsonl", json.dumps(row).encode(), "text/plain"))
    test.file_uploader(key="dataset_documents").set_value([("a.md", b"# A\n\nText of a.\n", "text/markdown")])
    try:
        button(test, "Keep it").click().run()
        told = text_of(test)
        assert "Kept uploaded with 1 question" in told
        assert str(test.selectbox(key="dataset").value) == str(running.datasets_folder(library) / "uploaded")
        assert ("that the data set does not have: 'folder/a.md'" in told) is (document == "folder/a.md")
    finally:
        shutil.rmtree(running.datasets_folder(library) / "uploaded", ignore_errors=True)


def test_an_uploaded_data_set_with_a_broken_line_is_not_kept(library: Candor) -> None:
    from rag.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match=r"^mine\.jsonl, line 1: not JSON"):
        running.keep_dataset(library, "broken", b"no json\n", [], called="mine.jsonl")
    with pytest.raises(ConfigurationError, match=r"^'mine.jsonl' holds no question\."):
        running.keep_dataset(library, "broken", b"", [], called="mine.jsonl")
    with pytest.raises(ConfigurationError, match=r"^'mine\.jsonl' cannot be read as UTF-8"):
        running.keep_dataset(library, "broken", b"\xff\xfe", [], called="mine.jsonl")
    assert running.known_datasets(library) == [ROOT / "samples"]


def test_an_upload_that_the_disk_has_no_room_for_leaves_nothing_behind(
    library: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "second.md":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with pytest.raises(ServiceUnavailable, match="No space left on device"):
            running.keep_dataset(library, "mine", line, [("stale.md", b"# Old"), ("second.md", b"# More")])
    assert running.known_datasets(library) == [ROOT / "samples"]
    kept = running.keep_dataset(library, "mine", line, [("fresh.md", b"# New\n\nText.\n")])
    assert [path.name for path in kept.documents] == ["fresh.md"]
    running._remove(kept.folder)


def test_an_upload_that_is_still_being_written_is_not_listed(library: Candor) -> None:
    unfinished = running.datasets_folder(library) / ".unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "questions.jsonl").touch()
    assert running.known_datasets(library) == [ROOT / "samples"]
    running._remove(unfinished)


def test_an_uploaded_data_set_is_at_hand(library: Candor, tmp_path: Path) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    kept = running.keep_dataset(library, "my set", line, [("a.md", b"# A\n\nText of a.\n")])
    assert (kept.name, len(kept.questions), len(kept.documents)) == ("my_set", 1, 1)
    assert kept.folder in running.known_datasets(library)
    running._remove(kept.folder)
