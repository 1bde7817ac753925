"""Uploads that mean harm: bombs, names that climb, files that are not what they say. Through HTTP, all 4xx."""

import io
import resource
import subprocess
import sys
import zipfile
from typing import Any

import docx
import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient
from library import ROOT
from seeds import Breaking

from rag.candor import Candor

WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word_file(text: str, *, before: str = "") -> bytes:
    """A Word file of this text; `before` stands at the head of its main part."""
    kept, made = io.BytesIO(), io.BytesIO()
    docx.Document().save(made)
    document = f'<?xml version="1.0"?>{before}<w:document xmlns:w="{WORDS}"><w:body><w:p><w:r><w:t>{text}</w:t>'
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            is_main = name == "word/document.xml"
            archive.writestr(name, f"{document}</w:r></w:p></w:body></w:document>" if is_main else source.read(name))
    return kept.getvalue()


def bomb() -> bytes:
    """500 MB of spaces in half a megabyte."""
    return word_file(" " * 500_000_000)


NAMES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
LAUGHING = f'<!DOCTYPE w:document [<!ENTITY e0 "ha ha">{NAMES}]>'
"""Entities that stand for entities: 3 GB when they are replaced."""
PEEKING = '<!DOCTYPE w:document [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
"""An entity that stands for a file of this machine."""


def upload(client: TestClient, name: str, data: bytes) -> Any:
    return client.post("/api/v1/documents", files={"file": (name, data)})


def most_memory() -> int:
    """Kilobytes that this process ever held at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_zip_bomb_is_refused_before_it_is_unpacked(client):
    # Made elsewhere: the memory that making it takes is not what is measured.
    code = "import sys; sys.path[:0] = ['.', 'tests', 'tests/api']; from test_uploads import bomb; "
    code += "sys.stdout.buffer.write(bomb())"
    data = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT).stdout
    before, response = most_memory(), upload(client, "bomb.docx", data)
    assert response.status_code == 422
    assert "zip bomb" in response.json()["message"]
    assert most_memory() - before < 300_000


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("laughing.docx", lambda: word_file("&e9;", before=LAUGHING)),
        ("peeking.docx", lambda: word_file("&f;", before=PEEKING)),
        ("a.pdf", lambda: word_file("Tides follow the moon.")),
        *(("tool.exe", lambda: b"MZ\x00"), ("empty.md", lambda: b""), ("fake.pdf", lambda: b"not a pdf at all")),
    ],
)
def test_a_file_that_is_broken_or_not_what_it_says_is_refused_by_name(client, name, made):
    response = upload(client, name, made())
    assert response.status_code == 422, response.text[:300]
    assert response.json()["error_code"] == "INVALID_INPUT"
    assert name in response.json()["message"]
    assert "root:" not in response.text
    assert client.get(f"/api/v1/documents/{name}").status_code == 404


TEXT = b"# Tides\n\nThe spring tide follows the full moon by about two days in this harbour, as the table shows."


def test_a_name_that_climbs_is_kept_without_its_path(client, candor):
    above = candor.settings.data_dir.parent
    was_there = {*above.rglob("*")}
    for before in ("../../", "..\\..\\", "/etc/", "C:\\", "....//....//"):
        response = upload(client, f"{before}climbing.md", TEXT)
        assert [file["document"] for file in response.json()["files"]] == ["climbing.md"], before
        assert all(path.is_relative_to(candor.settings.data_dir) for path in {*above.rglob("*")} - was_there)
        assert client.delete("/api/v1/documents/climbing.md").status_code == 200


@pytest.mark.parametrize(
    "name", ["", "..", "../", ".md", "a\x00b.md", "a\nb.md", f"{'a' * 253}.md", f"{'a' * 300}.md", "a.md/", "%00.exe"]
)
def test_a_name_that_is_none_is_refused_or_made_harmless(client, candor, name):
    response = upload(client, name, TEXT)
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
        later = upload(client, "buoys.md", other)  # a request of its own says so
        assert later.json()["files"][0]["outcome"] == "replaced"
    finally:
        for name in ("buoys.md", "lights.md"):
            client.delete(f"/api/v1/documents/{name}")


def test_over_http_a_file_may_be_as_large_as_in_a_folder(tmp_path):
    text = b"# Large\n\nThe pump has a flange.\n" + b" " * 1_048_576
    with Candor.open(settings_of(tmp_path)) as small:
        client = Breaking(small).client(max_upload_mb=1)
        fits, too_large = upload(client, "fits.md", text[: 1024 * 1024]), upload(client, "large.md", text)
    assert (fits.status_code, too_large.status_code) == (200, 422)
    assert "at most 1048576 are accepted (CANDOR_MAX_UPLOAD_MB)" in too_large.json()["message"]
