"""Names of documents: the file's own, and where files share one, the shortest path that tells them apart.

Names and paths are compared in NFC: a Mac writes `ü` as two characters, and the file is the same.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from rag.errors import InvalidDocument
from rag.ingest.finding import CONTAINERS
from rag.ingest.incoming import Incoming, composed
from rag.ingest.loaders.source import refuse
from rag.ingest.report import FileOutcome
from rag.models import DocumentRecord


def named(
    files: Iterable[Incoming],
    records: Iterable[DocumentRecord],
    *,
    stands: Callable[[DocumentRecord], bool],
    replacing: bool,
) -> tuple[list[Incoming], list[FileOutcome]]:
    """Return files under the names of their documents, and what becomes of those that are no documents of their own.

    A file has the name that its document has already among the `records`, or one that no other file has. `stands` tells
    whether the file of a document is still where it was read from. With `replacing` a file takes the place of the
    document of its name, wherever that was read from.
    """
    known = defaultdict[str, list[DocumentRecord]](list)
    for record in records:
        known[_base(record)].append(record)
    groups = defaultdict[str, list[Incoming]](list)
    for file in files:
        groups[file.name].append(file)
    kept, others = list[Incoming](), list[FileOutcome]()
    for name, group in groups.items():
        firsts, twins = _distinct(group)
        indexed = known[name] if firsts[0].has_valid_name else []
        names = [_name(file, firsts, indexed, stands=stands, replacing=replacing) for file in firsts]
        kept += [replace(file, name=own) for file, own in zip(firsts, names, strict=True)]
        others += [_twin(file, firsts[place], names[place]) for file, place in twins]
    return kept, others


def _name(
    file: Incoming,
    group: Sequence[Incoming],
    records: Sequence[DocumentRecord],
    *,
    stands: Callable[[DocumentRecord], bool],
    replacing: bool,
) -> str:
    """Return the name of a file's document, given all files of the file's name and the documents of such files."""
    place = _place(file)
    own = next((record for record in records if place and _place(record) == place), None)
    own = own or next((record for record in records if _is_same(file, record)), None)
    if own is not None and not (replacing and len(group) == 1):
        return composed(own.document)
    there = [] if replacing else [_place(record) for record in records if record.path and stands(record)]
    rivals = [*there, *(_place(other) for other in group if other is not file)]
    taken = {record.document for record in records if _place(record) in rivals}
    return file.name if not rivals else _apart(file, [rival for rival in rivals if rival != place], taken)


def _distinct(group: Sequence[Incoming]) -> tuple[list[Incoming], list[tuple[Incoming, int]]]:
    """Return the files of one name that are documents, and each other one with the number of its like among them."""
    firsts: list[Incoming] = []
    twins = []
    for file in group:
        for place, one in enumerate(firsts):
            if (file.source and _place(file) == _place(one)) or _is_same(file, one):
                twins.append((file, place))
                break
        else:
            firsts.append(file)
    return firsts, twins


def _twin(file: Incoming, first: Incoming, name: str) -> FileOutcome:
    """Return what becomes of a file that is no document of its own: the same content is no failure."""
    there = first.source or first.name
    if _is_same(file, first):
        return FileOutcome(document=name, outcome="unchanged", reason=f"the same file as {there!r}", path=file.source)
    reason = f"its path looks the same as {there!r} and differs only in its Unicode encoding"
    told = refuse(str(file.source), reason, "Remove one of the two files").message
    return FileOutcome(document=name, outcome="failed", reason=told, path=file.source)


def _apart(file: Incoming, rivals: Sequence[str], taken: set[str]) -> str:
    """Return the shortest end of a file's path, longer than its name, that no other file's path has."""
    parts = [part for part in PurePath(_place(file)).parts if part != "/"]
    for length in range(len(PurePath(file.name).parts) + 1, len(parts)):
        name = "/".join(parts[-length:])
        if name not in taken and not any(f"/{rival}".endswith(f"/{name}") for rival in rivals):
            return name
    return "/".join(parts)


def _place(one: Incoming | DocumentRecord) -> str:
    """Return where a file or that of a document stands, or the link that leads to it: names are those of links."""
    return composed(one.link or (one.path if isinstance(one, DocumentRecord) else one.source) or "")


def _base(record: DocumentRecord) -> str:
    """Return the name that a document's file has by itself; that of an archive's member begins with the archive's."""
    parts = PurePath(composed(record.document)).parts
    holders = [place for place, part in enumerate(parts[:-1]) if PurePath(part).suffix.lower() in CONTAINERS]
    return "/".join(parts[holders[0] if holders else -1 :])


def _is_same(file: Incoming, other: Incoming | DocumentRecord) -> bool:
    """Return whether a file has the content of another one, or of a document; False where that cannot be read."""
    with suppress(InvalidDocument):
        if isinstance(other, DocumentRecord):
            return file.size == other.size_bytes and file.hash() == other.hash
        return file.size == other.size and file.hash() == other.hash()
    return False
