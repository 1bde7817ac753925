"""Questions that documents suggest: those they ask themselves, and what the form of a heading allows to ask.

Only the form is looked at: which of them the documents answer is tried with the pipeline.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rag.models import Chunk
from rag.text.words import is_stopword, stems, words

if TYPE_CHECKING:
    from rag.pipeline import Pipeline

KEPT: Final = 12  # so many questions are kept
TRIED: Final = 18  # so many are tried at most
LONGEST: Final = 90  # characters of a question
_OF_A_DOCUMENT: Final = 6
_NO_TOPIC: Final = re.compile(r"[\d:;?!|–—]")  # as in "Appendix 2 – Forms": more than the name of one thing
_NUMBERED: Final = re.compile(r"(?:\w{1,3}[.:)]|[-*•])\s+")  # as in "Q: May I go?" and "12. May I go?"
Candidate = tuple[str, frozenset[str]]  # a question, and the ids of the passages of which one has to answer it


def try_all(
    pipeline: "Pipeline", documents: Sequence[Sequence[Chunk]], found: dict[str, str], *, asked: Sequence[str] = (),
    check: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Ask what was asked and what documents suggest; keep what is answered, from its own section first.

    Args:
        pipeline: What answers; it records what its recorder does.
        documents: The passages of each document, in order.
        found: Takes each question that passes, at most `KEPT`, with the document that answers it.
        asked: Questions of people, which are tried first.
        check: Called before each question; what it raises ends the work.

    Raises:
        CandorError: It cannot be asked, as when the program ends.
    """
    of_documents = [candidates(one, most=max(_OF_A_DOCUMENT, TRIED // len(documents))) for one in documents]
    in_turn = [pair for pairs in zip_longest(*of_documents) for pair in pairs if pair is not None]
    for question, own in [*((one, frozenset[str]()) for one in asked), *in_turn][:TRIED]:
        check()
        answer = pipeline.ask(pipeline.query(question, no_llm=True, talks=False))
        first = answer.citations[0] if answer.outcome == "answered" and answer.citations else None
        if first is not None and (not own or first.chunk_id in own):
            found[question] = first.document
            if len(found) == KEPT:
                return


def candidates(chunks: Sequence[Chunk], *, most: int = TRIED) -> list[Candidate]:
    """Return at most so many questions from all over a document, those that it asks itself first."""
    text = "\n".join(chunk.content for chunk in chunks)
    said = {*stems(" ".join(word for word in text.split() if word.islower()))}
    title = (chunks[0].metadata.title or "") if chunks else ""
    source = _called(title, text)
    own: dict[str, set[str]] = {}
    made: dict[str, set[str]] = {}
    for chunk in chunks:
        head, number = chunk.section_path[-1] if chunk.section_path else "", (chunk.section_number or "").rstrip(".")
        heading = head.removeprefix(number).strip(" .:")
        for question in (heading, *_lines(chunk)):
            if question.endswith("?"):
                own.setdefault(question, set()).add(chunk.chunk_id)
        if heading != title and (topic := _topic(heading, chunk.content, said)):
            made.setdefault(_asked(topic, chunk.content, source), set()).add(chunk.chunk_id)
    return [*_spread(own, most), *_spread(made, most)][:most]


def _spread(asked: dict[str, set[str]], most: int) -> list[Candidate]:
    short = [(question, frozenset(own)) for question, own in asked.items() if len(question) <= LONGEST]
    return short[:: -(-len(short) // most) or 1]


def _lines(chunk: Chunk) -> Iterator[str]:
    """Yield the blocks of a passage that are one question and nothing else, without the number before it."""
    for block in chunk.blocks:
        line = " ".join(chunk.content[block.start : block.end].split())
        line = line[found.end() :] if (found := _NUMBERED.match(line)) else line
        if line[:1].isupper() and line.count("?") == 1 and not re.search(r"[.!?|]\s", line):
            yield line


def _topic(heading: str, text: str, said: Set[str]) -> str:
    """Return the thing that a heading names and its section speaks of, written as within a sentence; else nothing."""
    own = {*stems(heading)}
    if not own or is_stopword(words(heading)[0]) or not own.issubset(stems(text)) or _NO_TOPIC.search(heading):
        return ""  # one that begins as "Before you start" fits into no frame
    # Words are written small where the document writes them so anywhere: `Iceland` stays a name.
    return " ".join(one.lower() if said >= {*stems(one)} else one for one in heading.split())


def _called(title: str, text: str) -> str:
    """Return how people speak of a document: by its title, where its text does so, as of "this manual"."""
    last = (words(title) or [""])[-1]
    is_named = bool(last) and re.search(rf"\b(?:the|this|our) (?:{re.escape(title)}|{re.escape(last)})\b", text, re.I)
    is_one_name = not _NO_TOPIC.search(title) and len(title.split()) <= 4 and not last.endswith("s")
    return f"does the {title}" if is_named and is_one_name and not is_stopword(words(title)[0]) else "do the documents"


def _asked(topic: str, text: str, source: str) -> str:
    """Return the question about a topic that the forms of its words allow.

    `How do I` of an activity; `What is` where the text itself says what it is; else what the source says about it.
    """
    first, second, *_ = [*topic.split(), "", ""]
    activity, is_gerund = (
        first.lower() + topic[len(first) :],
        first.endswith("ing") and first.lower() not in stems(first),
    )
    has_article = second in ("a", "an", "the")
    if has_article and not is_gerund:  # "Book an instrument"
        return f"How do I {activity}?"
    is_thing = re.search(rf"\b(?:the|an?)\s+{re.escape(topic)}\b", text, re.I)
    if is_gerund and second and (has_article or not is_stopword(second)) and not is_thing:  # "Reporting accidents"
        return f"How do I go about {activity}?"
    said = rf"(?:^|[.!?:]\s+|\n)\W*(?:(the|an?)\s+)?{re.escape(topic)}\s+(is|are)\s+(?:the|an?|\d)"
    if defined := re.search(said, text, re.I):
        article = f"{defined[1].lower()} " if defined[1] else ""
        return f"What {defined[2].lower()} {article}{topic}?"
    return f"What {source} say about {topic}?"


@cache
def code_version() -> str:
    """Return 12 hexadecimal digits of the code that decides what is suggested and answered: all of this package."""
    said = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        said.update(path.read_bytes())
    return said.hexdigest()[:12]
