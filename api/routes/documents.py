"""What is indexed: list it, add to it, remove from it."""

import hashlib
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Depends, File, Path, UploadFile
from pydantic import Field
from starlette.requests import Request

from api.desk import AtDesk, Desk, desk_of
from api.fields import Contract, known_parameters
from api.filing import Errand
from api.problems import errors
from rag.errors import CandorError, InvalidDocument, ServiceUnavailable
from rag.ingest.report import FileOutcome
from rag.models import DocumentRecord

router = APIRouter(prefix="/v1", tags=["documents"])
Name = Annotated[str, Path(description="Name of the document: its file name, with folders where two files share it.")]


class Uploaded(Contract):
    """What became of the uploaded files."""

    files: tuple[FileOutcome, ...] = Field(description="One for each file, in the order sent.")


class Removed(Contract):
    """A document that was removed."""

    document: str = Field(description="File name.")
    removed: bool = Field(True, description="True: it was removed.")


@router.get("/documents", responses=errors(), dependencies=[Depends(known_parameters)])
async def documents(desk: AtDesk) -> list[DocumentRecord]:
    """List what is indexed."""
    return [_public(record) for record in await desk.slow(lambda: desk.candor.documents())]


@router.get("/documents/{name:path}", responses=errors(404))
async def document(name: Name, desk: AtDesk) -> DocumentRecord:
    """Return one indexed document."""
    found = await desk.light(lambda: desk.candor.wiring.catalogue.get(name))
    if found is None:
        raise _unknown(name)
    return _public(found)


@router.post("/documents", responses=errors())
async def upload(
    file: Annotated[list[UploadFile], File(description="One file or several.")], request: Request
) -> Uploaded:
    """Ingest files of every format in `docs/formats.md`, checked by content. 422 where none of them could be ingested.

    The documents of an archive are summed up: `notes` says which of them failed.

    Files take turns, each with a time limit; 503 with `Retry-After` where too many wait. Where the client goes away,
    the file that is being worked on leaves no trace, and those after it are not begun. A document is known by its file
    name: of several files of one name in a request, the first counts, and another that differs has `failed`.
    """
    desk, limit = desk_of(request), request.app.state.settings.max_upload_bytes
    outcomes: list[FileOutcome] = []
    away: list[ServiceUnavailable] = []
    has_had_turn = False
    first: dict[str, UploadFile] = {}
    for part in file:
        name, size = part.filename or "?", part.size or 0
        if not await _is_first(desk, part, first):
            outcomes.append(_twin(name))
            continue
        if size > limit:
            reason = f"{name!r} has {size} bytes; at most {limit} are accepted (CANDOR_MAX_UPLOAD_MB)."
            outcomes.append(FileOutcome(document=name, outcome="failed", reason=reason))
            continue
        try:
            outcomes.append(await _indexed(desk, request, part, is_further=has_had_turn))
            has_had_turn = True
        except ServiceUnavailable as error:
            away.append(error)
            outcomes.append(FileOutcome(document=name, outcome="failed", reason=error.message))
    public = tuple(outcome.model_copy(update={"path": None}) for outcome in outcomes)
    if all(outcome.outcome == "failed" for outcome in public):
        raise _failed(public, away)
    return Uploaded(files=public)


@router.delete("/documents/{name:path}", responses=errors(404))
async def forget(name: Name, desk: AtDesk, request: Request) -> Removed:
    """Remove a document and every chunk of it."""

    def work(errand: Errand) -> None:
        if desk.candor.wiring.catalogue.get(name) is None:
            raise _unknown(name)
        desk.candor.forget(name, check=errand.check)

    await desk.remove(request, name, work)
    return Removed(document=name)


async def _indexed(desk: Desk, request: Request, part: UploadFile, *, is_further: bool) -> FileOutcome:
    """Return what became of an uploaded file; it is brought into memory when its turn has come."""
    name = part.filename or ""

    def work(errand: Errand) -> FileOutcome:
        data = part.file.read()
        return desk.candor.ingest_bytes(name, data, check=errand.check, progress=errand.tell)

    return await desk.index(request, name, work, is_further=is_further)


async def _is_first(desk: Desk, part: UploadFile, first: dict[str, UploadFile]) -> bool:
    """Return whether a file is the first of its name in a request, or the same once more; note it where it is."""
    name = PurePosixPath((part.filename or "?").replace("\\", "/")).name
    known = first.setdefault(name, part) if name else part  # one without a name is refused for that
    if known is part:
        return True
    return known.size == part.size and await desk.slow(lambda: _digest(known) == _digest(part))


def _digest(part: UploadFile) -> bytes:
    part.file.seek(0)
    digest = hashlib.file_digest(part.file, "sha256").digest()  # type: ignore[arg-type]
    part.file.seek(0)
    return digest


def _twin(name: str) -> FileOutcome:
    reason = (
        f"{name!r} was not ingested: a document is known by its file name, and another file of this request has the "
        f"same. Rename one of them."
    )
    return FileOutcome(document=name, outcome="failed", reason=reason)


def _failed(outcomes: tuple[FileOutcome, ...], away: list[ServiceUnavailable]) -> CandorError:
    """Return the error of an upload of which nothing was ingested: what is not the files' own fault comes first."""
    reasons = {outcome.document: outcome.reason for outcome in reversed(outcomes)}  # of one name, the first's
    if away:
        away[0].details["files"] = reasons
        return away[0]
    return InvalidDocument(outcomes[0].reason or "The file could not be ingested.", details={"files": reasons})


def _unknown(name: str) -> InvalidDocument:
    return InvalidDocument(
        f"{name!r} is not indexed. GET /api/v1/documents lists what is.", details={"document": name, "status": 404}
    )


def _public(record: DocumentRecord) -> DocumentRecord:
    """Return a record without the places on this machine that the file was read from and found by."""
    return record.model_copy(update={"path": None, "link": None})
