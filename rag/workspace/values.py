"""What the database keeps: sessions and their turns, labels, collections, promoted settings, API keys."""

from typing import Annotated, Literal, Self
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field, model_validator

from rag.errors import InvalidQuery
from rag.models import Score, Value

Role = Literal["ask", "evaluate", "admin"]
Aspect = Literal["answer", "chunk", "answerable"]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class SessionMetadata(Value):
    """A conversation, as seed 003 defines it."""

    session_id: str = Field(description="UUID v4.")
    created_at: AwareDatetime = Field(description="When it began (UTC).")
    last_query_at: AwareDatetime | None = Field(None, description="When the last question was asked (UTC).")
    query_count: int = Field(0, ge=0, description="How many questions were asked in it.")
    title: str = Field("", description="Its first question, shortened; empty before it.")
    owner: str | None = Field(None, description="Who it belongs to, where people are told apart.")

    @model_validator(mode="after")
    def _is_uuid4(self) -> Self:
        if not is_session_id(self.session_id):
            raise ValueError(f"session_id {self.session_id!r} is not a UUID v4")
        return self


class Turn(Value):
    """One question of a session and what came of it."""

    session_id: str = Field(description="UUID v4 of the session.")
    position: int = Field(ge=1, description="1 for the first question of the session.")
    request_id: str = Field(description="Id in the log and of the recorded answer.")
    question: str = Field(description="As asked.")
    answer: dict[str, object] = Field(description="What to show of the answer.")
    created_at: AwareDatetime = Field(description="When it was asked (UTC).")


class Label(Value):
    """One person's judgment of an answer, a chunk, or whether a question can be answered at all."""

    target: Name = Field(description="Request id, or `data set/qid`.")
    aspect: Aspect = Field(description="What was judged.")
    item: str = Field("", max_length=200, description="Id of the chunk, where a chunk was judged.")
    labeller: Name = Field(description="Who judged.")
    verdict: Name = Field(description="As: `correct`, `wrong`, `relevant`, `yes`, `no`.")
    note: str = Field("", max_length=4000, description="Why.")
    created_at: AwareDatetime | None = Field(None, description="When (UTC); set when it is kept.")


class Collection(Value):
    """A named set of documents; a document may be in several."""

    name: Name = Field(description="What it is called.")
    documents: tuple[str, ...] = Field((), description="File names, in order; one that is not indexed now may be back.")
    by: str = Field("", max_length=200, description="Who changed it last.")
    changed_at: AwareDatetime | None = Field(None, description="When (UTC); set when it is kept.")


class Promotion(Value):
    """Settings that somebody put into production."""

    number: int = Field(ge=1, description="Ascending; the highest that is not undone is in force.")
    settings: dict[str, object] = Field(description="Names and values of the settings.")
    note: str = Field(description="Why.")
    by: str = Field("", description="Who.")
    created_at: AwareDatetime = Field(description="When (UTC).")
    undone_at: AwareDatetime | None = Field(None, description="When it was taken back (UTC); null: it was not.")
    undone_by: str | None = Field(None, description="Who took it back.")


class ApiKey(Value):
    """A key to the HTTP API; its secret is known to its holder alone."""

    key_id: str = Field(description="Public part of the key.")
    name: str = Field(description="Whose it is or what it is for.")
    role: Role = Field(description="What it may do: ask, evaluate, or everything.")
    created_at: AwareDatetime = Field(description="When it was made (UTC).")
    revoked_at: AwareDatetime | None = Field(None, description="Since when it is refused (UTC).")


class NewKey(Value):
    """A key at the only moment at which its secret is known."""

    key: ApiKey = Field(description="What is kept.")
    token: str = Field(description="The whole key, to be shown once.", repr=False)


class Agreement(Value):
    """How far two labellers agree on what both have judged."""

    items: int = Field(ge=0, description="How many things both judged.")
    observed: Score | None = Field(description="Share on which they agree; null where they share nothing.")
    expected: Score | None = Field(description="Share on which they would agree by chance.")
    kappa: float | None = Field(description="Cohen's kappa; null where it is not defined.")


def cohen_kappa(pairs: list[tuple[str, str]]) -> Agreement:
    """Return Cohen's kappa of two people's verdicts on the same things.

    (p_o - p_e) / (1 - p_e): p_o the share of equal verdicts, p_e = sum over verdicts of the product of both people's
    shares of it. Cohen 1960, "A coefficient of agreement for nominal scales". Not defined where p_e is 1.

    >>> cohen_kappa([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")]).kappa
    0.5
    """
    if not pairs:
        return Agreement(items=0, observed=None, expected=None, kappa=None)
    count = len(pairs)
    observed = sum(first == second for first, second in pairs) / count
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = sum(first.count(verdict) * second.count(verdict) for verdict in set(first)) / count**2
    kappa = (observed - expected) / (1 - expected) if expected < 1 else None
    return Agreement(items=count, observed=observed, expected=expected, kappa=kappa)


def new_session_id() -> str:
    """Return a fresh UUID v4."""
    return str(uuid4())


def is_session_id(text: str) -> bool:
    """Return whether `text` is a UUID v4 in its usual form.

    >>> is_session_id("12345678-9abc-4def-8123-456789abcdef"), is_session_id("12345678-9abc-1def-8123-456789abcdef")
    (True, False)
    """
    try:
        parsed = UUID(text)
    except ValueError:
        return False
    return parsed.version == 4 and str(parsed) == text.lower()


def checked_session_id(text: str) -> str:
    """Return a session id in lower case.

    Raises:
        InvalidQuery: It is not a UUID v4.
    """
    if not is_session_id(text):
        raise InvalidQuery(
            f"The session_id {text!r} is not a UUID v4. "
            f"Leave it out to begin a new session, or use the one you were given.",
            details={"field": "session_id"},
        )
    return text.lower()


def title_of(question: str, *, most: int = 80) -> str:
    """Return a question in at most `most` characters, cut at a word.

    >>> title_of("Which gloves protect against acids?", most=20)
    'Which gloves…'
    """
    text = " ".join(question.split())
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
