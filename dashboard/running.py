"""Starting evaluation runs in the background, and keeping data sets that people upload. Imports no streamlit."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from dashboard.jobs import Job
from rag.errors import ConfigurationError, InvalidDocument, ServiceUnavailable
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.own_index import run as run_on_own_index
from rag.evaluation.runner import Evaluation, evaluate
from rag.evaluation.runs import read_run
from rag.ingest.originals import Originals
from rag.language.counted import several
from rag.models import Answer
from rag.record import Recorder
from rag.settings import settings_fingerprint

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings

KIND = "evaluate"


def datasets_folder(candor: "Candor") -> Path:
    """Return where uploaded data sets are kept."""
    return candor.settings.data_dir / "datasets"


def uploaded_datasets(candor: "Candor") -> list[Path]:
    """Return the data sets that people uploaded."""
    found = sorted(path.parent for path in datasets_folder(candor).glob("*/questions.jsonl"))
    return [folder for folder in found if not folder.name.startswith(".")]  # those are being written or removed


def known_datasets(candor: "Candor") -> list[Path]:
    """Return the data sets at hand: those uploaded, then the samples beside the program."""
    uploaded = uploaded_datasets(candor)
    samples = Path(__file__).resolve().parent.parent / "samples"
    return [*uploaded, *([samples] if (samples / "questions.jsonl").is_file() else [])]


def has_documents(folder: Path) -> bool:
    """Return whether a data set has documents, in `documents/` or beside its questions."""
    beside = (path for path in folder.iterdir() if path.is_file() and path.suffix != ".jsonl")
    return (folder / "documents").is_dir() or any(not path.name.startswith(".") for path in beside)


def keep_dataset(
    candor: "Candor",
    name: str,
    questions: bytes,
    documents: Sequence[tuple[str, bytes]],
    *,
    called: str = "questions.jsonl",
) -> DataSet:
    """Keep an uploaded data set and return it.

    Args:
        candor: In whose data folder.
        name: What to call it; letters, digits, `-` and `_` stay.
        questions: The content of `questions.jsonl`.
        documents: Names and contents; none: the questions are asked of what is indexed.
        called: The name of the file that `questions` was uploaded as.

    Raises:
        ConfigurationError: The name is taken or empty, a line is not a question, or none is; nothing is kept
            then.
        ServiceUnavailable: It could not be written; nothing is kept then.
    """
    chosen = _file_name(name)
    folder = datasets_folder(candor) / chosen
    if not chosen or folder.exists():
        raise ConfigurationError(f"The data set needs a name of its own; {name!r} is empty or taken. Choose another.")
    trial = folder.with_name(f".{token_hex(8)}.part")  # a name that no other upload has
    try:
        _write_dataset(trial, questions, documents)
        if not load_dataset(trial).questions:
            raise ConfigurationError(f"{called!r} holds no question. Write one JSON object a line, each a question.")
        trial.rename(folder)
    except BaseException as error:
        _remove(trial)
        if isinstance(error, ConfigurationError):
            raise ConfigurationError(_as_uploaded(error.message, trial, called)) from error
        if isinstance(error, OSError):
            raise ServiceUnavailable(
                f"The data set {name!r} could not be kept in {str(folder.parent)!r}: {error.strerror or error}. "
                f"Free some disk space or make the folder writable, then upload it again."
            ) from error
        raise
    return load_dataset(folder)


def _as_uploaded(message: str, folder: Path, called: str) -> str:
    """Return what is wrong with a data set with the uploaded file's name in it, not where it was put to be read.

    >>> _as_uploaded("data/.a.part/questions.jsonl, line 2: not JSON.", Path("data/.a.part"), "mine.jsonl")
    'mine.jsonl, line 2: not JSON.'
    """
    path = folder / "questions.jsonl"
    return message.replace(repr(str(path)), repr(called)).replace(str(path), called)


def _write_dataset(folder: Path, questions: bytes, documents: Sequence[tuple[str, bytes]]) -> None:
    folder.mkdir(parents=True)
    (folder / "questions.jsonl").write_bytes(questions)
    for name, data in documents:
        (folder / "documents").mkdir(exist_ok=True)
        (folder / "documents" / Path(name.replace("\\", "/")).name).write_bytes(data)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `candor evaluate` can be told, and the settings that it takes from its environment."""

    name: str = ""
    """What the run is called, as `--out` names its file; empty: the data set and the moment."""
    limit: int | None = None
    """Only the first so many questions; None: all."""
    is_fresh: bool = False
    """Whether all questions are asked again, also where a run of this name has their answers."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Names and values of settings in place of those in force."""


def run_dataset(candor: "Candor", folder: Path, *, options: RunOptions, job: Job) -> Evaluation:
    """Ask the questions of a data set, and write the run where Evaluate and Tune find it.

    A data set with documents is asked of an index of its own; one without, of what is indexed now.

    Raises:
        ConfigurationError: It is no data set, or there is a run of this name over another one.
        IndexNotReady: It has no documents, and nothing is indexed.
    """
    dataset = load_dataset(folder)
    settings = candor.settings.model_copy(update=dict(options.settings))
    out = _target(candor, dataset, options)
    job.holds |= {out.resolve()}

    def progress(done: int, total: int) -> None:
        job.tell(done, total, "asking")  # how many of how many stands before it

    if dataset.documents:
        job.tell(0, 0, f"indexing {several(len(dataset.documents), 'document')}")
        return run_on_own_index(
            folder, settings, out=out, limit=options.limit, resume=not options.is_fresh, progress=progress,
            ingest_progress=lambda now: job.tell(now.files_done, now.files_total, f"indexing {now.current}"),
        )  # fmt: skip
    quiet = Recorder(out.parent / "log", record_answers=False)  # a run is no traffic: Monitor must not count it
    try:
        return evaluate(
            dataset,
            ask=_asking(candor, settings, quiet),
            text_of=lambda name: _text_of(candor, name),
            out=out,
            limit=options.limit,
            resume=not options.is_fresh,
            progress=progress,
            dense_weight=settings.dense_weight,
        )
    finally:
        quiet.close()


def _target(candor: "Candor", dataset: DataSet, options: RunOptions) -> Path:
    """Return the file of a run.

    Raises:
        ConfigurationError: There is a run of this name over another data set.
    """
    name = _file_name(options.name) or f"{dataset.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    out = candor.settings.data_dir / "runs" / f"{name}.jsonl"
    before = None if options.is_fresh else read_run(out)
    if before is not None and before.dataset != dataset.name:
        raise ConfigurationError(
            f"The run {name!r} is over {before.dataset!r}, and this one is over {dataset.name!r}. "
            "Give it another name, or ask all again in its place."
        )
    return out


def _file_name(name: str) -> str:
    """Return what a data set or a run is called on disk; empty where nothing of the name is left.

    >>> _file_name(" top 3, April? ")
    'top_3_April'
    """
    return re.sub(r"[^\w-]+", "_", name).strip("_")


def _asking(candor: "Candor", settings: "Settings", quiet: Recorder) -> Callable[[str], Answer]:
    """Return what asks a question of what is indexed now, with the settings of a run."""
    pipeline = candor.pipeline
    defaults = {name: getattr(settings, name) for name in pipeline.defaults}
    named = replace(
        pipeline,
        recorder=quiet,
        default_estimator=settings.estimator,
        threshold=settings.confidence_threshold,
        rules=replace(pipeline.rules, dense_weight=settings.dense_weight),
        defaults=defaults,
        settings_fingerprint=settings_fingerprint(settings),
    )
    return lambda question: named.ask(named.query(question))


def _text_of(candor: "Candor", name: str) -> str | None:
    """Return the text of an indexed document, or None where no file of it is left."""
    from rag.ingest.loaders import load

    record = candor.wiring.catalogue.get(name)
    path = Originals(candor.settings.data_dir / "files").source(record) if record else None
    try:
        return load(path).text if path else None
    except InvalidDocument:
        return None
