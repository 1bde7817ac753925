"""What of a web page is not its text: what no reader sees, what leads elsewhere, and what others wrote below it."""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.html_lists import is_menu

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER = (
    "script, style, noscript, template, svg, iframe, object, form button, nav, dialog, "
    "[role=navigation], [role=search], [aria-hidden=true], .toc, #toc, .navbox, .breadcrumb, .breadcrumbs, .noprint, "
    ".skip-link, .visually-hidden, .sr-only, .cookie-banner, .advertisement, sup.reference, .mw-editsection, "
    "a.headerlink, a.footnote-backref, del, s, strike, [aria-modal=true], aside.related"
)
_BELOW = (
    *("comments", "comments-area", "comment-list", "commentlist", "comment-respond", "disqus_thread"),
    *("related-posts", "related-articles", "relatedposts", "yarpp-related", "jp-relatedposts"),
)
_BELOW_ELEMENTS = ", ".join(
    selector
    for name in _BELOW
    for selector in (*(f"{tag}.{name}" for tag in ("div", "section", "aside", "ol", "ul")), f"#{name}")
)
_CONSENT = re.compile(r"cookie|consent|gdpr|\bcc-window|\bcmp\b", re.I)
_CONSENT_MAKERS = re.compile(r"\b(?:onetrust|usercentrics|didomi|qc-cmp|cybotcookiebot|cky|truste)", re.I)
"""Programs that draw such boxes, in the names that they give them."""
_CONSENT_ASKED = re.compile(r"\bcookies?\b", re.I)
_CONSENT_GIVEN = re.compile(r"\b(?:accept|agree|allow|reject|decline|got it|ok|consent|akzeptieren|zustimmen)\b", re.I)
_LONGEST_BOX = 1500
"""Characters of a box that asks for consent; a policy on cookies, which is text, is longer."""
_SHORTEST_HIDDEN = 40
"""Characters of a hidden part that is told of; a shorter one is a label, or a sign for machines."""
_NAMED = 3
"""Entries of a menu that a note names."""


def remove_unseen(tree: "LexborHTMLParser") -> tuple[str, ...]:
    """Remove what no reader of the page sees, from the last element to the first: inner ones before outer ones.

    Returns:
        A note where parts with a text of their own are hidden, and nothing names them.
    """
    for node in reversed(tree.css(_NEVER)):
        node.decompose()
    hidden: list[str] = []
    for node in reversed(tree.css("[hidden], [style]")):
        is_hidden = "hidden" in node.attributes or _hides(node.attributes.get("style") or "")
        if node.tag not in ("html", "body") and is_hidden:
            hidden.append(squeeze(node.text(separator=" ")))
            node.decompose()
    for node in reversed(tree.css("div[class], div[id], section[class], section[id], aside[class], form[class]")):
        if _asks_for_consent(node):
            node.decompose()
    for node in reversed(tree.css(_BELOW_ELEMENTS)):
        if node.tag not in ("html", "body", "main") and node.css_first("h1") is None:
            node.decompose()
    return _told([text for text in reversed(hidden) if len(text) >= _SHORTEST_HIDDEN])


def _told(hidden: list[str]) -> tuple[str, ...]:
    if not hidden:
        return ()
    parts = "1 hidden part" if len(hidden) == 1 else f"{len(hidden)} hidden parts"
    begins = " ".join(hidden[0].split()[:8])
    return (f"{parts} of the page, with no label that opens it, left out: {begins!r} and what follows.",)


def remove_menus(root: "LexborNode") -> tuple[str, ...]:
    """Remove the lists below an element that only lead elsewhere, and return a note on each, outer ones first."""
    notes = []
    menus = [one for one in root.css("ul, ol") if is_menu(one)]
    for node in menus:
        names = [squeeze(link.text()) for link in node.css("a")]
        told = ", ".join(repr(name) for name in names[:_NAMED]) + (
            f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        )
        notes.append(f"A list of {len(names)} links was left out as a menu: {told}.")
    for node in reversed(menus):
        node.decompose()
    return tuple(notes)


def _hides(style: str) -> bool:
    """Return whether an inline style hides its element; of two values of one property the last counts.

    >>> _hides("color: red; DISPLAY : none !important"), _hides("display: none; display: block")
    (True, False)
    """
    said = (each.partition(":") for each in re.sub(r"/\*.*?\*/", "", style, flags=re.S).casefold().split(";"))
    values = {name.strip(): re.sub(r"\s*!\s*important\s*$", "", value).strip() for name, _, value in said}
    return values.get("display") == "none" or values.get("visibility") == "hidden"


def _asks_for_consent(node: "LexborNode") -> bool:
    """Return whether an element is a box that asks a reader to accept cookies: by its name and by its words."""
    name = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    if _CONSENT_MAKERS.search(name):
        return True
    if not _CONSENT.search(name):
        return False
    text = node.text()
    is_box = len(text) <= _LONGEST_BOX and node.css_first("h1") is None
    return is_box and bool(_CONSENT_ASKED.search(text) and _CONSENT_GIVEN.search(text))
