"""What the contracts share: the written rule of the gate, and names for what a field must name."""

from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request

from api.desk import desk_of, identity_of
from rag.embed import embed_question
from rag.models import Answer, AnswerSentence, Chunk, Citation, RetrievedChunk, page_of

REFUSE_BELOW: Final = 0.5
WRITTEN_RULE: Final[dict[str, Any]] = {
    "estimator": "mean_similarity",
    "confidence_threshold": REFUSE_BELOW,
    "talks": False,
}
"""The data models' gate: the mean similarity of the retrieved chunks, refused below 0.5; a greeting is a question."""
NOT_FOUND: Final = "Information not found in the knowledge base."  # how seed 000 says that there is no answer


def told_message(answer: Answer) -> str:
    """Return what is said where there is no answer: that nothing was found, then why; of a greeting the first alone."""
    return NOT_FOUND if answer.outcome == "talk" else f"{NOT_FOUND} {answer.message or ''}".strip()


def told_confidence(answer: Answer, confidence: float) -> float:
    """Return the confidence to tell: 0 for a refusal that the gate did not make, so that no refusal reads as sure."""
    return 0.0 if answer.answer is None and confidence >= REFUSE_BELOW else confidence


def used_chunks(answer: Answer) -> tuple[RetrievedChunk, ...]:
    """Return the chunks that the answer cites, in order of first use, each once."""
    by_id = {chunk.chunk_id: chunk for chunk in answer.retrieved}
    ids = dict.fromkeys(citation.chunk_id for citation in answer.citations)
    return tuple(by_id[chunk_id] for chunk_id in ids if chunk_id in by_id)


def address_of(document: str, url: str | None) -> str:
    """Return where a document can be read, or its name as a `file:` address where it names no place.

    >>> address_of("safety manual.pdf", None)
    'file:safety%20manual.pdf'
    """
    return url or f"file:{quote(document)}"


def place_of(part: Chunk | Citation) -> str:
    """Return where a part stands, never empty: its page, else its section, else its chapter, else its document."""
    chapter = f"chapter {part.chapter}" if part.chapter is not None else ""
    return page_of(part.page) or part.section or chapter or part.document


def title_of(chunk: Chunk) -> str:
    """Return the title of a chunk's document, or its file name."""
    return chunk.metadata.title or chunk.document


def fitted_answer(answer: Answer, *, minimum: int, maximum: int) -> str:
    """Return an answer's text within a contract's limits, every part of it still carried by the cited passages.

    Too short, it is completed with the neighbours of its first source sentence, then with its citation; too long, it
    loses its last sentences.
    """
    text = answer.answer or ""
    if len(text) > maximum:
        text = _shortened(answer.sentences, maximum)
    for neighbour in _neighbours(answer) if len(text) < minimum else ():
        if len(text) < minimum and neighbour not in text and len(text) + len(neighbour) < maximum:
            text = f"{text} {neighbour}"
    if len(text) < minimum:
        text = f"{text} The source is {answer.citations[0].label} of the indexed documents."
    return text


def _shortened(sentences: tuple[AnswerSentence, ...], maximum: int) -> str:
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence.text}".strip()
        if len(longer) > maximum:
            break
        text = longer
    return text or sentences[0].text[: maximum - 1].rsplit(" ", 1)[0] + "…"


def _neighbours(answer: Answer) -> list[str]:
    citation = answer.citations[0]
    chunk = next((chunk for chunk in answer.retrieved if chunk.chunk_id == citation.chunk_id), None)
    if chunk is None or citation.start is None:
        return []
    offset = citation.start - chunk.start
    here = next((number for number, (_, end) in enumerate(chunk.sentences) if offset < end), 0)
    texts = [" ".join(text.split()) for text in chunk.sentence_texts]
    return texts[here + 1 :] + texts[:here][::-1]


async def embedded(request: Request, text: str) -> tuple[list[float], str]:
    """Return the vector that a question is searched by, and the fingerprint of the model that made it."""
    desk, request_id = desk_of(request), identity_of(request).request_id

    def embed() -> tuple[list[float], str]:
        pipeline = desk.candor.pipeline
        asked = pipeline.query(text, request_id=request_id)
        vector = embed_question(asked, embedder=pipeline.embedder, cache=pipeline.cache)
        return [float(number) for number in vector], pipeline.embedder.fingerprint

    return await desk.slow(embed)
