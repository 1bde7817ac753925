"""Markdown: front matter to metadata, headings to sections; the text stays as written, without marks of headings.

Emphasis, list markers and table rows keep their own characters, so that an excerpt is found in the file. What a
reader never sees goes: comments, tags, the addresses of links and pictures, the rule under a table's head.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, only_title, row
from rag.ingest.loaders.cleaning import clean, decode_noting, squeeze
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\s*---[ ]*\n(.*?)\n(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_TAGS = (
    "a abbr b big br center cite code del details div em figcaption figure font h1 h2 h3 h4 h5 h6 hr i iframe img ins "
    "kbd li link mark ol p pre q s samp script section small span strong style sub summary sup table tbody td th thead "
    "tr tt u ul var video"
)
_TAG = re.compile(rf"</?(?:{'|'.join(_TAGS.split())})\b[^<>]*>", re.I)
_LINK = re.compile(
    r"!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)"
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")


def load_markdown(source: Source) -> Document:
    """Return a Markdown file as a document.

    Raises:
        InvalidDocument: There is no text.
    """
    raw = decode_noting(source.data)
    front, body = _split_front_matter(clean(raw.text))
    blocks = list(_blocks(_COMMENT.sub("", body)))
    title = _text(front, "title") or only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    metadata = metadata_of(front).model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    return build(source, blocks, metadata=metadata, chapter=_integer(front, "chapter"), notes=raw.notes)


def metadata_of(front: Mapping[str, object]) -> DocumentMetadata:
    """Return what front matter says of a document; keys are matched without regard to case."""
    authors = front.get("authors") or front.get("author") or ()
    names = [authors] if isinstance(authors, str) else authors if isinstance(authors, Sequence) else [authors]
    return DocumentMetadata(
        title=_text(front, "title"),
        authors=tuple(_author(name) for name in names),
        year=_integer(front, "year") or _integer(front, "date"),
        url=_text(front, "url") or _text(front, "canonical"),
        publisher=_text(front, "publisher") or _text(front, "institution"),
        module=_text(front, "module") or _text(front, "volume"),
    )


def _author(value: object) -> str:
    return squeeze(str(value.get("name", value)) if isinstance(value, Mapping) else str(value))


def _text(front: Mapping[str, object], key: str) -> str | None:
    value = front.get(key)
    return (squeeze(str(value)) or None) if value is not None else None


def _integer(front: Mapping[str, object], key: str) -> int | None:
    """Return the first number in a value: the year of a date, the 3 of `Chapter 3`."""
    match = re.search(r"\d{1,4}", _text(front, key) or "")
    return int(match[0]) if match else None


def _split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Return the YAML mapping between the leading `---` lines, and the rest; without one, the whole text."""
    import yaml

    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    try:
        loaded = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError):  # ValueError: a date such as 2024-13-45
        return {}, text
    if not isinstance(loaded, dict):
        return {}, text
    return {str(key).casefold(): value for key, value in loaded.items()}, text[match.end() :]


def _blocks(body: str) -> Iterator[Block]:
    """Yield the blocks of a Markdown text in order."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").disable("reference").parse(body)
    markers: list[str] = []
    pending = ""
    for index, token in enumerate(tokens):
        if token.type == "list_item_open":
            pending = f"{token.info}{token.markup} " if token.info else f"{token.markup} "
        elif token.type == "tr_open":
            markers = []
        elif token.type == "inline" and tokens[index - 1].type in ("th_open", "td_open"):
            markers.append(_visible(token.content))
        elif token.type == "tr_close":
            yield Block("row", row(markers), begins=tokens[index + 1].type == "thead_close")
        elif token.content and token.type in ("inline", "fence", "code_block", "html_block"):
            yield _block(token, tokens[index - 1], pending)
            pending = ""


def _block(token: "Token", opening: "Token", marker: str) -> Block:
    if opening.type == "heading_open":
        return Block("heading", squeeze(_plain(_visible(token.content))), level=int(opening.tag[1]))
    text = token.content.strip("\n") if token.type in ("fence", "code_block") else _visible(token.content)
    return Block("item" if marker else "paragraph", marker + text)


def _visible(text: str) -> str:
    """Return the text without tags, and links and pictures as their words."""
    text = _TAG.sub("", _AUTOLINK.sub(r"\1", _LINK.sub(r"\1", _LINK.sub(r"\1", text))))
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _plain(title: str) -> str:
    """Return a heading without emphasis and code marks."""
    return re.sub(r"(\*{1,3}|`|(?<!\w)_{1,3}|_{1,3}(?!\w))", "", re.sub(r"\s*\{#[^{}]*\}$", "", title))
