"""Tags within Markdown: which are HTML, and which angle brackets are the author's own words."""

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_ELEMENTS = (
    "a abbr b big blockquote body br caption center cite code dd del details div dl dt em figcaption figure font "
    "footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link main mark math nav ol "
    "option p picture pre q s samp script section select small source span strike strong style sub summary sup svg "
    "table tbody td textarea tfoot th thead tr tt u ul var video"
)
_TAGS = frozenset(_ELEMENTS.split())
"""Elements of HTML; another word in angle brackets is a placeholder of the author's, and stays."""
_VOID = frozenset(("br", "hr", "img", "input", "link", "source"))
_RAW = frozenset(("script", "style", "textarea", "iframe"))
"""Elements that hold no text of the page: one without an end would take the rest of it along."""
_OPENING = re.compile(r"<(/?)([a-zA-Z][\w.-]*)(?=[\s/>])([^<>]*)>")
_ALONE = re.compile(r"\s*</?([a-zA-Z][\w.-]*)(?=[\s/>])")


def settle_tags(tokens: "Sequence[Token]") -> "list[Token]":
    """Return tokens in which only the tags of HTML are HTML, each opened and closed in one paragraph."""
    ends = {match[2].casefold() for token in tokens if (match := _tag(token)) and match[1]}
    kept = []
    for token in tokens:
        if token.type == "html_block" and not _is_html(token.content):
            token.content = f"<p>{escape(token.content, quote=False)}</p>"
        elif match := _tag(token):
            name = match[2].casefold()
            if not _is_tag(match[2], match[3], has_end=name in ends):
                token = token.copy(type="text", content=token.content)
            elif name not in _VOID and name not in ends:
                token = token.copy(content="" if name not in _RAW else escape(token.content))
        kept.append(token)
    return kept


def _tag(token: "Token") -> "re.Match[str] | None":
    return _OPENING.fullmatch(token.content) if token.type == "html_inline" else None


def _is_tag(name: str, rest: str, *, has_end: bool) -> bool:
    """Return whether angle brackets hold a tag; `a<b and c>d` compares letters.

    >>> _is_tag("b", "", has_end=True), _is_tag("b", " and c", has_end=False), _is_tag("name", "", has_end=False)
    (True, False, False)
    >>> _is_tag("Button", "", has_end=True), _is_tag("Icon", " name='x' /", has_end=False)
    (True, True)
    """
    is_plausible = len(name) > 1 or "=" in rest or not rest.strip(" \n/")
    return is_plausible and (name.casefold() in _TAGS or (name[0].isupper() and (has_end or rest.endswith("/"))))


def _is_html(content: str) -> bool:
    """Return whether a block of lines is HTML: it begins with one of its elements, or with a comment."""
    if content.lstrip().startswith(("<!", "<?")):
        return True
    begins = _ALONE.match(content)
    name = begins[1].casefold() if begins else ""
    return name in _TAGS and (name not in _RAW or f"</{name}" in content.casefold())
