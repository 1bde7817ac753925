"""`candor ingest`, `watch`, `documents` and `forget`: what is in the index."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from rag.commands.printing import AsJson, bar, opened, path_argument, tell
from rag.errors import CandorError, InvalidDocument, InvalidQuery
from rag.ingest.loaders import SUPPORTED_SUFFIXES
from rag.ingest.report import IngestReport, Progress

if TYPE_CHECKING:
    from rag.candor import Candor

NOTE = "first_ingest"
"""The catalogue's note of a first ingest: `begun` until it has ended, so that one that was killed is completed."""
BEGUN, DONE = "begun", "done"
_REBUILD = "Ingest unchanged files again, too; without a path, all indexed documents."
_REPLACE = "Let a file replace a document of the same name from another folder."
_REST = "Ingest a file once it has not changed for this many seconds."
_POLL = "Check the folders regularly; needed for network drives."


def first_ingest(
    candor: "Candor", paths: Sequence[Path], *, progress: Callable[[Progress], None] | None = None
) -> IngestReport:
    """Bring files into an empty index; do nothing, report no file and open no index where documents are indexed.

    Raises what `Candor.ingest` raises; after an error, as after a killed process, the next call goes on where it ended.
    A file that cannot be read is not tried again, and a path that is not there has begun nothing.
    """
    catalogue = candor.wiring.catalogue
    if catalogue.documents() and catalogue.get_meta(NOTE) != BEGUN:
        return IngestReport()
    catalogue.set_meta(NOTE, BEGUN)
    try:
        report = candor.ingest(paths, progress=progress)
    except InvalidDocument:
        if not catalogue.documents():  # else what somebody adds now would be joined by these files later
            catalogue.set_meta(NOTE, DONE)
        raise
    catalogue.set_meta(NOTE, DONE)
    return report


def ingest(
    paths: Annotated[
        list[Path] | None,
        path_argument("Files and folders; docs/formats.md lists what is read.", "PATHS", show_default=False),
    ] = None,
    rebuild: Annotated[bool, Option("--rebuild", help=_REBUILD)] = False,
    prune: Annotated[bool, Option("--prune", help="Remove documents whose file is gone from a folder.")] = False,
    replace: Annotated[bool, Option("--replace", help=_REPLACE)] = False,
    if_empty: Annotated[bool, Option("--if-empty", help="Only if nothing is indexed yet.")] = False,
    samples: Annotated[bool, Option("--samples", help="The sample documents that come with Candor.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring files and folders into the index; unchanged files are skipped, changed ones replaced."""
    from rag.commands.present import ingest_text
    from rag.process.product import samples_folder

    paths = [*(paths or []), *([samples_folder()] if samples else [])]
    if not paths and not rebuild:
        raise InvalidQuery(
            "Name the files or folders to ingest; `candor ingest --rebuild` ingests all indexed documents again."
        )
    with opened() as candor, bar(quiet=as_json) as progress:
        if not paths:
            report = candor.rebuild(progress=progress)
        elif if_empty:
            report = first_ingest(candor, paths, progress=progress)
        else:
            report = candor.ingest(paths, progress=progress, force=rebuild, prune=prune, replace=replace)
        has_documents = bool(report.files) or bool(candor.documents())
    if paths and not report.files and not (if_empty and has_documents):
        named, passed = ", ".join(repr(str(path)) for path in paths), f" {report.passed}." if report.passed else ""
        raise InvalidDocument(
            f"No files found to ingest in {named}.{passed} Candor reads {' '.join(SUPPORTED_SUFFIXES)}; files and "
            f"folders whose name begins with a dot are skipped."
        )
    told = "Documents are indexed already: nothing was ingested." if if_empty else "Nothing is indexed: nothing to do."
    tell(report.model_dump(mode="json"), ingest_text(report) if report.files else told, as_json=as_json)
    if report.failed:
        raise typer.Exit(1)


def watch(
    folders: Annotated[list[Path], path_argument("Folders to watch.", "FOLDERS", show_default=False)],
    rest: Annotated[float, Option(min=0.1, max=3600, help=_REST)] = 2.0,
    poll: Annotated[bool, Option("--poll", help=_POLL)] = False,
) -> None:
    """Keep the index true to folders until interrupted. A running server does it by itself, as CANDOR_WATCH says."""
    from rag.commands.present import ingest_text
    from rag.ingest.watching import keep_true

    def told(found: "IngestReport | CandorError") -> None:
        if isinstance(found, CandorError):
            typer.echo(f"{found.message} It is tried again.", err=True)
        else:
            typer.echo(ingest_text(found))

    with opened() as candor:
        typer.echo(f"Watching {', '.join(map(str, folders))}. Press Ctrl-C to stop.", err=True)
        keep_true(folders, candor.ingest, told=told, rest_s=rest, poll=poll)


def documents(
    collection: Annotated[str | None, Option(help="Only the documents of this collection.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what is indexed."""
    from rag.commands.present import documents_text

    with opened() as candor:
        among = candor.wiring.documents_of(collection) if collection is not None else None
        found = [one for one in candor.documents() if among is None or one.document in among]
    tell([record.model_dump(mode="json") for record in found], documents_text(found), as_json=as_json)


def forget(
    name: Annotated[str, typer.Argument(help="File name of the document, as 'candor documents' lists it.")],
    as_json: AsJson = False,
) -> None:
    """Remove a document and every chunk of it."""
    with opened() as candor:
        candor.forget(name)
    tell({"document": name, "removed": True}, f"Removed {name}.", as_json=as_json)
