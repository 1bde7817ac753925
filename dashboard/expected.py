"""What the label of a question expects: the answers that it takes, and the places where they stand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import queries, resources, running
from dashboard.words import md, quoted, several
from rag.evaluation.datasets import Gold, Question
from rag.evaluation.lines import RETRIEVED, EvaluationLine, LineChunk
from rag.evaluation.relevance import is_relevant

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_expected(candor: "Candor", run: str, line: EvaluationLine, *, with_ranks: bool = True) -> None:
    """Draw what the label of a question in a run expects, or that it is not at hand.

    Args:
        candor: Whose data sets are at hand.
        run: The name of the run.
        line: The question in it.
        with_ranks: Whether each place says at which rank it was found.
    """
    found = queries.runs(resources.runs_folder()).get(run)
    if line.answerable is None or found is None:
        return
    dataset = found.dataset
    label = label_of(candor, dataset, line)
    if label is None:
        st.caption(
            f":material/label_off: What the label expects is not at hand: the data set **{md(dataset)}** is not among "
            "those of **New run** on Evaluate, or has another label for this question now."
        )
        return
    with st.container(border=True):
        st.markdown(f":material/label: **Expected**, as the data set {md(dataset)} says: {in_words(label)}")
        retrieved = line.retrieved[:RETRIEVED] if with_ranks else None
        for place in label.gold if line.answerable else ():
            st.caption(place_in_words(place, retrieved))


def label_of(candor: "Candor", dataset: str, line: EvaluationLine) -> Question | None:
    """Return the label of a question from the data set of that name; None where it is not at hand or says otherwise."""
    folder = next((path for path in running.known_datasets(candor) if path.name == dataset), None)
    found = queries.labels(folder).get(line.qid) if folder else None
    same = found is not None and (found.question, found.answerable) == (line.question, line.answerable)
    return found if same else None


def in_words(label: Question) -> str:
    """Return the outcome that a label expects, as Markdown.

    >>> in_words(Question(qid="1", question="Who?", answerable=True, answers=("Mara", "M. Lind")))
    '“Mara” or “M. Lind”.'
    >>> in_words(Question(qid="1", question="Who?", answerable=False))
    'a refusal; the documents do not answer this.'
    """
    if not label.answerable:
        return "a refusal; the documents do not answer this."
    if not label.answers:
        return "an answer; the label does not say which."
    return f"{' or '.join(quoted(one) for one in label.answers)}."


def place_in_words(place: Gold, retrieved: Sequence[LineChunk] | None) -> str:
    """Return where an answer stands, and at which rank a passage with it was found, as Markdown.

    Args:
        place: From the label.
        retrieved: The passages that were found, best first; None: nothing is said of ranks.
    """
    page = f"page {place.page}" if place.page is not None else ""
    section = f"section {place.section}" if place.section else ""
    named = md(" · ".join(one for one in (place.document, page, section) if one))
    told = f":material/location_on: {named}" + (f": {quoted(place.text)}" if place.text else "")
    if retrieved is None:
        return told
    rank = next((chunk.rank for chunk in retrieved if is_relevant(chunk, place)), None)
    missed = f"not found in {several(len(retrieved), 'passage')}" if retrieved else "nothing was retrieved"
    return f"{told} · **{missed if rank is None else f'found at rank {rank}'}**"
