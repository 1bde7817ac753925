"""Dispatch, and every way in which a file can be refused."""

import contextlib
import subprocess
import sys
from pathlib import Path

import docx
import pytest
from loader_checks import SAMPLES, check, lines, make_docx, make_pdf
from office_files import odt, packed, presentation, rewritten
from PIL import Image
from reportlab.lib.utils import ImageReader

from rag.errors import InvalidDocument
from rag.ingest.loaders import SUPPORTED_SUFFIXES, load, load_bytes


def refused(name: str, data: bytes, **options: int) -> str:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes(name, data, **options)
    assert caught.value.message.startswith(f"{name!r} was not ingested: ")
    assert caught.value.details["document"] == name
    assert caught.value.details["advice"]
    return caught.value.message


def test_supported_suffixes_are_the_documented_ones() -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    told = {suffix for line in page.splitlines() if line.startswith("| `.") for suffix in line.split("|")[1].split()}
    assert {suffix.strip("`") for suffix in told} == set(SUPPORTED_SUFFIXES)


@pytest.mark.parametrize("name", ["safety_manual.pdf", "textbook.md", "travel_policy.docx", "faq.html"])
def test_bytes_and_path_give_the_same_document_and_a_suffix_may_be_in_capitals(name: str) -> None:
    data, document = (SAMPLES / name).read_bytes(), check(load(SAMPLES / name))
    assert document == load_bytes(name, data)
    assert load_bytes(f"C:\\fakepath\\{name.upper()}", data).text == document.text


def test_a_file_that_is_missing_empty_or_too_large_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match=r"'gone.md' was not ingested: it cannot be read"):
        load(tmp_path / "gone.md")
    assert all("empty" in refused(f"a{suffix}", b"") for suffix in SUPPORTED_SUFFIXES)
    message = refused("a.txt", b"x" * 2_000_000, max_bytes=1_000_000)
    assert "too large" in message
    assert "CANDOR_MAX_UPLOAD_MB" in message


PICTURE = make_pdf(lambda canvas: canvas.drawImage(ImageReader(Image.new("RGB", (200, 200), "grey")), 50, 50))
WORD = make_docx(docx.Document())
TEXT = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&e9;'
NAMES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


def word(entities: str) -> bytes:
    """A Word document of a text that stands for something else."""
    xml = f"<!DOCTYPE w [{entities}]>{TEXT}</w:t></w:r></w:p></w:body></w:document>"
    return rewritten(WORD, "word/document.xml", lambda _: xml.encode())


REFUSED = [
    ("a.docx", word(f'<!ENTITY e0 "ha ha">{NAMES}'), "broken"),  # 3 GB
    ("a.docx", word('<!ENTITY e9 SYSTEM "file:///etc/passwd">'), "no text"),
    ("a.txt", b" \n\t\n ", "no text"),
    ("a.md", b"<!-- nothing -->", "no text"),
    ("a.pptx", presentation(lambda deck: deck.slides.add_slide(deck.slide_layouts[6])), "no text"),
    ("a.docx", WORD, "no text"),
    ("a.pdf", make_pdf([]), "no text"),
    ("a.pdf", b"<html>no</html>", "not a PDF"),
    ("a.docx", make_pdf(lines("Hello there")), "a PDF"),
    ("a.docx", b"\xd0\xcf\x11\xe0" + b"0" * 600, "encrypted, or in the old .doc format"),
    ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG picture"),
    ("a.md", b"MZ\x90\x00" + bytes(range(256)) * 8, "a program"),
    ("a.txt", bytes(range(256)) * 20, "binary data"),
    ("a.rtf", b"Just text.", "not RTF but something else"),
    ("a.txt", b"{\\rtf1 Text}", "an RTF file"),
    ("a.pdf", make_pdf(lines("Confidential text"), encrypt="secret"), "encrypted with a password"),
    ("a.pdf", b"%PDF-1.7\n" + b"garbage " * 100, "it is a broken PDF (PDFium: Data format error). Open it in a PDF"),
    ("scan.pdf", PICTURE, "scanned"),
    ("a.docx", WORD[: len(WORD) // 2], "broken"),
    ("a.docx", rewritten(WORD, "word/document.xml", lambda _: b"<w:document"), "broken"),
    ("a.odt", odt("", manifest="<manifest:encryption-data/>"), "encrypted with a password"),
    ("a.csv", b'Item,Note\nlamp,"' + b"x, y\n" * 50_000, "rows cannot be told apart"),
    ("b.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 600, "it is broken or not understood"),
]


@pytest.mark.parametrize(("name", "data", "found"), REFUSED, ids=[f"{name} {found}" for name, _, found in REFUSED])
def test_what_cannot_be_read_is_refused_by_what_it_is(name: str, data: bytes, found: str) -> None:
    assert found in refused(name, data)


def test_pdf_cut_in_half_is_refused_or_read_but_never_crashes() -> None:
    data = (SAMPLES / "safety_manual.pdf").read_bytes()
    for share in (0.1, 0.3, 0.6, 0.9):
        with contextlib.suppress(InvalidDocument):
            assert check(load_bytes("a.pdf", data[: int(len(data) * share)])).pages


@pytest.mark.parametrize(
    ("name", "part", "reason"),
    [
        ("a.docx", "word/document.xml", "not a Word document"),
        ("a.pptx", "ppt/presentation.xml", "not a PowerPoint presentation"),
        ("a.xlsx", "xl/workbook.xml", "not an Excel workbook"),
        ("a.odt", "content.xml", "not an OpenDocument text"),
    ],
)
def test_zip_of_something_else_and_a_zip_bomb_are_refused_and_one_that_climbs_writes_nothing(
    name: str, part: str, reason: str, tmp_path: Path
) -> None:
    assert reason in refused(name, packed({"readme.txt": "hello"}))
    assert "zip bomb" in refused(name, packed({part: "0" * (60 * 2**20)}))
    assert refused(name, packed({part: "<x/>", f"../../../../{tmp_path}/climbed": "x"}))
    assert list(tmp_path.iterdir()) == []


def test_importing_the_loaders_imports_none_of_their_libraries() -> None:
    names = "pypdfium2 docx selectolax markdown_it yaml pptx openpyxl docutils striprtf lxml"
    code = f"import sys, rag.ingest.loaders; print([m for m in '{names}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
