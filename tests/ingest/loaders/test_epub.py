"""Books in EPUB."""

import io
import zipfile

import pytest
from loader_checks import check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Soil</dc:title><dc:creator>Ida Berg</dc:creator><dc:date>2021-05-04</dc:date>
<dc:publisher>Press</dc:publisher>
</metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>"""


def book(**more: str) -> bytes:
    pages = {
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE,
        "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
        "OPS/a.xhtml": "<html><head><title/></head><body><h1>1 Clay</h1><p><a id='x'/>It is&nbsp;heavy.</p></body>",
        "OPS/b b.xhtml": "<html><body><h1>2 Loam</h1><p>It is light.</p></body></html>",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in (pages | more).items():
            archive.writestr(path, text)
    return target.getvalue()


def test_the_pages_are_read_in_their_order_without_the_contents() -> None:
    document = check(load_bytes("a.epub", book()))
    assert document.text == "1 Clay\n\nIt is heavy.\n\n2 Loam\n\nIt is light."
    assert [one.chapter for one in document.sections] == [1, 2]
    said = document.metadata
    assert (said.title, said.authors, said.year, said.publisher) == ("Soil", ("Ida Berg",), 2021, "Press")


def test_entities_of_its_own_are_not_followed_and_a_missing_page_is_told() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + PACKAGE.replace("Soil", "&a;Soil")
    document = load_bytes("a.epub", book(**{"OPS/book.opf": bomb.replace("a.xhtml", "gone.xhtml")}))
    assert "root:" not in str(document)
    assert "'OPS/gone.xhtml' is missing" in document.notes[0]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"META-INF/container.xml": "<container"}, "is broken"),
        ({"META-INF/encryption.xml": '<e><CipherReference URI="OPS/a.xhtml"/></e>'}, "protected against copying"),
        ({"../evil.xhtml": "x"}, "points outside the archive"),
        ({"OPS/zero.css": "0" * 60_000_000}, "zip bomb"),
    ],
)
def test_a_broken_protected_or_hostile_book_is_refused(more: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidDocument, match=reason):
        load_bytes("a.epub", book(**more))
