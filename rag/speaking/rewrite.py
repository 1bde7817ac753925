"""A follow-up rewritten by a language model so that it can be understood alone.

What the model writes is only another way to read the question (`rag.standalone`): it stands where it finds more than
the question as asked, and the answer says how it was read.
"""

import re
from collections.abc import Generator as Stream
from contextlib import closing
from time import monotonic
from typing import Final

from rag.errors import GeneratorUnavailable
from rag.events import Event, Waiting
from rag.models import PromptContext, Query
from rag.models.query import MAX_LENGTH
from rag.prompt import CHAT_OVERHEAD, neutralise
from rag.replies import visible
from rag.speaking.speaker import Asking
from rag.text.tokens import estimate_tokens

TEMPLATE: Final = "follow-up/1"
SYSTEM: Final = """\
Rewrite the second question so that it can be understood without the first. Put what it refers to in its place.
Keep names and numbers as they are. Do not answer it. Write the question and nothing else.
Example: "Which gloves are worn with ethers?", then "And with acids?" becomes "Which gloves are worn with acids?\""""
LONGEST: Final = 80  # tokens of a rewritten question
PATIENCE_S: Final = 10.0  # longest wait for it; then the question is read without a model's help
SHORTEST: Final = 3  # characters of one
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"^[\w\s-]{0,30}:\s+")


def rewritten_by(asking: Asking) -> Stream[Event, None, Query | None]:
    """Return the question as the model rewrites it; None where it fails, or writes what cannot be that question."""
    query = asking.query
    prompt = prompt_of(query)
    text, begun = "", monotonic()
    try:
        stream = asking.generator.stream(prompt, max_tokens=prompt.max_tokens, temperature=0.0, seed=query.seed)
        with closing(stream):  # type: ignore[type-var]
            for piece in stream:
                yield Waiting.of(piece)
                text += piece
                if monotonic() - begun > PATIENCE_S:
                    return None
    except GeneratorUnavailable:
        return None  # whoever answers will meet it again, and say so
    finally:
        asking.clock.spend("generate", monotonic() - begun)
    question = question_of(text, query)
    return query.model_copy(update={"question": question}) if question else None


def prompt_of(query: Query) -> PromptContext:
    """Return what the model is asked."""
    user = f"First: {neutralise(query.previous or '')}\nSecond: {neutralise(query.question)}\n\nThe second, rewritten:"
    tokens = estimate_tokens(SYSTEM) + estimate_tokens(user) + CHAT_OVERHEAD
    return PromptContext(
        question=query.question,
        retrieved_chunks=(),
        system_prompt=SYSTEM,
        formatted_context="",
        user_prompt=user,
        template=TEMPLATE,
        prompt_tokens=tokens,
        num_ctx=tokens + LONGEST,
        max_tokens=LONGEST,
    )


def question_of(text: str, query: Query) -> str | None:
    """Return the question that a model wrote: the first line with a question mark at its end.

    None where there is none, or where it has a number that neither question has.

    >>> question_of('Rewritten: "Which gloves are worn with acids?"', Query(question="And acids?", previous="Gloves?"))
    'Which gloves are worn with acids?'
    """
    lines = [_LABEL.sub("", line).strip(" \"'“”*`") for line in visible(text).splitlines()]
    question = next((line for line in lines if line.endswith("?")), "")
    is_new = bool(_numbers(question) - _numbers(f"{query.previous} {query.question}"))
    if is_new or not SHORTEST <= len(question) <= MAX_LENGTH or question.casefold() == query.question.casefold():
        return None
    return question


def _numbers(text: str) -> set[str]:
    return {word for word in _WORD.findall(text) if any(map(str.isdigit, word))}
