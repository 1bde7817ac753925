"""Recorded questions that got no good answer: by what that is known, and alike ones in groups."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, get_args

from pydantic import AwareDatetime, Field

from rag.models import ModelKind, Outcome, Value
from rag.protocols import Vector
from rag.records.answerfiles import Judgement
from rag.records.requests import ENDED, RecordedRequest
from rag.text.words import fold

Why = Literal["refused", "unsure", "judged_bad", "sentences_dropped"]
"""By what it is known that a question got no good answer."""
ALIKE = 0.65
"""Cosine from which two questions are alike.

Measured on 4,225 questions of 120 of the documents in `training/corpora`: of two that ask one document for different
sentences 5 in 1,000 reach it, of two about different documents none. Of two that were written to ask for one sentence
in words as unlike as possible 26% do.
"""


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
        is_early = request.decision == "talk" or request.refusal_stage in ENDED
        if is_early or request.mode == "selected-text-only" or not request.question or request.timestamp is None:
            continue
        said = judgements.get(request.request_id, Judgement())
        words, why = fold(request.question), _why(request, said)
        if not why:
            answered_since.add(words)
        elif words not in answered_since:
            reason, note = (said.reason, said.note) if said.verdict == "bad" else ("", "")
            asked = {name: getattr(request, name) for name in ("request_id", "timestamp", "question")}
            found.append(Unanswered(**asked, outcome=request.decision, why=why, reason=reason, note=note))
    return found


def _why(request: RecordedRequest, said: Judgement) -> tuple[Why, ...]:
    signs: dict[Why, bool] = {
        "refused": request.decision == "refused",
        "unsure": request.decision == "unsure",
        "judged_bad": said.verdict == "bad",
        "sentences_dropped": bool(request.dropped) and request.generator in get_args(ModelKind),
    }
    return tuple(name for name, is_there in signs.items() if is_there)


class Group(Value):
    """Questions that are alike."""

    question: str = Field(description="The wording that was asked most often, of those the newest.")
    times: int = Field(ge=1, description="How often they were asked.")
    last: AwareDatetime = Field(description="When one of them was asked last (UTC).")
    why: dict[Why, int] = Field(description="How many of them are here for which reason; one may have several.")
    dismissed: bool = Field(description="Whether somebody set them aside.")
    questions: tuple[Unanswered, ...] = Field(min_length=1, description="Each of them, newest first.")


def wordings(found: Sequence[Unanswered]) -> list[str]:
    """Return the questions, newest first, without those that repeat the words of a newer one."""
    newest: dict[str, str] = {}
    for one in found:
        newest.setdefault(fold(one.question), one.question)
    return [*newest.values()]


def grouped(found: Sequence[Unanswered], vectors: Mapping[str, Vector], dismissed: Collection[str] = ()) -> list[Group]:
    """Return the questions in groups of like ones: open ones first, those asked most often before the others.

    What was dismissed is grouped by itself, and so is what repeats its words; new words are open again.

    Args:
        found: The questions, newest first.
        vectors: Vectors of length 1 by wording; a wording without one is alike to its own words only.
        dismissed: Ids of requests that somebody set aside.
    """
    aside = {fold(one.question) for one in found if one.request_id in dismissed}
    groups = [
        _group(members, is_aside=is_aside)
        for is_aside in (False, True)
        for members in _alike([one for one in found if (fold(one.question) in aside) == is_aside], vectors)
    ]
    return sorted(groups, key=lambda group: (not group.dismissed, group.times, group.last), reverse=True)


def _group(members: Sequence[Unanswered], *, is_aside: bool) -> Group:
    newest_first = sorted(members, key=lambda one: one.timestamp, reverse=True)
    counts = Counter(fold(one.question) for one in newest_first)  # of equal counts the first, which is the newest
    most = counts.most_common(1)[0][0]
    return Group(
        question=next(one.question for one in newest_first if fold(one.question) == most),
        times=len(newest_first),
        last=newest_first[0].timestamp,
        why=dict(Counter(why for one in newest_first for why in one.why)),
        dismissed=is_aside,
        questions=tuple(newest_first),
    )


def _alike(found: Sequence[Unanswered], vectors: Mapping[str, Vector]) -> list[list[Unanswered]]:
    """Return the questions in groups by complete linkage; a wording without a vector is a group by itself."""
    repeated: dict[str, list[Unanswered]] = {}
    for one in found:
        repeated.setdefault(fold(one.question), []).append(one)
    by_words = sorted(repeated.values(), key=len, reverse=True)
    known = [members for members in by_words if members[0].question in vectors]
    if len(known) < 2:
        return by_words
    import numpy as np
    from scipy.cluster.hierarchy import fcluster, linkage

    matrix = np.stack([vectors[members[0].question] for members in known])
    numbers = fcluster(linkage(matrix, "complete", metric="cosine"), 1 - ALIKE, "distance")
    groups: dict[int, list[Unanswered]] = {}
    for members, number in zip(known, numbers, strict=True):
        groups.setdefault(int(number), []).extend(members)
    return [*groups.values(), *(members for members in by_words if members[0].question not in vectors)]
