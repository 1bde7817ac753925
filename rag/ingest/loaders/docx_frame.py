"""What stands around the text of a Word document, and which of its paragraphs are headings by their looks alone."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.docx_styles import Styles, W
from rag.ingest.loaders.numbering import parse_title

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element

_LONGEST = 100
_OFF = ("0", "false", "off")
_PAGE = re.compile(r"(?<!\s)\s*+(?:NUM|SECTION)?PAGES?\b", re.I)
_FEWEST_LETTERS = 12
"""Letters beside the number of a page that say more than `Page 2 of 5`."""


def frame_parts(word: "WordDocument") -> "Iterator[_Element]":
    """Yield the headers, then the footers, of a document; those that a section shares with the one before once."""
    parts = {rel.target_part.partname: rel for rel in word.part.rels.values() if not rel.is_external}
    for kind in ("/header", "/footer"):
        for rel in parts.values():
            if rel.reltype.endswith(kind):
                yield rel.target_part.element


def is_page_number(paragraph: "_Element", text: str) -> bool:
    """Return whether a paragraph of a header or footer only numbers the pages."""
    codes = [one.text or "" for one in paragraph.iter(f"{W}instrText")]
    codes += [one.get(f"{W}instr", "") for one in paragraph.iter(f"{W}fldSimple")]
    return any(map(_PAGE.match, codes)) and sum(map(str.isalpha, text)) < _FEWEST_LETTERS


class Looks:
    """Tells headings by bold type, in a document that marks none by style.

    Args:
        word: The document.
        styles: Its styles.
    """

    def __init__(self, word: "WordDocument", styles: Styles) -> None:
        self._styles = styles
        paragraphs = [
            one for one in word.element.body.iter(f"{W}p") if next(one.iterancestors(f"{W}tbl"), None) is None
        ]
        marked = any(styles.heading_level(one) and styles.name(one).casefold() != "title" for one in paragraphs)
        bold = set() if marked else {one for one in paragraphs if self._is_bold(one)}
        self._sizes = {one: self._size(one) for one in bold if not {one.getprevious(), one.getnext()} <= bold}
        self._ranks = sorted(set(self._sizes.values()), reverse=True)

    def level(self, paragraph: "_Element", text: str) -> int:
        """Return the level of a paragraph that is a heading by its looks: by size of type, then by number; else 0."""
        if paragraph not in self._sizes or len(text) > _LONGEST or text.endswith((".", ",", ";", ":")):
            return 0
        title = parse_title(text)
        depth = title.depth if title.kind == "dotted" else 1
        return min(self._ranks.index(self._sizes[paragraph]) + depth, 6)

    def _is_bold(self, paragraph: "_Element") -> bool:
        runs = [run for run in paragraph.iter(f"{W}r") if "".join(one.text or "" for one in run.iter(f"{W}t")).strip()]
        return bool(runs) and all(self._styles.of_run(run, "b") not in (None, *_OFF) for run in runs)

    def _size(self, paragraph: "_Element") -> int:
        sizes = (self._styles.of_run(run, "sz") or "" for run in paragraph.iter(f"{W}r"))
        return max((int(size) for size in sizes if size.isdigit()), default=0)
