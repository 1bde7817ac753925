"""What is indexed: list it, add to it, remove from it."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, UploadFile
from pydantic import Field
from starlette.requests import Request

from api.desk import Desk, desk_of
from api.fields import Contract
from api.openapi import errors
from rag.errors import InvalidDocument
from rag.ingest.report import FileOutcome
from rag.models import DocumentRecord

router = APIRouter(prefix="/v1", tags=["documents"])


class Uploaded(Contract):
    """What became of the uploaded files."""

    files: tuple[FileOutcome, ...] = Field(description="One for each file, in the order sent.")


class Removed(Contract):
    """A document that was removed."""

    document: str = Field(description="File name.")
    removed: bool = Field(True, description="True: it answers nothing any more.")


@router.get("/documents", responses=errors())
async def documents(request: Request) -> list[DocumentRecord]:
    """List what is indexed."""
    desk = desk_of(request)
    return [_public(record) for record in await desk.light(lambda: desk.candor.documents())]


@router.get("/documents/{name}", responses=errors(404))
async def document(name: str, request: Request) -> DocumentRecord:
    """Return one indexed document."""
    desk = desk_of(request)
    found = await desk.light(lambda: desk.candor.wiring.catalogue.get(name))
    if found is None:
        raise _unknown(name)
    return _public(found)


@router.post("/documents", responses=errors())
async def upload(
    file: Annotated[list[UploadFile], File(description="One file or several.")], request: Request
) -> Uploaded:
    """Ingest files: .pdf .docx .html .md .txt, told apart by content. 422 where none of them could be ingested."""
    desk, limit = desk_of(request), request.app.state.settings.max_upload_mb * 1_000_000
    outcomes = []
    for part in file:
        name = part.filename or ""
        if (part.size or 0) > limit:
            reason = f"{name!r} has {part.size} bytes; at most {limit} are accepted (CANDOR_MAX_UPLOAD_MB)."
            outcomes.append(FileOutcome(document=name or "?", outcome="failed", reason=reason))
            continue
        data = await part.read()
        outcomes.append(await desk.file(partial(_ingest, desk, name, data)))
    public = tuple(outcome.model_copy(update={"path": None}) for outcome in outcomes)
    if all(outcome.outcome == "failed" for outcome in public):
        reasons = {outcome.document: outcome.reason for outcome in public}
        raise InvalidDocument(public[0].reason or "The file could not be ingested.", details={"files": reasons})
    return Uploaded(files=public)


@router.delete("/documents/{name}", responses=errors(404))
async def forget(name: str, request: Request) -> Removed:
    """Remove a document and every chunk of it."""
    desk = desk_of(request)

    def work() -> None:
        if desk.candor.wiring.catalogue.get(name) is None:
            raise _unknown(name)
        desk.candor.forget(name)

    await desk.file(work)
    return Removed(document=name)


def _ingest(desk: Desk, name: str, data: bytes) -> FileOutcome:
    return desk.candor.ingest_bytes(name, data)


def _unknown(name: str) -> InvalidDocument:
    return InvalidDocument(
        f"{name!r} is not indexed. GET /api/v1/documents lists what is.", details={"document": name, "status": 404}
    )


def _public(record: DocumentRecord) -> DocumentRecord:
    """Return a record without the place on this machine that the file was read from."""
    return record.model_copy(update={"path": None})
