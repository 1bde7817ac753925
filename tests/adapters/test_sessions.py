"""Sessions, labels, promotions and keys, on a real SQLite file and a real PostgreSQL server."""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from at_once import at_once
from postgres import empty_database

import rag.adapters.migrations as migrations
from rag.adapters import tables
from rag.adapters.database import Database
from rag.adapters.sessions import SqlSessions
from rag.errors import ConfigurationError, InvalidQuery, ServiceUnavailable
from rag.models import HouseWord
from rag.workspace.values import Label

NOON = datetime(2026, 1, 21, 12, tzinfo=UTC)
ID = "12345678-9abc-4def-8123-456789abcdef"
OTHER = "22345678-9abc-4def-8123-456789abcdef"


@contextmanager
def connected(url: str, **options: str) -> Iterator[sa.Connection]:
    """A connection beside the code under test, closed at the end."""
    engine = sa.create_engine(url, poolclass=sa.NullPool, **options)
    with engine.connect() as connection:
        yield connection


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request, tmp_path):
    return empty_database(request, tmp_path)


@pytest.fixture
def store(url):
    store = SqlSessions(url)
    yield store
    store.close()


def ask(store: SqlSessions, session_id: str, number: int, **options: object) -> None:
    said = {"question": f"Question {number}?", "answer": {"answer": f"Answer {number}."}}
    store.append(session_id, request_id=f"req_{number}", **said, **options)


def test_a_session_begins_empty_its_turns_come_back_in_order_and_counted_and_any_text_survives(store):
    session = store.create()
    assert (session.query_count, session.last_query_at) == (0, None)
    assert abs(session.created_at - datetime.now(UTC)) < timedelta(seconds=30)
    assert store.get(session.session_id) == session
    assert (store.get(ID), store.history(ID), store.delete(ID)) == (None, [], ())
    for call in (store.get, store.history, store.delete):
        with pytest.raises(InvalidQuery, match="'my-session' is not a UUID v4"):
            call("my-session")
    for number in (1, 2, 3):
        ask(store, ID, number, at=NOON + timedelta(minutes=number))
    session = store.get(ID.upper())
    assert (session.query_count, session.title) == (3, "Question 1?")
    assert (session.created_at, session.last_query_at) == (NOON + timedelta(minutes=1), NOON + timedelta(minutes=3))
    assert [turn.position for turn in store.history(ID)] == [1, 2, 3]
    assert [turn.question for turn in store.history(ID, last=2)] == ["Question 2?", "Question 3?"]
    assert store.history(ID)[0].answer == {"answer": "Answer 1."}
    odd = "Größe ≥ 5 µm – 'quoted' \"double\" \\ 日本 😀 \0 \ud800 {json}"
    store.append(OTHER, question=odd, answer={"answer": odd.replace("\ud800", "")}, request_id="r")
    (turn,) = store.history(OTHER)
    assert turn.question == odd.replace("\0", "").replace("\ud800", "?")


def test_sessions_are_listed_by_last_use_and_by_owner(store):
    ids = [f"12345678-9abc-4def-8123-00000000000{n}" for n in range(3)]
    for number, session_id in enumerate(ids):
        ask(store, session_id, number, at=NOON + timedelta(hours=number), owner="ada" if number else "bo")
    ask(store, ids[0], 9, at=NOON + timedelta(hours=9), owner="somebody else")
    assert [(session.session_id, session.owner) for session in store.list()] == [
        (ids[0], "bo"), (ids[2], "ada"), (ids[1], "ada"),
    ]  # fmt: skip
    assert [session.session_id for session in store.list(owner="ada")] == [ids[2], ids[1]]
    assert [session.session_id for session in store.list(limit=1, offset=1)] == [ids[2]]


def test_a_session_is_found_by_its_name_and_by_any_of_its_questions(store):
    for session, questions in ((ID, ("Which gloves?", "And 100% acid?")), (OTHER, ("Who pays?",))):
        for asked in questions:
            store.append(session, question=asked, answer={}, request_id="r")
    assert [one.session_id for one in store.list(words="GLOVES")] == [ID]
    assert [one.session_id for one in store.list(words="0% A")] == [ID]  # a sign of the search means itself
    assert store.list(words="g%s") == []
    store.rename(OTHER, "  Costs\nof 2026 ")
    assert [one.title for one in store.list(words="costs of")] == ["Costs of 2026"]
    store.append(OTHER, question="And who books?", answer={}, request_id="r")
    assert store.get(OTHER).title == "Costs of 2026"  # the next question leaves it
    store.rename("32345678-9abc-4def-8123-456789abcdef", "Nobody's")
    assert len(store.list()) == 2


def test_deleting_a_session_deletes_its_turns_also_from_the_files_of_sqlite_and_nothing_else(store, url, tmp_path):
    for number, session_id in enumerate([ID, ID, OTHER]):
        ask(store, session_id, number)
    store.append(ID, question="my unforgettable secret", answer={"answer": "unforgettable"}, request_id="r")
    assert store.request_ids(ID) == store.delete(ID) == ("req_0", "req_1", "r")
    assert (store.request_ids(ID), store.get(ID)) == ((), None)
    with connected(url) as connection:
        assert [row.request_id for row in connection.execute(sa.select(tables.turns))] == ["req_2"]
    assert b"unforgettable" not in b"".join(path.read_bytes() for path in tmp_path.glob("folder/*"))


def append_ten(store: SqlSessions, worker: int) -> None:
    for number in range(10):
        ask(store, ID, worker * 100 + number)


def append_ten_elsewhere(url: str, process: int) -> None:
    with closing(SqlSessions(url)) as store:
        append_ten(store, process)


def test_processes_open_and_migrate_one_new_database_at_once_and_threads_append_and_lose_no_turn(store, url):
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(append_ten_elsewhere, [url] * 3, range(3)))
    at_once(*(partial(append_ten, store, number) for number in range(8)))
    assert [turn.position for turn in store.history(ID)] == list(range(1, 111))
    assert store.get(ID).query_count == 110


def assert_newest(url: str) -> None:
    """Check that the schema is that of the newest revision, and what stands in `tables`."""
    with connected(url) as connection:
        assert set(sa.inspect(connection).get_table_names()) == {*tables.metadata.tables, migrations.VERSION_TABLE}
        context = MigrationContext.configure(connection, opts={"version_table": migrations.VERSION_TABLE})
        assert compare_metadata(context, tables.metadata) == []
        assert context.get_current_revision() == migrations.HEAD


def test_a_new_database_is_at_the_newest_revision_and_nothing_is_migrated_when_opened_again(store, url, monkeypatch):
    store.create()
    assert_newest(url)
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD
    monkeypatch.setattr(Database, "_upgrade", lambda _: pytest.fail("nothing is to be migrated"))
    with closing(SqlSessions(url)) as second:
        assert len(second.list()) == 1


FIRST_VERSION = (
    *(f"DROP TABLE {name}" for name in ("collected", "collections", "house_words")),
    "CREATE TABLE feedback (request_id TEXT)",
    "CREATE INDEX ix_feedback_request_id ON feedback (request_id)",
    f"UPDATE {migrations.VERSION_TABLE} SET version_num = '0001'",
)


def test_a_database_of_the_first_version_keeps_what_it_has_and_one_of_a_newer_version_is_refused(store, url):
    ask(store, ID, 1)
    key = store.keys.create("notebook", "ask")
    store.close()
    with connected(url, isolation_level="AUTOCOMMIT") as connection:
        for change in FIRST_VERSION:
            connection.execute(sa.text(change))
    with closing(SqlSessions(url)) as second:
        assert [turn.request_id for turn in second.history(ID)] == ["req_1"]
        assert second.keys.authenticate(key.token) == key.key
    assert_newest(url)  # without the table of feedback
    with connected(url, isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(f"UPDATE {migrations.VERSION_TABLE} SET version_num = '9999'"))
    with closing(SqlSessions(url)) as newer, pytest.raises(ConfigurationError, match="newer version"):
        newer.list()


def test_labels_promotions_overlapping_collections_and_house_words_of_several_meanings_are_taken_back(store):
    for labeller, verdict in (("ada", "correct"), ("bo", "wrong"), ("ada", "wrong")):
        store.labels.put(Label(target="req_1", aspect="answer", labeller=labeller, verdict=verdict, note="why"))
    store.labels.put(Label(target="req_1", aspect="chunk", item="c1", labeller="ada", verdict="relevant"))
    answers = store.labels.list(aspect="answer")
    assert {(label.labeller, label.verdict) for label in answers} == {("ada", "wrong"), ("bo", "wrong")}
    assert len(store.labels.list(target="req_1", labeller="ada")) == 2
    unwanted = Label(target="req_1", aspect="answer", labeller="bo", verdict="any")
    assert (store.labels.remove(unwanted), store.labels.remove(unwanted)) == (True, False)
    first = store.promotions.promote({"confidence_threshold": 0.6}, note="5% at most", by="ada")
    second = store.promotions.promote({"confidence_threshold": 0.7, "top_k": 5}, note="stricter")
    assert store.promotions.current() == second
    assert store.promotions.undo(by="bo") == store.promotions.current() == first
    newest, oldest = store.promotions.history()
    assert (newest.number, newest.undone_by, oldest.undone_at) == (second.number, "bo", None)
    assert (store.promotions.undo(), store.promotions.undo()) == (None, None)
    kept, words = store.collections, store.house_words
    kept.add("Travel", ["policy.docx", "faq.html", "policy.docx"], by="ada")
    assert kept.put("Safety", ["manual.pdf", "faq.html"]).documents == ("faq.html", "manual.pdf")
    assert kept.add("Travel", ["rates.xlsx"], by="bo").documents == ("faq.html", "policy.docx", "rates.xlsx")
    assert [(one.name, one.by) for one in kept.list()] == [("Safety", ""), ("Travel", "bo")]
    assert kept.take_out("Travel", ["faq.html", "never.md"]).documents == ("policy.docx", "rates.xlsx")
    assert (kept.take_out("Never", ["a.md"]), kept.remove("Travel"), kept.remove("Travel")) == (None, True, False)
    meant = [HouseWord(word="PM", means=means, by="ada") for means in ("project manager", "preventive maintenance")]
    assert words.add([*meant, HouseWord(word="PPE", means="protective gear")]) == 3
    assert words.add([meant[0].model_copy(update={"by": "bo"})]) == 0
    assert (words.remove("PM", "project manager"), words.remove("PM"), words.remove("PM")) == (1, 1, 0)
    assert [str(one) for one in words.list()] == ["PPE = protective gear"]


def test_key_opens_until_it_is_revoked_and_is_kept_as_a_hash_alone(store, url):
    assert store.keys.were_made() is False
    new = store.keys.create("notebook", "evaluate")
    secret = new.token.split("_", 2)[2]
    assert store.keys.authenticate(new.token) == new.key
    with connected(url) as connection:
        row = connection.execute(sa.select(tables.api_keys)).one()
        assert secret not in str(row)
    assert new.token not in repr(new)
    other = new.token.replace("candor", "other")
    for wrong in ("", "candor", new.token[:-1], new.token + "x", other, "candor_é_ü", "a_b_c"):
        assert store.keys.authenticate(wrong) is None, wrong
    assert (store.keys.revoke(new.key.key_id), store.keys.revoke(new.key.key_id)) == (True, False)
    assert store.keys.authenticate(new.token) is None
    (listed,) = store.keys.list()
    assert (listed.name, listed.role, listed.revoked_at is None) == ("notebook", "evaluate", False)
    assert store.keys.were_made() is True


def test_database_that_is_down_or_none_or_cannot_be_opened_is_told_without_a_password(tmp_path):
    store = SqlSessions("postgresql://ada:hush@127.0.0.1:1/candor?sslpassword=hush")
    with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1:1/candor") as caught:
        store.list()
    status = store.check()
    assert (status.state, caught.value.error_code) == ("disconnected", "SERVICE_UNAVAILABLE")
    assert "hush" not in f"{caught.value.message} {status.detail}"
    (tmp_path / "text.db").write_text("this is no database, and long enough to be seen as none" * 10)
    store = SqlSessions(f"sqlite:///{tmp_path / 'text.db'}")
    with pytest.raises(ConfigurationError, match=r"text\.db.*or damaged: restore it from a copy") as caught:
        store.list()
    assert "tables" not in caught.value.message
    assert store.check().state == "disconnected"
    (tmp_path / "folder.db").mkdir()
    with pytest.raises((ServiceUnavailable, ConfigurationError), match="unable to open"):
        SqlSessions(f"sqlite:///{tmp_path / 'folder.db'}").list()


@pytest.mark.parametrize("url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_server_refuses_what_is_too_long_outlives_killed_connections_and_cuts_what_hangs(store, url, monkeypatch):
    with pytest.raises(InvalidQuery, match="too long"):
        store.create(owner="x" * 300)
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname <> ''"
    with connected(url, isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(others))
    ask(store, ID, 1)
    with connected(url) as connection:
        connection.execute(sa.text("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE"))
        began = time.monotonic()
        monkeypatch.setattr("rag.adapters.database.TIMEOUT_S", 1.0)
        with pytest.raises(ServiceUnavailable, match="does not answer"):
            ask(store, ID, 2)
        assert time.monotonic() - began < 10
    ask(store, ID, 3)
    assert [turn.request_id for turn in store.history(ID)] == ["req_1", "req_3"]
