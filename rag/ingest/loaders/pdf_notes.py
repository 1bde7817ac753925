"""What is told of a PDF that could be read in part only."""

from collections.abc import Mapping, Sequence

_MOST = 20
"""Runs of pages that are named."""


def notes_of(textless: Sequence[int], slanted: Mapping[int, int], count: int) -> list[str]:
    """Return a note that names the pages without text, and one of those with text that was left out.

    >>> [note.partition(":")[0] for note in notes_of([3, 7, 8, 9], {1: 2}, 12)]
    ['No text could be read on 4 of 12 pages (3, 7-9)', 'Slanted text was left out on page 1 of 12']

    Args:
        textless: Numbers of the pages on which something is drawn and no text stands, rising.
        slanted: Number of slanted words of each page that has some, by rising page number.
        count: Number of all pages.
    """
    notes = []
    if textless:
        advice = "To find what they say, run text recognition (OCR) on the file and ingest the result."
        where = _where(textless, count)
        notes.append(f"No text could be read on {where}: only pictures or drawings stand there. {advice}")
    if slanted:
        words = sum(slanted.values())
        said = f"{words} word{'' if words == 1 else 's'} across the page, as of a watermark or a chart"
        notes.append(f"Slanted text was left out on {_where(list(slanted), count)}: {said}.")
    return notes


def _where(pages: Sequence[int], count: int) -> str:
    return f"page {pages[0]} of {count}" if len(pages) == 1 else f"{len(pages)} of {count} pages ({_ranges(pages)})"


def _ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers with runs of them as first and last: `3, 7-9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    more = f" and {sum(map(len, runs[_MOST:]))} more" if len(named) > _MOST else ""
    return ", ".join(named[:_MOST]) + more
