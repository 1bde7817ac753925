"""An index that an older version of ingestion made: said so, and read again."""

import shutil
import sqlite3

from indexes import NEW, OLD, Index, text_of

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.sql import sqlite_url
from rag.ingest.indexer import Indexer
from rag.ingest.version import outdated_notice


def made_by(index: Index, version: str) -> Indexer:
    """An indexer of another version of Candor over the same index."""
    return Indexer(
        index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", alone=True, version=version
    )  # fmt: skip


def test_an_unchanged_file_that_an_older_version_read_is_read_again(index: Index) -> None:
    index.write("manual.md", text_of(OLD))
    made_by(index, "older").ingest([index.files])
    [file] = index.indexer.ingest([index.files]).files
    assert (file.outcome, file.reason) == (
        "replaced",
        "its content is unchanged, but an older version of Candor had read it",
    )
    assert index.catalogue.get("manual.md").ingestion == index.indexer.version
    assert index.outcomes() == {"manual.md": "unchanged"}
    assert index.visible().count("Monday") == 60


def test_an_index_is_outdated_until_the_last_document_is_read_again(index: Index) -> None:
    first, second = index.write("a.txt", OLD), index.write("b.txt", NEW)
    made_by(index, "older").ingest([index.files])
    fingerprints = [index.catalogue.fingerprint()]
    assert outdated_notice(index.catalogue)
    index.outcomes(first)
    fingerprints.append(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue)
    index.outcomes(second)
    fingerprints.append(index.catalogue.fingerprint())
    assert outdated_notice(index.catalogue) is None
    assert len(set(fingerprints)) == 3


def test_an_index_from_before_there_were_versions_is_outdated_and_is_told_which_command_to_run(index: Index) -> None:
    made_by(index, "older").ingest([index.write("a.txt", OLD)])
    with sqlite3.connect(index.folder / "catalogue.db") as database:
        database.execute("DELETE FROM catalogue_meta WHERE name = 'ingestion'")
        database.execute("UPDATE catalogue_documents SET record = json_remove(record, '$.ingestion')")
    database.close()
    index.catalogue.close()
    index.catalogue = SqlCatalogue(sqlite_url(index.folder / "catalogue.db"))
    indexer = Indexer(index.store, index.catalogue, index.embedder, files_dir=index.folder / "files", alone=True)
    assert "`candor ingest --rebuild`" in str(outdated_notice(index.catalogue))
    assert [file.outcome for file in indexer.ingest([index.files]).files] == ["replaced"]
    assert outdated_notice(index.catalogue) is None


def test_an_empty_index_is_of_every_version(index: Index) -> None:
    assert outdated_notice(index.catalogue) is None


def test_a_rebuild_without_paths_reads_everything_again_from_the_copies(index: Index) -> None:
    index.outcomes(index.write("a.md", text_of(OLD)))
    index.indexer.ingest_bytes("upload.txt", NEW.encode())
    index.outcomes(index.write("lost.txt", OLD))
    shutil.rmtree(index.folder / "files" / index.catalogue.get("lost.txt").hash)
    (index.files / "lost.txt").unlink()
    (index.files / "a.md").unlink()
    report = made_by(index, "newer").rebuild()
    assert {file.document: file.outcome for file in report.files} == {
        "a.md": "replaced",
        "upload.txt": "replaced",
        "lost.txt": "failed",
    }
    assert {record.document: record.ingestion for record in index.catalogue.documents()} == {
        "a.md": "newer",
        "upload.txt": "newer",
        "lost.txt": index.indexer.version,
    }
    assert index.visible("a.md").count("Monday") == 60
