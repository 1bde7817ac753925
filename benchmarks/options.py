"""What the command lines of the benchmarks share: options in their range, and mistakes as one line."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
