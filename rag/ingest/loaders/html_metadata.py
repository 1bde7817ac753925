"""What the head of a web page says of it: title, authors, date, canonical address, site."""

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rag.ingest.loaders.byline import authors_of, year_of
from rag.ingest.loaders.cleaning import squeeze
from rag.models import DocumentMetadata

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_WEB = re.compile(r"https?://", re.I)


def page_metadata(tree: "LexborHTMLParser") -> DocumentMetadata:
    """Return what the head says: title, authors, date, canonical address, site."""
    meta: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("itemprop") or ""
        meta.setdefault(key.casefold(), squeeze(node.attributes.get("content") or ""))
    canonical = tree.css_first("link[rel=canonical]")
    linked = _linked_data(tree)
    title = tree.css_first("title")
    author = meta.get("author") or meta.get("article:author") or meta.get("dc.creator") or linked.get("author", "")
    date = " ".join(meta.get(key, "") for key in ("article:published_time", "date", "dc.date", "article:modified_time"))
    url = _absolute(tree, (canonical.attributes.get("href") if canonical else None) or meta.get("og:url") or "")
    return DocumentMetadata(
        title=squeeze(title.text() if title else "") or meta.get("og:title") or None,
        authors=authors_of(author),
        year=year_of(date + " " + linked.get("datePublished", "")),
        url=url,
        publisher=meta.get("og:site_name") or meta.get("publisher") or None,
    )


def _absolute(tree: "LexborHTMLParser", address: str) -> str | None:
    """Return a web address, a relative one completed by the page's `<base href>`; None where that makes none."""
    base = tree.css_first("base[href]")
    stem = ((base.attributes.get("href") if base else None) or "").strip()
    try:
        url = urljoin(stem, address.strip()) if address and _WEB.match(stem) else address
    except ValueError:  # such as http://[
        return None
    return url if _WEB.match(url) else None


def _linked_data(tree: "LexborHTMLParser") -> dict[str, str]:
    """Return author and date of the page's first JSON-LD object that has them."""
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            loaded = json.loads(node.text())
        except ValueError:
            continue
        if isinstance(loaded, dict) and ("author" in loaded or "datePublished" in loaded):
            author = loaded.get("author")
            name = author.get("name", "") if isinstance(author, dict) else author
            return {
                "author": name if isinstance(name, str) else "",
                "datePublished": str(loaded.get("datePublished", "")),
            }
    return {}
