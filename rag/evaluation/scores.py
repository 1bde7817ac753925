"""From lines and labels to one scored value per question, from which every figure is summed up or compared.

What an answer is worth is counted on words, which cannot see one that reuses the right words and says something else.
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rag.evaluation.datasets import Gold, Question
from rag.evaluation.independent import Finding, TextOf, not_verbatim, unsupported_sentences
from rag.evaluation.lines import EvaluationLine, LineTimings, RefusalStage
from rag.evaluation.relevance import Judgement, is_relevant, judge, on_gold_page, retrieval_scores
from rag.models import Value
from rag.text.words import STOPWORDS

Got = Literal["right", "wrong", "unsure", "refused"]
ANSWER_WORDS = 150  # how many words of an answer are read: what stands behind them does not help
GOLD_SHARE, ANSWER_SHARE = 0.6, 0.7
"""The share of the content words of a gold sentence, and of a gold answer, that an answer must hold."""
FIRST, NEAR_CHARACTERS = 3, 60
"""How many passages a person looks at, and how much of a gold sentence's beginning one must hold."""
WHOLE_KINDS = ("multi", "comparison")  # kinds of questions that need every gold sentence
_LIGHT = frozenset(
    """
    a an the of to in on at for and or is are was were be been it its this that these those with by as from you your i
    we our they their he she his her not no do does did can may must will would should have has had if when what which
    who how there here so than then into out up about
    """.split()  # noqa: SIM905
)
"""Words that do not count as content."""
_WORD = re.compile(r"[a-z0-9]+(?:[.,:]\d+)*")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKER = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")


class QuestionScore(Value):
    """Everything that the figures need of one question. Null: the question says nothing about that figure."""

    qid: str = Field(description="Id of the question.")
    kind: str | None = Field(None, description="The question's kind.")
    documents: tuple[str, ...] = Field((), description="The gold documents, by name.")
    answerable: bool | None = Field(description="The label.")
    answered: bool = Field(description="Whether an answer was shown.")
    unsure: bool = Field(False, description="Whether passages were shown that may answer.")
    got: Got | None = Field(None, description="What came of an answerable question with a gold place or answer.")
    gold_first: bool | None = Field(None, description="Answerable: the first three passages hold a gold sentence.")
    refusal_stage: RefusalStage | None = Field(None, description="Where no answer came of it.")
    confidence: float = Field(description="As computed.")
    retrieval: dict[str, float] | None = Field(None, description="hit@1 to nDCG@10; answerable with gold only.")
    document_hits: dict[str, bool] | None = Field(None, description="hit@1, 5, 10 by document alone.")
    page_hits: dict[str, bool] | None = Field(None, description="The same by document and page, where pages are known.")
    contains_gold: bool | None = Field(None, description="Answered and answerable: a gold answer stands in it.")
    answer_recall: float | None = Field(None, description="Answered and answerable: content words of the best gold.")
    citation_hits: tuple[int, int] | None = Field(None, description="Relevant citations, all; answered and answerable.")
    page_hits_cited: tuple[int, int] | None = Field(None, description="The same on pages alone.")
    sentences: int = Field(0, description="Sentences shown.")
    unsupported: tuple[Finding, ...] = Field((), description="Those that the independent count does not support.")
    claimed_unsupported: int = Field(0, description="Those shown although the grounding check itself rejected them.")
    excerpts: int = Field(0, description="Excerpts shown.")
    not_verbatim: tuple[Finding, ...] | None = Field(None, description="Excerpts not in their document; null: unknown.")
    timings_ms: LineTimings = Field(default_factory=LineTimings, description="Wall clock per stage.")


def score_lines(
    lines: Sequence[EvaluationLine], questions: Sequence[Question], *, text_of: TextOf | None = None
) -> list[QuestionScore]:
    """Score every line, in order.

    Args:
        lines: What came of the questions.
        questions: Their labels; a line without one is scored by what it says itself.
        text_of: The whole text of a document, to find excerpts in; None leaves that figure null.
    """
    given = {question.qid: question for question in questions}
    labels = [given.get(line.qid, Question(qid=line.qid, question=line.question)) for line in lines]
    judgements = {
        line.qid: judge(line.retrieved[:10], label.gold)
        for line, label in zip(lines, labels, strict=True)
        if line.answerable and label.gold
    }
    retrieval = retrieval_scores(judgements)
    return [
        _score(line, label, judgements.get(line.qid), text_of).model_copy(update={"retrieval": retrieval.get(line.qid)})
        for line, label in zip(lines, labels, strict=True)
    ]


def _score(line: EvaluationLine, label: Question, judged: Judgement | None, text_of: TextOf | None) -> QuestionScore:
    """Return the score of a line; a label that does not say what is right says nothing of what a person gets."""
    is_known = bool(line.answerable and (label.gold or label.answers))
    is_located = is_known and any(place.sentence for place in label.gold)
    shown = line.answer if line.answerable and line.decision == "answered" else None
    is_cited = shown is not None and bool(label.gold)
    asked = {name: getattr(line, name) for name in ("qid", "kind", "answerable", "refusal_stage", "confidence")}
    return QuestionScore(
        **asked,
        documents=tuple(sorted({place.document for place in label.gold})),
        answered=line.decision == "answered",
        unsure=line.decision == "unsure",
        got=got(label, line) if is_known else None,
        gold_first=has_gold_first(label, line) if is_located else None,
        document_hits=_hits(judged.document) if judged else None,
        page_hits=_hits(judged.page) if judged and judged.page is not None else None,
        contains_gold=None if shown is None else contains_gold(shown, label.answers),
        answer_recall=None if shown is None else answer_recall(shown, label.answers),
        citation_hits=citation_precision(line, label.gold) if is_cited else None,
        page_hits_cited=page_accuracy(line, label.gold) if is_cited else None,
        sentences=len(line.sentences),
        unsupported=tuple(unsupported_sentences(line)),
        claimed_unsupported=sum(not sentence.supported for sentence in line.sentences),
        excerpts=len(line.citations),
        not_verbatim=None if text_of is None else tuple(not_verbatim(line, text_of)),
        timings_ms=line.timings_ms,
    )


def _hits(relevant: tuple[bool, ...]) -> dict[str, bool]:
    return {f"hit@{depth}": any(relevant[:depth]) for depth in (1, 5, 10)}


def normalise(text: str) -> str:
    """Return a text with case, punctuation, articles and white space folded; citation markers do not count.

    As Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text"; punctuation of all scripts.

    >>> normalise("The  lid, [1] at 1,500 ml!")
    'lid at 1500 ml'
    """
    unmarked = _MARKER.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    kept = (one for one in unmarked if one not in string.punctuation and unicodedata.category(one)[0] != "P")
    return " ".join(_ARTICLES.sub(" ", "".join(kept)).split())


def contains_gold(answer: str, golds: Sequence[str]) -> bool | None:
    """Return whether a normalised gold answer stands, as whole words, in the normalised answer; None without words."""
    wanted = [folded for folded in map(normalise, golds) if folded]
    shown = f" {normalise(answer)} "
    return any(f" {folded} " in shown for folded in wanted) if wanted else None


def answer_recall(answer: str, golds: Sequence[str]) -> float | None:
    """Return the share of a gold answer's content words that stand in the answer, for the best gold answer.

    |words(gold) ∩ words(answer)| / |words(gold)| over distinct normalised words, function words left out unless there
    are no others. The recall half of the F1 of Rajpurkar et al. 2016. None where no gold answer has a word.
    """
    shown = set(normalise(answer).split())
    wanted = [words - STOPWORDS or words for gold in golds if (words := set(normalise(gold).split()))]
    return max(len(content & shown) / len(content) for content in wanted) if wanted else None


def citation_precision(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many of the citations cite a relevant chunk, one of those retrieved, and how many there are."""
    chunks = {chunk.chunk_id: chunk for chunk in line.retrieved}
    cited = [chunks.get(citation.chunk_id) for citation in line.citations]
    return sum(chunk is not None and any(is_relevant(chunk, place) for place in gold) for chunk in cited), len(cited)


def page_accuracy(line: EvaluationLine, gold: Sequence[Gold]) -> tuple[int, int]:
    """Return how many citations name document and page of a gold page, and how many there are; 0, 0 without pages."""
    paged = [place for place in gold if place.page is not None]
    cited = line.citations if paged else ()
    return sum(on_gold_page(citation, paged) for citation in cited), len(cited)


def got(question: Question, line: EvaluationLine) -> Got:
    """Return what came of an answerable question."""
    if line.decision != "answered":
        return line.decision
    return "right" if is_right(question, line) else "wrong"


def is_right(question: Question, line: EvaluationLine) -> bool:
    """Return whether a shown answer is right.

    The first 150 words of the answer (excerpts of the sources do not count) hold at least 60% of the content words of a
    gold sentence, whose document is cited; for the kinds `multi` and `comparison` those of every gold sentence. Or they
    hold at least 70% of a gold answer's content words and all of its numbers. Content words are lower-cased runs of
    letters and digits without function words, and without the endings -ing, -ed, -es and -s.
    """
    shown = set(content_words(" ".join((line.answer or "").split()[:ANSWER_WORDS])))
    cited = {citation.document for citation in line.citations}
    held = [
        (place.document in cited or not cited) and _share(content_words(place.sentence), shown) >= GOLD_SHARE
        for place in question.gold
    ]
    shows_gold = any(held) and (all(held) or question.kind not in WHOLE_KINDS)
    return shows_gold or any(_says(content_words(answer), shown) for answer in question.answers)


def has_gold_first(question: Question, line: EvaluationLine) -> bool:
    """Return whether one of the first passages holds a gold sentence: its document, and its first 60 characters."""
    wanted = [(place.document, _flat(place.sentence)[:NEAR_CHARACTERS]) for place in question.gold]
    return any(
        chunk.document == document and sentence.strip() and sentence in _flat(chunk.content)
        for chunk in line.retrieved[:FIRST]
        for document, sentence in wanted
    )


def content_words(text: str) -> list[str]:
    """Return the content words of a text, in order.

    >>> content_words("The valves closed at 1.5 bar.")
    ['valv', 'clos', '1.5', 'bar']
    """
    return [_ENDING.sub("", word) for word in _WORD.findall(text.lower()) if word not in _LIGHT]


def _share(wanted: Sequence[str], shown: set[str]) -> float:
    return sum(word in shown for word in wanted) / len(wanted) if wanted else 0.0


def _says(wanted: Sequence[str], shown: set[str]) -> bool:
    """Return whether what is shown has enough of a gold answer's words, and all of its numbers."""
    numbers_are_there = all(word in shown for word in wanted if word[:1].isdigit())
    return _share(wanted, shown) >= ANSWER_SHARE and numbers_are_there


def _flat(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower()
