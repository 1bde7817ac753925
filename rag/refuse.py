"""Why there is no answer, in words that help: what was held against what, and what the person can do."""

from rag.language.counterparts import counterpart_in
from rag.language.kinds import lacking
from rag.language.stated import statements_of
from rag.language.unnamed import unnamed_in
from rag.models import GateDecision, Grounding, Mode, Query, Refusal, Retrieval
from rag.ranking.sentences import ranked_sentences

NOT_FOUND = "Information not found in the knowledge base."
ABSTAINED = "Passages were found, but the model read them and abstained: it says that they do not answer the question."
REASONS = 2
"""How much of what speaks against answering is told in the message."""
NEAR = 0.7
"""From this idf-weighted share of the question's words in one passage on, that passage may well answer."""
READ = 0.3
"""From this probability on, judged by reading it, a passage may well answer."""
_MAY_ANSWER = "The closest passage may answer it, but not surely enough to be given as the answer: read it."
_OWN_WORDS = "use the documents' own words, or add a document that covers this"
_OF_ANOTHER_YEAR = "The question asks about "
"""How the check says that the passages cited speak of another year than the question."""


def explain(
    query: Query,
    retrieval: Retrieval,
    decision: GateDecision,
    grounding: Grounding | None,
    *,
    abstained: bool = False,
) -> Refusal:
    """Return the refusal of a question that was not answered.

    Args:
        query: The question with its settings.
        retrieval: What was found.
        decision: The gate's decision.
        grounding: The check of the draft; None where the gate refused before anything was written.
        abstained: Whether the model itself wrote that the passages do not answer.
    """
    if grounding is None:
        told = (*_others_named(query, retrieval), *decision.against)
        reason = " ".join((NOT_FOUND, decision.reason, *told[:REASONS]))
        return Refusal(stage="gate", reason=reason, advice=_advice(query, retrieval, decision))
    return Refusal(
        stage="grounding",
        reason=f"{NOT_FOUND} {ABSTAINED if abstained else _what_the_check_left(query, retrieval, grounding)}",
        advice="Read the passages found, or ask about one thing that they name.",
    )


def _what_the_check_left(query: Query, retrieval: Retrieval, grounding: Grounding) -> str:
    dropped = sum(not sentence.supported for sentence in grounding.sentences)
    total = len(grounding.sentences)
    if elsewhen := [issue for issue in grounding.validation_issues if issue.startswith(_OF_ANOTHER_YEAR)]:
        return " ".join(elsewhen)
    if not total:
        return _none_quoted(query, retrieval)
    if dropped == total == 1:
        return "The one sentence written is not carried by the passages, so it is not shown."
    if dropped == total:
        return f"None of the {total} sentences written is carried by the passages, so none is shown."
    if dropped:
        return f"{dropped} of {total} sentences were not carried by the passages, and what is left does not answer."
    return "The passages found do not answer the question."


def _none_quoted(query: Query, retrieval: Retrieval) -> str:
    """Return why no sentence was quoted: the nearest does not tell what was asked for, as far as its form shows."""
    if others := _others_named(query, retrieval):
        return others[0]
    nearest = ranked_sentences(query.question, retrieval.hits, "english")[:1]
    texts = [statements_of(retrieval.hits[one.hit])[one.index] for one in nearest]
    if texts and (other := counterpart_in(query.question, texts[0])):
        return f"Passages were found, but the sentence nearest to the question tells {other}, which was not asked."
    if texts and (kind := lacking(query.question, texts[0])):
        return f"Passages were found, but the sentence nearest to the question does not tell {kind}."
    return "Passages were found, but none of their sentences answers the question."


def _others_named(query: Query, retrieval: Retrieval) -> tuple[str, ...]:
    """Return that the passages found name others of a kind than the one asked about; mostly nothing."""
    found = unnamed_in(query.question, retrieval.hits)
    return (f"The passages found speak of {', '.join(found[1])}, and not of {found[0]}.",) if found else ()


def _advice(query: Query, retrieval: Retrieval, decision: GateDecision) -> str:
    filters = query.filters.model_dump(exclude_none=True)
    if filters and retrieval.searched < retrieval.indexed:
        named = ", ".join(f"{name} = {value!r}" for name, value in filters.items())
        return f"Ask without the filter ({named}), or check its spelling with 'candor documents'."
    if retrieval.below_threshold and not retrieval.hits:
        return f"Lower the similarity threshold ({query.similarity_threshold:.2f})."
    if query.mode is Mode.SELECTED_TEXT_ONLY:
        return "Select the passage that says it, or ask without a selection."
    if retrieval.indexed and retrieval.hits:
        return _what_to_try(decision)
    return "Add documents first."


def _what_to_try(decision: GateDecision) -> str:
    """Return what to do where passages were found that are not good enough to answer from."""
    unknown, shared = decision.inputs.get("unknown_words"), decision.inputs.get("words_in_chunk", 0.0)
    reading, is_contrary = decision.inputs.get("reading"), decision.inputs.get("contrary", 0.0) > 0
    is_likely = reading is not None and reading >= READ
    if (unknown is None or unknown > 0) and not is_likely:
        return f"{_OWN_WORDS[0].upper()}{_OWN_WORDS[1:]}."
    is_near = is_likely or shared >= NEAR or decision.confidence >= decision.threshold / 2
    if not is_near or is_contrary or (reading is not None and reading < READ):
        return "Read the closest passages, or add a document that covers this."
    return f"{_MAY_ANSWER}{f' Else {_OWN_WORDS}.' if unknown else ''}"
