"""A draft -> its sentences, each checked against the passages that it cites, before anything is shown."""

from collections.abc import Iterator, Sequence

from rag.grounding.claims import is_about_passages, missing_terms, strip_lead_in, without_source
from rag.grounding.evidence import EvidenceCheck as EvidenceCheck
from rag.grounding.excerpts import best_excerpt, edges_of
from rag.language.orders import addresses_assistant, asks_about_orders, without_orders
from rag.language.rows import with_marks
from rag.language.text import fold
from rag.models import Draft, GroundedSentence, Grounding, RetrievedChunk
from rag.protocols import GroundingCheck
from rag.replies import ReplySentence, reply_sentences, sentence_of

SUPPORTED = 0.5
"""From this support on a sentence counts as carried by the passages that it cites."""
ATTRIBUTED = 0.75
"""From this support on a sentence that names no passage, or the wrong one, is given the passage that carries it."""


def ground(
    draft: Draft,
    passages: Sequence[RetrievedChunk],
    *,
    check: GroundingCheck,
    question: str,
    abstained: bool = False,
) -> Grounding:
    """Check a whole draft, sentence by sentence, and say whether what is left answers the question.

    Args:
        draft: What the generator wrote, with markers `[n]`.
        passages: The passages in the prompt; marker 1 is the first of them.
        check: Judges one sentence against the text that it cites.
        question: The question, as asked.
        abstained: Whether the draft as a whole says that the passages hold no answer.

    Returns:
        All sentences of the draft, those to drop included, each with its reason; one that the limit of tokens cut off
        is dropped whatever it says. `answers` is false where nothing is
        supported, or where the draft abstained.
    """
    said = reply_sentences(draft.text, passages)
    torn = draft.finish_reason == "length" and bool(said) and not said[-1].is_whole
    whole = said[:-1] if torn else said
    sentences = tuple(ground_sentence(one, passages, check=check, question=question) for one in whole)
    if torn:
        last, reason = said[-1], "it was cut off at the limit of tokens"
        sentences += (_dropped(last.shown, 0.0, last.cited, last.invalid, reason),)
    sentences = tuple(_without_repetition(sentences))
    return Grounding(
        is_valid=bool(sentences) and all(sentence.supported for sentence in sentences),
        sentences=sentences,
        validation_issues=tuple(_issues(sentences, len(passages))),
        answers=not abstained and any(sentence.supported for sentence in sentences),
        method=check.name,
    )


def _issues(sentences: Sequence[GroundedSentence], passages: int) -> Iterator[str]:
    """Yield in words what is wrong with a draft: what was dropped, and markers of no passage."""
    for sentence in sentences:
        if not sentence.supported:
            yield f"Dropped: {sentence.text!r}: {sentence.reason}"
    for sentence in sentences:
        for marker in sentence.invalid_markers:
            yield f"{marker} points to no passage; there are {passages}."


def ground_sentence(
    sentence: ReplySentence | str,
    passages: Sequence[RetrievedChunk],
    *,
    check: GroundingCheck,
    question: str = "",
) -> GroundedSentence:
    """Check one sentence against the passages that it cites.

    A sentence that names no passage, or one that does not carry it, is given the passage that carries it strongly
    (`ATTRIBUTED`), so that what is shown always cites its source; one that names only passages that do not exist is
    not. Text of a passage that gives the assistant orders supports nothing, nor does what follows it in
    its paragraph, unless the question quotes such an order.

    Args:
        sentence: A sentence of a reply, or one as a model writes it, with its citations in any form.
        passages: The numbered passages.
        check: Judges one sentence against a text.
        question: The question, as asked.

    Returns:
        The sentence without its markers, an item of a list with its mark. `passages` are those that carry it, each with
        its verbatim evidence of at most 200 characters; for a sentence that is not supported, those that it cites.
    """
    said = sentence_of(sentence, passages) if isinstance(sentence, str) else sentence
    bare, cited, invalid = said.text, said.cited, said.invalid
    asked_for = asks_about_orders(question)
    readable = [passage.content if asked_for else without_orders(passage.content) for passage in passages]
    texts = [with_marks(passage, text) for passage, text in zip(passages, readable, strict=True)]
    quoted = any(fold(bare).rstrip(".") in fold(texts[number - 1]) for number in cited)
    bare = bare if quoted else without_source(strip_lead_in(bare), "\n\n".join(texts))
    shown = f"{said.mark}{bare}"
    reason = _refusal_reason(bare, asked_for, quoted)
    if reason:
        return _dropped(shown, 0.0, cited, invalid, reason)
    support, carrying = _carried(bare, cited, texts, check)
    if support < SUPPORTED and (cited or not invalid):
        attributed = _attribute(bare, texts, check)
        if attributed:
            support, carrying = attributed
    if support < SUPPORTED:
        return _dropped(shown, support, cited, invalid, _why(bare, cited, invalid, texts))
    evidence = tuple(best_excerpt(bare, texts[number - 1], edges=edges_of(passages[number - 1])) for number in carrying)
    return GroundedSentence(
        text=shown, supported=True, support=support, passages=carrying, invalid_markers=invalid, evidence=evidence
    )


def _refusal_reason(text: str, asked_for: bool, quoted: bool) -> str:
    """Return why a sentence is no statement of the documents at all, or nothing."""
    if not quoted and is_about_passages(text):
        return "it speaks about the passages or the assistant, not about the subject"
    if not asked_for and addresses_assistant(text):
        return "it is an instruction to the assistant, not a fact"
    return ""


def _carried(
    text: str, cited: Sequence[int], texts: Sequence[str], check: GroundingCheck
) -> tuple[float, tuple[int, ...]]:
    """Return the support by the cited passages, and those of them that carry the sentence."""
    alone = {number: _strict_support(text, texts[number - 1], check) for number in cited}
    carrying = tuple(number for number, value in alone.items() if value >= SUPPORTED)
    if carrying or len(cited) < 2:
        return max(alone.values(), default=0.0), carrying
    union = _strict_support(text, "\n\n".join(texts[number - 1] for number in cited), check)
    return max(union, *alone.values()), tuple(cited) if union >= SUPPORTED else ()


def _strict_support(text: str, evidence: str, check: GroundingCheck) -> float:
    """Return the support; a number the evidence does not state, or a name not written there, caps it below half."""
    support = check.support(text, evidence)
    return min(support, 0.49) if support >= SUPPORTED and missing_terms(text, evidence) else support


def _attribute(text: str, texts: Sequence[str], check: GroundingCheck) -> tuple[float, tuple[int, ...]] | None:
    """Return the one passage that carries a sentence strongly, or None."""
    scores = [(_strict_support(text, content, check), -number) for number, content in enumerate(texts, 1)]
    support, negative = max(scores, default=(0.0, 0))
    return (support, (-negative,)) if support >= ATTRIBUTED else None


def _dropped(
    text: str, support: float, cited: tuple[int, ...], invalid: tuple[str, ...], reason: str
) -> GroundedSentence:
    return GroundedSentence(
        text=text,
        supported=False,
        support=min(support, 0.49),
        passages=cited,
        invalid_markers=invalid,
        evidence=("",) * len(cited),
        reason=reason,
    )


def _why(text: str, cited: Sequence[int], invalid: Sequence[str], texts: Sequence[str]) -> str:
    """Return in plain words why a sentence is not supported."""
    if not cited:
        return "it cites only passages that do not exist" if invalid else "it cites nothing, and no passage carries it"
    where = " and ".join(f"passage {number}" for number in cited)
    missing = missing_terms(text, "\n\n".join(texts[number - 1] for number in cited))
    if missing:
        return f"{', '.join(repr(term) for term in missing)} does not stand in {where}"
    return f"{where} does not say this"


def _without_repetition(sentences: Sequence[GroundedSentence]) -> Iterator[GroundedSentence]:
    """Yield the sentences, a supported one that was said before as one to drop."""
    said: set[str] = set()
    for sentence in sentences:
        folded = fold(sentence.text)
        again = sentence.supported and folded in said
        said.add(folded)
        yield _dropped(sentence.text, 0.49, sentence.passages, (), "it was said before") if again else sentence
