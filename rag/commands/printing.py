"""What all commands share: the product opened, one JSON object printed, a progress bar.

The bar stands on standard error; where that is no terminal, a line a minute. It is `quiet` where a program reads the
output (`--json`), on a terminal too: a line that redraws itself would stand among the JSON on the same screen.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.events import Event
    from rag.ingest.report import Progress

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
EVERY = 60.0  # seconds from one line to the next where standard error is no terminal


def named_path(value: str | Path) -> Path:
    """Return an argument as a path; an empty one, as of a variable that is not set, raises BadParameter."""
    if not str(value).strip():
        raise typer.BadParameter(f"{value!r} is not the name of a file or folder; the current folder is '.'.")
    return Path(value)


def path_argument(help: str, metavar: str, **more: Any) -> Any:
    """Return the declaration of an argument that names a file or folder."""
    return typer.Argument(help=help, parser=named_path, metavar=metavar, **more)


def path_option(help: str, metavar: str = "FILE") -> Any:
    """Return the declaration of an option that names a file or folder."""
    return typer.Option(help=help, parser=named_path, metavar=metavar)


def named_run(value: str) -> Path:
    """Return an argument as the path of an evaluation run, a file; else raises BadParameter."""
    path, told = named_path(value), ""
    if path.is_dir():
        told = "is a folder. Name the file of a run in it"
    elif path.suffix != ".jsonl" and not path.exists():  # a run can be compared whose lines are gone
        told = "does not exist. Name the lines of a run"
    if told:
        raise typer.BadParameter(f"{value!r} {told}, as `candor evaluate` printed them.")
    return path


@contextmanager
def opened() -> "Iterator[Candor]":
    """Open Candor over the data folder that the environment names; closed again behind."""
    from rag.candor import Candor

    with Candor.open() as candor:
        yield candor


def tell(value: Any, told: str, *, as_json: bool) -> None:
    """Print what came of a command: a value as one line of JSON, or the same in words."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str) if as_json else told)


@contextmanager
def bar(*, quiet: bool = False) -> "Iterator[Callable[[Progress], None]]":
    """Yield a callback that draws an ingest's progress, with rate and time left."""
    tell = _teller(quiet=quiet)
    with _drawn(quiet, unit="file", bar_format="{desc} {n_fmt}/{total_fmt} |{bar}| {postfix}") as drawn:

        def show(progress: "Progress") -> None:
            left = "" if progress.seconds_left is None else f", {_duration(progress.seconds_left)} left"
            done = f"{progress.files_done} of {progress.files_total} files, {progress.chunks_done} chunks"
            tell(f"{done}{left}: {progress.current}")
            drawn.total, drawn.n = progress.files_total, progress.files_done
            drawn.set_description_str(progress.current[:40], refresh=False)
            drawn.set_postfix_str(f"{progress.chunks_done} chunks, {progress.rate:.0f}/s{left}")

        yield show


@contextmanager
def counter(unit: str, *, quiet: bool = False) -> "Iterator[Callable[[int, int], None]]":
    """Yield a callback that draws how many of how many are done, with rate and time left."""
    tell = _teller(quiet=quiet)
    with _drawn(quiet, unit=unit) as drawn:

        def show(done: int, total: int) -> None:
            tell(f"{unit} {done} of {total}")
            drawn.total = total
            drawn.update(done - drawn.n)

        yield show


@contextmanager
def watching(*, quiet: bool = False) -> "Iterator[Callable[[Event], None]]":
    """Yield a callback that draws what happens until a question is answered; the bar is gone then."""
    from rag.events import Token, Waiting

    tell = _teller(quiet=quiet)
    with _drawn(quiet, total=100, desc="Looking for passages", leave=False, bar_format="{desc} |{bar}|") as drawn:

        def show(event: "Event") -> None:
            if isinstance(event, Token):
                told, share = "The model is writing", 1.0
            elif isinstance(event, Waiting) and event.share is not None:
                told, share = event.told, event.share
            else:
                return
            tell(f"{told}: {share:.0%}" if share < 1 else told)
            drawn.n = round(100 * share)
            drawn.set_description_str(told)

        yield show


def _drawn(quiet: bool, **look: Any) -> Any:
    from tqdm import tqdm

    return tqdm(file=sys.stderr, disable=quiet or not sys.stderr.isatty(), **look)


def _teller(*, quiet: bool) -> Callable[[str], None]:
    """Return what writes a line to standard error, at most one in `EVERY` seconds; none on a terminal."""
    is_plain, told = not quiet and not sys.stderr.isatty(), monotonic()

    def tell(line: str) -> None:
        nonlocal told
        if is_plain and monotonic() - told >= EVERY:
            told = monotonic()
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    return tell


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
