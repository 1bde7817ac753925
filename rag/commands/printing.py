"""What all commands share: the product opened, and one JSON object printed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rag.candor import Candor

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def named_path(value: str | Path) -> Path:
    """Return an argument, or its default, as a path; nothing is none, though it would be read as the current folder.

    Raises:
        typer.BadParameter: It is empty, as of a variable of the shell that is not set.
    """
    if not str(value).strip():
        raise typer.BadParameter(f"{value!r} names no file or folder; the current one is '.'.")
    return Path(value)


def named_run(value: str) -> Path:
    """Return an argument as the path of an evaluation run, a file. Raises what `named_path` raises, and for folders."""
    path = named_path(value)
    if path.is_dir():
        raise typer.BadParameter(
            f"{value!r} is a folder. Name the file of a run in it, as `candor evaluate` printed it."
        )
    if path.suffix != ".jsonl" and not path.exists():  # a run can be compared whose lines are gone
        raise typer.BadParameter(f"{value!r} is not there. Name the lines of a run, as `candor evaluate` printed them.")
    return path


@contextmanager
def opened() -> "Iterator[Candor]":
    """Open Candor over the data folder that the environment names; closed again behind."""
    from rag.candor import Candor

    with Candor.open() as candor:
        yield candor


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))
