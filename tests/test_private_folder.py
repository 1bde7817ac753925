"""The data folder that Candor makes is its owner's alone; one that exists is left as it is."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.errors import FolderUnwritable, IndexNotReady
from rag.process.data_folder import make_private
from rag.record import Recorder
from rag.wiring import Wiring

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")


@pytest.fixture(autouse=True)
def usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_a_missing_folder_is_made_for_its_owner_alone_those_above_as_usual_and_one_that_exists_stays(tmp_path) -> None:
    home = tmp_path / "above" / "data"
    make_private(home)
    assert (rights(home), rights(home.parent)) == (0o700, 0o755)
    home.chmod(0o750)
    make_private(home)
    assert rights(home) == 0o750


def test_a_first_question_and_a_first_document_make_the_folder_private_with_the_compiled_models_in_it(tmp_path):
    (tmp_path / "a.txt").write_text("Gloves of nitrile are worn with acids.")
    with Candor.open(quiet_settings(tmp_path / "asked", cache_dir=None)) as candor:
        with pytest.raises(IndexNotReady):
            candor.ask("Which gloves are worn with acids?")
        candor.load()
    assert list((tmp_path / "asked" / "cache").glob("*.blob"))
    with Candor.open(quiet_settings(tmp_path / "filled")) as candor:
        candor.ingest([tmp_path / "a.txt"])
    assert (rights(tmp_path / "asked"), rights(tmp_path / "filled")) == (0o700, 0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that makes no folders")
def test_models_and_the_log_go_on_without_a_folder_that_cannot_be_made_and_the_catalogue_does_not() -> None:
    wiring = Wiring(quiet_settings(Path("/proc/nothing"), cache_dir=None))
    assert wiring.embedder.embed(["firn"]).shape == (1, 384)
    with pytest.raises(FolderUnwritable, match="'/proc/nothing' cannot be written: it cannot be made"):
        wiring.catalogue  # noqa: B018
    Recorder(Path("/proc/nothing")).event("ask", "answer_failed", request_id="r", level="INFO", data={})
