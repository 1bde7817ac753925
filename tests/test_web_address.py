"""A document's address is one that a link may open; what else it names is dropped, and the document kept."""

import pytest

from rag.ingest.loaders import load_bytes
from rag.models import Citation, DocumentMetadata

KEPT = "HTTPS://Lab.example/Safety", "https://lab.example:8080/übung?page=2#gloves", "http://[2001:db8::1]/safety"
DROPPED = (
    "javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)", "data:text/html,<p>", "file:///etc/hosts",
    "//lab.example/safety", "/safety", "lab.example", "https:safety", "https:///safety", "http://[2001:db8::1",
    "https://lab.example/a b", 'https://lab.example/"onclick="alert(1)', "https://lab.example/\u202egpj.exe", "",
)  # fmt: skip


@pytest.mark.parametrize("url", KEPT)
def test_an_absolute_web_address_is_kept_as_written(url):
    assert DocumentMetadata(url=url).url == url


@pytest.mark.parametrize("url", DROPPED)
def test_anything_else_is_no_address_of_a_document_and_no_error(url):
    assert DocumentMetadata(title="Safety", url=url) == DocumentMetadata(title="Safety")


def test_neither_an_index_made_before_nor_front_matter_can_put_a_script_where_the_address_stands():
    written = '{"document": "a.md", "excerpt": "Gloves.", "chunk_id": "1", "similarity_score": 1, "url": "data:,x"}'
    document = load_bytes("gloves.md", b"---\ntitle: Gloves\nurl: javascript:alert(1)\n---\n# Gloves\n\nWear gloves.")

    assert Citation.model_validate_json(written).url is None
    assert (document.metadata.title, document.metadata.url) == ("Gloves", None)
    assert "Wear gloves." in document.text
