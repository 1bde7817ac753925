"""What is indexed, and what people say of it: documents, collections of them, house words."""

import hashlib
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Depends, File, Path, Query, UploadFile
from pydantic import Field
from starlette.requests import Request

from api.desk import AtDesk, Desk, Who, desk_of
from api.fields import MAX_NAME, Contract, known_parameters
from api.filing import Errand
from api.problems import errors, refused
from rag.asking.known_filters import require_indexed
from rag.errors import CandorError, InvalidDocument, ServiceUnavailable
from rag.ingest.report import FileOutcome
from rag.models import DocumentRecord, HouseWord
from rag.workspace.house_words import checked
from rag.workspace.values import Collection

router = APIRouter(prefix="/v1", tags=["documents"])
Name = Annotated[str, Path(description="Name of the document: its file name, with folders where two files share it.")]
CollectionName = Annotated[str, Path(min_length=1, max_length=200, description="Name of the collection.")]
Document = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
SAME_NAME = "a document is known by its file name, and another file of this request has the same. Rename one of them."


class Uploaded(Contract):
    """What became of the uploaded files."""

    files: tuple[FileOutcome, ...] = Field(description="One for each file, in the order sent.")


class Removed(Contract):
    """A document that was removed."""

    document: str = Field(description="File name.")
    removed: bool = Field(True, description="True: it was removed.")


class Documents(Contract):
    """The documents of a collection."""

    documents: tuple[Document, ...] = Field(
        description="File names of indexed documents.", examples=[["safety_manual.pdf"]]
    )


class Word(Contract):
    """A house word to be kept."""

    word: str = Field(max_length=100, description="The word or abbreviation.")
    means: str = Field(max_length=200, description="What it stands for, as the documents may have it.")


class RemovedWords(Contract):
    """House words that were removed."""

    word: str = Field(description="The word.")
    removed: int = Field(ge=1, description="How many of its meanings.")


class RemovedCollection(Contract):
    """A collection that was removed; its documents stay."""

    collection: str = Field(description="What it was called.")
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
    first: dict[str, UploadFile] = {}
    has_had_turn = False
    for part in file:
        name, size = part.filename or "?", part.size or 0
        if not await _is_first(desk, part, first):
            reason = f"{name!r} was not ingested: {SAME_NAME}"
        elif size > limit:
            reason = f"{name!r} has {size} bytes; at most {limit} are accepted (CANDOR_MAX_UPLOAD_MB)."
        else:
            try:
                outcomes.append(await _indexed(desk, request, part, is_further=has_had_turn))
                has_had_turn = True
                continue
            except ServiceUnavailable as error:
                away.append(error)
                reason = error.message
        outcomes.append(FileOutcome(document=name, outcome="failed", reason=reason))
    if all(outcome.outcome == "failed" for outcome in outcomes):
        raise _failed(outcomes, away)
    return Uploaded(files=tuple(outcomes))


@router.delete("/documents/{name:path}", responses=errors(404))
async def forget(name: Name, desk: AtDesk, request: Request) -> Removed:
    """Remove a document and every chunk of it."""

    def work(errand: Errand) -> None:
        if desk.candor.wiring.catalogue.get(name) is None:
            raise _unknown(name)
        desk.candor.forget(name, check=errand.check)

    await desk.change(request, name, "removed", work)
    return Removed(document=name)


@router.get("/collections", responses=errors(), dependencies=[Depends(known_parameters)])
async def collections(desk: AtDesk) -> list[Collection]:
    """List the collections with their documents."""
    return await desk.light(lambda: [*desk.candor.wiring.sessions.collections.list()])


@router.put("/collections/{name}", responses=errors())
async def put_collection(name: CollectionName, body: Documents, desk: AtDesk, who: Who) -> Collection:
    """Let a collection have exactly these documents; it is made where there is none of this name."""

    def work() -> Collection:
        require_indexed(body.documents, desk.candor.wiring.catalogue)
        return desk.candor.wiring.sessions.collections.put(name, body.documents, by=who.name)

    return await desk.light(work)


@router.delete("/collections/{name}", responses=errors(404))
async def remove_collection(
    name: Annotated[str, Path(description="Name of the collection.")], desk: AtDesk
) -> RemovedCollection:
    """Remove a collection; its documents stay indexed."""
    if not await desk.light(lambda: desk.candor.wiring.sessions.collections.remove(name)):
        raise refused(404, f"There is no collection {name!r}. GET /api/v1/collections lists all collections.")
    return RemovedCollection(collection=name)


@router.get("/words", responses=errors(), dependencies=[Depends(known_parameters)])
async def words(desk: AtDesk) -> list[HouseWord]:
    """List the house words: other names of things, put into questions where that finds more."""
    return await desk.light(lambda: [*desk.candor.wiring.sessions.house_words.list()])


@router.post("/words", responses=errors())
async def add_word(body: Word, desk: AtDesk, who: Who) -> HouseWord:
    """Keep a house word; a word may mean several things."""
    word = checked(body.word, body.means, by=who.name)

    def work() -> HouseWord:
        kept = desk.candor.wiring.sessions.house_words
        kept.add([word])
        return next(one for one in kept.list() if str(one) == str(word))

    return await desk.light(work)


@router.delete("/words/{word}", responses=errors(404))
async def remove_word(
    word: Annotated[str, Path(description="The word.")],
    desk: AtDesk,
    means: Annotated[str | None, Query(description="Only this meaning; null: all of them.")] = None,
) -> RemovedWords:
    """Remove a house word."""
    removed = await desk.light(lambda: desk.candor.wiring.sessions.house_words.remove(word, means))
    if not removed:
        raise refused(404, f"There is no house word {word!r}. GET /api/v1/words lists all house words.")
    return RemovedWords(word=word, removed=removed)


async def _indexed(desk: Desk, request: Request, part: UploadFile, *, is_further: bool) -> FileOutcome:
    name = part.filename or ""

    def work(errand: Errand) -> FileOutcome:
        outcome = desk.candor.ingest_bytes(name, part.file.read(), check=errand.check, progress=errand.tell)
        return outcome.model_copy(update={"path": None})

    return await desk.change(request, name, "indexed", work, is_further=is_further)


async def _is_first(desk: Desk, part: UploadFile, first: dict[str, UploadFile]) -> bool:
    """Return whether a file is the first of its name in a request, which is noted, or the same once more."""
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


def _failed(outcomes: list[FileOutcome], away: list[ServiceUnavailable]) -> CandorError:
    """Return the error of an upload of which nothing was ingested: what is not the files' own fault comes first."""
    reasons = {outcome.document: outcome.reason for outcome in reversed(outcomes)}  # of one name, the first's
    if away:
        away[0].details["files"] = reasons
        return away[0]
    return InvalidDocument(outcomes[0].reason or "The file could not be ingested.", details={"files": reasons})


def _unknown(name: str) -> InvalidDocument:
    said = f"{name!r} is not indexed. GET /api/v1/documents lists what is."
    return InvalidDocument(said, details={"document": name, "status": 404})


def _public(record: DocumentRecord) -> DocumentRecord:
    return record.model_copy(update={"path": None, "link": None})
