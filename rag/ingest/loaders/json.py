"""JSON and JSON Lines: values as fields under the path of their keys, lists of objects as records."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from rag.errors import InvalidDocument
from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import clean, decode_noting, squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.markdown import html_of, metadata_of
from rag.ingest.loaders.metadata import identified, identify
from rag.ingest.loaders.sheets import record_blocks
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document, DocumentMetadata

Json: TypeAlias = "dict[str, Json] | list[Json] | str | bool | None"  # numbers stay as they are written
MAX_VALUES = 2_000_000
_DEEPEST_HEADING = 4  # objects below this depth are told in one field each, their keys joined: `limits.daily: 5`
_SHOWN_LINES = 3

_LONGEST_OUTPUT = 2_000  # characters of an output that are read; a longer one is cut, and that is told
_OBJECT = re.compile(r"<(?:Figure size [^<>]*|[\w.]+ (?:object|at 0x[0-9a-f]+))>")  # what stands for a picture or page
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def load_json(source: Source) -> Document:
    """Return a JSON file, or one with an object a line."""
    raw = decode_noting(source.data)
    is_lines = source.name.lower().endswith(".jsonl")
    data, notes = _lines(source, raw.text) if is_lines else (_parsed(source, raw.text), ())
    if _count(data) > MAX_VALUES:
        raise refuse(source.name, f"it has more than {MAX_VALUES:,} values", "Split it")
    metadata = DocumentMetadata(identifiers=identify(source.name, None, ""))
    return build(source, list(_blocks(data, depth=1)), metadata=metadata, notes=(*raw.notes, *notes))


def _parsed(source: Source, text: str) -> Json:
    try:
        return _loaded(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        reason = f"it is not valid JSON (line {error.lineno}: {error.msg})"
        raise refuse(source.name, reason, "Correct that line, or export it again") from error


def _loaded(text: str) -> Json:
    found: Json = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    return found


def _lines(source: Source, text: str) -> tuple[list[Json], tuple[str, ...]]:
    found, wrong = list[Json](), list[str]()
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        try:
            found += [_loaded(line)] if line.strip() else []
        except json.JSONDecodeError:
            wrong.append(str(number))
    if wrong and not found:
        raise refuse(source.name, "none of its lines is valid JSON", "Export it again with one object a line")
    more = ", ..." if len(wrong) > _SHOWN_LINES else ""
    said = f"{len(wrong)} lines are not valid JSON and were left out: {', '.join(wrong[:_SHOWN_LINES])}{more}."
    return found, (said,) if wrong else ()


def _blocks(data: Json, *, depth: int, key: str = "") -> Iterator[Block]:
    """Yield what stands under a key: plain values first, then what has keys of its own, under headings."""
    if isinstance(data, dict) and depth <= _DEEPEST_HEADING:
        deep = {name: value for name, value in data.items() if value and (isinstance(value, dict) or _is_deep(value))}
        yield from _fields({name: value for name, value in data.items() if name not in deep})
        for name, value in deep.items():
            yield Block("heading", squeeze(name) or '""', level=depth)
            yield from _blocks(value, depth=depth + 1, key=name)
    elif isinstance(data, list) and _is_deep(data):
        yield from record_blocks(dict(_flat(each, key if not isinstance(each, dict) else "")) for each in data)
    else:
        yield from _fields(data, key)


def _is_deep(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict | list) for each in value)


def _fields(data: Json, key: str = "") -> Iterator[Block]:
    for path, text in _flat(data, key):
        if text:
            yield Block("field", f"{path}: {text}" if path else text)


def _flat(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of each plain value; a list of plain values is one text, of others each has its number."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{squeeze(name)}" if path else squeeze(name))
    elif isinstance(value, list) and _is_deep(value):
        for place, inner in enumerate(value, 1):
            yield from _flat(inner, f"{path} {place}".strip())
    else:
        values = value if isinstance(value, list) else [value]
        texts = (str(one).lower() if isinstance(one, bool) else squeeze(str(one)) for one in values if one is not None)
        yield squeeze(path), ", ".join(filter(None, texts))


def _count(data: Json) -> int:
    """Return the number of values, counted no further than one over `MAX_VALUES`."""
    waiting: list[Json] = [data]
    count = 0
    while waiting and count <= MAX_VALUES:
        value = waiting.pop()
        count += 1
        if isinstance(value, dict | list):
            waiting.extend(islice(value.values() if isinstance(value, dict) else value, MAX_VALUES))
    return count


def load_ipynb(source: Source) -> Document:
    """Return a notebook."""
    raw = decode_noting(source.data)
    book: Any = _parsed(source, raw.text)
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise refuse(source.name, "it is JSON but not a notebook", "Give it the suffix .json, or save it again")
    notes: list[str] = []
    numbered = [(number, cell) for number, cell in enumerate(cells, 1) if isinstance(cell, dict)]
    blocks = [block for number, cell in numbered for block in _cell(source, number, cell, notes)]
    told = book.get("metadata")
    metadata = identified(source.name, blocks, metadata_of(told if isinstance(told, dict) else {}))
    return build(source, blocks, metadata=metadata, notes=(*raw.notes, *notes))


def _cell(source: Source, number: int, cell: dict[str, Any], notes: list[str]) -> Iterator[Block]:
    text = clean(_joined(cell.get("source")))
    if cell.get("cell_type") == "markdown":
        yield from fragment_blocks(source.name, html_of(text))
    elif text.strip():
        yield Block("code" if cell.get("cell_type") == "code" else "paragraph", text.strip("\n"))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        said = clean(_ANSI.sub("", _output(output))).strip("\n")
        given = _table(source, output) or [Block("code", "" if _OBJECT.fullmatch(said.strip()) else said)]
        yield from _cut(given)
        if sum(len(block.text) for block in given) > _LONGEST_OUTPUT:
            notes.append(f"An output of cell {number} was cut after {_LONGEST_OUTPUT:,} characters.")


def _cut(blocks: list[Block]) -> Iterator[Block]:
    left = _LONGEST_OUTPUT
    for block in blocks:
        if len(block.text) <= left or block.kind == "code":
            yield replace(block, text=block.text[:left])
        left = max(left - len(block.text), 0)


def _table(source: Source, output: dict[str, Any]) -> list[Block]:
    """Return the table that an output is shown as, with what stands beside it; nothing where it is none."""
    data = output.get("data")
    page = _joined(data.get("text/html")) if isinstance(data, dict) else ""
    if "<table" not in page:
        return []
    with suppress(InvalidDocument):
        blocks = fragment_blocks(source.name, page)
        return blocks if any(block.kind == "row" for block in blocks) else []
    return []


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data")
    return _joined(data.get("text/plain") if isinstance(data, dict) else output.get("text"))


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")
