"""What all commands share: the product opened, and one JSON object printed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rag.candor import Candor

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@contextmanager
def opened() -> "Iterator[Candor]":
    """Open Candor over the data folder that the environment names; closed again behind."""
    from rag.candor import Candor

    with Candor.open() as candor:
        yield candor


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))
