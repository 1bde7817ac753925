"""What the command lines of the benchmarks share: options in their range, mistakes as one line, runs that go on."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from rag.errors import CandorError


def at_least(lowest: int) -> Callable[[str], int]:
    """Return a type for argparse: a whole number from `lowest` on."""

    def number(given: str) -> int:
        try:
            value = int(given)
        except ValueError:
            value = lowest - 1
        if value < lowest:
            raise argparse.ArgumentTypeError(f"{given!r} is no whole number from {lowest} on")
        return value

    return number


def setting(given: str) -> tuple[str, str]:
    """Return name and value of `NAME=VALUE`, for argparse."""
    name, sign, value = given.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"{given!r} is not of the form NAME=VALUE")
    return name, value


@contextmanager
def plain_mistakes(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End the program with one line and exit code 2 where what it was given cannot be used."""
    try:
        yield
    except CandorError as error:
        parser.error(error.message)


def append_missing(path: Path, work: Mapping[str, Callable[[], dict[str, Any]]], *, key: str) -> None:
    """Append a line, with the `seconds` that it took, for each piece of work, by id, that has none yet.

    A torn last line, as a killed run leaves it, is made anew.
    """
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    whole = [line for line in whole if line.endswith("\n")]
    path.write_text("".join(whole), encoding="utf-8")
    known = {json.loads(line)[key] for line in whole}
    with path.open("a", encoding="utf-8") as file:
        for name, make in work.items():
            if name not in known:
                begun = monotonic()
                line = make() | {"seconds": round(monotonic() - begun, 2)}
                file.write(json.dumps(line) + "\n")
                file.flush()
                sys.stderr.write(f"{path.stem} {name}: {line['seconds']} s\n")
