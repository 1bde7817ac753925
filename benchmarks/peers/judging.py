"""The same judge for all: is a passage relevant, and how much of the text did the model read.

Relevance is that of METRICS (`rag.evaluation.relevance`). Contestants do not know sections, so a passage's section is
looked up: where its text stands in the file, and under which second-level heading. A passage that reaches over
several sections counts for each of them. The lookup ignores everything but letters and digits, because some contestants
drop links and white space. Candor's passages are looked up the same way.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.adapters.word_pieces import PieceTokenizer
from rag.evaluation.datasets import Gold
from rag.evaluation.relevance import overlaps, same_section

PROBE = 48
"""Letters and digits by which a stretch of a passage is found in its file."""
_HEADING = re.compile(r"^##\s+(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """One Markdown or text file as the judge sees it.

    Attributes:
        letters: Its letters and digits, lower case.
        starts: Where each section begins in `letters`, ascending; the first is 0.
        sections: The headings of the sections; empty before the first.
    """

    letters: str
    starts: tuple[int, ...]
    sections: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Source":
        """Return a file's text as the judge needs it."""
        headings = [(match.start(), match.group(1).strip()) for match in _HEADING.finditer(text)]
        starts = [0, *(len(_letters(text[:at])) for at, _ in headings)]
        return cls(_letters(text), tuple(starts), ("", *(heading for _, heading in headings)))

    def sections_of(self, passage: str) -> set[str]:
        """Return the headings of all sections in which parts of a passage stand."""
        letters = _letters(passage)
        found = set()
        for start in range(0, max(len(letters) - PROBE, 0) + 1, PROBE // 2):
            at = self.letters.find(letters[start : start + PROBE])
            if at >= 0:
                found.add(self.sections[bisect_right(self.starts, at) - 1])
        return found


def is_hit(found: Iterable[tuple[str, str]], gold: Sequence[Gold], sources: dict[str, Source]) -> bool:
    """Return whether one of the passages, as (document, text), is relevant for one of the gold places."""
    return any(_is_relevant(document, text, place, sources) for document, text in found for place in gold)


def share_read(texts: Sequence[str], pieces: PieceTokenizer, max_pieces: int) -> float:
    """Return the share of characters that the model read: 0..1; pieces beyond `max_pieces` - 2 are cut off."""
    read = whole = 0
    for text in texts:
        spans = pieces.spans(text)
        whole += len(text)
        read += len(text) if len(spans) <= max_pieces - 2 else spans[max_pieces - 3][1]
    return read / whole if whole else 0.0


def _is_relevant(document: str, text: str, place: Gold, sources: dict[str, Source]) -> bool:
    if document != place.document:
        return False
    if place.section and not any(same_section(one, place.section) for one in sources[document].sections_of(text)):
        return False
    return not place.text or overlaps(text, place.text)


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
