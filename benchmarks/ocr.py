"""How well and how fast pages are read from pictures: twelve pages, drawn and degraded here, whose text is known.

Character accuracy is 1 - edit distance / length, white space collapsed, over the whole page in reading order: a column
that is read in the wrong place counts as wrong.

    python -m benchmarks.ocr [--pages 3] [--dpi 150] [--skew 1.0] [--noise 12] [--tesseract]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image
from rapidfuzz.distance import Levenshtein

from benchmarks.ocr_pages import pages, scanned
from benchmarks.options import at_least
from rag.ingest.loaders.ocr import mean_confidence, read_picture

Reader = Callable[[Image.Image], tuple[str, float]]
"""Returns a page's text in reading order and the mean confidence."""


def candor(picture: Image.Image) -> tuple[str, float]:
    """Read a page as Candor does."""
    lines = read_picture(picture)
    return " ".join(line.text for line in lines), mean_confidence(lines)


def tesseract(picture: Image.Image) -> tuple[str, float]:
    """Read a page with Debian's Tesseract, in its own order."""
    with tempfile.TemporaryDirectory() as folder:
        picture.save(Path(folder, "page.png"))
        command = ["tesseract", str(Path(folder, "page.png")), "-", "-l", "eng"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout, float("nan")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the pages, print a line for each and the whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=at_least(1), default=12, help="how many of the twelve")
    parser.add_argument("--dpi", type=at_least(50), default=150)
    parser.add_argument("--skew", type=float, default=1.0, help="degrees, to the left and to the right by turns")
    parser.add_argument("--noise", type=float, default=12.0, help="standard deviation, of 255")
    parser.add_argument("--tesseract", action="store_true", help="measure Debian's Tesseract instead")
    chosen = parser.parse_args(arguments)
    read: Reader = tesseract if chosen.tesseract else candor
    wrong, length, seconds, cpu = 0, 0, 0.0, 0.0
    read(Image.new("RGB", (200, 200), "white"))  # the engine is loaded
    for number, page in enumerate(pages()[: chosen.pages]):
        skew = chosen.skew * (1 if number % 2 else -1)
        picture = scanned(page, dpi=chosen.dpi, skew=skew, noise=chosen.noise, seed=number)
        begun, spent = time.perf_counter(), time.process_time()
        text, sure = read(picture)
        seconds, cpu = seconds + time.perf_counter() - begun, cpu + time.process_time() - spent
        distance = Levenshtein.distance(" ".join(text.split()), page.text)
        wrong, length = wrong + distance, length + len(page.text)
        sys.stdout.write(f"{page.name:22} accuracy {1 - distance / len(page.text):.4f}  sure {sure:.3f}\n")
        sys.stdout.flush()
    each = f"{60 * chosen.pages / seconds:.1f} pages a minute, {cpu / chosen.pages:.1f} s of this process's CPU a page"
    sys.stdout.write(f"{'all':22} accuracy {1 - wrong / length:.4f}  {each}\n")


if __name__ == "__main__":
    main()
