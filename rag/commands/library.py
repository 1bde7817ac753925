"""`candor collection`, `words` and `keys`: named sets of documents, other names of things, who may ask."""

import sys
from getpass import getuser
from pathlib import Path
from typing import Annotated

import typer

from rag.commands.printing import AsJson, opened, path_argument, tell
from rag.errors import InvalidQuery

keys = typer.Typer(help="API keys: create, list, revoke.", no_args_is_help=True, rich_markup_mode=None)
collection = typer.Typer(help="Collections of documents: add, remove, list.", no_args_is_help=True)
words = typer.Typer(help="House words, other names of things: add, remove, list, import.", no_args_is_help=True)
Named = Annotated[str, typer.Argument(help="Name of the collection.")]
Documents = Annotated[list[str] | None, typer.Argument(help="File names, as 'candor documents' lists them.")]


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="Whose key it is.")],
    role: Annotated[str, typer.Option(help="ask, evaluate or admin.")] = "ask",
    as_json: AsJson = False,
) -> None:
    """Make a key; its token is shown once and never again."""
    from rag.workspace.keys import create_key as create

    made = create(name, role)
    told = f"{made.token}\nKeep it: it is not shown again. Revoke it with 'candor keys revoke {made.key.key_id}'."
    tell({"key_id": made.key.key_id, "token": made.token}, told, as_json=as_json)


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, revoked ones included."""
    from rag.commands.present import keys_text
    from rag.workspace.keys import list_keys as listed

    found = listed()
    tell([key.model_dump(mode="json") for key in found], keys_text(found), as_json=as_json)


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key, as 'candor keys list' shows it.")],
    as_json: AsJson = False,
) -> None:
    """Refuse a key from now on."""
    from rag.workspace.keys import revoke_key as revoke

    revoke(key_id)
    tell({"key_id": key_id, "revoked": True}, f"Revoked {key_id}.", as_json=as_json)


@collection.command("add")
def add_documents(name: Named, documents: Documents = None, as_json: AsJson = False) -> None:
    """Put documents into a collection, which is made where there is none."""
    from rag.asking.known_filters import require_indexed

    if not documents or not 1 <= len(name.strip()) <= 200:
        raise InvalidQuery(f"Name the documents of the collection {name!r}, as in: candor collection add NAME a.pdf")
    with opened() as candor:
        require_indexed(documents, candor.wiring.catalogue)
        kept = candor.wiring.sessions.collections.add(name.strip(), documents, by=_who())
    tell(kept.model_dump(mode="json"), f"{kept.name}: {', '.join(kept.documents)}", as_json=as_json)


@collection.command("remove")
def remove_documents(name: Named, documents: Documents = None, as_json: AsJson = False) -> None:
    """Take documents out of a collection; without any, remove the collection. No document leaves the index."""
    with opened() as candor:
        kept = candor.wiring.sessions.collections
        if (found := kept.get(name)) is None:
            known = ", ".join(one.name for one in kept.list()) or "none"
            raise InvalidQuery(f"There is no collection {name!r}. Collections: {known}.")
        for document in documents or ():
            if document not in found.documents:
                raise InvalidQuery(f"{document!r} is not in the collection {name!r}: {', '.join(found.documents)}.")
        if documents and (left := kept.take_out(name, documents, by=_who())):
            tell(left.model_dump(mode="json"), f"{left.name}: {', '.join(left.documents)}", as_json=as_json)
            return
        kept.remove(name)
    tell({"collection": name, "removed": True}, f"Removed the collection {name}.", as_json=as_json)


@collection.command("list")
def list_collections(as_json: AsJson = False) -> None:
    """List the collections with their documents."""
    with opened() as candor:
        found = candor.wiring.sessions.collections.list()
    lines = [f"{one.name}: {', '.join(one.documents) or 'no documents'}" for one in found]
    told = "\n".join(lines) or "There are no collections. Create one with: candor collection add NAME DOCUMENT"
    tell([one.model_dump(mode="json") for one in found], told, as_json=as_json)


@words.command("add")
def add_word(
    word: Annotated[str, typer.Argument(help="The word or abbreviation, as PPE.")],
    means: Annotated[str, typer.Argument(help="What it stands for, as the documents may have it.")],
    as_json: AsJson = False,
) -> None:
    """Keep a house word; a word may mean several things."""
    from rag.workspace.house_words import checked

    kept = checked(word, means, by=_who())
    with opened() as candor:
        candor.wiring.sessions.house_words.add([kept])
    tell(kept.model_dump(mode="json"), str(kept), as_json=as_json)


@words.command("remove")
def remove_word(
    word: Annotated[str, typer.Argument(help="The word.")],
    means: Annotated[str | None, typer.Argument(help="Only this meaning.")] = None,
    as_json: AsJson = False,
) -> None:
    """Remove a house word, or one of its meanings."""
    with opened() as candor:
        removed = candor.wiring.sessions.house_words.remove(word, means)
    if not removed:
        named = f"{word!r}" if means is None else f"'{word} = {means}'"
        raise InvalidQuery(f"There is no house word {named}; 'candor words list' lists all house words.")
    tell({"word": word, "removed": removed}, f"Removed {word}.", as_json=as_json)


@words.command("list")
def list_words(
    as_csv: Annotated[bool, typer.Option("--csv", help="As a CSV file, which 'import' reads.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the house words."""
    from rag.workspace.house_words import as_csv as csv_of

    with opened() as candor:
        found = candor.wiring.sessions.house_words.list()
    if as_csv:
        sys.stdout.write(csv_of(found))
        return
    told = "\n".join(map(str, found)) or 'No house words. Add one with: candor words add PPE "protective gear"'
    tell([one.model_dump(mode="json") for one in found], told, as_json=as_json)


@words.command("import")
def import_words(
    path: Annotated[Path, path_argument("A CSV file: word,meaning.", "FILE")], as_json: AsJson = False
) -> None:
    """Keep the house words of a CSV file, all or none; those that are kept already stay."""
    from rag.ingest.loaders.cleaning import decode
    from rag.workspace.house_words import of_csv

    found = of_csv(decode(path.read_bytes()), by=_who())
    with opened() as candor:
        new = candor.wiring.sessions.house_words.add(found)
    tell({"new": new, "read": len(found)}, f"{new} new house words of {len(found)}.", as_json=as_json)


def _who() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a user without a name
        return ""
