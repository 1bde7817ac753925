"""The data folder that Candor makes is its owner's alone; one that exists is left as it is."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.errors import FolderUnwritable, IndexNotReady
from rag.models import Mode
from rag.process.data_folder import make_private
from rag.record import Recorder
from rag.recording.linefile import LineFile
from rag.wiring import Wiring

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")


@pytest.fixture(autouse=True)
def usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_a_missing_folder_is_made_for_its_owner_alone_and_those_above_it_as_usual(tmp_path: Path) -> None:
    make_private(tmp_path / "above" / "data")
    assert rights(tmp_path / "above" / "data") == 0o700
    assert rights(tmp_path / "above") == 0o755


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    make_private(tmp_path)
    assert rights(tmp_path) == 0o750


def test_what_is_first_written_makes_the_folder_private(tmp_path: Path) -> None:
    Recorder(tmp_path / "log").event("ask", "answer_failed", request_id="r", level="INFO", data={})
    assert rights(tmp_path / "log") == 0o700
    wiring = Wiring(quiet_settings(tmp_path / "database"))
    wiring.catalogue.close()
    assert rights(tmp_path / "database") == 0o700


def test_ingesting_into_a_missing_folder_makes_it_private(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Gloves of nitrile are worn with acids.")
    with Candor.open(quiet_settings(tmp_path / "data")) as candor:
        candor.ingest([tmp_path / "a.txt"])
    assert rights(tmp_path / "data") == 0o700
    assert (tmp_path / "data" / "files").is_dir()


@pytest.mark.parametrize("mode", [Mode.SELECTED_TEXT_ONLY, Mode.BOOK_WIDE])
def test_a_first_question_makes_the_folder_private_with_the_compiled_models_in_it(tmp_path: Path, mode: Mode) -> None:
    text = "Gloves of nitrile are worn with acids."
    with Candor.open(quiet_settings(tmp_path / "data", cache_dir=None)) as candor:
        with suppress(IndexNotReady):
            selected = {"context": text} if mode is Mode.SELECTED_TEXT_ONLY else {}
            candor.ask("Which gloves are worn with acids?", mode=mode, **selected)
        candor.load()
    assert list((tmp_path / "data" / "cache").glob("*.blob"))
    assert rights(tmp_path / "data") == 0o700


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that makes no folders")
def test_a_model_runs_where_its_data_folder_cannot_be_made() -> None:
    wiring = Wiring(quiet_settings(Path("/proc/nothing"), cache_dir=None))
    assert wiring.embedder.embed(["firn"]).shape == (1, 384)


def test_lines_elsewhere_are_in_a_folder_as_usual(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "runs" / "a.jsonl")
    file.append(b"{}\n")
    file.close()
    assert rights(tmp_path / "runs") == 0o755


def test_a_folder_that_the_file_system_does_not_make_is_refused_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    with pytest.raises(
        FolderUnwritable, match=r"cannot be written: it cannot be made \(File name too long\)"
    ) as raised:
        make_private(folder)
    assert raised.value.details == {"folder": str(folder)}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that makes no folders")
def test_the_log_goes_on_without_a_folder_that_cannot_be_made_and_the_catalogue_does_not() -> None:
    with pytest.raises(FolderUnwritable, match="'/proc/nothing' cannot be written: it cannot be made"):
        Wiring(quiet_settings(Path("/proc/nothing"))).catalogue  # noqa: B018
    Recorder(Path("/proc/nothing")).event("ask", "answer_failed", request_id="r", level="INFO", data={})
