"""Whether a shown answer is the labelled one, and whether its citations point at the right place."""

import re
import string
import unicodedata
from collections.abc import Sequence

from rag.evaluation.datasets import Gold
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.relevance import is_relevant, on_gold_page
from rag.language.text import STOPWORDS

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKER = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")


def normalise(text: str) -> str:
    """Return a text with case, punctuation, articles and white space folded; citation markers do not count.

    Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP, with the punctuation
    of all scripts.

    >>> normalise("The  lid, [1] at 1,500 ml!")
    'lid at 1500 ml'
    """
    unmarked = _MARKER.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(character for character in unmarked if not _is_punctuation(character))
    return " ".join(_ARTICLES.sub(" ", plain).split())


def _is_punctuation(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def contains_gold(answer: str, golds: Sequence[str]) -> bool | None:
    """Return whether a normalised gold answer stands, as whole words, in the normalised answer.

    None where no gold answer has a word to look for.
    """
    wanted = [folded for folded in map(normalise, golds) if folded]
    shown = f" {normalise(answer)} "
    return any(f" {folded} " in shown for folded in wanted) if wanted else None


def answer_recall(answer: str, golds: Sequence[str]) -> float | None:
    """Return the share of a gold answer's content words that stand in the answer, for the best gold answer.

    |words(gold) ∩ words(answer)| / |words(gold)| over distinct normalised words, function words left out; a gold answer
    of function words alone keeps them. The recall half of the F1 of Rajpurkar et al. 2016. None where no gold answer
    has a word.
    """
    shown = set(normalise(answer).split())
    wanted = [content for content in map(_content, golds) if content]
    return max(len(content & shown) / len(content) for content in wanted) if wanted else None


def _content(text: str) -> set[str]:
    every = set(normalise(text).split())
    return every - STOPWORDS or every


def citation_precision(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many of the citations cite a relevant chunk, and how many there are.

    The chunk is looked up among those retrieved; a citation of none of them is not relevant.
    """
    chunks = {chunk.chunk_id: chunk for chunk in line.retrieved}
    cited = [chunks.get(citation.chunk_id) for citation in line.citations]
    hits = sum(chunk is not None and any(is_relevant(chunk, place) for place in gold) for chunk in cited)
    return hits, len(cited)


def page_accuracy(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many of the citations name document and page of a gold page, and how many there are.

    Only where the label names a page; else none of none.
    """
    paged = [place for place in gold if place.page is not None]
    if not paged:
        return 0, 0
    return sum(on_gold_page(citation, paged) for citation in line.citations), len(line.citations)
