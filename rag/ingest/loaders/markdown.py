"""Markdown: front matter to metadata, the text by way of HTML, as the page that a site shows of it is read.

Its dialects are those of GitHub, Python-Markdown and MkDocs, Docusaurus and MDX, Jekyll, and wikis. What only a
program reads goes; the titles of boxes and tabs stay.
"""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import build, only_title
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.front_matter import fields_of, integer_of, metadata_of, split, text_of
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.markdown_dialects import plain
from rag.ingest.loaders.markdown_tags import settle_tags
from rag.ingest.loaders.source import Source
from rag.models import Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_KEPT = "\x11"
"""Stands within the opening of a comment that is never closed, so that a parser takes it for text."""
_LIQUID = re.compile(r"\{%-?(.{0,400}?)-?%\}|\{\{.{0,400}?\}\}|\{:[^{}]{0,400}\}|\{/\*.{0,400}?\*/\}", re.S)
_SAID = re.compile(r"=\s*(?:\"([^\"]*\s[^\"]*)\"|'([^']*\s[^']*)')")
"""Words that a template is given: `{% include note.html content="Mind the step." %}`."""
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_EMOJI = re.compile(r"(?<![^\s]):[a-z][a-z0-9_+-]{2,}:(?![^\s])[ ]?")
_HEADING_ID = re.compile(r"(?<!\s)\s*+\{\s*+[#.:][^{}]*+\}$")


def load_markdown(source: Source) -> Document:
    """Return a Markdown file as a document.

    Raises:
        InvalidDocument: There is no text, or HTML in it is nested too deeply.
    """
    raw = decode_noting(source.data)
    front, body, notes = split(clean(raw.text))
    blocks = fragment_blocks(source.name, html_of(body))
    at = 1 if blocks and blocks[0].kind == "heading" else 0
    blocks[at:at] = fields_of(front, body)
    title = text_of(front, "title") or only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    metadata = metadata_of(front).model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    return build(source, blocks, metadata=metadata, chapter=integer_of(front, "chapter"), notes=(*raw.notes, *notes))


def html_of(text: str) -> str:
    """Return a Markdown text as HTML."""
    html: str = _parser().render(plain(_closed(text)))
    return html


def _closed(body: str) -> str:
    """Return a text in which a comment that is never closed opens none: the rest of the file would be part of it."""
    end = body.rfind("-->") + 1
    return body[:end] + body[end:].replace("<!--", f"<{_KEPT}!--")


def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"breaks": True, "tasklists": True, "alerts": True})
    parser.enable(["table", "strikethrough"]).use(admon_plugin).use(deflist_plugin).use(footnote_plugin, inline=False)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, renderer=lambda said, _: f"${said}$")
    parser.core.ruler.push("settle", _settle)
    return parser


def _settle(state: "StateCore") -> None:
    """Make the tokens of a text those of what its page shows."""
    above: Token | None = None
    for token in state.tokens:
        if token.type == "inline" and token.children is not None and above is not None:
            token.children = settle_tags(_without_pictures(token.children, is_text=above.type == "paragraph_open"))
            for child in token.children:
                if child.type == "text":
                    child.content = _words(child.content)
            if above.type == "heading_open" and token.children:
                token.children[-1].content = _HEADING_ID.sub("", token.children[-1].content)
        elif token.type == "html_block":
            token.children = settle_tags([token])
        elif token.type.startswith(("admonition_title", "alert_title")):
            token.tag = "figcaption"
        above = token


def _words(text: str) -> str:
    """Return words without the marks of templates and wikis.

    >>> _words("See [[Desk|the desk]]. {% include a.html content='Mind the step.' %}")
    'See the desk. Mind the step.'
    """
    text = _LIQUID.sub(lambda one: " ".join("".join(said) for said in _SAID.findall(one[1] or "")), text)
    return _EMOJI.sub("", _WIKI.sub(r"\1", text)).removeprefix("mailto:")


def _without_pictures(tokens: "list[Token]", *, is_text: bool) -> "list[Token]":
    """Return the tokens of a paragraph, pictures as their words; one alone on its line says no sentence and goes."""
    lines: list[list[Token]] = [[]]
    for token in tokens:
        lines[-1].append(token)
        if token.type in ("softbreak", "hardbreak"):
            lines.append([])
    kept: list[Token] = []
    for line in lines:
        shown = [token for token in line if token.content.strip()]
        if not (is_text and shown and all(token.type == "image" for token in shown)):
            kept += [token.copy(type="text") if token.type == "image" else token for token in line]
    return kept
