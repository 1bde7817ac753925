"""Front matter: what a Markdown file says of itself above its text, as metadata and as fields."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, time

import yaml

from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.metadata import authors_of, year_of
from rag.models import DocumentMetadata

_FRONT_MATTER = re.compile(r"\s*---[ ]*\n(.*?)\n(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S)
_TOML = re.compile(r"\s*\+\+\+[ ]*\n(.*?)\n\+\+\+[ ]*(?:\n|\Z)", re.S)  # as some makers of web sites write it
_KEY = re.compile(r"\s*[\w-]+:(?:\s|\Z)")  # how a line of front matter begins
_READ_KEYS = frozenset(
    "title author authors year date url canonical publisher institution module volume chapter".split()  # noqa: SIM905
)
_LONGEST_FRONT, _MOST_BRACKETS = 50_000, 1_000  # characters, brackets: YAML takes minutes for 10,000 brackets
_UNREAD = "Its front matter {}: it was read as text, so that title, author and year in it are not known. {}.".format
_INVALID = _UNREAD("is not valid YAML", "Correct it, as with quotes around a title that holds a colon")
_LARGE = _UNREAD(f"has more than {_LONGEST_FRONT:,} characters or {_MOST_BRACKETS:,} brackets", "Keep to these")
_ALIASED = _UNREAD(
    "has anchors or aliases of YAML (`&name`, `*name`), which are not followed",
    "Write each value out, or put quotes around it",
)


def metadata_of(front: Mapping[str, object]) -> DocumentMetadata:
    """Return what front matter says of a document; keys are matched without regard to case."""
    authors = front.get("authors") or front.get("author") or ()
    names = authors if isinstance(authors, (list, tuple)) else [authors]
    texts = (_scalar(name.get("name") if isinstance(name, Mapping) else name) or "" for name in names)
    said = {key: text for key, value in front.items() if (text := _scalar(value))}
    return DocumentMetadata(
        title=said.get("title"),
        authors=tuple(dict.fromkeys(author for text in texts for author in authors_of(text))),
        year=year_of(said.get("year", "")) or year_of(said.get("date", "")),
        url=said.get("url") or said.get("canonical"),
        publisher=said.get("publisher") or said.get("institution"),
        module=said.get("module") or said.get("volume"),
    )


def fields_of(front: Mapping[str, object], body: str) -> Iterator[Block]:
    """Yield the values of front matter that are no metadata and stand nowhere else, as fields.

    Switches, counts and addresses within a site are for the program that makes the site.
    """
    for key, value in front.items():
        parts = value if isinstance(value, list) else [value]
        texts = [text for part in parts if not isinstance(part, (bool, int)) and (text := _scalar(part))]
        said = ", ".join(text for text in texts if " " in text or not re.search(r"[/\\]|\.\w+$", text))
        if key not in _READ_KEYS and said and said not in body:
            yield Block("field", f"{key.replace('_', ' ')}: {said}")


def _scalar(value: object) -> str | None:
    """Return a text, number or date as text; None for lists, mappings, and numbers of thousands of digits."""
    with suppress(ValueError):
        return squeeze(str(value)) or None if isinstance(value, (str, int, float, date, time)) else None
    return None


def chapter_of(front: Mapping[str, object]) -> int | None:
    """Return the first number in the value of `chapter`: the 3 of `Chapter 3`."""
    match = re.search(r"\d{1,4}", _scalar(front.get("chapter")) or "")
    return int(match[0]) if match else None


def split(text: str) -> tuple[dict[str, object], str, tuple[str, ...]]:
    """Return the YAML mapping between the leading `---` lines, or the TOML between `+++`, the rest, and perhaps a note.

    Without a mapping it is all text. Lines `key: value` that are no valid YAML, or have none of the keys that are read,
    as the sentence `Note: The lid is hot.` between two rules, are a paragraph of it, and no heading, which the `---`
    below would make of them.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        toml = _TOML.match(text)
        with suppress(tomllib.TOMLDecodeError):
            front = {key.casefold(): value for key, value in tomllib.loads(toml[1] if toml else "").items()}
            return front, text[toml.end() :] if toml else text, ()
        return {}, text, ()
    loaded, note = _loaded(match[1])
    front = {str(key).casefold(): value for key, value in loaded.items()} if isinstance(loaded, dict) else {}
    if _READ_KEYS & front.keys():
        return front, text[match.end() :], ()
    if not front and _KEY.match(match[1]) is None:
        return {}, text, ()
    return {}, f"{match[1]}\n\n{text[match.end() :]}", () if front else (note,)


def _loaded(front: str) -> tuple[object, str]:
    """Return what YAML says, and what to tell where it says nothing."""
    if len(front) > _LONGEST_FRONT or sum(map(front.count, "[{")) > _MOST_BRACKETS:
        return None, _LARGE
    with suppress(yaml.YAMLError):  # a few hundred bytes of aliases may stand for millions of values
        if any(getattr(event, "anchor", None) for event in yaml.parse(front, Loader=yaml.SafeLoader)):
            return None, _ALIASED
    for loader in (yaml.SafeLoader, yaml.BaseLoader):  # a value of no known type, as the date 2024-13-45, is text
        with suppress(yaml.YAMLError, ValueError, RecursionError):
            return yaml.load(front, Loader=loader), _INVALID  # noqa: S506 - the second makes nothing but texts
    return None, _INVALID
