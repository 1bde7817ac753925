"""Markdown: front matter to metadata, headings to sections; the text stays as written, without marks of headings.

Emphasis, list markers and table rows keep their own characters, so that an excerpt is found in the file. What a
reader never sees goes: comments, tags, the addresses of links and pictures, the rule under a table's head.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, time
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, only_title, row
from rag.ingest.loaders.byline import authors_of, year_of
from rag.ingest.loaders.cleaning import clean, decode_noting, squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.markdown_inline import TAGS, visible, without_pictures
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\s*---[ ]*\n(.*?)\n(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S)
_TOML = re.compile(r"\s*\+\+\+[ ]*\n(.*?)\n\+\+\+[ ]*(?:\n|\Z)", re.S)
"""Front matter in TOML, as some makers of web sites write it."""
_KEY = re.compile(r"\s*[\w-]+:(?:\s|\Z)")
"""How a line of front matter begins."""
_READ_KEYS = frozenset(
    "title author authors year date url canonical publisher institution module volume chapter".split()  # noqa: SIM905
)
"""The keys of front matter that are read."""
_LONGEST_FRONT, _MOST_BRACKETS = 50_000, 1_000
"""Characters, and opening brackets, beyond which front matter is not read: YAML takes minutes for 10,000 brackets."""
_INVALID_FRONT = (
    "Its front matter is not valid YAML: it was read as text, so that title, author and year in it are not known. "
    "Correct it, as with quotes around a title that holds a colon."
)
_LARGE_FRONT = (
    f"Its front matter has more than {_LONGEST_FRONT:,} characters or {_MOST_BRACKETS:,} brackets: it was read as "
    "text, so that title, author and year in it are not known. Keep to these."
)
_ALIASED_FRONT = (
    "Its front matter has anchors or aliases of YAML (`&name`, `*name`), which are not followed: it was read as text, "
    "so that title, author and year in it are not known. Write each value out, or put quotes around it."
)
_COMMENTS = re.compile(r"\A(?:\s*<!--.*?-->)+", re.S)
_LINKED_NOWHERE = re.compile(
    r"\A(?:[ ]{0,3}\[[^\[\]\n]+\]:[ ]*(?:#|<>)[ ]+(?:\([^()\n]*\)|\"[^\"\n]*\"|'[^'\n]*')[ ]*(?:\n|\Z))+"
)
"""Definitions of links that lead nowhere, as `[//]: # (a comment)`: how authors write comments that no page shows."""
_TAG = re.compile(r"(?<!\s)\s*+</?([a-zA-Z][a-zA-Z0-9]*+)(?=[\s/>])")
_UNENDED = re.compile(r"\s*<(script|style|textarea)\b(?!.*</\1)", re.I | re.S)
_KEPT = "\x11"
"""Stands within the opening of a comment that is never closed, so that a parser takes it for text."""


def load_markdown(source: Source) -> Document:
    """Return a Markdown file as a document.

    Raises:
        InvalidDocument: There is no text.
    """
    raw = decode_noting(source.data)
    front, body, notes = _split_front_matter(clean(raw.text))
    blocks = list(blocks_of(source.name, body))
    title = _text(front, "title") or only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    metadata = metadata_of(front).model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    return build(source, blocks, metadata=metadata, chapter=_integer(front, "chapter"), notes=(*raw.notes, *notes))


def metadata_of(front: Mapping[str, object]) -> DocumentMetadata:
    """Return what front matter says of a document; keys are matched without regard to case."""
    authors = front.get("authors") or front.get("author") or ()
    names = authors if isinstance(authors, (list, tuple)) else [authors]
    return DocumentMetadata(
        title=_text(front, "title"),
        authors=tuple(dict.fromkeys(each for name in names for each in _authors(name))),
        year=year_of(_text(front, "year") or "") or year_of(_text(front, "date") or ""),
        url=_text(front, "url") or _text(front, "canonical"),
        publisher=_text(front, "publisher") or _text(front, "institution"),
        module=_text(front, "module") or _text(front, "volume"),
    )


def _authors(value: object) -> tuple[str, ...]:
    return authors_of((_text(value, "name") if isinstance(value, Mapping) else _scalar(value)) or "")


def _text(front: Mapping[str, object], key: str) -> str | None:
    return _scalar(front.get(key))


def _scalar(value: object) -> str | None:
    """Return a text, number or date as text; None for lists, mappings, and numbers of thousands of digits."""
    with suppress(ValueError):
        return squeeze(str(value)) or None if isinstance(value, (str, int, float, date, time)) else None
    return None


def _integer(front: Mapping[str, object], key: str) -> int | None:
    """Return the first number in a value: the 3 of `Chapter 3`."""
    match = re.search(r"\d{1,4}", _text(front, key) or "")
    return int(match[0]) if match else None


def _split_front_matter(text: str) -> tuple[dict[str, object], str, tuple[str, ...]]:
    """Return the YAML mapping between the leading `---` lines, or the TOML between `+++`, the rest, and perhaps a note.

    Without a mapping it is all text. Lines `key: value` that are no valid YAML, or have none of the keys that are read,
    as the sentence `Note: The lid is hot.` between two rules, are a paragraph of it, and no heading, which the `---`
    below would make of them.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return *_split_toml(text), ()
    is_small = len(match[1]) <= _LONGEST_FRONT and sum(map(match[1].count, "[{")) <= _MOST_BRACKETS
    is_aliased = is_small and _has_anchors(match[1])
    loaded = _loaded(match[1]) if is_small and not is_aliased else None
    front = {str(key).casefold(): value for key, value in loaded.items()} if isinstance(loaded, dict) else {}
    if _READ_KEYS & front.keys():
        return front, text[match.end() :], ()
    if not front and _KEY.match(match[1]) is None:
        return {}, text, ()
    note = _ALIASED_FRONT if is_aliased else _INVALID_FRONT if is_small else _LARGE_FRONT
    return {}, f"{match[1]}\n\n{text[match.end() :]}", () if front else (note,)


def _split_toml(text: str) -> tuple[dict[str, object], str]:
    """Return the TOML between the leading `+++` lines and the rest; all as text where it is not valid."""
    if match := _TOML.match(text):
        with suppress(tomllib.TOMLDecodeError):
            return {key.casefold(): value for key, value in tomllib.loads(match[1]).items()}, text[match.end() :]
    return {}, text


def _has_anchors(front: str) -> bool:
    """Return whether YAML has anchors or aliases: a few hundred bytes of them may stand for millions of values."""
    import yaml

    with suppress(yaml.YAMLError):
        return any(getattr(event, "anchor", None) for event in yaml.parse(front, Loader=yaml.SafeLoader))
    return False


def _loaded(front: str) -> object:
    """Return what YAML says; None where it is not valid. A value of no known type, as the date 2024-13-45, is text."""
    import yaml

    for loader in (yaml.SafeLoader, yaml.BaseLoader):
        with suppress(yaml.YAMLError, ValueError, RecursionError):
            return yaml.load(front, Loader=loader)  # noqa: S506 - the second makes nothing but texts
    return None


def blocks_of(name: str, body: str) -> Iterator[Block]:
    """Yield the blocks of a Markdown text in order.

    Raises:
        InvalidDocument: HTML in it is nested too deeply.
    """
    from markdown_it import MarkdownIt

    tokens = _joined(MarkdownIt("commonmark").enable("table").disable("reference").parse(_closed(body)))
    cells: list[str] = []
    pending, is_head = "", False
    for index, token in enumerate(tokens):
        if token.type == "list_item_open":
            pending = f"{token.info}{token.markup} " if token.info else f"{token.markup} "
        elif token.type in ("thead_open", "thead_close"):
            is_head = token.type == "thead_open"
        elif token.type == "tr_open":
            cells = []
        elif token.type == "inline" and tokens[index - 1].type in ("th_open", "td_open"):
            cells.append(visible(token.content))
        elif token.type == "tr_close":
            yield _written(Block("row", row(cells), begins=is_head, heads=is_head), "")
        elif token.content and token.type in ("inline", "fence", "code_block", "html_block"):
            found = _html(name, token.content) if token.type == "html_block" else [_block(token, tokens[index - 1])]
            for block in found:
                yield _written(block, pending)
                pending = ""


def _closed(body: str) -> str:
    """Return a text in which a comment that is never closed opens none: the rest of the file would be part of it."""
    end = body.rfind("-->") + 1
    return body[:end] + body[end:].replace("<!--", f"<{_KEPT}!--")


def _joined(tokens: Sequence["Token"]) -> list["Token"]:
    """Return the tokens, HTML that blank lines alone cut in pieces as one: a table may be written so."""
    joined: list[Token] = []
    for token in tokens:
        if token.type == "html_block" and joined and joined[-1].type == "html_block":
            joined[-1] = token.copy(content=f"{joined[-1].content}\n{token.content}")
        else:
            joined.append(token)
    return joined


def _written(block: Block, marker: str) -> Block:
    """Return a block with the marker of the list item that it begins, and comments that are none as they were."""
    text = marker + block.text.replace(f"<{_KEPT}!--", "<!--")
    return replace(block, text=text, kind="item" if marker and block.kind == "paragraph" else block.kind)


def _html(name: str, content: str) -> list[Block]:
    """Return the blocks of HTML within Markdown; what no element begins, a comment left aside, is a paragraph."""
    content = _COMMENTS.sub("", content)
    begins = _TAG.match(content)
    if begins and begins[1].casefold() in TAGS | {"script", "style"} and not _UNENDED.match(content):
        return fragment_blocks(name, content)
    return [Block("paragraph", visible(content))]


def _block(token: "Token", opening: "Token") -> Block:
    if opening.type == "heading_open":
        return Block("heading", squeeze(_plain(visible(token.content))), level=int(opening.tag[1]))
    is_code = token.type in ("fence", "code_block")
    if is_code:
        return Block("paragraph", token.content.strip("\n"))
    return Block("paragraph", visible(without_pictures(_LINKED_NOWHERE.sub("", token.content))))


def _plain(title: str) -> str:
    """Return a heading without emphasis and code marks."""
    return re.sub(r"(\*{1,3}|`|(?<!\w)_{1,3}|_{1,3}(?!\w))", "", re.sub(r"\s*\{\s*#[^{}]*\}$", "", title))
