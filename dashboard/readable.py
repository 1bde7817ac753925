"""Documents and passages as people read them: headings, lists and real tables as safe Markdown, a part marked."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from dashboard.words import is_row, md, passage, where
from rag.cite import as_text
from rag.evaluation.lines import LineChunk
from rag.models import Answer, BlockSpan, Chunk, RetrievedChunk
from rag.text.rows import cells

MARKED = 0.5  # from this probability on a sentence is marked as part of the answer
_FORMS = {"heading": "**{}**", "item": "- {}", "caption": ":small[{}]", "footnote": ":small[{}]"}
_SIGN = re.compile(r"[•▪◦·*–-]\s+")
Passage = Chunk | LineChunk | RetrievedChunk  # as an answer or the line of a run holds it; a line knows no blocks


def readable(found: Passage, part: str = "") -> str:
    """Return a passage as Markdown, block by block; a verbatim part of it is marked where it stands, if it does."""
    content, whole = found.content, (BlockSpan(kind="paragraph", start=0, end=len(found.content)),)
    at = content.find(part) if part else -1
    span = (at, at + len(part)) if at >= 0 else (0, 0)

    def cell_of(block: BlockSpan | None, cell: str) -> str:
        is_marked = block is not None and block.start < span[1] and span[0] < block.end
        return f":orange-background[{md(cell)}]" if is_marked and cell else md(cell)

    parts: list[str] = []
    for is_table, blocks in groupby(getattr(found, "blocks", ()) or whole, lambda one: one.kind in ("heads", "row")):
        if is_table:
            columns = getattr(found, "columns", ())
            parts += [_table(one, content, columns, cell_of) for one in _tables(blocks)]
            continue
        for block in blocks:  # an item's own sign is left to Markdown
            sign = _SIGN.match(content, block.start, block.end) if block.kind == "item" else None
            begin = sign.end() if sign else block.start
            start, end = (min(max(one, begin), block.end) - begin for one in span)
            parts.append(_FORMS.get(block.kind, "{}").format(marked(content[begin : block.end], start, end)))
    return "\n\n".join(parts).strip()


def marked(text: str, start: int, end: int) -> str:
    """Return a text as Markdown, a part of it marked where it stands, on lines of its own where it is a row."""
    part = text[start:end]
    mark = f":orange-background[{passage(part)}]" if part.strip() else ""
    parts = (passage(text[:start]), mark, passage(text[end:])) if mark else (passage(text),)
    return ("  \n" if is_row(part) else " ").join(filter(None, parts))


def markdown_of(chunks: Sequence[Chunk], *, find: str = "") -> str:
    """Return chunks that follow each other as Markdown, with page breaks and headings; what is looked for is marked."""
    parts: list[str] = []
    page: int | None = None
    path: Sequence[str] = ()
    for chunk in chunks:
        own = chunk.section_path
        alike = [one == other for one, other in zip(own, path, strict=False)]
        for depth in range(alike.index(False) if False in alike else len(alike), len(own)):
            parts.append(f"####{'#' * (depth > 0)} {_shown(own[depth], find)}")
        path = own
        for kind, blocks in groupby(chunk.blocks, lambda block: "row" if block.kind == "heads" else block.kind):
            found = [*blocks]
            now = max((number for number, start in chunk.page_starts if start <= found[0].start), default=chunk.page)
            parts += [f":gray-badge[page {now}]"] if now not in (None, page) else []
            page = now
            parts += _rendered(kind, found, chunk, find)
    return "\n\n".join(parts)


def _rendered(kind: str, blocks: Sequence[BlockSpan], chunk: Chunk, find: str) -> Iterator[str]:
    texts = [chunk.content[block.start : block.end] for block in blocks]
    if kind == "row":
        for one in _tables(blocks):
            yield _table(one, chunk.content, chunk.columns, lambda _, cell: _shown(cell, find))
    elif kind == "item":
        yield "\n".join(f"- {_shown(text.lstrip('•*- '), find)}" for text in texts)
    elif kind == "code":
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", "".join(texts))), default=0))
        yield f"{fence}\n" + "\n".join(texts) + f"\n{fence}"
    else:
        form = {"heading": "#### {}", "caption": "*{}*", "footnote": ":small[{}]"}.get(kind, "{}")
        yield from (form.format(_shown(text, find)) for text in texts if text.strip())


def _tables(blocks: Iterable[BlockSpan]) -> Iterator[list[BlockSpan]]:
    """Yield the blocks of each of some tables: another one begins with heads behind a row."""
    table: list[BlockSpan] = []
    for block in blocks:
        if table and table[-1].kind == "row" and block.kind == "heads":
            yield table
            table = []
        table.append(block)
    yield table


def _table(
    blocks: Sequence[BlockSpan],
    content: str,
    columns: Sequence[Sequence[str]],
    shown: Callable[[BlockSpan | None, str], str],
) -> str:
    """Return rows as a table under the heads of its columns, which may stand in an earlier passage, or be unknown."""
    table = next((one.table for one in blocks if one.table is not None), None)
    known = list(columns[table]) if table is not None and table < len(columns) else []
    lines = [(block, cells(text) or [text]) for block in blocks if (text := content[block.start : block.end])]
    own = [row for block, row in lines if block.kind == "heads"]
    body = [[shown(block, cell) for cell in row] for block, row in lines if block.kind == "row"]
    width = max(map(len, body or own))
    heads = known or (own[-1] if own else [])
    rows = [[shown(None, head) for head in heads] if len(heads) == width else [], *body]
    drawn = ["| " + " | ".join(cell or " " for cell in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([drawn[0], "|" + " --- |" * width, *drawn[1:]])


def _shown(text: str, find: str) -> str:
    plain, wanted = md(text), md(find)
    return re.sub(re.escape(wanted), r":orange-background[\g<0>]", plain, flags=re.IGNORECASE) if wanted else plain


def parts_of(chunks: Sequence[Chunk], *, most: int = 6_000) -> list[list[Chunk]]:
    """Return chunks in parts of about so many characters, each cut where a page ends, as far as there are pages."""
    parts: list[list[Chunk]] = []
    size = 0
    for chunk in chunks:
        is_new_page = not parts or chunk.page is None or chunk.page != parts[-1][-1].page
        if not parts or (size + len(chunk.content) > most and is_new_page):
            parts.append([])
            size = 0
        parts[-1].append(chunk)
        size += len(chunk.content)
    return parts


def place_of(chunks: Sequence[Chunk]) -> str:
    """Return on which pages, or in which section, chunks stand; plain text, empty where neither is known."""
    pages = [page for chunk in chunks for page in (chunk.page, chunk.last_page) if page is not None]
    if pages:
        return f"page {min(pages)}" if min(pages) == max(pages) else f"pages {min(pages)} to {max(pages)}"
    return chunks[0].section or ""


def highlighted(hit: RetrievedChunk) -> str:
    """Return a passage as Markdown: blue behind its best window, orange behind the sentences that are marked."""
    if not hit.windows:
        return passage(hit.content)
    spans = hit.sentences or ((0, len(hit.content)),)
    first, last = hit.best_window
    answers = [mark >= MARKED for mark in hit.marks]
    colours = ["orange" if any(answers[number : number + 1]) else "blue" if first <= start < last else ""
               for number, (start, _) in enumerate(spans)]  # fmt: skip
    text = ""
    for colour, group in groupby(zip(colours, spans, strict=True), key=lambda pair: pair[0]):
        covered = [span for _, span in group]
        part = hit.content[covered[0][0] : covered[-1][1]]
        drawn = f":{colour}-background[{passage(part)}]" if colour else passage(part)
        text += ("  \n" if is_row(part.strip().split("\n")[0]) else " ") + drawn
    return text.strip()


_MEANS_SOMETHING = re.compile(r"[\\`*<>|]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|^[#+=-]|&(?=[#A-Za-z])")


def plain(text: str) -> str:
    r"""Return a document's or a person's text so that Markdown shows it as it is: no image, no link, no HTML.

    >>> print(plain("[1] A. Author, Rules [Online]."))
    [1] A. Author, Rules [Online].
    """
    return _MEANS_SOMETHING.sub(r"\\\g<0>", " ".join(text.split()))


def answer_markdown(answer: Answer, notes: Sequence[str] = ()) -> str:
    """Return an answer as Markdown with its references, or what was said in its place, below notes on its sources."""
    return _written(answer, notes, plain, "**", "_", "  \n")


def answer_text(answer: Answer, notes: Sequence[str] = ()) -> str:
    """Return the same as plain text, for the clipboard: nothing is escaped, and nothing marked."""
    return _written(answer, notes, lambda text: " ".join(text.split()), "", "", "\n")


def _written(
    answer: Answer, notes: Sequence[str], said: Callable[[str], str], strong: str, weak: str, line: str
) -> str:
    since = "".join(f"Note: {said(note)}\n\n" for note in notes)
    asked, ended = f"{strong}{said(answer.query.question)}{strong}", f"{weak}{answer.request_id}{weak}\n"
    if answer.answer is None:
        begun = {"unsure": "Unsure. ", "refused": "No answer. "}.get(answer.outcome, "")
        misses = answer.gate.nearest_misses if answer.gate and answer.outcome == "unsure" else ()
        closest = "".join(f"- “{said(one.sentence or one.excerpt)}” ({said(where(one))})\n" for one in misses)
        closest += "\n" if misses else ""
        return f"{asked}\n\n{since}{begun}{said(answer.message or '')}\n\n{closest}{ended}"
    drawn = [said(one.text) + " " + "".join(f"[{index + 1}]" for index in one.citations) for one in answer.sentences]
    text = as_text(
        answer.sentences, answer.citations, drawn, speaker=answer.generator, line=line
    )  # a list as on the card
    references = "\n".join(f"- {said(citation.ieee or citation.label)}" for citation in answer.citations)
    return f"{asked}\n\n{since}{text}\n\n{references}\n\n{ended}"


def conversation_markdown(answers: Sequence[Answer], notes: Callable[[Answer], Sequence[str]] = lambda _: ()) -> str:
    """Return a conversation as Markdown, oldest first, with the notes on each answer."""
    told = (answer_markdown(answer, notes(answer)) for answer in answers)
    return "\n---\n\n".join(["# Conversation with Candor\n", *told])
