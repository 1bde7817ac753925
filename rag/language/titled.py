"""Whether a text shares with a question only what the document's title names. Ground floor.

"When was the Old Mill Hotel built?" is near to every sentence of the Old Mill Hotel's price list, because the title
stands over all of them; unless one of them says something of building, none is an answer.
"""

from collections.abc import Iterable
from itertools import pairwise

from rag.language.asked import understand
from rag.language.polarity import stem_of, synonyms
from rag.language.text import stems, words


def only_its_title(question: str, said: str, titles: Iterable[str], *, language: str) -> bool:
    """Return whether a text and its headings have no word of the question but those of a name in its title.

    A name are two words of the title that stand next to each other in the question: `a rider who was hurt may ride`
    does not name a Handbook for Riders of a Riding School. A question of whose words nothing is left without the name
    has nothing that could be missing; a figure is none, for limits may hold it that do not name it.

    >>> question, titles = "When was the Old Mill Hotel built?", ["The Old Mill Hotel"]
    >>> only_its_title(question, "Rooms cost 90 euros.", titles, language="english")
    True
    >>> only_its_title(question, "It was built in 1820.", titles, language="english")
    False

    Args:
        question: The question.
        said: The text, with the headings above it.
        titles: Titles of the documents that it stands in.
        language: Snowball stemmer.
    """
    asked, named = _stems(understand(question).subject, language), _stems(" ".join(titles), language)
    left = {stem for stem in asked - named if not stem.isdigit()}
    is_named = any(named.issuperset(pair) for pair in pairwise(stems(question, language=language)))
    if not left or not is_named:
        return False
    present = _stems(said, language)
    return not any(stem in present or not present.isdisjoint(synonyms(stem)) for stem in left)


def _stems(text: str, language: str) -> set[str]:
    """Return the stems of a text's content words; of irregular forms those of the base form too: began, begin."""
    return {*stems(text, language=language), *map(stem_of, words(text))} - {""}
