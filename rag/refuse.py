"""Why there is no answer, in words that help: the best passage first, then what the person can do."""

from typing import Final

from rag.models import GateDecision, Grounding, Mode, Query, Refusal, Retrieval
from rag.ranking.years import ABOUT_A_YEAR

UNSURE: Final = "I can't confirm that your documents answer this."
NOT_COVERED: Final = "The documents do not cover this."
HARDLY: Final = "The documents probably do not cover this."
ABSTAINED: Final = "The model read the passages found and says that they do not answer the question."
NEAR: Final = 0.5
"""From this share of the unsure threshold on it is not certain that nothing answers: of such questions one in seven is
answerable (everyday_dev), of those below one in fifteen."""


def explain(
    query: Query, retrieval: Retrieval, decision: GateDecision, grounding: Grounding | None, *, abstained: bool = False
) -> Refusal:
    """Return why a question was not answered.

    Args:
        query: The question with its settings.
        retrieval: What was found.
        decision: The gate's decision.
        grounding: The check of a draft that does not answer; None where nothing was written.
        abstained: Whether a model wrote that the passages do not answer.
    """
    if grounding is not None:
        reason = ABSTAINED if abstained else _what_the_check_left(grounding)
        return Refusal(stage="grounding", reason=reason, advice="Read the passages found.")
    if decision.outcome == "unsure":
        return Refusal(stage="gate", reason=UNSURE, advice="Read what comes closest, or ask in other words.")
    unsure = decision.unsure_threshold
    reason = HARDLY if unsure is not None and decision.confidence >= NEAR * unsure else NOT_COVERED
    if not retrieval.hits:
        reason = decision.reason
    return Refusal(stage="gate", reason=reason, advice=_advice(query, retrieval, decision))


def _what_the_check_left(grounding: Grounding) -> str:
    dropped = sum(not sentence.supported for sentence in grounding.sentences)
    total = len(grounding.sentences)
    if not total:
        return "No sentence in the passages found can be quoted."
    of_years = [issue for issue in grounding.validation_issues if issue.startswith(ABOUT_A_YEAR)]
    if dropped == total and of_years:
        return " ".join(of_years)
    if beside := beside_the_question(grounding):
        return f"{beside}, so it is not shown."
    if dropped == total == 1:
        return "The one sentence written did not pass the check against the passages, so it is not shown."
    if dropped == total:
        return f"None of the {total} sentences written passed the check against the passages, so none is shown."
    return f"{dropped} of {total} sentences did not pass the check, and what is left does not answer."


def beside_the_question(grounding: Grounding) -> str:
    """Return what became of a draft of which a sentence is carried and does not answer; empty where none is carried."""
    total = len(grounding.sentences)
    carried = sum(one.relevance is not None for one in grounding.sentences)
    if not carried:
        return ""
    if carried == total:
        return "What the model wrote is in the passages, but it hardly answers the question"
    return (
        f"{total - carried} of {total} sentences that the model wrote did not pass the check against the passages, and "
        "what is left hardly answers the question"
    )


def _advice(query: Query, retrieval: Retrieval, decision: GateDecision) -> str:
    filters = query.filters.named
    if filters and retrieval.searched < retrieval.indexed:
        named = ", ".join(f"{name} = {value!r}" for name, value in filters.items())
        return f"Ask without the filter ({named}), or check its spelling with 'candor documents'."
    if retrieval.below_threshold and not retrieval.hits:
        return f"Lower the similarity threshold ({query.similarity_threshold:.2f})."
    if query.mode is Mode.SELECTED_TEXT_ONLY:
        return "Select the passage that says it, or ask without a selection."
    if not retrieval.indexed or not retrieval.hits:
        return "Add documents first."
    miss = decision.nearest_misses[0] if decision.nearest_misses else None
    if miss is None:
        return "Read the closest passage."
    return f"The closest passage is in “{miss.document}”: “{(miss.stated or miss.sentence or miss.excerpt).strip()}”"
