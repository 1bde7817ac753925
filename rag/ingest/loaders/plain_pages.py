"""Running headers and footers of a plain text with form feeds, and paragraphs that go on over its pages."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.pdf_furniture import is_page_number, pattern_of, says_nothing

_FEWEST = 3
"""Pages on which a line must stand to be a running one."""
_END = re.compile(r"[.!?:;][\"'”’)\]]*$")


def without_running(pages: Sequence[str]) -> list[str]:
    """Return the pages without first and last lines that stand on half of them, and on three, and say nothing new."""
    for is_last in (False, True, False, True):  # two lines at each end of a page at most
        gone = _running(pages, is_last=is_last)
        pages = [_without(page, is_last=is_last) if index in gone else page for index, page in enumerate(pages)]
    return list(pages)


def joined_over_pages(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks; a paragraph that ends in mid sentence is one with that which goes on on the next page."""
    kept: list[Block] = []
    for block in blocks:
        before = kept[-1] if kept else None
        if before is not None and _goes_on(before, block):
            turn = (len(before.text) + 1, block.page or 1)
            kept[-1] = replace(before, text=f"{before.text}\n{block.text}", turns=(*before.turns, turn))
        else:
            kept.append(block)
    return kept


def _goes_on(before: Block, block: Block) -> bool:
    if block.page is None or before.page is None or block.kind != "paragraph" or before.kind == "heading":
        return False
    last = before.turns[-1][1] if before.turns else before.page
    return block.page > last and not _END.search(before.text) and block.text[:1].islower()


def _running(pages: Sequence[str], *, is_last: bool) -> set[int]:
    """Return the indexes of the pages whose first or last line is a running one."""
    seen: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for index, page in enumerate(pages):
        line = _edge(page, is_last=is_last)
        if line:
            seen["" if is_page_number(line) else pattern_of(line)].append((index, line))
    found: set[int] = set()
    for uses in seen.values():
        numbers, texts = [index for index, _ in uses], [line for _, line in uses]
        if len(uses) >= max(_FEWEST, len(pages) / 2) and says_nothing(texts, numbers):
            found.update(numbers)
    return found


def _edge(page: str, *, is_last: bool) -> str:
    """Return the first or the last line of a page that is not blank, with single spaces."""
    lines = [line for line in page.split("\n") if line.strip()]
    return " ".join(lines[-1 if is_last else 0].split()) if len(lines) > 1 else ""


def _without(page: str, *, is_last: bool) -> str:
    """Return a page without its first or last line that is not blank."""
    lines = page.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    del lines[filled[-1 if is_last else 0]]
    return "\n".join(lines)
