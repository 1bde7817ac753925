"""Sentences of PDF files that the loader keeps whole, and those that it tears, judged by a second extractor.

    python -m benchmarks.pdf_sentences PATH... --loader CHECKOUT [--loader CHECKOUT] [--torn]

The second extractor is pdfminer.six (`pip install pdfminer.six`; nothing else of Candor needs it), which lays pages out
by itself. A sentence is agreed where it stands in one text box of pdfminer and in one piece in the text that PDFium
gives in the file's own order. It is whole where it stands in one block of the loader. A sentence of the loader is
suspect where it stands in one piece in neither text: it is torn, or goes on over a page with a running foot between.
`--torn` prints the suspects, to be read. White space, hyphens and characters that are no letters or digits do not
count. All loaders read the same files in the same run.
"""

import argparse
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_FEWEST_WORDS = 6
_READ = r"""
import json, sys, time
from pathlib import Path
from rag.errors import InvalidDocument
from rag.ingest.loaders import load
names, found = json.load(sys.stdin), {}
for name in [names[0], *names]:  # the first twice, for what is loaded once
    begin = time.process_time()
    try:
        document = load(Path(name))
    except InvalidDocument:
        continue
    found[name] = document.text.split("\n"), len(document.pages), time.process_time() - begin
json.dump(found, sys.stdout)
"""


class Reading(NamedTuple):
    """What a loader reads of a file: the text of its blocks, its pages, and the seconds of processor time it takes."""

    blocks: list[str]
    pages: int
    seconds: float


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded.

    >>> letters("An infor-\\nmation, 2.")
    'aninformation2'
    """
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a block that begin with a capital, end in a full stop and have some words.

    >>> list(sentences("and so on. The pump of the hall runs all night. It is"))
    ['The pump of the hall runs all night.']
    """
    for sentence in _SENTENCE.split(text):
        is_whole = sentence[:1].isupper() and sentence.rstrip().endswith((".", "!", "?"))
        if is_whole and len(sentence.split()) >= _FEWEST_WORDS and "|" not in sentence:
            yield sentence


def boxes_of(path: Path) -> list[str]:
    """Return the text boxes of a file as pdfminer.six lays them out."""
    from pdfminer.high_level import extract_pages
    from pdfminer.layout import LTTextContainer

    boxes = (box for page in extract_pages(path) for box in page if isinstance(box, LTTextContainer))
    return [" ".join(box.get_text().split()) for box in boxes]


def own_order(path: Path) -> str:
    """Return the letters of a file in its own order, as PDFium gives them."""
    import pypdfium2 as pdfium

    with pdfium.PdfDocument(path) as document:
        return "".join(letters(page.get_textpage().get_text_range()) for page in document)


def read(checkout: Path, paths: Sequence[Path]) -> dict[str, Reading]:
    """Return what the loader of a checkout reads of each file, in a fresh interpreter."""
    names = [str(path.resolve()) for path in paths]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _READ], input=json.dumps(names), stdout=subprocess.PIPE, text=True,
        check=True, cwd=checkout, env={"PYTHONPATH": str(checkout.resolve())},
    )  # fmt: skip
    return {name: Reading(*reading) for name, reading in json.loads(done.stdout).items()}


def suspects(blocks: Sequence[str], layout: str, own: str) -> tuple[int, list[str]]:
    """Return how many sentences blocks hold, and those that stand in one piece in neither extractor's text."""
    found = [sentence for block in blocks for sentence in sentences(block)]
    torn = [one for one in found if letters(one) not in layout and letters(one) not in own]
    return len(found), torn


def main() -> None:
    """Print a line of figures for each checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--loader", action="append", type=Path, required=True)
    parser.add_argument("--torn", action="store_true")
    options = parser.parse_args()
    files = sorted(file for path in options.paths for file in ([path] if path.is_file() else path.rglob("*.pdf")))
    boxes = {str(file.resolve()): boxes_of(file) for file in files}
    own = {str(file.resolve()): own_order(file) for file in files}
    agreed = {
        name: [one for box in texts for one in sentences(box) if letters(one) in own[name]]
        for name, texts in boxes.items()
    }
    total = sum(map(len, agreed.values()))
    for checkout in options.loader:
        readings = read(checkout, files)
        whole = lost = said = 0
        torn: list[str] = []
        for name, reading in readings.items():
            blocks = "\n".join(map(letters, reading.blocks))
            missing = [one for one in agreed[name] if letters(one) not in blocks]
            whole, lost = whole + len(agreed[name]) - len(missing), lost + len(missing)
            count, found = suspects(reading.blocks, "".join(map(letters, boxes[name])), own[name])
            said, torn = said + count, torn + [f"{Path(name).name}: torn? {one}" for one in found]
            torn += [f"{Path(name).name}: lost? {one}" for one in missing] if options.torn else []
        suspect = sum(": torn? " in one for one in torn)
        pages, seconds = sum(one.pages for one in readings.values()), sum(one.seconds for one in readings.values())
        print(
            f"{checkout}: {whole} of {total} agreed sentences whole ({whole / max(total, 1):.3f}), "
            f"{suspect} of {said} suspect, {pages} pages, {pages / seconds:.1f} pages a second of processor time"
        )
        if options.torn:
            print("\n".join(torn))


if __name__ == "__main__":
    main()
