"""Data sets that share documents: one corpus, so that no question is judged by a fit that saw its document."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.evaluation.labelled import Labelled


@dataclass(frozen=True, slots=True)
class Part:
    """A data set's questions as the gate sees them, and the documents that they were asked of."""

    rows: Sequence[Labelled]
    versions: Sequence[tuple[str, str]]
    """Name and hash of the content of every document."""


def of_corpora(parts: Sequence[Part]) -> list[Labelled]:
    """Return the questions of all data sets, in order; those of data sets that share a document are of one corpus.

    A document is known by its content: under another name it is the same one, and goes by the first name that it has.
    A corpus goes by the name of its first data set; a data set that shares nothing keeps its questions as they are.
    """
    found: dict[int, list[Labelled]] = {}
    for numbers in _sharing(parts):
        together = [parts[number] for number in numbers]
        names = _first_names(together)
        corpus = next((row.dataset for part in together for row in part.rows), "") if len(together) > 1 else ""
        for number, part in zip(numbers, together, strict=True):
            found[number] = [_placed(row, corpus, names, dict(part.versions)) for row in part.rows]
    return [row for number in sorted(found) for row in found[number]]


def _sharing(parts: Sequence[Part]) -> list[list[int]]:
    """Return the numbers of the data sets that share documents, each with another or by way of a third."""
    found: list[tuple[list[int], set[str]]] = []
    for number, part in enumerate(parts):
        hashes = {version for _, version in part.versions}
        near = [one for one in found if not one[1].isdisjoint(hashes)]
        found = [one for one in found if one[1].isdisjoint(hashes)]
        members = sorted(member for one in near for member in one[0])
        found.append(([*members, number], hashes.union(*(one[1] for one in near))))
    return [numbers for numbers, _ in found]


def _first_names(parts: Sequence[Part]) -> dict[str, str]:
    """Return the first name of each document, by the hash of its content."""
    names: dict[str, str] = {}
    for part in parts:
        for name, version in part.versions:
            names.setdefault(version, name)
    return names


def _placed(row: Labelled, corpus: str, names: dict[str, str], versions: dict[str, str]) -> Labelled:
    """Return a question under its corpus, and under the first name of its document."""
    group = names.get(versions.get(row.group, ""), row.group)
    return row.model_copy(update={"corpus": row.corpus or corpus, "group": group})
