"""`candor backup` and `candor restore`: all that Candor keeps, in one file and back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.commands.printing import AsJson, opened, path_argument, tell
from rag.errors import IndexNotReady
from rag.settings import Settings, load_settings

if TYPE_CHECKING:
    from rag.backup.saving import Manifest

_OF_THE_PLACE = ("data_dir", "cache_dir", "host", "port")
"""Settings that may well differ between the machine of a backup and this one."""


def backup(
    file: Annotated[Path, path_argument("The file to write, as candor.tar.gz.", "FILE")], as_json: AsJson = False
) -> None:
    """Save index, documents, records, labels, conversations and keys in one file; a server may go on answering."""
    from rag.backup.saving import back_up

    manifest = back_up(load_settings(), file)
    size = file.stat().st_size
    told = f"{file}: {size / 1e6:.1f} MB. It holds conversations and keys: keep it as safe as the data folder."
    tell({"file": str(file), "bytes": size, **manifest.model_dump(mode="json")}, told, as_json=as_json)
    for what in () if as_json else manifest.elsewhere:
        typer.echo(f"Not in the backup: {what}. Back it up separately.", err=True)


def restore(
    file: Annotated[Path, path_argument("What 'candor backup' wrote.", "FILE")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace all files in the data folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup into the data folder: all of it, or nothing. Stop the server first."""
    from rag.backup.restoring import restore as put_back
    from rag.commands.holder import is_index_in_use

    settings = load_settings()
    if (settings.data_dir / "index").is_dir():
        with opened() as candor:
            if is_index_in_use(candor):
                where = repr(str(settings.data_dir))
                raise IndexNotReady(f"Another process has the index in {where} open. Stop the server, then restore.")
    manifest = put_back(file, settings.data_dir, replace=replace)
    told = f"{settings.data_dir} was restored to its state of {manifest.created_at:%Y-%m-%d %H:%M} UTC."
    tell({"data_dir": str(settings.data_dir), **manifest.model_dump(mode="json")}, told, as_json=as_json)
    for line in () if as_json else _differing(manifest, settings):
        typer.echo(line, err=True)


def _differing(manifest: "Manifest", settings: Settings) -> list[str]:
    found = [
        f"The backup was made with CANDOR_{name.upper()}={value}; here it is {getattr(settings, name, None)}."
        for name, value in manifest.settings.items()
        if name not in _OF_THE_PLACE and value != str(getattr(settings, name, None))
    ]
    return found + [f"Not in the backup: {what}." for what in manifest.elsewhere]
