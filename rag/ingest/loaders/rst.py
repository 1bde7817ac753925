"""reStructuredText: docutils, which may read no other file and take in nothing raw, makes a page of it."""

import re

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree

from rag.ingest.loaders.blocks import build
from rag.ingest.loaders.cleaning import clean, decode_noting, squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.metadata import authors_of, identified, year_of
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_SAFE = {
    "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "line_length_limit": 1_000_000,
    "report_level": 1, "halt_level": 5, "warning_stream": "", "syntax_highlight": "none", "embed_stylesheet": False,
    "input_encoding": "unicode", "output_encoding": "unicode", "math_output": "LaTeX",
}  # fmt: skip
# A role that only Sphinx knows: its words are kept.
_ROLE = re.compile(r"(?<![\w:+.-]):[\w:+.-]{1,60}:`[~!]?([^`<]{0,300}?)\s{0,9}(?:<[^`>]{0,300}>)?`")
_DIRECTIVE = re.compile(r"\.\.\s+(?P<name>[\w:+.-]+)::[ ]*(?P<rest>.*)", re.S)
_OPTION = re.compile(r"^[ \t]*+:[\w-]++:.*$", re.M)
_FILES = ("toctree", "include", "literalinclude", "index", "raw")  # directives that say nothing to a reader


def load_rst(source: Source) -> Document:
    """Return a text in reStructuredText."""
    raw = decode_noting(source.data)
    tree = publish_doctree(clean(raw.text), source_path=source.name, settings_overrides=_SAFE)
    said = {each.tagname: each.astext() for info in tree.findall(nodes.docinfo) for each in info.children}
    _mend(tree)
    page = publish_from_doctree(tree, writer="html5", settings_overrides=_SAFE)
    blocks = fragment_blocks(source.name, page)
    metadata = DocumentMetadata(
        authors=authors_of(said.get("authors", said.get("author", "")).replace("\n\n", "; ")),
        year=year_of(said.get("date", "")),
        publisher=squeeze(said.get("organization", "")) or None,
    )
    return build(source, blocks, metadata=identified(source.name, blocks, metadata), notes=raw.notes)


def _mend(tree: nodes.document) -> None:
    """Put lines in the place of fields, and words in that of complaints about what only Sphinx knows."""
    for fields in list(tree.findall(nodes.docinfo)) + list(tree.findall(nodes.field_list)):
        fields.parent.replace(fields, [nodes.paragraph("", _field(child)) for child in fields.children])
    for problem in list(tree.findall(nodes.problematic)):
        problem.parent.replace(problem, nodes.Text(_ROLE.sub(r"\1", problem.astext())))
    for message in list(tree.findall(nodes.system_message)):
        told = [part for block in message.findall(nodes.literal_block) for part in _words_of(block.astext())]
        message.parent.replace(message, [nodes.paragraph("", part) for part in told])


def _field(node: nodes.Node) -> str:
    name, text = (node.tagname.capitalize(), node) if node.tagname != "field" else (node[0].astext(), node[1])
    return f"{name}: {squeeze(text.astext())}"


def _words_of(directive: str) -> list[str]:
    found = _DIRECTIVE.match(directive)
    if not found or found["name"] in _FILES:
        return []
    parts = re.split(r"\n\s*\n", _OPTION.sub("", found["rest"]))
    return [_ROLE.sub(r"\1", text) for part in parts if (text := squeeze(part))]
