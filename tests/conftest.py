"""What every test may use: the shared data sets where they are at hand, and no access to a model hub."""

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from complete import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401  # in CI nothing may be missing
from hypothesis import settings
from library import MODEL_CACHE, OURS, ROOT, RUNNING, SAMPLES, THREADS, quiet_settings
from questions import KNOWN
from readers import knowing
from recalled import recall

from rag import Candor
from rag.adapters import mpnet_pairs
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.embedders import packaged_encoder
from rag.adapters.reader import MpnetEntailment
from rag.pipeline import Pipeline
from rag.record import Recorder
from rag.speaking.entailment import EntailmentCheck

for name in (*OURS, "QDRANT_URL", "QDRANT_API_KEY", "OLLAMA_HOST"):
    os.environ.pop(name, None)  # a person's own settings must neither change a test nor be touched by it
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.update(RUNNING)
MODEL_CACHE.mkdir(mode=0o700, parents=True, exist_ok=True)  # what is loaded from it is trusted
recall()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and every process started here would inherit that and could not be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
# How long an example takes says how busy the machine is; CI tries the same examples each time.
settings.register_profile("candor", deadline=None, derandomize=bool({"CI", "CANDOR_CI"} & set(os.environ)))
settings.load_profile("candor")


@pytest.fixture(scope="session", autouse=True)
def shared_encoder() -> BertEncoder:
    """The packaged model as every Candor of this process runs it: held, so that none loads it anew."""
    return packaged_encoder(precision="auto", threads=THREADS, cache=MODEL_CACHE)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the shared data sets; tests that need it are skipped where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data sets are not at hand: ../shared/data")
    return folder


@pytest.fixture(scope="session")
def check() -> EntailmentCheck:
    """The grounding check with the shipped weights."""
    return EntailmentCheck(MpnetEntailment(mpnet_pairs.shipped_pairs(threads=THREADS)))


@pytest.fixture(scope="session")
def samples() -> Path:
    """The sample library."""
    return ROOT / "samples"


@pytest.fixture(scope="session")
def library_home(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample library ingested; nobody has it open. Copy it before writing to it."""
    home = tmp_path_factory.mktemp("library") / "data"
    with Candor.open(quiet_settings(home)) as candor:
        report = candor.ingest([samples / name for name in SAMPLES])
    if report.failed:
        pytest.fail(f"the samples cannot be ingested: {report.failed}")
    return home


@pytest.fixture(scope="session")
def library(library_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Candor]:
    """The sample library, open, without a model server. Tests read it and change nothing."""
    home = tmp_path_factory.mktemp("open-library") / "data"
    shutil.copytree(library_home, home)
    with Candor.open(quiet_settings(home)) as candor:
        yield candor


@pytest.fixture
def pipeline(library: Candor, tmp_path: Path) -> Iterator[Pipeline]:
    """The sample library's pipeline with a record of its own, and a reader that knows what answers `KNOWN`."""
    recorder = Recorder(tmp_path / "record")
    yield replace(library.pipeline, recorder=recorder, reader=knowing(KNOWN))
    recorder.close()
