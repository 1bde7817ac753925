"""A data folder for commands, and the command line in this process."""

import os
import shutil

import pytest
from library import NOBODY, RUNNING, Ran

from rag.cli import main


@pytest.fixture(scope="module")
def home(library_home, tmp_path_factory):
    """A data folder of this module's own, with the sample library."""
    folder = tmp_path_factory.mktemp("cli") / "data"
    shutil.copytree(library_home, folder)
    return folder


@pytest.fixture
def inside(monkeypatch, capsys, tmp_path):
    """The command line in this process: the same without the time that a process of its own takes."""

    def run(*arguments, data_dir=tmp_path / "data", **settings):
        for name in [name for name in os.environ if name.startswith("CANDOR_")]:
            monkeypatch.delenv(name)
        own = {**RUNNING, "CANDOR_DATA_DIR": str(data_dir), "OLLAMA_HOST": NOBODY, **settings}
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capsys.readouterr()
        return Ran(int(ended.value.code or 0), out, err)

    return run
