"""Sessions, labels, promotions and API keys in SQLite or PostgreSQL, through SQLAlchemy."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import sqlalchemy as sa

from rag.adapters import repositories, tables
from rag.adapters.database import Database
from rag.adapters.sql import insert_into
from rag.errors import CandorError, InvalidQuery
from rag.models import ServiceStatus
from rag.workspace.values import SessionMetadata, Turn, checked_session_id, new_session_id, title_of

_used = sa.func.coalesce(tables.sessions.c.last_query_at, tables.sessions.c.created_at)


class SqlSessions(repositories.Repository):
    """Conversations and what belongs to them, in a `Database`; one object serves all threads.

    Every method may raise `ServiceUnavailable` (the database does not answer) or `ConfigurationError` (its tables are
    not ours). A `session_id` that is no UUID v4 is refused with `InvalidQuery`.
    """

    def __init__(self, url: str) -> None:
        super().__init__(Database(url))
        self.labels = repositories.SqlLabels(self._database)
        self.promotions = repositories.SqlPromotions(self._database)
        self.keys = repositories.SqlKeys(self._database)
        self.collections = repositories.SqlCollections(self._database)
        self.house_words = repositories.SqlHouseWords(self._database)

    def create(self, *, owner: str | None = None) -> SessionMetadata:
        """Begin a session."""
        begun = SessionMetadata(session_id=new_session_id(), created_at=datetime.now(UTC), owner=owner)
        with self._database.transaction(write=True) as connection:
            _insert_session(connection, begun.session_id, owner, begun.created_at)
        return begun

    def get(self, session_id: str) -> SessionMetadata | None:
        """Return a session, or None where there is none."""
        by_id = tables.sessions.c.session_id == checked_session_id(session_id)
        return self._one(SessionMetadata, sa.select(tables.sessions).where(by_id))

    def list(
        self, *, owner: str | None = None, words: str = "", limit: int = 100, offset: int = 0
    ) -> Sequence[SessionMetadata]:
        """Return sessions, the last used first; only those of `owner`, or with `words`, where they are given.

        Args:
            words: Part of a session's title or of one of its questions, in any case.
            offset: How many to pass over.
        """
        query = sa.select(tables.sessions).order_by(_used.desc(), tables.sessions.c.session_id)
        if owner is not None:
            query = query.where(tables.sessions.c.owner == owner)
        if words:
            asked = sa.select(tables.turns.c.session_id)
            asked = asked.where(tables.turns.c.question.icontains(plain(words), autoescape=True))
            is_named = tables.sessions.c.title.icontains(plain(words), autoescape=True)
            query = query.where(is_named | tables.sessions.c.session_id.in_(asked))
        return self._all(SessionMetadata, query.limit(limit).offset(offset))

    def rename(self, session_id: str, title: str) -> None:
        """Give a session another title; nothing happens where there is no such session."""
        update = sa.update(tables.sessions).where(tables.sessions.c.session_id == checked_session_id(session_id))
        self._changed(update.values(title=title_of(plain(title))))

    def append(
        self,
        session_id: str,
        *,
        question: str,
        answer: Mapping[str, object],
        request_id: str,
        owner: str | None = None,
        at: datetime | None = None,
        begins: bool = True,
    ) -> Turn:
        """Add a question and its outcome to a session, which is begun when it is new.

        Args:
            answer: What to show of the answer; JSON values only.
            request_id: Id in the log.
            owner: Whose session it is, when it is new.
            at: When it was asked; now by default.
            begins: Whether a session that is not there is begun; False where it was there when the question was read,
                so that one that was deleted since does not come back.

        Raises:
            InvalidQuery: The session is not there, and is not to be begun.
        """
        chosen, moment = checked_session_id(session_id), at or datetime.now(UTC)
        with self._database.transaction(write=True) as connection:
            if begins:
                _insert_session(connection, chosen, owner, moment)
            turn = Turn(
                session_id=chosen,
                position=_count_query(connection, chosen, title_of(plain(question)), moment),
                request_id=plain(request_id),
                question=plain(question),
                answer=dict(answer),
                created_at=moment,
            )
            connection.execute(sa.insert(tables.turns).values(**turn.model_dump()))
        return turn

    def history(self, session_id: str, *, last: int | None = None) -> Sequence[Turn]:
        """Return the turns of a session, oldest first; only the `last` few where asked for."""
        chosen = checked_session_id(session_id)
        query = sa.select(tables.turns).where(tables.turns.c.session_id == chosen)
        return self._all(Turn, query.order_by(tables.turns.c.position.desc()).limit(last))[::-1]

    def request_ids(self, session_id: str) -> tuple[str, ...]:
        """Return the request ids of a session's turns, oldest first; none where there is no session."""
        return self._requests(tables.sessions.c.session_id == checked_session_id(session_id))

    def due(self, before: datetime) -> tuple[str, ...]:
        """Return the request ids of the turns of every session that was last used before a moment."""
        return self._requests(_last_used_before(before))

    def delete(self, session_id: str) -> tuple[str, ...]:
        """Delete a session and its turns; nothing happens where there is none.

        Returns:
            The request ids of its turns. Their recorded answers are forgotten first (`request_ids`): afterwards
            nothing says whose they were.
        """
        return self._requests(tables.sessions.c.session_id == checked_session_id(session_id), remove=True)

    def purge(self, before: datetime) -> tuple[str, ...]:
        """Delete every session that was last used before a moment; return the request ids of their turns."""
        return self._requests(_last_used_before(before), remove=True)

    def check(self) -> ServiceStatus:
        """Probe the database; never raises, and ends within its time limits."""
        began = time.perf_counter()
        try:
            with self._database.transaction() as connection:
                connection.execute(sa.select(1))
        except CandorError as error:
            return ServiceStatus(state="disconnected", detail=error.message)
        latency_ms = (time.perf_counter() - began) * 1000
        return ServiceStatus(state="connected", latency_ms=latency_ms, detail=self._database.name)

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        self._database.close()

    def _requests(self, which: "sa.ColumnElement[bool]", *, remove: bool = False) -> tuple[str, ...]:
        """Return the request ids of sessions' turns, in the order of the turns; the sessions may be removed then."""
        turns = tables.turns.c
        theirs = turns.session_id.in_(sa.select(tables.sessions.c.session_id).where(which))
        query = sa.select(turns.request_id).where(theirs).order_by(turns.session_id, turns.position)
        with self._database.transaction(write=remove) as connection:
            found = tuple(connection.scalars(query))
            if remove:
                connection.execute(sa.delete(tables.turns).where(theirs))
                connection.execute(sa.delete(tables.sessions).where(which))
        if remove:
            self._database.wipe()
        return found


def plain(text: str) -> str:
    """Return text that every database takes: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _insert_session(connection: sa.Connection, session_id: str, owner: str | None, moment: datetime) -> None:
    """Insert a session unless it is there, also where two processes do so at once."""
    values = {"session_id": session_id, "created_at": moment, "owner": owner}
    connection.execute(insert_into(connection, tables.sessions).values(**values).on_conflict_do_nothing())


def _count_query(connection: sa.Connection, session_id: str, title: str, moment: datetime) -> int:
    """Count one more query and return which it is; the row's lock makes simultaneous turns follow each other."""
    columns = tables.sessions.c
    first = sa.case((columns.query_count == 0, title), else_=columns.title)
    update = sa.update(tables.sessions).where(columns.session_id == session_id)
    update = update.values(query_count=columns.query_count + 1, last_query_at=moment, title=first)
    position = connection.execute(update.returning(columns.query_count)).scalar_one_or_none()
    if position is None:
        raise InvalidQuery(
            f"The session {session_id!r} was deleted in the meantime. Begin a new one.",
            details={"field": "session_id", "status": 404},
        )
    return int(position)


def _last_used_before(moment: datetime) -> "sa.ColumnElement[bool]":
    return _used < sa.bindparam("before", moment, tables.UtcDateTime)
