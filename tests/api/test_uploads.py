"""Uploads that mean harm: bombs, names that climb, files that are not what they say. Through HTTP, all 4xx."""

import io
import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient
from library import ROOT

from api.app import create_api
from rag.candor import Candor

TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
    'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.'
    'document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="{target}"/></Relationships>'
)
WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word_file(document: bytes | str, *, target: str = "word/document.xml") -> bytes:
    """A Word file with this main part."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS.format(target=target))
        archive.writestr("word/document.xml", document)
    return kept.getvalue()


def body_of(text: str, *, before: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{before}<w:document xmlns:w="{WORDS}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p>'
        f"</w:body></w:document>"
    )


def lying(data: bytes, *, declared: int) -> bytes:
    """The same archive, whose directory says that the main part unpacks to fewer bytes than it does."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        real = archive.getinfo("word/document.xml").file_size
    return data.replace(real.to_bytes(4, "little"), declared.to_bytes(4, "little"))


def bomb() -> bytes:
    """500 MB of spaces in half a megabyte."""
    return word_file(body_of(" " * 500_000_000))


def laughing() -> bytes:
    """Entities that stand for entities: 3 GB when they are replaced."""
    names = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)]
    doctype = f'<!DOCTYPE w:document [<!ENTITY e0 "ha ha">{"".join(names)}]>'
    return word_file(body_of("&e9;", before=doctype))


def peeking() -> bytes:
    """An entity that stands for a file of this machine."""
    return word_file(body_of("&f;", before='<!DOCTYPE w:document [<!ENTITY f SYSTEM "file:///etc/passwd">]>'))


def upload(client: TestClient, name: str, data: bytes) -> Any:
    return client.post("/api/v1/documents", files={"file": (name, data)})


@pytest.fixture
def peak_mb():
    """Say by how many megabytes the most memory that this process ever held has grown."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return lambda: (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def test_a_zip_bomb_is_refused_before_it_is_unpacked(client, peak_mb, tmp_path):
    # Made elsewhere: the memory that making it takes is not what is measured.
    code = "import sys; sys.path[:0] = ['.', 'tests', 'tests/api']; from test_uploads import bomb; "
    code += "sys.stdout.buffer.write(bomb())"
    data = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT).stdout
    response = upload(client, "bomb.docx", data)
    assert response.status_code == 422
    assert "zip bomb" in response.json()["message"]
    assert peak_mb() < 300


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("laughing.docx", laughing),
        ("peeking.docx", peeking),
        ("lying.docx", lambda: lying(word_file(body_of("Tides follow the moon. " * 60_000)), declared=200)),
        ("no-word.docx", lambda: word_file("<x/>", target="word/other.xml")),
        ("climbing.docx", lambda: word_file(body_of("x"), target="../../../../etc/passwd")),
        ("cut.docx", lambda: word_file(body_of("Tides."))[:-40]),
        ("a.pdf", lambda: word_file(body_of("Tides follow the moon."))),
        ("a.html", lambda: b"\x7fELF" + bytes(400)),
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


@pytest.mark.parametrize("before", ["../../", "..\\..\\", "/etc/", "C:\\", "....//....//"])
def test_a_name_that_climbs_is_kept_without_its_path(client, candor, before):
    was_there = tree(candor.settings.data_dir.parent)
    response = upload(client, f"{before}climbing.md", TEXT)
    assert [file["document"] for file in response.json()["files"]] == ["climbing.md"]
    new = tree(candor.settings.data_dir.parent) - was_there
    assert all(path.startswith(str(candor.settings.data_dir)) for path in new)
    assert client.delete("/api/v1/documents/climbing.md").status_code == 200


def tree(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


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
    with Candor.open(settings_of(tmp_path, max_upload_mb=1)) as small:
        client = TestClient(create_api(lambda: small, small.settings))
        fits, too_large = upload(client, "fits.md", text[: 1024 * 1024]), upload(client, "large.md", text)
    assert (fits.status_code, too_large.status_code) == (200, 422)
    assert "at most 1048576 are accepted (CANDOR_MAX_UPLOAD_MB)" in too_large.json()["message"]


def test_entries_of_an_archive_are_never_written_where_they_say(client, candor):
    kept = io.BytesIO()
    made = docx.Document()
    made.add_paragraph("The spring tide follows the full moon by about two days in this harbour, as the table shows.")
    made.save(kept)
    with zipfile.ZipFile(kept, "a") as archive:
        archive.writestr("../../../escaped.txt", "out")
        archive.writestr("/tmp/escaped-candor.txt", "out")
    assert upload(client, "tides.docx", kept.getvalue()).status_code == 200
    assert not os.path.exists("/tmp/escaped-candor.txt")  # noqa: PTH110
    assert not list(candor.settings.data_dir.parent.rglob("*escaped*"))
    client.delete("/api/v1/documents/tides.docx")
