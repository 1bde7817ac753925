"""A draft -> its sentences, each checked against the passages that it cites, before anything is shown."""

from collections.abc import Iterator, Sequence
from typing import Final

from rag.models import Draft, GroundedSentence, Grounding, RetrievedChunk
from rag.protocols import Evidence, GroundingCheck, Span, Support
from rag.replies import ReplySentence, reply_sentences, sentence_of
from rag.replies.withheld import stands_in_order
from rag.text.excerpts import best_excerpt, edges_of, shared
from rag.text.rows import is_silent, statements_of
from rag.text.stated import on_one_line, without_mark
from rag.text.words import fold

OPENING: Final = 2  # a model that abstains says so in one of its first so many sentences
FRAGMENT: Final = 6
"""A sentence of at most so many words is also judged behind its question: `15 minutes.`, `Yes, in writing.`"""
ORDERS: Final = "the passage gives orders to an assistant there"
"""Why a sentence is not shown that rests on text that somebody wrote for an assistant."""


def ground(draft: Draft, passages: Sequence[RetrievedChunk], *, check: GroundingCheck, question: str) -> Grounding:
    """Check a whole draft, sentence by sentence, and say whether what is left answers the question.

    Args:
        draft: What the generator wrote, with markers `[n]`.
        passages: The passages in the prompt; marker 1 is the first of them.
        check: Judges a sentence against the texts that may carry it.
        question: The question, as asked.

    Returns:
        All sentences of the draft, those to drop included, each with its reason; one that the limit of tokens cut off
        is dropped whatever it says. `answers` is false where nothing is supported, and where the draft begins by saying
        that the passages do not answer, in words that no passage has.
    """
    said = reply_sentences(draft.text, passages)
    torn = draft.finish_reason == "length" and bool(said) and not said[-1].is_whole
    whole = said[:-1] if torn else said
    sentences = tuple(ground_sentence(one, passages, check=check, question=question) for one in whole)
    if torn:
        last, reason = said[-1], "it was cut off at the limit of tokens"
        sentences += (_dropped(last.shown, 0.0, last.cited, last.invalid, reason),)
    sentences = tuple(_without_repetition(sentences))
    own = [one.text for one, checked in zip(said[:OPENING], sentences, strict=False) if not checked.supported]
    abstained = any(map(check.is_abstention, own))
    return Grounding(
        is_valid=bool(sentences) and all(sentence.supported for sentence in sentences),
        sentences=sentences,
        validation_issues=tuple(_issues(sentences, len(passages))),
        answers=not abstained and any(sentence.supported for sentence in sentences),
        abstained=abstained,
        method=check.name,
    )


def _issues(sentences: Sequence[GroundedSentence], passages: int) -> Iterator[str]:
    for sentence in sentences:
        if not sentence.supported:
            yield f"Dropped: {sentence.text!r}: {sentence.reason}"
    for sentence in sentences:
        for marker in sentence.invalid_markers:
            yield f"{marker} points to no passage; there are {passages}."


def ground_sentence(
    sentence: ReplySentence | str, passages: Sequence[RetrievedChunk], *, check: GroundingCheck, question: str = ""
) -> GroundedSentence:
    """Check one sentence against the passages that it cites.

    A sentence that nearly quotes the passage is shown as the passage has it. One that names no passage, or one that
    does not carry it, or that does not exist, is given the passage that carries it best, so that what is shown always
    cites its source. Where the passage gives orders to an assistant, it carries nothing.

    Args:
        sentence: A sentence of a reply, or one as a model writes it, with its citations in any form.
        passages: The numbered passages.
        check: Judges a sentence against the texts that may carry it.
        question: The question, as asked.

    Returns:
        The sentence without its markers, an item of a list with its mark. `passages` are those that carry it, each with
        its verbatim evidence of at most 200 characters. For a sentence that is not supported they are those that it
        cites, with what is nearest in each; where it cites none, the one passage that is nearest.
    """
    said = sentence_of(sentence, passages) if isinstance(sentence, str) else sentence
    forms = _forms(said, question)
    judged = dict(zip(said.cited, _judged(forms, [passages[n - 1] for n in said.cited], check), strict=True))
    carrying = [n for n, one in judged.items() if _carries(one, passages[n - 1], check)]
    if not carrying and len(said.cited) > 1:
        carrying = _together(forms, said.cited, passages, judged, check)
    others: dict[int, Support] = {}
    if not carrying:
        rest = [n for n in range(1, len(passages) + 1) if n not in judged]
        others = dict(zip(rest, _judged(forms, [passages[n - 1] for n in rest], check), strict=True))
        best = max(others, key=lambda n: _strength(others[n], passages[n - 1]), default=None)
        carrying = [best] if best is not None and _carries(others[best], passages[best - 1], check) else []
    found = {**judged, **others}
    excerpts = {n: _excerpt(said.text, passages[n - 1], found[n]) for n in carrying}
    honest = [n for n in carrying if not stands_in_order(excerpts[n], passages[n - 1], check)]
    if honest:
        quoted = next((found[n].quoted for n in honest if _can_quote(found[n], passages[n - 1])), "")
        support = 1.0 if quoted else max(found[n].value for n in honest)
        evidence = tuple(excerpts[n] for n in honest)
        return GroundedSentence(
            text=f"{said.mark}{without_mark(on_one_line(quoted))}" if quoted else said.shown,
            supported=True,
            support=support,
            passages=tuple(honest),
            invalid_markers=said.invalid,
            evidence=evidence,
        )
    support = 0.0 if carrying else max((one.value for one in judged.values()), default=0.0)
    reason = ORDERS if carrying else _why(said, judged)
    near = {n: _excerpt(said.text, passages[n - 1], found[n]) for n in said.cited or carrying or others}
    if not said.cited:
        nearest = max(near, key=lambda n: (round(found[n].value, 1), shared(said.text, near[n])), default=None)
        near = {} if nearest is None else {nearest: near[nearest]}
    support = min(support, check.threshold * 0.98)
    return _dropped(said.shown, support, tuple(near), said.invalid, reason, tuple(near.values()))


def _carries(one: Support, passage: RetrievedChunk, check: GroundingCheck) -> bool:
    """Return whether a passage carries a sentence: by its meaning, or because its own can be shown in its place."""
    return one.value >= check.threshold or _can_quote(one, passage)


def _can_quote(one: Support, passage: RetrievedChunk) -> bool:
    """Return whether the document's own sentence, no table's row, can take the place of one that nearly quotes it."""
    return bool(one.quoted) and one.quoted in passage.content and not one.why


def _strength(one: Support, passage: RetrievedChunk) -> tuple[bool, float]:
    return _can_quote(one, passage), one.value


def _forms(said: ReplySentence, question: str) -> tuple[str, ...]:
    """Return the sentence as it is judged: an item of a list with the line above it, a fragment with its question."""
    led = (f"{said.lead} {said.text}",) if said.lead and said.mark else ()
    asked = (f"{question} {said.text}",) if question and len(said.text.split()) <= FRAGMENT else ()
    return said.text, *led, *asked


def _judged(forms: Sequence[str], passages: Sequence[RetrievedChunk], check: GroundingCheck) -> list[Support]:
    """Return how strongly each passage carries a sentence: the best of its forms."""
    texts = [_evidence(one) for one in passages]
    by_form = [check.judge(form, texts) for form in forms] if texts else []
    return [_best(each, passage) for passage, each in zip(passages, zip(*by_form, strict=True), strict=True)]


def _best(supports: Sequence[Support], passage: RetrievedChunk) -> Support:
    return max(supports, key=lambda one: _strength(one, passage))


def _evidence(passage: RetrievedChunk) -> Evidence:
    """Return a passage as it is held against claims: rows of tables read with the heads of their columns."""
    text = "\n".join(filter(None, statements_of(passage))) if "|" in passage.content else passage.content
    title = passage.metadata.title or ""
    return Evidence(text, passage.context if title in passage.context else f"{title}\n{passage.context}")


def _together(
    forms: Sequence[str],
    cited: Sequence[int],
    passages: Sequence[RetrievedChunk],
    judged: dict[int, Support],
    check: GroundingCheck,
) -> list[int]:
    """Return the cited passages where only together they carry a sentence; else none."""
    parts = [judged[n].part or _evidence(passages[n - 1]).text for n in cited]
    text = Evidence("\n\n".join(parts))
    value = max(check.judge(form, [text])[0].value for form in forms)
    if value < check.threshold:
        return []
    judged.update({n: Support(value, judged[n].part) for n in cited})
    return list(cited)


def _excerpt(text: str, passage: RetrievedChunk, found: Support) -> str:
    part = found.quoted if _can_quote(found, passage) else found.part
    start = passage.content.find(part)
    start, end = (start, start + len(part)) if start >= 0 else _row_of(text, passage, part)
    edges = [edge - start for edge in edges_of(passage) if start < edge < end]
    silent = [(block.start - start, block.end - start) for block in passage.blocks if is_silent(block)]
    return best_excerpt(text, passage.content[start:end], edges=edges, silent=silent)


def _row_of(text: str, passage: RetrievedChunk, part: str) -> Span:
    """Return the span of the sentence that says most of a text; rows are read with their heads, as in `part`."""
    said = {n: one for n, one in enumerate(statements_of(passage)) if one}
    inside = {n: one for n, one in said.items() if one in part} or said
    best = max(inside, key=lambda n: shared(text, inside[n]), default=None)
    return (0, len(passage.content)) if best is None else passage.sentences[best]


def _dropped(
    text: str,
    support: float,
    cited: tuple[int, ...],
    invalid: tuple[str, ...],
    reason: str,
    nearest: tuple[str, ...] = (),
) -> GroundedSentence:
    return GroundedSentence(
        text=text,
        supported=False,
        support=support,
        passages=cited,
        invalid_markers=invalid,
        evidence=nearest or ("",) * len(cited),
        reason=reason,
    )


def _why(said: ReplySentence, judged: dict[int, Support]) -> str:
    if not said.cited:
        return (
            "it cites only passages that do not exist, and no passage says it" if said.invalid else "no passage says it"
        )
    told = [judged[n].why for n in said.cited if judged[n].why]
    if told:
        return told[0][:1].lower() + told[0][1:].rstrip(".")
    denying = [n for n in said.cited if judged[n].is_denied]
    if denying:
        return f"passage {denying[0]} says otherwise"
    where = " and ".join(f"passage {number}" for number in said.cited)
    return f"{where} {'do' if len(said.cited) > 1 else 'does'} not say it"


def _without_repetition(sentences: Sequence[GroundedSentence]) -> Iterator[GroundedSentence]:
    """Yield the sentences, a supported one that was said before, or just now with another mark, as one to drop."""
    said: set[str] = set()
    last = ""
    for sentence in sentences:
        folded = fold(sentence.text)
        again = sentence.supported and (folded in said or without_mark(folded) == last)
        said.add(folded)
        last = without_mark(folded)
        yield (
            _dropped(sentence.text, sentence.support * 0.49, sentence.passages, (), "it repeats an earlier sentence")
            if again
            else sentence
        )
