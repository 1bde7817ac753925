"""Years of a question that were not searched for, because they say which edition is meant. Ground floor.

"What was the fee in 2022?" is read from the edition of 2022 as "What was the fee?". A sentence of any other document
answers that, too, and says nothing of 2022: it must not be shown for it.
"""

import re
from collections.abc import Sequence

from rag.models import Chunk, GroundedSentence, Grounding
from rag.text.editions import edition_of

ABOUT_A_YEAR = "The question asks about "
YEAR_ISSUE = f"{ABOUT_A_YEAR}{{year}}, which the cited passages do not mention."
"""How a grounding says that no passage speaks of a year."""
_YEAR = re.compile(r"(?<![\w.,])(?:19|20)\d\d(?!\w|[.,]\d)")


def years_left_out(question: str, asked: str) -> tuple[str, ...]:
    """Return the years of a question that are not searched for.

    >>> years_left_out("What was the fee in 2022?", "What was the fee?")
    ('2022',)
    """
    return tuple(year for year in dict.fromkeys(_YEAR.findall(question)) if year not in asked)


def grounded_in_years(grounding: Grounding, passages: Sequence[Chunk], years: Sequence[str]) -> Grounding:
    """Return a checked draft without the sentences whose passages speak of none of the years asked about."""
    sentences = tuple(of_years_asked(grounding.sentences, passages, years))
    if sentences == grounding.sentences:
        return grounding
    issues = (*grounding.validation_issues, *(YEAR_ISSUE.format(year=year) for year in years))
    return grounding.model_copy(
        update={
            "sentences": sentences,
            "is_valid": False,
            "validation_issues": issues,
            "answers": grounding.answers and any(one.supported for one in sentences),
        }
    )


def of_years_asked(
    sentences: Sequence[GroundedSentence], passages: Sequence[Chunk], years: Sequence[str]
) -> list[GroundedSentence]:
    """Return checked sentences, as ones to drop those whose passages speak of none of some years."""
    if not years:
        return [*sentences]
    speaking = {number for number, one in enumerate(passages, 1) if any(_speaks_of(one, year) for year in years)}
    reason = f"its passage does not mention {' or '.join(years)}"
    return [one.dropped(reason) if one.supported and speaking.isdisjoint(one.passages) else one for one in sentences]


def _speaks_of(chunk: Chunk, year: str) -> bool:
    """Return whether a passage, its headings, its title or the edition that its file name says has a year."""
    edition = edition_of(chunk.document)
    if edition and year in edition.parts:
        return True
    known = f"{chunk.document} {chunk.context} {chunk.content} {chunk.metadata.model_dump_json()}"
    spans = re.search(rf"{year[:2]}\d\d\s?[-–/]\s?{year[2:]}(?!\d)", known)
    return year in known or spans is not None
