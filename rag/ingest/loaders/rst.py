"""reStructuredText: docutils, which may read no other file and take in nothing raw, makes a page of it."""

import re
from textwrap import dedent

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Parser
from docutils.readers.standalone import Reader
from docutils.transforms import Transform

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
_INCLUDING = ("include", "literalinclude")
_FILE = re.compile(r"^[ \t]*+:(?:file|url):[ \t]*(\S.*)$", re.M)
_DEEPEST = 10  # unknown directives within each other
_FILES = ("toctree", "include", "literalinclude", "index", "raw")  # directives that say nothing to a reader


def load_rst(source: Source) -> Document:
    """Return a text in reStructuredText."""
    raw = decode_noting(source.data)
    tree = publish_doctree(clean(raw.text), source_path=source.name, reader=_Reader(), settings_overrides=_SAFE)
    said = {each.tagname: each.astext() for info in tree.findall(nodes.docinfo) for each in info.children}
    unread: list[str] = tree["unread"]
    _mend(tree)
    page = publish_from_doctree(tree, writer="html5", settings_overrides={**_SAFE, "report_level": 5})
    blocks = fragment_blocks(source.name, page)
    metadata = DocumentMetadata(
        authors=authors_of(said.get("authors", said.get("author", "")).replace("\n\n", "; ")),
        year=year_of(said.get("date", "")),
        publisher=squeeze(said.get("organization", "")) or None,
    )
    count = f"{len(unread)}, the first {unread[0]!r}" if unread else ""
    told = [f"Included files were not read: {count}. Add them by themselves."] if unread else []
    return build(source, blocks, metadata=identified(source.name, blocks, metadata), notes=(*raw.notes, *told))


class _Reader(Reader):  # type: ignore[misc]
    def get_transforms(self) -> list[type[Transform]]:
        return [*super().get_transforms(), _Contents]


class _Contents(Transform):  # type: ignore[misc]
    """Puts what an unknown directive says in the place of the complaint about it, before anything is resolved."""

    default_priority = 1

    def apply(self) -> None:
        """Read contents, those within each other too; the names of files that are not read become an attribute."""
        self.document["unread"] = []
        waiting = [(message, 0) for message in self.document.findall(nodes.system_message)]
        for message, depth in waiting:  # it grows
            blocks = [block.astext() for block in message.findall(nodes.literal_block)]
            said = [node for block in blocks for node in self._said(block, depth)]
            message.parent.replace(message, said)
            waiting += [(inner, depth + 1) for node in said for inner in node.findall(nodes.system_message)]

    def _said(self, directive: str, depth: int) -> list[nodes.Node]:
        """Return what stands beside the name of a directive, and its content, read like any other text."""
        found = _DIRECTIVE.match(directive)
        if not found:  # as a table whose lines do not meet
            return [nodes.literal_block("", directive)]
        first, _, content = found["rest"].partition("\n\n")
        self.document["unread"] += [first.split("\n")[0]] if found["name"] in _INCLUDING else _FILE.findall(first)
        if found["name"] in _FILES:
            return []
        beside = squeeze(_ROLE.sub(r"\1", _OPTION.sub("", first)))
        count = len(self.document.children)
        if depth == _DEEPEST:
            return [nodes.paragraph("", f"{beside} {content}")]
        Parser().parse(dedent(content), self.document)
        inside = self.document.children[count:]
        del self.document.children[count:]
        return [nodes.paragraph("", beside), *inside]


def _mend(tree: nodes.document) -> None:
    """Put lines in the place of fields, and words in that of complaints about what only Sphinx knows."""
    for fields in list(tree.findall(nodes.docinfo)) + list(tree.findall(nodes.field_list)):
        fields.parent.replace(fields, [nodes.paragraph("", _field(child)) for child in fields.children])
    for problem in list(tree.findall(nodes.problematic)):
        problem.parent.replace(problem, nodes.Text(_ROLE.sub(r"\1", problem.astext())))
    for message in list(tree.findall(nodes.system_message)):
        message.parent.remove(message)


def _field(node: nodes.Node) -> str:
    name, text = (node.tagname.capitalize(), node) if node.tagname != "field" else (node[0].astext(), node[1])
    return f"{name}: {squeeze(text.astext())}"
