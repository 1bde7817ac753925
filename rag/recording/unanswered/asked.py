"""Which recorded questions got no good answer, and by what that is known."""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from pydantic import AwareDatetime, Field

from rag.language.text import fold
from rag.models import ModelKind, Outcome, Value
from rag.recording.judgement import Judgement
from rag.recording.replay import ENDED, RecordedRequest

Why = Literal["refused", "unsure", "judged_bad", "sentences_dropped"]
"""By what it is known that a question got no good answer."""
NOT_JUDGED = Judgement()


class Unanswered(Value):
    """A recorded question that got no good answer."""

    request_id: str = Field(description="Id of the request.")
    timestamp: AwareDatetime = Field(description="When it was asked (UTC).")
    question: str = Field(description="The question, as asked.")
    outcome: Outcome = Field(description="How it ended.")
    why: tuple[Why, ...] = Field(description="By what it is known that it got no good answer.")
    reason: str = Field("", description="Why somebody judged the answer bad, as chosen; empty: nothing was chosen.")
    note: str = Field("", description="What somebody wrote about the answer.")


def unanswered(requests: Iterable[RecordedRequest], judgements: Mapping[str, Judgement]) -> list[Unanswered]:
    """Return the questions that got no good answer, newest first.

    A question that was answered since, in the same words, is left out. So is what was asked of a pasted text, and what
    ended before it was searched for: a document more would not help it.

    Args:
        requests: Short lines of answers, newest first.
        judgements: What people thought of them, by request id.
    """
    found: list[Unanswered] = []
    answered_since: set[str] = set()
    for request in requests:
        if not _asks_the_documents(request) or request.timestamp is None:
            continue
        said = judgements.get(request.request_id, NOT_JUDGED)
        words, why = fold(request.question), _why(request, said)
        if not why:
            answered_since.add(words)
        elif words not in answered_since:
            is_bad = said.verdict == "bad"
            found.append(
                Unanswered(
                    request_id=request.request_id,
                    timestamp=request.timestamp,
                    question=request.question,
                    outcome=request.decision,
                    why=why,
                    reason=said.reason if is_bad else "",
                    note=said.note if is_bad else "",
                )
            )
    return found


def _asks_the_documents(request: RecordedRequest) -> bool:
    is_early = request.decision == "talk" or request.refusal_stage in ENDED
    return bool(request.question) and not is_early and request.mode != "selected-text-only"


def _why(request: RecordedRequest, said: Judgement) -> tuple[Why, ...]:
    signs: dict[Why, bool] = {
        "refused": request.decision == "refused",
        "unsure": request.decision == "unsure",
        "judged_bad": said.verdict == "bad",
        "sentences_dropped": bool(request.dropped) and request.generator in get_args(ModelKind),
    }
    return tuple(name for name, is_there in signs.items() if is_there)
