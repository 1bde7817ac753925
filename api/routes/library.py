"""What people say of the documents: collections of them, and house words."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field

from api.desk import AtDesk, Who
from api.fields import Contract, known_parameters
from api.problems import errors
from api.schemas import MAX_NAME
from rag.asking.known_filters import require_indexed
from rag.errors import InvalidQuery
from rag.models import HouseWord
from rag.stored.house_words import checked
from rag.stored.values import Collection

router = APIRouter(prefix="/v1", tags=["documents"])
Name = Annotated[str, Path(min_length=1, max_length=200, description="Name of the collection.")]
Document = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


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


@router.get("/collections", responses=errors(), dependencies=[Depends(known_parameters)])
async def collections(desk: AtDesk) -> list[Collection]:
    """List the collections with their documents."""
    return await desk.light(lambda: [*desk.candor.wiring.sessions.collections.list()])


@router.put("/collections/{name}", responses=errors())
async def put_collection(name: Name, body: Documents, desk: AtDesk, who: Who) -> Collection:
    """Let a collection have exactly these documents; it is made where there is none of this name."""

    def work() -> Collection:
        require_indexed(body.documents, desk.candor.wiring.catalogue)
        kept: Collection = desk.candor.wiring.sessions.collections.put(name, body.documents, by=who.name)
        return kept

    return await desk.light(work)


@router.delete("/collections/{name}", responses=errors(404))
async def remove_collection(
    name: Annotated[str, Path(description="Name of the collection.")], desk: AtDesk
) -> RemovedCollection:
    """Remove a collection; its documents stay indexed."""
    if not await desk.light(lambda: desk.candor.wiring.sessions.collections.remove(name)):
        raise _missing(f"There is no collection {name!r}. GET /api/v1/collections lists all collections.")
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
        raise _missing(f"There is no house word {word!r}. GET /api/v1/words lists all house words.")
    return RemovedWords(word=word, removed=removed)


def _missing(message: str) -> InvalidQuery:
    return InvalidQuery(message, details={"status": 404})
